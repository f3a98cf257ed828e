#!/usr/bin/env python3
"""The tables of README.md, made from the result files.

usage: readme_tables.py --update | --check

A block is a line `<!-- table: NAME FILE -->`, the table, and a line `<!-- end -->`; FILE lies in
bench/results. --update writes the tables anew; --check exits with 1 where one differs from its file
and says how. NAME is one of those in TABLES below.
"""

import argparse
import difflib
import pathlib
import re
import sys

import result_file
import summary

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^<!-- table: (?P<name>\S+) (?P<file>\S+) -->\n(?P<body>.*?)^<!-- end -->$",
                   re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"^<!-- (table:.*|end) -->$", re.MULTILINE)


def time_text(seconds):
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds * 1e6:.1f} us"


def _figures(case):
    return (f"{time_text(case.seconds)} | {case.tflops:.1f} | {case.cublas_tflops:.1f} | "
            f"{case.ratio:.3f} |")


def ladder(result):
    lines = ["| rung | time | TFLOPS | cuBLAS | ratio |", "|---|---|---|---|---|"]
    for rung in result_file.RUNGS:
        for case in result.of(rung):
            if case.is_plain_square(4096):
                lines.append(f"| `{rung}` | {_figures(case)}")
    return lines


def policies(result):
    """All policies at 4096."""
    lines = ["| policy | time | TFLOPS | cuBLAS | ratio |", "|---|---|---|---|---|"]
    for case in sorted(result.of(), key=lambda c: c.tflops):
        if case.is_plain_square(4096):
            lines.append(f"| `{case.policy}` | {_figures(case)}")
    return lines


def _automatic(result, mode):
    lines = ["| size | runs | time | TFLOPS | cuBLAS | ratio |", "|---|---|---|---|---|---|"]
    cases = [c for c in result.of("automatic", mode) if c.is_square and c.is_plain_square(c.m)]
    for case in sorted(cases, key=lambda c: c.m):
        # Powers of two and halves between: the odd ones are a table of their own.
        if case.m % 64 == 0:
            lines.append(f"| {case.m} | {case.runs} | {_figures(case)}")
    return lines


def squares(result):
    return _automatic(result, "hot")


def squares_cold(result):
    return _automatic(result, "cold")


def sustained(result):
    lines = ["| size | policy | TFLOPS | cuBLAS | ratio | SM clock | power | cuBLAS's |",
             "|---|---|---|---|---|---|---|---|"]

    def figure(case, key, unit):
        return f"{case.fields[key]:.0f} {unit}" if key in case.fields else "-"

    for case in sorted(result.of(mode="sustained"), key=lambda c: (c.m, c.tflops)):
        lines.append(f"| {case.m} x {case.n} x {case.k} | `{case.policy}` | {case.tflops:.1f} | "
                     f"{case.cublas_tflops:.1f} | {case.ratio:.3f} | "
                     f"{figure(case, 'sm_clock_median_mhz', 'MHz')} | "
                     f"{figure(case, 'power_mean_w', 'W')} | "
                     f"{figure(case, 'cublas_power_mean_w', 'W')} |")
    return lines


def awkward(result):
    """`automatic` where sizes, layouts or pointers are less kind."""
    lines = ["| problem | runs | time | TFLOPS | cuBLAS | ratio |", "|---|---|---|---|---|---|"]
    for case in result.of("automatic"):
        if "odd" in case.sweeps or "transpositions" in case.sweeps:
            lines.append(f"| {case.problem_name} | {case.runs} | {_figures(case)}")
    return lines


def skinny(result):
    lines = ["| problem | runs | time | GB/s | cuBLAS | ratio |", "|---|---|---|---|---|---|"]
    for case in result.of("automatic", sweep="skinny"):
        lines.append(f"| {case.problem_name} | {case.runs} | {time_text(case.seconds)} | "
                     f"{case.gbps:.0f} | {case.gbps / case.ratio:.0f} | {case.ratio:.3f} |")
    return lines


def peers(result):
    sizes = sorted({c.m for c in result.of() if c.is_plain_square(c.m)})
    lines = ["| kernel | " + " | ".join(f"{s}" for s in sizes) + " | error |",
             "|---" * (len(sizes) + 2) + "|"]
    for peer in dict.fromkeys(c.policy for c in result.of()):
        cases = {c.m: c for c in result.of(peer) if c.is_plain_square(c.m)}
        figures = " | ".join(f"{cases[s].tflops:.1f}" if s in cases else "-" for s in sizes)
        largest = cases[max(cases)]
        lines.append(f"| `{peer}` | {figures} | "
                     f"{largest.fields['relative_frobenius_error']:.1e} |")
    return lines


def bars(result):
    return summary.table(result)


TABLES = {f.__name__: f for f in (ladder, policies, squares, squares_cold, sustained, awkward,
                                  skinny, peers, bars)}


def render(text, results_dir):
    """`text` with every table made anew; raises ResultError."""
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        raise result_file.ResultError("there is no table block")
    if len(MARKER.findall(text)) != 2 * len(blocks):
        raise result_file.ResultError("a table block without its end, or an end without a table")

    def fill(match):
        name, file = match["name"], match["file"]
        if name not in TABLES:
            raise result_file.ResultError(f"no table is called {name}; there are "
                                          + ", ".join(TABLES))
        lines = TABLES[name](result_file.load(results_dir / file))
        if len(lines) <= 2:
            raise result_file.ResultError(f"{file} has no case for the table {name}")
        return f"<!-- table: {name} {file} -->\n\n" + "\n".join(lines) + "\n\n<!-- end -->"

    return BLOCK.sub(fill, text)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--update", action="store_true")
    action.add_argument("--check", action="store_true")
    parser.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results")
    options = parser.parse_args(arguments)
    try:
        before = options.readme.read_text()
        after = render(before, options.results)
    except (OSError, result_file.ResultError) as error:
        print(f"readme_tables.py: {options.readme}: {error}", file=sys.stderr)
        return 2
    if options.check:
        sys.stdout.writelines(difflib.unified_diff(
            before.splitlines(True), after.splitlines(True), "README.md", "from the result files"))
        if before != after:
            print("readme_tables.py: run it with --update", file=sys.stderr)
        return int(before != after)
    options.readme.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
