"""The mutants, by layer."""

from .host import MUTANTS as HOST
from .kernel import MUTANTS as KERNEL
from .mainloop import MUTANTS as MAINLOOP
from .tile import MUTANTS as TILE

MUTANTS = MAINLOOP + TILE + KERNEL + HOST
