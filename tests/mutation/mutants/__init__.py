"""The mutants, by layer."""

from .host import MUTANTS as HOST
from .kernel import MUTANTS as KERNEL
from .mainloop import MUTANTS as MAINLOOP
from .pipelined import MUTANTS as PIPELINED
from .rim import MUTANTS as RIM
from .slices import MUTANTS as SLICES
from .tail import MUTANTS as TAIL
from .tile import MUTANTS as TILE

MUTANTS = MAINLOOP + PIPELINED + TILE + KERNEL + SLICES + RIM + TAIL + HOST
