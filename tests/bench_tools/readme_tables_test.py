"""README's tables from result files."""

import contextlib
import io
import pathlib
import unittest

import fixtures
import readme_tables
import result_file

PAGE = """before
<!-- table: ladder r.json -->
old
<!-- end -->
between
<!-- table: squares r.json -->
<!-- end -->
after
"""


class ReadmeTables(fixtures.WithFiles):
    def setUp(self):
        super().setUp()
        self.write("r.json", [fixtures.square("naive", 4096, 0.1),
                              fixtures.square("vectorized", 4096, 0.8),
                              fixtures.square("vectorized", 2048, 0.7),
                              fixtures.square("automatic", 512, 1.25, chosen="pipelined", slices=4),
                              fixtures.square("automatic", 511, 1.5)])
        self.readme = self.folder / "README.md"

    def run_tool(self, action):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = readme_tables.main([action, f"--readme={self.readme}",
                                         f"--results={self.folder}"])
        return status, out.getvalue()

    def test_update_then_check(self):
        self.readme.write_text(PAGE)
        self.assertEqual(self.run_tool("--check")[0], 1)
        self.assertEqual(self.run_tool("--update")[0], 0)
        self.assertEqual(self.run_tool("--check"), (0, ""))
        text = self.readme.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertIn("between", text)
        self.assertNotIn("old", text)

    def test_figures(self):
        text = readme_tables.render(PAGE, self.folder)
        # 2 * 4096^3 / 5 TFLOPS = 27.49 ms
        self.assertIn("| `naive` | 27.49 ms | 5.0 | 50.0 | 0.100 |", text)
        self.assertIn("| `vectorized` | 3.44 ms | 40.0 | 50.0 | 0.800 |", text)
        self.assertIn("| 512 | `pipelined`, 4 slices | 4.3 us | 62.5 | 50.0 | 1.250 |", text)
        self.assertNotIn("| 511 |", text)
        self.assertNotIn("0.700", text)

    def test_check_sees_a_changed_figure(self):
        self.readme.write_text(readme_tables.render(PAGE, self.folder).replace("27.49", "26.49"))
        status, text = self.run_tool("--check")
        self.assertEqual(status, 1)
        self.assertIn("+| `naive` | 27.49 ms", text)

    def test_check_sees_a_changed_result_file(self):
        self.readme.write_text(readme_tables.render(PAGE, self.folder))
        self.write("r.json", [fixtures.square("naive", 4096, 0.2),
                              fixtures.square("automatic", 512, 1.25)])
        self.assertEqual(self.run_tool("--check")[0], 1)

    def test_what_cannot_be_made_is_an_error(self):
        for page in ("no table at all\n", PAGE.replace("ladder", "nonsense"),
                     PAGE.replace("r.json", "absent.json"), PAGE.replace("<!-- end -->", "", 1),
                     PAGE.replace("squares r.json", "skinny r.json")):
            self.readme.write_text(page)
            for action in ("--check", "--update"):
                self.assertEqual(self.run_tool(action)[0], 2, page)
            self.assertEqual(self.readme.read_text(), page)

    def test_every_table_has_one_width(self):
        path = self.write("all.json", [
            fixtures.square("automatic", 4096, 1.0, sweeps=("odd", "skinny"),
                            relative_frobenius_error=1e-6),
            fixtures.square("automatic", 4096, 1.0, mode="cold"),
            fixtures.square("automatic", 4096, 1.0, mode="sustained", power_mean_w=690.0),
            fixtures.square("naive", 4096, 0.1, relative_frobenius_error=1e-6)])
        for name, table in readme_tables.TABLES.items():
            lines = table(result_file.load(path))
            self.assertGreater(len(lines), 2, name)
            self.assertEqual(len({line.count("|") for line in lines}), 1, name)

    def test_the_readme_of_the_project_has_a_table(self):
        page = pathlib.Path(fixtures.ROOT / "README.md").read_text()
        self.assertIn("<!-- table: ladder ", page)


if __name__ == "__main__":
    unittest.main()
