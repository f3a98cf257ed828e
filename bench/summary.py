#!/usr/bin/env python3
"""What a result file must show, bar by bar: hot figures of `automatic` on an H200.

usage: summary.py RESULT.json [--all-shapes]

Exit status 1 if a bar is missed or the file has no case for it, 2 if the file cannot be read.
--all-shapes lists, too, the shapes below the bar and those where another policy is ahead.
"""

import argparse
import dataclasses
import sys

import result_file

POLICY = "automatic"
# The device-to-device copy of the chip that the bars were set for.
COPY_GBPS = 4280.0
CLOSE = 1.05  # automatic may take so much of the best policy's time


@dataclasses.dataclass(frozen=True)
class Bar:
    what: str
    must: float
    aim: float
    value: float | None  # None: no case
    note: str = ""
    complete: bool = True  # whether all cases that the bar speaks of are there

    @property
    def met(self):
        return self.value is not None and self.complete and self.value >= self.must

    @property
    def verdict(self):
        if self.value is None:
            return "NO CASE"
        if not self.complete:
            return "INCOMPLETE"
        if not self.met:
            return f"MISSED by {self.must - self.value:.3f}"
        return "aim met" if self.value >= self.aim else "met"


def _worst(what, must, aim, cases, expected, value=lambda case: case.ratio):
    """The bar of the worst of `cases`, of which there should be `expected`."""
    if not cases:
        return Bar(what, must, aim, None)
    worst = min(cases, key=value)
    note = f"worst: {worst.problem_name}"
    if len(cases) < expected:
        note += f"; {len(cases)} of {expected} cases"
    return Bar(what, must, aim, value(worst), note, len(cases) >= expected)


def _is_streamed(case):
    """One of A and B is at least 256 MB and the other thin."""
    thin = min(case.m, case.n)
    return thin <= 8 and 4 * case.k * max(case.m, case.n) >= 256e6


def population(result):
    """DeepBench, the unbatched rows of transformer, and the squares."""
    return [c for c in result.of(POLICY)
            if "deepbench" in c.sweeps or "squares" in c.sweeps
            or ("transformer" in c.sweeps and c.batch == 1)]


def behind_best(result):
    """(case of automatic, best case of its problem, time over the best's) of every hot problem that
    has other policies."""
    by_problem = {}
    for case in result.of():
        by_problem.setdefault(case.problem, []).append(case)
    out = []
    for cases in by_problem.values():
        ours = [c for c in cases if c.policy == POLICY]
        if ours and len(cases) > 1:
            best = max(cases, key=lambda c: c.tflops)
            out.append((ours[0], best, best.tflops / ours[0].tflops))
    return out


def bars(result):
    hot = result.of(POLICY)

    def squares(*extents):
        return [c for c in hot if any(c.is_plain_square(e) for e in extents)]

    plain = [c for c in hot if not c.ld_extra and not c.offset]
    layouts = [c for c in plain if c.is_square and c.m in (4096, 8192)
               and c.layouts in ("RRR", "RCR", "CRR", "CCR")]
    awkward = squares(4095, 4097) + [c for c in hot if c.is_square and c.m == 4096
                                     and (c.ld_extra or c.offset)]
    streamed = [c for c in plain if _is_streamed(c)]
    out = [
        _worst("4096^3 and 8192^3, NN, NT, TN, TT", 1.08, 1.18, layouts, 8),
        _worst("4095^3, 4097^3, odd ld, offset pointers", 1.0, 1.12, awkward, 5),
        _worst("1024^3, 2048^3", 1.0, 1.15, squares(1024, 2048), 2),
        _worst("256^3, 512^3", 1.0, 1.5, squares(256, 512), 2),
        _worst(f"skinny, share of {COPY_GBPS / 1e3:.2f} TB/s", 0.85, 0.92, streamed, 16,
               lambda c: c.gbps / COPY_GBPS),
        _worst("128 x 128 x 131072", 1.0, 1.3,
               [c for c in plain if (c.m, c.n, c.k) == (128, 128, 131072)], 1),
    ]
    shapes = population(result)
    what = "geometric mean: DeepBench, transformer, squares"
    if shapes:
        note = f"{len(shapes)} shapes"
        found = {s for c in shapes for s in c.sweeps} & {"deepbench", "transformer", "squares"}
        complete = len(found) == 3
        if not complete:
            note += ", only of " + ", ".join(sorted(found))
        out.append(Bar(what, 1.05, 1.15, result_file.geometric_mean(c.ratio for c in shapes), note,
                       complete))
        out.append(dataclasses.replace(_worst("the worst of these", 0.9, 0.95, shapes, len(shapes)),
                                       complete=complete))
    else:
        out += [Bar(what, 1.05, 1.15, None), Bar("the worst of these", 0.9, 0.95, None)]
    compared = behind_best(result)
    what = "share of shapes within 5 % of the best policy"
    if compared:
        close = sum(slower <= CLOSE for _, _, slower in compared)
        out.append(Bar(what, 0.9, 0.95, close / len(compared), f"{close} of {len(compared)}"))
    else:
        out.append(Bar(what, 0.9, 0.95, None))
    return out


def table(result):
    """The bars as lines of a Markdown table."""
    lines = ["| what | must | aim | measured | | |", "|---|---|---|---|---|---|"]
    for bar in bars(result):
        value = "-" if bar.value is None else f"{bar.value:.3f}"
        lines.append(f"| {bar.what} | {bar.must:.2f} | {bar.aim:.2f} | {value} | {bar.verdict} | "
                     f"{bar.note} |")
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("result")
    parser.add_argument("--all-shapes", action="store_true")
    options = parser.parse_args(arguments)
    try:
        result = result_file.load(options.result)
    except result_file.ResultError as error:
        print(f"summary.py: {error}", file=sys.stderr)
        return 2
    print("\n".join(table(result)))
    if result.failed:
        print(f"\n{len(result.failed)} cases failed, among them {sorted(result.failed)[0]}")
    if options.all_shapes:
        print("\nbelow 0.95 of cuBLAS:")
        for case in sorted(population(result), key=lambda c: c.ratio):
            if case.ratio < 0.95:
                print(f"  {case.ratio:.3f} {case.problem_name}, runs {case.runs}")
        print("\nmore than 5 % behind the best policy:")
        for case, best, slower in sorted(behind_best(result), key=lambda row: -row[2]):
            if slower > CLOSE:
                print(f"  {slower:.3f} {case.problem_name}, runs {case.runs}, "
                      f"best {best.policy}")
    return 0 if all(bar.met for bar in bars(result)) and not result.failed else 1


if __name__ == "__main__":
    sys.exit(main())
