#!/usr/bin/env python3
"""Runs everything that needs a GPU and writes a dated summary.

usage: gpu_check.py --build DIR --results DIR [--quick]

The GoogleTest suites, the differential test, capture and replay of every policy from a cold process,
and compute-sanitizer's four tools over a representative subset, each first on a planted fault. Exit status 1 if anything failed.
--quick leaves out compute-sanitizer.
"""

import argparse
import datetime
import pathlib
import re
import shutil
import subprocess
import sys
import time

SUITES = ["unit_tests", "gemm_tests", "cublas_tests"]
# Every policy: exact and ragged tiles in all layouts, offset pointers, and every pair of scalars.
SANITIZED = ("Policies/LayoutsOf.Ragged*:Policies/LayoutsOf.Literal*:Policies/LayoutsOf.WholeTiles*:"
             "Policies/Alignment.OffsetPointersTogether*:Policies/Scalars.BetaZero*")
# racecheck does not follow mbarriers: of producers that refill a stage it says "potential WAR hazard"
# for each float. Those are the emulator's, whose ThreadSanitizer build and mutants hold them.
NOT_RACECHECKED = "*pipelined*"
TOOLS = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}


class Summary:
    def __init__(self):
        self.lines, self.failures = [], 0

    def add(self, name, ok, text, seconds):
        self.failures += not ok
        line = f"{'ok  ' if ok else 'FAIL'}  {name:<28} {text} ({seconds:.0f} s)"
        self.lines.append(line)
        print(line, flush=True)

    def note(self, text):
        self.lines.append("      " + text)
        print("      " + text, flush=True)


def run(command, timeout=600):
    start = time.monotonic()
    try:
        result = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace",
                                timeout=timeout)
        code, output = result.returncode, result.stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or ""
        code = -1
        output = output.decode(errors="replace") if isinstance(output, bytes) else output
        output += f"\ntimed out after {timeout} s"
    return code, output, time.monotonic() - start


def find(build, name):
    for path in pathlib.Path(build).rglob(name):
        if path.is_file():
            return path
    sys.exit(f"{name} is not in {build}: build it first")


def gtest_counts(output):
    def count(pattern):
        found = re.findall(pattern, output)
        return int(found[-1]) if found else 0
    return (count(r"\[  PASSED  \] (\d+) test"), count(r"\[  FAILED  \] (\d+) test"),
            count(r"\[  SKIPPED \] (\d+) test"))


def skip_reasons(output):
    """The message of each GTEST_SKIP, with how many tests gave it."""
    reasons = {}
    for reason in re.findall(r": Skipped\n(.*)\n", output):
        reasons[reason] = reasons.get(reason, 0) + 1
    return reasons


def show_failures(summary, output):
    interesting = [line for line in output.splitlines()
                   if re.search(r"FAILED|Failure|ERROR|=========|differ|timed out", line)]
    for line in interesting[:20]:
        summary.note(line[:160])


def run_suites(summary, build):
    for name in SUITES:
        code, output, seconds = run([find(build, name)])
        passed, failed, skipped = gtest_counts(output)
        ok = code == 0 and passed > 0
        summary.add(name, ok, f"{passed} passed, {failed} failed, {skipped} skipped", seconds)
        for reason, count in skip_reasons(output).items():
            summary.note(f"{count} skipped: {reason}")
        if not ok:
            show_failures(summary, output)


def run_differential(summary, build):
    code, output, seconds = run([find(build, "differential_test"), "--count=20000",
                                 "--seconds=180"])
    last = output.strip().splitlines()[-1] if output.strip() else "no output"
    summary.add("differential_test", code == 0, last, seconds)
    if code != 0:
        show_failures(summary, output)


def run_captures(summary, build, policies):
    program = find(build, "cold_capture")
    start, failed = time.monotonic(), []
    for policy in policies:
        code, output, _ = run([program, policy], timeout=60)
        if code != 0:
            failed.append(f"{policy}: {output.strip()}")
    summary.add("capture from a cold process", not failed,
                f"{len(policies) - len(failed)} of {len(policies)} policies",
                time.monotonic() - start)
    for failure in failed:
        summary.note(failure)


def run_sanitizers(summary, build):
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        summary.note("compute-sanitizer is not installed: its four tools were skipped")
        return
    program, control = find(build, "gemm_tests"), find(build, "planted_faults")
    for tool, options in TOOLS.items():
        code, output, seconds = run([sanitizer, "--tool", tool, "--error-exitcode", "9", control,
                                     tool])
        if code != 9:  # a tool that finds nothing here proves nothing below
            summary.add(f"compute-sanitizer {tool}", False, "missed the planted fault", seconds)
            show_failures(summary, output)
            continue
        subset = SANITIZED + (f"-{NOT_RACECHECKED}" if tool == "racecheck" else "")
        code, output, seconds = run([sanitizer, "--tool", tool, "--error-exitcode", "9", *options,
                                     program, f"--gtest_filter={subset}"], timeout=540)
        passed, failed, _ = gtest_counts(output)
        verdicts = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", output)
        verdict = verdicts[-1] if verdicts else "no summary"
        summary.add(f"compute-sanitizer {tool}", code == 0 and passed > 0 and failed == 0,
                    f"{verdict}; {passed} tests; the planted fault was found", seconds)
        if code != 0:
            show_failures(summary, output)


def machine():
    query = "name,driver_version,clocks.max.sm,power.limit"
    _, output, _ = run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"])
    return output.strip().splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("nvidia-smi") is None:
        print("SKIPPED: no GPU on this machine")
        return 77

    gpu = machine()
    now = datetime.datetime.now(datetime.timezone.utc)
    _, nvcc, _ = run(["nvcc", "--version"])
    release = re.search(r"release ([0-9.]+)", nvcc)
    summary = Summary()
    summary.lines += [f"GPU check, {now:%Y-%m-%d %H:%M} UTC",
                      f"GPU, driver, max SM clock, power limit: {gpu}",
                      f"CUDA toolkit: {release.group(1) if release else 'unknown'}", ""]
    print("\n".join(summary.lines), flush=True)

    _, listing, _ = run([find(arguments.build, "gemm_tests"), "--gtest_list_tests",
                         "--gtest_filter=Policies/Sizes.Empty/*"])
    policies = re.findall(r"Empty/(\w+)", listing)
    if not policies:
        sys.exit("gemm_tests lists no policies")
    run_suites(summary, arguments.build)
    run_captures(summary, arguments.build, policies)
    run_differential(summary, arguments.build)
    if not arguments.quick:
        run_sanitizers(summary, arguments.build)

    summary.lines += ["", f"{summary.failures} failed"]
    print(summary.lines[-1])
    name = re.sub(r"[^a-z0-9]+", "-", gpu.split(",")[0].lower())
    results = pathlib.Path(arguments.results)
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{now:%Y-%m-%d}-{name}.txt"
    path.write_text("\n".join(summary.lines) + "\n")
    print(f"written: {path.name}")
    return 1 if summary.failures else 0


if __name__ == "__main__":
    sys.exit(main())
