#!/usr/bin/env python3
"""What .ci/summary.py makes of results as CTest and GoogleTest write them."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "summary.py"


class Summary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_on(self, ctest, **programs):
        (self.path / "check.xml").write_text(f"<testsuite>{ctest}</testsuite>")
        for name, cases in programs.items():
            (self.path / f"{name.replace('_', '-')}.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        done = subprocess.run([sys.executable, SCRIPT, self.path / "check.xml", self.path], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_programs_count_as_their_tests(self):
        cases = ('<testcase name="a" status="run" result="completed"/><testcase name="b" status="run" result="completed"/>'
                 '<testcase name="c" status="run" result="skipped"><skipped message="no GPU"/></testcase>'
                 '<testcase name="d" status="notrun" result="suppressed"/>')
        self.assertEqual(self.run_on('<testcase name="ops/0" status="run"/><testcase name="check/format" status="run"/>', ops_0=cases),
                         (0, "3 passed, 0 failed, 1 skipped\n"))

    def test_a_failure_in_a_program_is_one_failure(self):
        cases = '<testcase name="a" status="run"/><testcase name="b" status="run"><failure message="no"/></testcase>'
        self.assertEqual(self.run_on('<testcase name="ops/0" status="fail"/>', ops_0=cases), (1, "1 passed, 1 failed, 0 skipped\n"))

    def test_a_program_that_died_is_one_failure(self):
        self.assertEqual(self.run_on('<testcase name="ops/0" status="fail"/>'), (1, "0 passed, 1 failed, 0 skipped\n"))
        self.assertEqual(self.run_on('<testcase name="ops/0" status="fail"/>', ops_0="<"), (1, "0 passed, 1 failed, 0 skipped\n"))
        # After its last test.
        self.assertEqual(self.run_on('<testcase name="ops/0" status="fail"/>', ops_0='<testcase name="a" status="run"/>'),
                         (1, "1 passed, 1 failed, 0 skipped\n"))

    def test_what_did_not_run(self):
        skipped = '<testcase name="browser/a" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
        missing = '<testcase name="b" status="notrun"><skipped message="Unable to find executable"/></testcase>'
        self.assertEqual(self.run_on(skipped), (0, "0 passed, 0 failed, 1 skipped\n"))
        self.assertEqual(self.run_on(skipped + missing),
                         (1, "not run: b (Unable to find executable)\n0 passed, 1 failed, 1 skipped\n"))


if __name__ == "__main__":
    unittest.main()
