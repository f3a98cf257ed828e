"""Reads the result files of gemm_bench and peers.py. Plain Python, no packages."""

import dataclasses
import json
import math
import pathlib

RUNGS = ["naive", "smem_tile", "register_tile_1d", "register_tile_2d", "vectorized",
         "double_buffered"]


class ResultError(Exception):
    """A result file that cannot be used; the message names the file."""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    policy: str
    chosen: str  # the policy that ran; empty where the file does not say
    layouts: str
    m: int
    n: int
    k: int
    batch: int
    ld_extra: int
    offset: int
    mode: str
    sweeps: tuple
    tflops: float
    cublas_tflops: float
    fields: dict = dataclasses.field(repr=False, compare=False)

    @property
    def ratio(self):
        return self.tflops / self.cublas_tflops

    @property
    def seconds(self):
        return 2e-12 * self.m * self.n * self.k / self.tflops

    @property
    def gbps(self):
        return 4e-9 * (self.m * self.k + self.k * self.n + self.m * self.n) / self.seconds

    @property
    def flop_per_byte(self):
        return self.tflops * 1e3 / self.gbps

    @property
    def runs(self):
        """The policy that ran and its slices of K, as Markdown."""
        slices = self.fields.get("slices", 1)
        text = f"`{self.chosen}`" if self.chosen else "-"
        return text + (f", {slices} slices" if slices > 1 else "")

    @property
    def problem(self):
        """What is computed, whoever does it."""
        return (self.layouts, self.m, self.n, self.k, self.ld_extra, self.offset)

    @property
    def problem_name(self):
        text = f"{self.layouts}/{self.m}x{self.n}x{self.k}"
        if self.ld_extra:
            text += f"/ld+{self.ld_extra}"
        if self.offset:
            text += f"/offset+{self.offset}"
        return text

    @property
    def is_square(self):
        return self.m == self.n == self.k

    def is_plain_square(self, extent):
        return (self.is_square and self.m == extent and self.layouts == "RRR"
                and not self.ld_extra and not self.offset)


@dataclasses.dataclass(frozen=True)
class ResultFile:
    path: pathlib.Path
    context: dict
    cases: tuple  # timed
    failed: dict  # name -> message

    def of(self, policy=None, mode="hot", sweep=None):
        return [c for c in self.cases
                if (policy is None or c.policy == policy) and c.mode == mode
                and (sweep is None or sweep in c.sweeps)]


def _case(entry):
    name = entry["name"]
    # A file from before the modes has policy, layouts and shape in its names alone.
    _, policy, layouts, shape = name.split("/")[:4]
    m, n, k = (int(extent) for extent in shape.split("x"))
    return Case(name=name, policy=entry.get("policy", policy),
                chosen=entry.get("chosen", ""),
                layouts=entry.get("layouts", layouts), m=entry.get("m", m), n=entry.get("n", n),
                k=entry.get("k", k), batch=entry.get("batch", 1),
                ld_extra=entry.get("ld_extra", 0), offset=entry.get("offset", 0),
                mode=entry.get("mode", "hot"), sweeps=tuple(entry.get("sweeps", ())),
                tflops=entry["TFLOPS"], cublas_tflops=entry["cublas_TFLOPS"],
                fields=entry)


def load(path):
    path = pathlib.Path(path)
    try:
        data = json.loads(path.read_text())
        cases, failed = [], {}
        for entry in data["benchmarks"]:
            if entry.get("error_occurred"):
                failed[entry["name"]] = entry.get("error_message", "no reason given")
            elif "TFLOPS" in entry:
                cases.append(_case(entry))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultError(f"{path}: not a result file: {type(error).__name__}: {error}") from error
    if not cases:
        raise ResultError(f"{path}: holds no timed case")
    return ResultFile(path, data.get("context", {}), tuple(cases), failed)


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values))
