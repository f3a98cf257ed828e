#!/usr/bin/env python3
"""Compares what ptxas makes of every library policy with budget.json. Needs nvcc, no GPU.

For each policy, architecture, layout pair and variant: registers, stack frame and spills. For each
policy: shared memory, and on sm_90a the FFMA share of the mainloop's instructions (where there is a
cuobjdump). For small translation units of one call: seconds to compile. Also, where there is a
cuobjdump, that no sum or product flushes subnormals under -use_fast_math, and that every kernel for
sm_90a waits for the launches before its own before it touches gmem.

Fails on a warning, on a register more than recorded, on a spill or a stack frame, on more shared
memory, on an FFMA share more than one point below the recorded one, and on a compile time above its
limit. A known spill may be recorded by hand as "spill_bytes" (stores + loads) of a kernel, a known
array in local memory as "stack_bytes"; neither may grow. --update records what was measured, except
what is by hand: those two, which it only lowers, and the time limits.

Another nvcc release than the recorded one allocates registers differently: what it exceeds is
printed, and the exit code is 77 (skipped) instead of 1.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# sm_90a and not sm_90, because the warps of `pipelined` share registers there alone.
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120")
FFMA_ARCHITECTURE = "sm_90a"
FFMA_TOLERANCE = 1.0  # percentage points
SKIPPED = 77

# Policies that only choose among others have no kernels of their own. Of the tiles of `skinny` and
# `narrow`, every width and both orientations.
POLICY = re.compile(r"(?:ladder|library)_entry<policy::(\w+)>")
CHOOSERS = ("automatic", "automatic_unsplit", "skinny", "narrow", "split_k_pipelined")
TILES = {"skinny_a1": "skinny_tile<Streamed::a,1>", "skinny_b8": "skinny_tile<Streamed::b,8>",
         "narrow_128x16": "narrow_128x16", "narrow_32x64": "narrow_32x64",
         "narrow_96x48": "narrow_96x48",
         "split_k_pipelined_128x256": "split_k_pipelined_128x256",
         "split_k_pipelined_256x128": "split_k_pipelined_256x128"}
# Compiled with -use_fast_math: mainloop, epilogue, slices through a cluster and a workspace.
FAST_MATH_POLICY = "split_k"
# Of one call of gemm, at most: one that is over the time limit is repeated.
COMPILATIONS = 3

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
STATIC_SMEM = re.compile(r"(\d+) bytes smem")
TEMPLATE = re.compile(r"(\w+)<(.*)>\(")
DYNAMIC_SMEM = "dynamic_smem"  # the kernel of policy.cu that carries the size in its name

INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);")


@dataclasses.dataclass
class Kernel:
    symbol: str
    name: str
    registers: int = 0
    stack: int = 0
    spill: int = 0
    static_smem: int = 0


@dataclasses.dataclass
class Unit:
    """One policy compiled for one architecture."""

    policy: str
    architecture: str
    cubin: pathlib.Path
    kernels: list
    dynamic_smem: int
    warnings: list

    @property
    def smem(self) -> int:
        return self.dynamic_smem + max(k.static_smem for k in self.kernels)


def run(*command: str) -> str:
    """stdout and stderr of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"codegen_gate: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def library_policies() -> list:
    """As tests/support/policies/ instantiates them, one file each; and TILES."""
    found = []
    for source in sorted((ROOT / "tests/support/policies").glob("*.cu")):
        found += POLICY.findall(source.read_text())
    if not found:
        sys.exit("codegen_gate: no policy in tests/support/policies")
    return [policy for policy in found if policy not in CHOOSERS] + list(TILES)


def demangle(symbols: list) -> list:
    if not shutil.which("c++filt"):
        sys.exit("codegen_gate: needs c++filt (binutils)")
    return run("c++filt", *symbols).splitlines()


def kernel_name(kernel: str, arguments: str) -> str:
    """<policy::P, RowMajor, ColMajor, 4, true, 4> -> "P row col 4 guarded"; the last is the width of
    C's accesses, "4/1" where it is another."""
    # As nvcc numbers them: Streamed::a is 1, b is 2.
    arguments = re.sub(r"skinny_tile<\(tessera::Streamed\)([12]), (\d+)>",
                       lambda m: f"skinny_{' ab'[int(m[1])]}{m[2]}", arguments)
    words = [re.sub(r"\w+::", "", word) for word in arguments.split(", ")]
    if kernel != "gemm_kernel" or len(words) != 6:
        return f"{kernel}<{', '.join(words)}>"
    width = words[3] if words[5] == words[3] else f"{words[3]}/{words[5]}"
    layouts = [{"RowMajor": "row", "ColMajor": "col"}.get(word, word) for word in words[1:3]]
    guard = {"true": "guarded", "false": "exact"}.get(words[4], words[4])
    return " ".join([words[0], *layouts, width, guard])


def parse_log(log: str) -> list:
    kernels = []
    for line in log.splitlines():
        if match := ENTRY.search(line):
            kernels.append(Kernel(match[1], ""))
        elif kernels and (match := STACK.search(line)):
            kernels[-1].stack = int(match[1])
            kernels[-1].spill = int(match[2]) + int(match[3])
        elif kernels and (match := USED.search(line)):
            kernels[-1].registers = int(match[1])
            if match := STATIC_SMEM.search(line):
                kernels[-1].static_smem = int(match[1])
    return kernels


class Gate:
    def __init__(self, options, folder: pathlib.Path):
        self.nvcc = options.nvcc
        self.jobs = options.jobs
        self.flags = ["-std=c++20", f"-I{options.include}"]
        self.folder = folder
        self.release = re.search(r"release (\d+\.\d+)", run(self.nvcc, "--version"))[1]
        known = run(self.nvcc, "--list-gpu-code").split()
        # nvcc does not list the `a` beside the architecture that it belongs to.
        self.architectures = [a for a in options.architectures if a.rstrip("a") in known]
        for architecture in options.architectures:
            if architecture not in self.architectures:
                print(f"{architecture} left out: nvcc {self.release} does not know it")

    def cubin(self, policy: str, architecture: str, name: str, *flags: str) -> tuple:
        """The file, and what the compiler says."""
        cubin = self.folder / f"{name}.{architecture}.cubin"
        type_name = TILES.get(policy, policy).replace(",", "\\,")  # nvcc splits at bare commas
        log = run(self.nvcc, *self.flags, f"-arch={architecture}", f"-DTESSERA_POLICY={type_name}",
                  *flags, "-cubin", "-o", cubin, HERE / "policy.cu")
        return cubin, log

    def compile_policy(self, policy: str, architecture: str) -> Unit:
        cubin, log = self.cubin(policy, architecture, policy, "-Xptxas=-v")
        kernels = parse_log(log)
        dynamic_smem = None
        for kernel, demangled in zip(kernels, demangle([k.symbol for k in kernels])):
            name, arguments = TEMPLATE.search(demangled).groups()
            if name == DYNAMIC_SMEM:
                dynamic_smem = int(arguments)
            kernel.name = kernel_name(name, arguments)
        kernels = [k for k in kernels if not k.name.startswith(DYNAMIC_SMEM)]
        if not kernels or dynamic_smem is None or not all(k.registers for k in kernels):
            sys.exit(f"codegen_gate: ptxas's log is not understood:\n{log}")
        warnings = [line for line in log.splitlines() if "warning" in line]
        return Unit(policy, architecture, cubin, kernels, dynamic_smem, warnings)

    def compile_all(self) -> list:
        # The newest architecture takes longest, so it starts first.
        work = [(p, a) for a in reversed(self.architectures) for p in library_policies()]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            units = list(pool.map(lambda pa: self.compile_policy(*pa), work))
        return sorted(units, key=lambda u: (u.policy, self.architectures.index(u.architecture)))

    def seconds(self, policy: str, limit: float) -> tuple:
        """CPU seconds of the compiler, which other work on the machine hardly changes; and wall.
        The best of COMPILATIONS, or the first within the limit."""
        times = []
        # Not -arch=sm_90a, which also compiles for compute_90: one architecture is what is limited.
        target = FFMA_ARCHITECTURE.removeprefix("sm_")
        for _ in range(COMPILATIONS):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            run(self.nvcc, *self.flags, f"-gencode=arch=compute_{target},code=sm_{target}",
                f"-DTESSERA_POLICY={policy}", "-c", "-o", self.folder / "one_gemm.o",
                HERE / "one_gemm.cu")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times.append((cpu, time.monotonic() - start))
            if cpu <= limit:
                break
        return min(times)


def mainloop_ffma(listing: str):
    """FFMAs and instructions of the loop (closed by a backward branch) with the most FFMAs; of
    loops with nearly as many the densest, because a branch back from behind encloses more."""
    instructions, branches = [], []
    for line in listing.splitlines():
        if match := INSTRUCTION.match(line):
            address, opcode, operands = int(match[1], 16), match[2], match[3]
            instructions.append((address, opcode.split(".")[0]))
            target = re.search(r"0x([0-9a-f]+)\s*$", operands)
            if opcode.startswith("BRA") and target and int(target[1], 16) < address:
                branches.append((int(target[1], 16), address))
    loops = []
    for first, last in branches:
        body = [opcode for address, opcode in instructions if first <= address <= last]
        loops.append((body.count("FFMA"), len(body)))
    most = max((count for count, _ in loops), default=0)
    if most == 0:
        return 0, 0
    return max((loop for loop in loops if loop[0] >= 0.8 * most),
               key=lambda loop: loop[0] / loop[1])


def find_cuobjdump(nvcc: str):
    beside = pathlib.Path(shutil.which(nvcc) or nvcc).resolve().parent / "cuobjdump"
    cuobjdump = str(beside) if beside.exists() else shutil.which("cuobjdump")
    if not cuobjdump:
        print("FFMA shares and fast math left out: no cuobjdump (toolkit, or PyPI's "
              "nvidia-cuda-cuobjdump)")
    return cuobjdump


def ffma_shares(units: list, cuobjdump: str) -> dict:
    """Percent per policy, for row-major A and B at full width: the exact variant or, where there is
    none, the guarded one."""
    shares = {}
    for unit in units:
        if unit.architecture != FFMA_ARCHITECTURE:
            continue
        of_rows = {}
        for kernel in unit.kernels:
            if match := re.search(r" row row (\d+) (exact|guarded)$", kernel.name):
                of_rows[match[2] == "exact", int(match[1])] = kernel
        if not of_rows:
            continue
        kernel = of_rows[max(of_rows)]
        ffma, total = mainloop_ffma(run(cuobjdump, "-sass", "-fun", kernel.symbol, unit.cubin))
        if ffma > 0:  # else a kernel without FP32 FMAs: another unit does its work
            shares[unit.policy] = round(100.0 * ffma / total, 1)
    return shares


def fast_math_offences(gate: Gate, cuobjdump: str) -> list:
    """Arithmetic that flushes subnormals in spite of arch/math.cuh."""
    cubin, _ = gate.cubin(FAST_MATH_POLICY, FFMA_ARCHITECTURE, "fast_math", "-use_fast_math")
    opcodes = [m[2] for m in map(INSTRUCTION.match, run(cuobjdump, "-sass", cubin).splitlines())
               if m]
    checked = ("FFMA", "FMUL", "FADD", "FSETP")
    flushing = sorted({opcode for opcode in opcodes
                       if ".FTZ" in opcode and opcode.split(".")[0] in checked})
    fused = sum(opcode.startswith("FFMA") for opcode in opcodes)
    print(f"\n{FAST_MATH_POLICY} under -use_fast_math: {fused} FFMA, flushing: "
          f"{', '.join(flushing) or 'none'}")
    if fused == 0:
        return [f"{FAST_MATH_POLICY} under -use_fast_math: no FFMA found"]
    return [f"{FAST_MATH_POLICY} under -use_fast_math: {opcode}" for opcode in flushing]


WAIT_FOR_LAUNCHES = "ACQBULK"  # griddepcontrol.wait
GMEM = re.compile(r"(LDG|LDGSTS|STG|LD|ST|ATOM|ATOMG|RED|REDG|UTMALDG|UBLKCP)$")


def launch_order_offences(units: list, cuobjdump: str) -> list:
    """Kernels whose first access of gmem, in the order of their code, is before the wait."""
    offences, checked = [], 0
    for unit in units:
        if unit.architecture != FFMA_ARCHITECTURE:
            continue
        listings = run(cuobjdump, "-sass", unit.cubin).split("Function : ")[1:]
        names = {kernel.symbol: kernel.name for kernel in unit.kernels}
        for listing in listings:
            symbol = listing.split("\n", 1)[0].strip()
            if symbol not in names:
                continue
            opcodes = [m[2].split(".")[0] for m in map(INSTRUCTION.match, listing.splitlines())
                       if m]
            accesses = [i for i, opcode in enumerate(opcodes) if GMEM.match(opcode)]
            checked += bool(accesses)
            if accesses and WAIT_FOR_LAUNCHES not in opcodes[:accesses[0]]:
                offences.append(f"{unit.architecture} {names[symbol]}: {opcodes[accesses[0]]} "
                                "before the wait for the launches before")
    print(f"\n{checked} kernels for {FFMA_ARCHITECTURE} that access gmem, {len(offences)} of them "
          "before the wait for the launches before their own")
    if checked == 0:
        offences.append(f"{FFMA_ARCHITECTURE}: no access of gmem found")
    return offences


def print_table(units: list, shares: dict) -> None:
    print(f"{'policy':<20}{'arch':<8}{'kernels':>7}{'registers':>11}{'stack':>7}{'spilled':>9}"
          f"{'smem':>8}{'FFMA share':>12}")
    for u in units:
        share = shares.get(u.policy) if u.architecture == FFMA_ARCHITECTURE else None
        print(f"{u.policy:<20}{u.architecture:<8}{len(u.kernels):>7}"
              f"{max(k.registers for k in u.kernels):>11}{max(k.stack for k in u.kernels):>7}"
              f"{sum(k.spill for k in u.kernels):>9}{u.smem:>8}"
              f"{'-' if share is None else f'{share:.1f} %':>12}")
    print("registers and stack: of the worst kernel; spilled: bytes, stores and loads of all; "
          "smem: bytes of a block")


def codegen_offences(units: list, shares: dict, budget: dict) -> list:
    offences, compiled = [], set()

    def compare(what: str, measured: int, allowed: int) -> None:
        if measured > allowed:
            offences.append(f"{what}: {measured}, recorded {allowed}")

    for unit in units:
        offences += [f"{unit.architecture} {unit.policy}: {line}" for line in unit.warnings]
        recorded = budget["kernels"].get(unit.architecture, {})
        for kernel in unit.kernels:
            compiled.add((unit.architecture, kernel.name))
            where = f"{unit.architecture} {kernel.name}"
            entry = recorded.get(kernel.name)
            if entry is None:
                offences.append(f"{where}: not recorded (--update)")
                entry = {"registers": kernel.registers}
            compare(f"{where}: registers", kernel.registers, entry["registers"])
            spill = entry.get("spill_bytes", 0)
            compare(f"{where}: spilled bytes", kernel.spill, spill)
            if kernel.spill <= spill:  # the frame beyond what known spills take: arrays in memory
                compare(f"{where}: stack bytes", kernel.stack, spill + entry.get("stack_bytes", 0))
        allowed = budget["smem_bytes"].get(unit.policy, unit.smem)
        compare(f"{unit.architecture} {unit.policy}: bytes of smem", unit.smem, allowed)
    for architecture in {unit.architecture for unit in units}:
        for name in budget["kernels"].get(architecture, {}):
            if (architecture, name) not in compiled:
                offences.append(f"{architecture} {name}: recorded, but no longer there (--update)")
    for policy, share in shares.items():
        recorded = budget["ffma_percent"].get(policy)
        if recorded is None:
            offences.append(f"{policy}: FFMA share not recorded (--update)")
        elif share < recorded - FFMA_TOLERANCE:
            offences.append(f"{policy}: FFMA share {share:.1f} %, recorded {recorded:.1f} %")
    return offences


def updated(budget: dict, units: list, shares: dict, release: str) -> dict:
    kernels = {a: budget["kernels"][a] for a in ARCHITECTURES if a in budget["kernels"]}
    for architecture in sorted({u.architecture for u in units}, key=ARCHITECTURES.index):
        entries = {}
        for kernel in [k for u in units if u.architecture == architecture for k in u.kernels]:
            old = budget["kernels"].get(architecture, {}).get(kernel.name, {})
            entry = {"registers": kernel.registers}
            arrays = max(0, kernel.stack - kernel.spill)
            for key, measured in (("spill_bytes", kernel.spill), ("stack_bytes", arrays)):
                if known := min(measured, old.get(key, 0)):
                    entry[key] = known
            entries[kernel.name] = entry
        kernels[architecture] = entries
    smem = {u.policy: u.smem for u in units}
    return {**budget, "nvcc": release, "smem_bytes": smem,
            "ffma_percent": shares or budget["ffma_percent"], "kernels": kernels}


def write_budget(path: pathlib.Path, budget: dict) -> None:
    """JSON with one line per kernel, for readable differences."""
    text = json.dumps(budget, indent=2)
    text = re.sub(r"\{\s+(\"registers\": [^{}]*?)\s+\}",
                  lambda m: "{" + re.sub(r"\s+", " ", m[1]) + "}", text)
    path.write_text(text + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--include", default=ROOT / "include", help="folder of the headers")
    parser.add_argument("--budget", type=pathlib.Path, default=HERE / "budget.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--architectures", nargs="+", choices=ARCHITECTURES, default=ARCHITECTURES)
    parser.add_argument("--update", action="store_true", help="rewrite the budget")
    options = parser.parse_args()

    budget = json.loads(options.budget.read_text())
    with tempfile.TemporaryDirectory() as folder:
        gate = Gate(options, pathlib.Path(folder))
        units = gate.compile_all()
        cuobjdump = find_cuobjdump(options.nvcc)
        shares = ffma_shares(units, cuobjdump) if cuobjdump else {}
        print_table(units, shares)
        flushing = fast_math_offences(gate, cuobjdump) if cuobjdump else []
        early = launch_order_offences(units, cuobjdump) if cuobjdump else []
        print(f"\none call of gemm, row-major, {FFMA_ARCHITECTURE}: seconds to compile")
        slow = []
        for policy, limit in budget["compile_seconds"].items():
            cpu, wall = gate.seconds(policy, limit)
            print(f"{policy:<20}{cpu:6.1f} (wall {wall:.1f}), limit {limit}")
            if cpu > limit:
                slow.append(f"{policy}: {cpu:.1f} s to compile one call, limit {limit} s")

    if options.update:
        budget = updated(budget, units, shares, gate.release)
        write_budget(options.budget, budget)
    offences = codegen_offences(units, shares, budget)
    print()
    always = slow + flushing + early  # whatever the release
    for offence in offences + always:
        print(f"FAILED {offence}")
    if offences and gate.release != budget["nvcc"]:
        print(f"recorded with nvcc {budget['nvcc']}, this is {gate.release}: registers are not "
              "comparable")
        return 1 if always else SKIPPED
    if not offences + always:
        print(f"all of {sum(len(u.kernels) for u in units)} kernels within the budget")
    return 1 if offences + always else 0


if __name__ == "__main__":
    sys.exit(main())
