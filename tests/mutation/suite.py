"""The kill suite as programs: one for each net, policy and set of headers."""

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# As tests/emulator/CMakeLists.txt compiles emulated code.
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-Wno-unknown-pragmas",
         "-DTESSERA_EMULATOR=1"]
SANITIZE = {
    "values": [],
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    "thread": ["-fsanitize=thread"],
}
# The emulator switches stacks, so it is never instrumented itself; it tells the sanitizer.
EMULATOR = {"values": [], "address": ["-DEMULATOR_ASAN"], "thread": ["-DEMULATOR_TSAN"]}
# ThreadSanitizer needs about 0.7 us for a thread's barrier, and finds a race in any order.
RACES = ":".join(f"*.{test}/forward" for test in ("KTileCounts", "RaggedAndOdd", "WithoutAProduct",
                                                 "TailOnHostThreads"))
TESTS = {"values": "*", "address": "*", "thread": RACES}
TIME_LIMIT = {"values": 60, "address": 180, "thread": 180}  # seconds

# Whatever a mutant changes is compiled from this file alone, so that the rest is compiled once.
MUTATED = "tests/mutation/policy_under_test.cu"
PREFIX = "tests/mutation/policy_prefix.hpp"
SHARED = ["tests/mutation/kill_products.cu", "tests/mutation/kill_calls.cu",
          "tests/support/problem.cu", "tests/support/gpu_main.cu", "tests/support/reference.cpp"]


class BuildError(Exception):
    def static_assertion(self):
        """The sentence of the static_assert that failed, or None."""
        found = re.search(r"static assertion failed: (.*)", str(self))
        return found and found.group(1)


@dataclass(frozen=True)
class Verdict:
    passed: bool
    policy: str
    test: str = ""  # the first that failed
    report: str = ""  # of a sanitizer, a signal or the time limit


class Suite:
    def __init__(self, source_dir, build_dir, compiler, flags, libraries):
        self.source_dir, self.build_dir = source_dir, build_dir
        self.compiler = compiler
        self.flags = FLAGS + (flags or self._fma_flag())
        self.libraries = libraries or ["-lgtest", "-lboost_context"]
        self.shared = {}  # net -> objects
        # A copy, because the tree may change while the run lasts.
        self.include = build_dir / "include"
        shutil.rmtree(self.include, ignore_errors=True)
        shutil.copytree(source_dir / "include", self.include)
        self.digest = self._digest()

    def _fma_flag(self):
        cpu = Path("/proc/cpuinfo")
        has_fma = cpu.exists() and re.search(r"\bfma\b", cpu.read_text())
        return ["-mfma"] if has_fma else []

    def _digest(self):
        """Of all that the shared objects may depend on."""
        digest = hashlib.sha256()
        for folder in ("include", "tests/emulator", "tests/support", "tests/mutation"):
            for path in sorted((self.source_dir / folder).rglob("*")):
                if path.suffix in (".h", ".hpp", ".cuh", ".cu", ".cpp"):
                    digest.update(str(path).encode() + path.read_bytes())
        return digest.hexdigest()

    def _execute(self, command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.build_dir)
        if done.returncode != 0:
            raise BuildError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")

    def _includes(self, include):
        folders = [self.source_dir / "tests/emulator/include", include, self.source_dir,
                   self.source_dir / "tests/support"]
        return [f"-I{folder}" for folder in folders]

    def _compile_shared(self, net, source, flags, language="c++"):
        """Compiles unless an object of the same command and sources is there."""
        folder = self.build_dir / net
        folder.mkdir(parents=True, exist_ok=True)
        name = Path(source).name
        output = folder / (name + (".gch" if language == "c++-header" else ".o"))
        command = [self.compiler, *self.flags, *flags, *self._includes(self.include),
                   "-x", language, "-c", str(self.source_dir / source), "-o", str(output)]
        stamp = output.with_name(output.name + ".stamp")
        key = self.digest + " ".join(command)
        if not (output.exists() and stamp.exists() and stamp.read_text() == key):
            self._execute(command)
            stamp.write_text(key)
        return output

    def build_shared(self, pool):
        """Everything but the mutated object, for every net."""
        emulator = sorted((self.source_dir / "tests/emulator/src").glob("*.cpp"))
        self.build_dir.mkdir(parents=True, exist_ok=True)
        pending = []
        for net, sanitize in SANITIZE.items():
            for source in emulator:
                pending.append((net, pool.submit(self._compile_shared, net, source,
                                                 ["-O2", *EMULATOR[net]])))
            for source in SHARED:
                pending.append((net, pool.submit(self._compile_shared, net, source, sanitize)))
            pending.append((None, pool.submit(self._compile_shared, net, PREFIX, sanitize,
                                              "c++-header")))
        for net, future in pending:
            output = future.result()
            if net:
                self.shared.setdefault(net, []).append(output)

    def build(self, net, policy, include, name):
        """The program of one policy compiled against the headers in `include`."""
        folder = self.build_dir / "mutants" / name
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / f"{policy}_{net}"
        mutated = program.with_suffix(".o")
        self._execute([self.compiler, *self.flags, *SANITIZE[net],
                       f"-DTESSERA_MUTATION_POLICY={policy}", "-include",
                       str(self.build_dir / net / Path(PREFIX).name), *self._includes(include),
                       "-x", "c++", "-c", str(self.source_dir / MUTATED), "-o", str(mutated)])
        # The mutated object comes first: of an inline function that others hold too, the linker
        # takes the first copy.
        self._execute([self.compiler, *SANITIZE[net], str(mutated), *map(str, self.shared[net]),
                       *self.libraries, "-lpthread", "-o", str(program)])
        return program

    def run(self, net, policy, program, order=None):
        """The verdict of a net's tests; of the values in one order of threads, if given."""
        tests = f"*/{order}" if order else TESTS[net]
        command = [str(program), "--gtest_fail_fast", f"--gtest_filter={tests}"]
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1", UBSAN_OPTIONS="",
                           ASAN_OPTIONS="detect_leaks=0")
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  env=environment, timeout=TIME_LIMIT[net])
            output, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as expired:
            output, code = (expired.stdout or b"").decode(errors="replace"), None
        if code == 0:
            if "[  PASSED  ] 0 tests" in output:
                raise BuildError(f"{program}: no test matches {tests}")
            return Verdict(True, policy)
        # A crash or a sanitizer's halt leaves the test that was running as the last one.
        tests = (re.findall(r"\[  FAILED  \] ([\w./]+)", output)[:1] or
                 re.findall(r"\[ RUN      \] ([\w./]+)", output) or ["no test"])
        return Verdict(False, policy, tests[-1], self._report(output, code))

    @staticmethod
    def _report(output, code):
        for pattern in (r"AddressSanitizer: [\w-]+", r"runtime error: .*",
                        r"ThreadSanitizer: [\w -]+"):
            found = re.search(pattern, output)
            if found:
                return found.group(0).strip()
        if code is None:
            return "time limit"
        return f"signal {-code}" if code < 0 else ""
