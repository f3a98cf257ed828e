#!/usr/bin/env python3
"""Mutation run: faults put into the headers one at a time, each of which a test must catch.

Every mutant of mutants/ is compiled in the emulator with one policy and meets the kill suite
(kill_products.cu, kill_calls.cu). First the suite as it is must pass in every net that mutants
meet: plain, AddressSanitizer with UndefinedBehaviorSanitizer, and ThreadSanitizer. A mutant that
survives the plain build meets the other two. Exits with 1 if one survives all.

A line for each mutant: the nets that caught it (values, or the orders of threads; address; thread;
static, a static_assert), then the policy and the test. In a table of mutants, text that is no
longer in the library is an error.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path

from mutants import MUTANTS
from suite import BuildError, Suite, Verdict

SANITIZED = ("address", "thread")
SANITIZER = re.compile("AddressSanitizer|ThreadSanitizer|runtime error")
ORDERS = ("forward", "reverse", "random")


class Baseline:
    """Whether the suite passes on the library as it is, by net and policy, each found once."""

    def __init__(self, suite):
        self.suite, self.lock, self.verdicts = suite, threading.Lock(), {}

    def verdict(self, net, policy):
        with self.lock:
            first = (net, policy) not in self.verdicts
            own = self.verdicts.setdefault((net, policy), concurrent.futures.Future())
        if first:
            try:
                program = self.suite.build(net, policy, self.suite.include, "unmutated")
                own.set_result(self.suite.run(net, policy, program))
            except BaseException as error:
                own.set_exception(error)
        return own.result()

    def require(self, net, policy):
        """A net that fails anyway catches nothing."""
        verdict = self.verdict(net, policy)
        if not verdict.passed:
            raise ValueError(f"the unmutated library fails in net {net}, {said_by(verdict)}")


def nets_that_catch(suite, baseline, mutant, include):
    """(net, Verdict) of the nets that catch a mutant under one of its policies. Sanitizers run
    where the values do not catch it, or where it is meant for one."""
    caught = []
    for net in ("values",) + SANITIZED:
        if caught and net != mutant.net:
            continue
        each_order = net == "values" and mutant.net == "thread"
        for policy in mutant.policies:
            baseline.require(net, policy)
            try:
                program = suite.build(net, policy, include, mutant.name)
            except BuildError as error:
                sentence = error.static_assertion()
                if mutant.net != "static" or not sentence:
                    raise
                return [("static", Verdict(False, policy, sentence))]
            before = len(caught)
            for order in ORDERS if each_order else (None,):
                verdict = suite.run(net, policy, program, order)
                if not verdict.passed:
                    # A sanitizer's build also fails by values.
                    by_values = net == "values" or not SANITIZER.match(verdict.report)
                    caught.append((order or ("values" if by_values else net), verdict))
            if len(caught) > before:
                break
    return caught


def run_mutant(suite, baseline, mutant):
    """(caught, line to print)"""
    folder = suite.build_dir / "mutants" / mutant.name
    shutil.rmtree(folder, ignore_errors=True)
    include = folder / "include"
    shutil.copytree(suite.include, include)
    mutated = include / "tessera" / mutant.file
    try:
        mutated.write_text(mutant.apply(mutated.read_text()))
        caught = nets_that_catch(suite, baseline, mutant, include)
    except (ValueError, BuildError) as error:
        return False, f"ERROR     {mutant.name}: {error}"
    if not caught:
        return False, f"SURVIVED  {mutant.name} ({mutant.fault}; {mutant.file})"
    shutil.rmtree(folder)
    nets = [net for net, _ in caught]
    expected = "" if mutant.net in nets else f" (expected: {mutant.net})"
    return True, f"caught    {mutant.name}: {', '.join(nets)}{expected}; {said_by(caught[-1][1])}"


def said_by(verdict):
    return f"{verdict.policy}: {verdict.test}" + (f", {verdict.report}" if verdict.report else "")


def check_baseline(baseline, needed, pool):
    """Whether the suite passes on the library as it is, in these nets and policies."""
    good = True
    checks = [(net, pool.submit(baseline.verdict, net, policy)) for net, policy in needed]
    for net, future in checks:
        if not future.result().passed:
            good = False
            print(f"the unmutated library fails in net {net}, {said_by(future.result())}")
    return good


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="run this mutant; repeatable")
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="only each N-th mutant of the tables")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--build-dir", type=Path, default=Path("build/mutation"))
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flag", action="append", default=[], help="for every compilation")
    parser.add_argument("--library", action="append", default=[],
                        help="GoogleTest and Boost.Context; by default the installed ones")
    return parser.parse_args()


def main():
    options = arguments()
    chosen = [m for m in MUTANTS if not options.only or m.name in options.only]
    unknown = set(options.only or ()) - {m.name for m in MUTANTS}
    if unknown or len({m.name for m in MUTANTS}) != len(MUTANTS):
        sys.exit(f"unknown mutants {sorted(unknown)}, or two of one name")
    chosen = chosen[::options.every]
    if options.list:
        for m in chosen:
            print(f"{m.name}: {m.fault}; {m.file}, {m.net}, {' '.join(m.policies)}")
        return 0

    start = time.monotonic()
    suite = Suite(Path(__file__).resolve().parents[2], options.build_dir.resolve(),
                  options.compiler, options.flag, options.library)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        suite.build_shared(pool)
        baseline = Baseline(suite)
        # Sanitizers' as far as mutants are meant for them; the others' where a mutant gets there.
        needed = sorted({(net, policy) for m in chosen for policy in m.policies
                         for net in ("values", m.net) if net != "static"})
        if not check_baseline(baseline, needed, pool):
            return 1
        print(f"the unmutated library passes in {len(needed)} nets and policies "
              f"({time.monotonic() - start:.0f} s)", flush=True)
        count = 0
        for future in [pool.submit(run_mutant, suite, baseline, m) for m in chosen]:
            caught, line = future.result()
            count += caught
            print(line, flush=True)
    print(f"mutants: {count} of {len(chosen)} caught ({time.monotonic() - start:.0f} s)")
    return 0 if count == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
