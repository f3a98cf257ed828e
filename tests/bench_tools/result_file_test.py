"""Reading of result files, old and new."""

import unittest

import fixtures
import result_file


class Load(fixtures.WithFiles):
    def test_reads_what_gemm_bench_writes(self):
        path = self.write("r.json", [
            fixtures.entry("automatic", 4096, 4096, 4096, 1.1, ("odd",), ld_extra=3, offset=1),
            fixtures.failed("naive", 64),
            {"name": "gemm/skinny/RRR/64x64x64", "left_out": "one launch takes 9 times as long"}])
        result = result_file.load(path)
        self.assertEqual([c.problem_name for c in result.cases],
                         ["RRR/4096x4096x4096/ld+3/offset+1"])
        self.assertAlmostEqual(result.cases[0].ratio, 1.1)
        self.assertEqual(result.failed, {"gemm/naive/RRR/64x64x64": "verification failed"})

    def test_reads_files_from_before_the_modes(self):
        path = self.write("old.json", [{
            "name": "gemm/vectorized/RCR/256x128x64", "real_time": 1.0, "time_unit": "us",
            "TFLOPS": 2.0, "cublas_TFLOPS": 4.0}])
        case, = result_file.load(path).cases
        self.assertEqual((case.policy, case.layouts, case.m, case.n, case.k, case.mode),
                         ("vectorized", "RCR", 256, 128, 64, "hot"))
        self.assertEqual(case.ratio, 0.5)

    def test_time_and_bandwidth_follow_from_tflops(self):
        case, = result_file.load(self.write("r.json", [
            fixtures.entry("skinny", 1, 1000, 1000, 1.0, cublas=2.0)])).cases
        self.assertAlmostEqual(case.seconds, 1e-6)
        self.assertAlmostEqual(case.gbps, 4.0 * (1000 + 1000000 + 1000) / 1e-6 * 1e-9)

    def test_refuses_what_is_no_result_file(self):
        broken = self.folder / "broken.json"
        broken.write_text("{")
        for path in (str(broken), str(self.folder / "none.json"), self.write("empty.json", []),
                     self.write("unnamed.json", [{"TFLOPS": 1.0, "cublas_TFLOPS": 1.0}])):
            with self.assertRaises(result_file.ResultError, msg=path):
                result_file.load(path)


if __name__ == "__main__":
    unittest.main()
