"""What a mutant is, and the nets that may catch one."""

import re
from dataclasses import dataclass

# values: the plain build, whose products run in forward, reverse and random order of threads.
# address: the same suite under AddressSanitizer and UndefinedBehaviorSanitizer.
# thread: under ThreadSanitizer. static: a static_assert of the library refuses the mutant.
NETS = ("values", "address", "thread", "static")


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str  # below include/tessera
    old: str  # the text that is replaced, exact but for runs of white space
    new: str
    fault: str  # what the mutant stands for
    # Expected to catch it. A sanitizer's net runs even where the values have caught the mutant, and
    # the values of a mutant for "thread" in each order by itself.
    net: str = "values"
    # Each tried in turn until one dies; the suite is compiled for one policy at a time.
    policies: tuple[str, ...] = ("smem_tile",)
    # `old` is the occurrence-th of so many in the file.
    occurrence: int = 1
    of: int = 1

    def apply(self, text: str) -> str:
        """The mutated file; ValueError where the list no longer fits the library."""
        if self.old == self.new or self.net not in NETS or not self.policies:
            raise ValueError("not a mutant")
        # White space may have been formatted anew.
        words = [re.escape(word) for word in self.old.split()]
        found = list(re.finditer(r"\s+".join(words), text))
        if len(found) != self.of:
            raise ValueError(f"the text to replace occurs {len(found)} times in "
                             f"{self.file}, expected {self.of}")
        at = found[self.occurrence - 1]
        return text[:at.start()] + self.new + text[at.end():]
