#!/usr/bin/env python3
"""Prints registers, spills and smem of every kernel variant of every policy, as ptxas reports them.

usage: print_registers.py NVCC ARCHITECTURE SOURCE...   (SOURCE: tests/support/policies/*.cu)
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
# <policy, layout of A, layout of B, vector width, guarded>
VARIANT = re.compile(
    r"gemm_kernel<\S*?(\w+), tessera::(\w)\w+, tessera::(\w)\w+, \(?(?:int\))?(\d), "
    r"\(?(?:bool\))?(\w+)>"
)


def main() -> None:
    nvcc, architecture, *sources = sys.argv[1:]
    print(f"{'policy':<18}{'A B':<5}{'width':<7}{'guarded':<9}{'registers':<11}spilled bytes")
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            log = subprocess.run(
                [nvcc, "-std=c++20", f"-arch=sm_{architecture}", "-cubin", "-Xptxas=-v", "-o",
                 f"{folder}/out.cubin", f"-I{ROOT}/include", source],
                check=True, capture_output=True, text=True).stderr
        log = subprocess.run(["c++filt"], input=log.replace("'", " ' "), check=True,
                             capture_output=True, text=True).stdout
        variant, spilled = None, 0
        for line in log.splitlines():
            if "Compiling entry function" in line:
                variant = VARIANT.search(line)
            elif match := SPILL.search(line):
                spilled = int(match[1]) + int(match[2])
            elif variant and (match := USED.search(line)):
                policy, a, b, width, guarded = variant.groups()
                yes = "yes" if guarded in ("true", "1") else "no"
                print(f"{policy:<18}{a} {b:<3}{width:<7}{yes:<9}{match[1]:<11}{spilled}")
                variant = None


main()
