"""The regression gate."""

import contextlib
import io
import unittest

import fixtures
import compare


class Compare(fixtures.WithFiles):
    def run_on(self, old, new, *options):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = compare.main([self.write("old.json", old), self.write("new.json", new),
                                   *options])
        return status, out.getvalue() + err.getvalue()

    def test_within_the_tolerance_passes(self):
        status, text = self.run_on([fixtures.square("automatic", 512, 1.0)],
                                   [fixtures.square("automatic", 512, 0.975)])
        self.assertEqual(status, 0, text)
        self.assertIn("0 regressions", text)

    def test_beyond_the_tolerance_fails_and_is_named(self):
        status, text = self.run_on(
            [fixtures.square("automatic", 512, 1.0), fixtures.square("automatic", 1024, 1.0)],
            [fixtures.square("automatic", 512, 0.96), fixtures.square("automatic", 1024, 1.2)])
        self.assertEqual(status, 1, text)
        regressions = [line for line in text.splitlines() if line.endswith("REGRESSION")]
        self.assertEqual(len(regressions), 1)
        self.assertIn("512x512x512", regressions[0])
        self.assertIn("1 regressions", text)

    def test_the_tolerance_can_be_set(self):
        files = ([fixtures.square("automatic", 512, 1.0)],
                 [fixtures.square("automatic", 512, 0.96)])
        self.assertEqual(self.run_on(*files, "--tolerance=0.05")[0], 0)
        self.assertEqual(self.run_on(*files, "--tolerance=0.01")[0], 1)

    def test_a_slower_clock_alone_is_no_regression(self):
        status, text = self.run_on([fixtures.square("automatic", 512, 1.1, cublas=50.0)],
                                   [fixtures.square("automatic", 512, 1.1, cublas=25.0)])
        self.assertEqual(status, 0, text)

    def test_a_case_that_fails_now_is_a_regression(self):
        status, text = self.run_on(
            [fixtures.square("naive", 64, 1.0), fixtures.square("naive", 128, 1.0)],
            [fixtures.failed("naive", 64), fixtures.square("naive", 128, 1.0)])
        self.assertEqual(status, 1)
        self.assertIn("fails now: verification failed", text)

    def test_missing_cases_are_listed(self):
        status, text = self.run_on(
            [fixtures.square("naive", 64, 1.0), fixtures.square("naive", 128, 1.0)],
            [fixtures.square("naive", 128, 1.0), fixtures.square("naive", 256, 1.0)])
        self.assertEqual(status, 0)
        self.assertRegex(text, r"only in the old file \(1\):\n  gemm/naive/RRR/64x64x64\n")
        self.assertRegex(text, r"only in the new file \(1\):\n  gemm/naive/RRR/256x256x256\n")

    def test_geometric_mean_per_policy(self):
        _, text = self.run_on(
            [fixtures.square("naive", 64, 1.0), fixtures.square("naive", 128, 4.0)],
            [fixtures.square("naive", 64, 1.0), fixtures.square("naive", 128, 4.0)])
        self.assertRegex(text, r"naive, hot +2 +2\.000 +2\.000 +\+0\.0 %")

    def test_modes_are_not_mixed(self):
        status, text = self.run_on([fixtures.square("naive", 64, 1.0)],
                                   [fixtures.square("naive", 64, 0.5, mode="cold")])
        self.assertEqual(status, 2)
        self.assertIn("no case in common", text)


if __name__ == "__main__":
    unittest.main()
