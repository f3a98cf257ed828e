"""Small result files for the tests, and the path to the tools."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))


def entry(policy, m, n, k, ratio, sweeps=("squares",), cublas=50.0, **fields):
    """A timed case, `ratio` times as quick as a cuBLAS of `cublas` TFLOPS."""
    layouts = fields.pop("layouts", "RRR")
    name = f"gemm/{policy}/{layouts}/{m}x{n}x{k}"
    if "ld_extra" in fields:
        name += f"/ld+{fields['ld_extra']}"
    if "offset" in fields:
        name += f"/offset+{fields['offset']}"
    if fields.get("mode", "hot") != "hot":
        name += "/" + fields["mode"]
    tflops = cublas * ratio
    return {"name": name, "mode": "hot", "sweeps": list(sweeps), "policy": policy,
            "chosen": policy, "layouts": layouts, "m": m, "n": n, "k": k, "batch": 1,
            "TFLOPS": tflops, "cublas_TFLOPS": cublas, "ratio": ratio, "time_unit": "us",
            "real_time": 2e-6 * m * n * k / tflops} | fields


def square(policy, extent, ratio, **fields):
    return entry(policy, extent, extent, extent, ratio, **fields)


def failed(policy, extent):
    return {"name": f"gemm/{policy}/RRR/{extent}x{extent}x{extent}", "error_occurred": True,
            "error_message": "verification failed"}


class WithFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, entries):
        path = self.folder / name
        path.write_text(json.dumps({"context": {"gpu": "none"}, "benchmarks": entries}))
        return str(path)
