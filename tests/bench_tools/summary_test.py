"""The bars of a result file."""

import contextlib
import io
import unittest

import fixtures
import result_file
import summary


def passing(ratio=1.2):
    """A file that meets every bar."""
    entries = [fixtures.square("automatic", size, ratio, layouts=layouts,
                               sweeps=("squares", "transpositions"))
               for size in (4096, 8192) for layouts in ("RRR", "RCR", "CRR", "CCR")]
    entries += [fixtures.square("automatic", size, ratio) for size in (256, 512, 1024, 2048)]
    entries += [fixtures.square("automatic", size, ratio, sweeps=("odd",))
                for size in (4095, 4097)]
    entries += [fixtures.square("automatic", 4096, ratio, sweeps=("odd",), **extra)
                for extra in ({"ld_extra": 3}, {"offset": 1}, {"ld_extra": 3, "offset": 1})]
    for thin in (1, 2, 4, 8):
        tflops = 2 * thin / 4 * 4.0  # close to 4 TB/s
        for layouts in ("RRR", "RCR"):
            entries.append(fixtures.entry("automatic", thin, 8192, 8192, 1.0, ("skinny",),
                                          cublas=tflops, layouts=layouts))
        for layouts in ("RRR", "CRR"):
            entries.append(fixtures.entry("automatic", 8192, thin, 8192, 1.0, ("skinny",),
                                          cublas=tflops, layouts=layouts))
    entries.append(fixtures.entry("automatic", 128, 128, 131072, 1.4, ("kheavy",)))
    entries.append(fixtures.entry("automatic", 1760, 16, 1760, ratio, ("deepbench",)))
    entries.append(fixtures.entry("automatic", 1024, 768, 768, ratio, ("transformer",)))
    entries.append(fixtures.square("double_buffered", 1024, ratio * 0.9))
    return entries


class Summary(fixtures.WithFiles):
    def bar(self, entries, what):
        result = result_file.load(self.write("r.json", entries))
        found, = [bar for bar in summary.bars(result) if bar.what.startswith(what)]
        return found

    def status(self, entries):
        with contextlib.redirect_stdout(io.StringIO()):
            return summary.main([self.write("r.json", entries), "--all-shapes"])

    def test_a_file_that_meets_all(self):
        result = result_file.load(self.write("r.json", passing()))
        self.assertEqual([bar.what for bar in summary.bars(result) if not bar.met], [])
        self.assertEqual(self.status(passing()), 0)

    def test_each_bar_can_be_missed(self):
        def slower(matches, ratio):
            entries = passing()
            found = [e for e in entries if matches(e)]
            self.assertTrue(found)
            found[0]["TFLOPS"] = found[0]["cublas_TFLOPS"] * ratio
            return entries

        for what, matches, ratio in (
                ("4096^3", lambda e: e["m"] == 8192 and e["layouts"] == "CCR", 1.05),
                ("4095^3", lambda e: e.get("offset"), 0.99),
                ("1024^3", lambda e: e["m"] == e["n"] == e["k"] == 2048, 0.99),
                ("256^3", lambda e: e["m"] == e["n"] == e["k"] == 256, 0.99),
                ("skinny", lambda e: e["n"] == 4 and e["layouts"] == "CRR", 0.85),
                ("128 x", lambda e: e["k"] == 131072, 0.99),
                ("the worst", lambda e: "deepbench" in e["sweeps"], 0.89)):
            self.assertTrue(self.bar(passing(), what).met, what)
            bar = self.bar(slower(matches, ratio), what)
            self.assertFalse(bar.met, what)
            self.assertIn("MISSED", bar.verdict)
            self.assertEqual(self.status(slower(matches, ratio)), 1)
        self.assertFalse(self.bar(passing(1.0), "geometric").met)

    def test_geometric_mean_leaves_batched_rows_out(self):
        entries = [fixtures.square("automatic", 512, 2.0),
                   fixtures.entry("automatic", 64, 64, 64, 0.5, ("deepbench",)),
                   fixtures.entry("automatic", 32, 32, 32, 8.0, ("transformer",)),
                   fixtures.entry("automatic", 99, 99, 99, 0.01, ("transformer",), batch=12),
                   fixtures.entry("automatic", 98, 98, 98, 0.01, ("kheavy",)),
                   fixtures.entry("naive", 97, 97, 97, 0.01, ("squares",))]
        self.assertAlmostEqual(self.bar(entries, "geometric").value, 2.0)
        self.assertAlmostEqual(self.bar(entries, "the worst").value, 0.5)

    def test_share_of_shapes_near_the_best(self):
        entries = []
        for extent, best in ((64, 1.04), (128, 1.06), (256, 0.5), (512, 1.0)):
            entries += [fixtures.square("automatic", extent, 1.0),
                        fixtures.square("double_buffered", extent, best)]
        bar = self.bar(entries, "share")
        self.assertEqual((bar.value, bar.note), (0.75, "3 of 4"))
        self.assertFalse(bar.met)

    def test_missing_cases_do_not_pass(self):
        entries = [e for e in passing() if e["layouts"] != "CCR"]
        bar = self.bar(entries, "4096^3")
        self.assertEqual((bar.met, bar.verdict), (False, "INCOMPLETE"))
        none = self.bar([fixtures.square("automatic", 256, 1.0)], "skinny")
        self.assertEqual((none.met, none.verdict), (False, "NO CASE"))
        self.assertEqual(self.bar([e for e in passing() if "deepbench" not in e["sweeps"]],
                                  "geometric").verdict, "INCOMPLETE")

    def test_a_failed_case_is_not_success(self):
        self.assertEqual(self.status(passing() + [fixtures.failed("naive", 64)]), 1)

    def test_cold_figures_do_not_count(self):
        entries = passing() + [fixtures.square("automatic", 512, 0.1, mode="cold")]
        self.assertEqual(self.status(entries), 0)


if __name__ == "__main__":
    unittest.main()
