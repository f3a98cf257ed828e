#!/usr/bin/env python3
"""A regression gate: two result files, case by case, by the ratio to cuBLAS.

usage: compare.py OLD.json NEW.json [--tolerance=0.03]

The ratio and not the time, because clocks and machines differ between runs and cuBLAS ran beside
each case. Exit status 1 if a case lost more than the tolerance or fails now, 2 if nothing can be
compared.
"""

import argparse
import sys

import result_file


def compare(old, new, tolerance):
    """Returns the report's lines and how many cases regressed; raises where none is common."""
    old_cases = {c.name: c for c in old.cases}
    new_cases = {c.name: c for c in new.cases}
    common = [name for name in old_cases if name in new_cases]
    if not common:
        raise result_file.ResultError("the files have no case in common")

    lines, moved, regressions = [], [], 0
    for name in common:
        before, after = old_cases[name].ratio, new_cases[name].ratio
        change = after / before - 1.0
        if abs(change) > tolerance:
            moved.append((change, name, before, after))
    if moved:
        lines.append(f"{'case':<52} {'old':>7} {'new':>7} {'change':>8}")
    for change, name, before, after in sorted(moved):
        word = "REGRESSION" if change < 0 else "gain"
        regressions += change < 0
        lines.append(f"{name:<52} {before:7.3f} {after:7.3f} {100 * change:+7.1f} %  {word}")
    for name in sorted(set(new.failed) & set(old_cases)):
        regressions += 1
        lines.append(f"{name:<52} REGRESSION: fails now: {new.failed[name]}")

    lines.append("")
    lines.append(f"{'geometric mean of the ratio':<38} {'cases':>5} {'old':>7} {'new':>7} "
                 f"{'change':>8}")
    groups = {}
    for name in common:
        case = old_cases[name]
        groups.setdefault(f"{case.policy}, {case.mode}", []).append(name)
    if len(groups) > 1:
        groups["all"] = common
    for group, names in groups.items():
        before = result_file.geometric_mean(old_cases[n].ratio for n in names)
        after = result_file.geometric_mean(new_cases[n].ratio for n in names)
        lines.append(f"{group:<38} {len(names):5} {before:7.3f} {after:7.3f} "
                     f"{100 * (after / before - 1):+7.1f} %")

    for title, names in (("only in the old file", sorted(set(old_cases) - set(new_cases)
                                                         - set(new.failed))),
                         ("only in the new file", sorted(set(new_cases) - set(old_cases)))):
        if names:
            lines += ["", f"{title} ({len(names)}):"] + [f"  {name}" for name in names]
    lines += ["", f"{len(common)} cases compared, {len(moved)} moved by more than "
                  f"{100 * tolerance:g} %, {regressions} regressions"]
    return lines, regressions


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--tolerance", type=float, default=0.03,
                        help="change of the ratio that counts (default 0.03)")
    options = parser.parse_args(arguments)
    if not 0.0 <= options.tolerance < 1.0:
        parser.error("--tolerance must be from 0 to 1")
    try:
        lines, regressions = compare(result_file.load(options.old), result_file.load(options.new),
                                     options.tolerance)
    except result_file.ResultError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 1 if regressions else 0


if __name__ == "__main__":
    sys.exit(main())
