"""The pictures' checksums, and, where there is matplotlib, that drawing is deterministic."""

import contextlib
import hashlib
import io
import pathlib
import unittest

import fixtures
import plot

PICTURE = '<?xml version="1.0"?>\n<!-- drawn by matplotlib 0.none from r.json {} -->\n<svg />\n'


class Check(fixtures.WithFiles):
    def setUp(self):
        super().setUp()
        self.result = pathlib.Path(self.write("r.json", [
            fixtures.square("automatic", size, 1.1) for size in (256, 512)]))
        self.picture = self.folder / "r-squares.svg"

    def run_tool(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = plot.main([*arguments, f"--out={self.folder}"])
        return status, out.getvalue()

    def test_checksum_of_the_result_file(self):
        self.picture.write_text(PICTURE.format(
            hashlib.sha256(self.result.read_bytes()).hexdigest()))
        self.assertEqual(self.run_tool("--check")[0], 0)
        self.result.write_text(self.result.read_text() + "\n")
        status, text = self.run_tool("--check")
        self.assertEqual(status, 1)
        self.assertIn("r.json has changed since", text)
        self.result.unlink()
        self.assertIn("r.json is not there", self.run_tool("--check")[1])

    def test_a_picture_without_source_or_no_picture(self):
        self.assertEqual(self.run_tool("--check")[0], 1)
        self.picture.write_text("<svg />\n")
        self.assertEqual(self.run_tool("--check")[0], 1)

    @unittest.skipIf(plot.matplotlib_version() is None, "no matplotlib")
    def test_drawing_is_deterministic_and_checked(self):
        self.assertEqual(self.run_tool(str(self.result))[0], 0)
        first = self.picture.read_text()
        self.assertEqual(self.run_tool(str(self.result))[0], 0)
        self.assertEqual(self.picture.read_text(), first)
        self.assertEqual(self.run_tool("--check")[0], 0)
        self.picture.write_text(first + "\n")
        self.assertEqual(self.run_tool("--check")[0], 1)


if __name__ == "__main__":
    unittest.main()
