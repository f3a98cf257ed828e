#!/usr/bin/env python3
"""Other FP32 products on this GPU, beside cuBLAS, in gemm_bench's result format.

usage: peers.py --out RESULT.json [--sizes=512,1024,2048,4096,8192] [--shapes=MxNxK,...]
                [--peers=triton_fp32,triton_tf32x3,torch_mm] [--repetitions=7] [--revision=TEXT]

triton_fp32 multiplies in FP32; triton_tf32x3 on tensor cores, three TF32 products each; torch_mm is
cuBLAS without TF32, the baseline of all three. Each is checked against double precision, then timed
hot, peer and baseline in turn. Needs torch and triton; exits with 77 where there is no GPU.
"""

import argparse
import datetime
import json
import math
import pathlib
import statistics
import sys

import torch
import triton

import peers_gpu
import peers_triton

GROUP_SECONDS = 2e-3
GRAPH_UP_TO_MNK = 2**30  # as gemm_bench: smaller products are replayed as a graph
LONG_LAUNCH_SECONDS = 10e-3
# FP32 sums of k products stay within k u |A||B|. TF32x3 drops the products of the two low parts and
# sums in the tensor core, so that its bound is the drop, 2^-20 of |A||B|, on top.
TF32X3_EXTRA = 2.0**-20


def seconds_in_turn(launches, repetitions, as_graph):
    """For each of `launches` the seconds of one launch, one figure a group, the groups in turn; and
    how many launches a group of each has."""
    def time_group(enqueue, count):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            enqueue()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / count

    def count_for_group(enqueue):
        count = 1
        while True:
            needed = math.ceil(GROUP_SECONDS / max(time_group(enqueue, count), 1e-9))
            if needed <= count:
                return count
            count = min(needed, 8 * count)

    batches = []
    for launch in launches:
        size, enqueue, keep = 1, launch, None
        if as_graph:
            size = min(count_for_group(launch), 200)
            keep = torch.cuda.CUDAGraph()
            with torch.cuda.graph(keep):
                for _ in range(size):
                    launch()
            enqueue = keep.replay
        batches.append((enqueue, count_for_group(enqueue), size, keep))
    if max(time_group(enqueue, 1) / size for enqueue, _, size, _ in batches) > LONG_LAUNCH_SECONDS:
        repetitions = min(repetitions, 5)
    times = [[] for _ in launches]
    for _ in range(repetitions):
        for into, (enqueue, count, size, _) in zip(times, batches):
            into.append(time_group(enqueue, count) / size)
    return times, [count * size for _, count, size, _ in batches]


class Problem:
    """Operands, their double-precision product and its sums of absolute values."""

    def __init__(self, m, n, k):
        self.m, self.n, self.k = m, n, k
        generator = torch.Generator(device="cuda").manual_seed(1)

        def uniform(rows, cols):
            return torch.rand(rows, cols, device="cuda", generator=generator) * 2 - 1

        self.a, self.b = uniform(m, k), uniform(k, n)
        self.sum = self.a.double() @ self.b.double()
        self.magnitude = self.a.double().abs() @ self.b.double().abs()
        self.baseline = torch.empty(m, n, device="cuda")
        torch.mm(self.a, self.b, out=self.baseline)

    def deviation(self, c, extra):
        """(relative Frobenius error, max scaled error, elements outside the bound)."""
        error = (c.double() - self.sum).abs()
        ku = self.k * 2.0**-24
        outside = ~(error <= (ku / (1 - ku) + extra) * self.magnitude)  # True for NaN
        return ((error.norm() / self.sum.norm()).item(),
                (error / self.magnitude).max().item(), int(outside.sum().item()))


def spread(prefix, seconds, flop, bytes_moved):
    ordered = sorted(seconds)

    def at(part):
        return ordered[int(part * (len(ordered) - 1) + 0.5)] * 1e6

    middle = statistics.median(seconds)
    return {prefix + "TFLOPS": flop / middle * 1e-12, prefix + "GBps": bytes_moved / middle * 1e-9,
            prefix + "time_us": middle * 1e6, prefix + "time_min_us": at(0),
            prefix + "time_lower_quartile_us": at(0.25),
            prefix + "time_upper_quartile_us": at(0.75), prefix + "time_max_us": at(1)}


def measure(peer, problem, sampler, repetitions):
    m, n, k = problem.m, problem.n, problem.k
    shape = f"{m}x{n}x{k}"
    entry = {"name": f"gemm/{peer}/RRR/{shape}", "run_type": "iteration", "mode": "hot",
             "sweeps": ["squares" if m == n == k else "shapes"], "policy": peer, "chosen": peer,
             "layouts": "RRR", "m": m, "n": n, "k": k, "batch": 1, "ld_extra": 0, "offset": 0}
    c = torch.full((m, n), math.nan, device="cuda")
    multiply = peers_triton.PEERS.get(peer)

    def ours():
        if multiply is None:
            torch.mm(problem.a, problem.b, out=c)
        else:
            multiply(problem.a, problem.b, c)

    def baseline():
        torch.mm(problem.a, problem.b, out=problem.baseline)

    try:
        ours()  # compiles and tunes
        c.fill_(math.nan)
        ours()
        extra = TF32X3_EXTRA if peer == "triton_tf32x3" else 0.0
        frobenius, scaled, outside = problem.deviation(c, extra)
        if outside:
            raise RuntimeError(f"verification failed: {outside} of {m * n} elements are outside "
                               "the bound from double precision")
        cublas_frobenius, cublas_scaled, _ = problem.deviation(problem.baseline, 0.0)
        equal = bool((c == problem.baseline).all().item())
        with sampler:
            times, launches = seconds_in_turn([ours, baseline], repetitions,
                                                     m * n * k <= GRAPH_UP_TO_MNK)
    except Exception as error:  # a peer that cannot do this shape is a result, too
        return entry | {"error_occurred": True,
                        "error_message": f"{type(error).__name__}: {error}".splitlines()[0]}
    flop, bytes_moved = 2.0 * m * n * k, 4.0 * (m * k + k * n + m * n)
    entry |= {"bytes": bytes_moved} | spread("", times[0], flop, bytes_moved)
    entry |= spread("cublas_", times[1], flop, bytes_moved)
    entry |= {"ratio": entry["TFLOPS"] / entry["cublas_TFLOPS"], "repetitions": len(times[0]),
              "launches_per_repetition": launches[0],
              "cublas_launches_per_repetition": launches[1], "real_time": entry["time_us"],
              "time_unit": "us",
              "label": "equal to cuBLAS" if equal else "within the bound from double precision",
              "bits_equal_cublas": equal, "relative_frobenius_error": frobenius,
              "max_scaled_error": scaled, "cublas_relative_frobenius_error": cublas_frobenius,
              "cublas_max_scaled_error": cublas_scaled, "error_elements": m * n}
    if multiply is not None:
        entry["plan"] = peers_triton.best_config(peer)
    return entry | sampler.summary()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", default="512,1024,2048,4096,8192")
    parser.add_argument("--shapes", default="", help="MxNxK,... besides the squares")
    parser.add_argument("--peers", default="triton_fp32,triton_tf32x3,torch_mm")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--revision", default="")
    options = parser.parse_args(arguments)
    try:
        options.problems = [(int(s),) * 3 for s in options.sizes.split(",") if s]
        options.problems += [tuple(int(e) for e in s.split("x"))
                             for s in options.shapes.split(",") if s]
    except ValueError as error:
        parser.error(str(error))
    if not options.problems or any(len(p) != 3 or min(p) < 1 for p in options.problems):
        parser.error("a shape is MxNxK, three whole numbers from 1 on")
    options.peers = options.peers.split(",")
    unknown = set(options.peers) - {*peers_triton.PEERS, "torch_mm"}
    if unknown or options.repetitions < 1:
        parser.error(f"no such peer: {', '.join(unknown)}" if unknown else "--repetitions below 1")
    return options


def main(arguments=None):
    options = parse(arguments)
    if not torch.cuda.is_available():
        print("peers.py: NO CUDA DEVICE HERE, NOTHING WAS MEASURED", file=sys.stderr)
        return 77
    torch.backends.cuda.matmul.allow_tf32 = False
    sampler = peers_gpu.Sampler()
    entries, failed = [], 0
    context = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
               **peers_gpu.describe(sampler), "torch": torch.__version__,
               "triton": triton.__version__, "cublas_math_mode": "torch.mm, allow_tf32 = False",
               "data": "uniform(-1, 1)", "modes": {"hot": (
                   "groups of back-to-back launches between two events, a group at least 1 ms; up "
                   "to m n k = 2^30 the launches are replays of a CUDA graph")},
               "order": "peer and cuBLAS in turn; figures are medians"}
    if options.revision:
        context |= {"git_revision": options.revision.removesuffix("-dirty"),
                    "git_dirty": options.revision.endswith("-dirty")}
    total = len(options.problems) * len(options.peers)
    for shape in options.problems:
        problem = Problem(*shape)
        for peer in options.peers:
            print(f"[{len(entries) + 1}/{total}] {peer} {shape}", file=sys.stderr, flush=True)
            entry = measure(peer, problem, sampler, options.repetitions)
            failed += "error_message" in entry
            entries.append(entry)
            figures = entry.get("error_message") or (
                f"{entry['TFLOPS']:8.2f} TFLOPS, cuBLAS {entry['cublas_TFLOPS']:8.2f}, ratio "
                f"{entry['ratio']:.3f}, error {entry['relative_frobenius_error']:.2e}")
            print(f"{entry['name']:<44} {figures}", flush=True)
            # Whole after every case.
            options.out.write_text(
                '{\n"context": ' + json.dumps(context, indent=2) + ',\n"benchmarks": [\n'
                + ",\n".join(json.dumps(e) for e in entries) + "\n]\n}\n")
        del problem
    print(f"{len(entries)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
