#!/usr/bin/env python3
"""What .ci/sanitized.py answers, with programs in the places of CMake and CTest that do as they are told."""
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SANITIZED = Path(__file__).resolve().parents[2] / ".ci" / "sanitized.py"
SKIPPED = 77
# What the script leaves for the tests of the tree, and more.
LONG = 3600


class Sanitized(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tree").mkdir()

    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run_with(self, cmake, ctest, seconds=None, seconds_for_tests=None):
        """Status and output; `seconds` from now to the deadline."""
        environment = {name: value for name, value in os.environ.items() if name != "NNSCOPE_DEADLINE"}
        if seconds is not None:
            environment["NNSCOPE_DEADLINE"] = str(time.time() + seconds)
        reserve = [] if seconds_for_tests is None else ["--seconds-for-tests", str(seconds_for_tests)]
        done = subprocess.run(
            [sys.executable, str(SANITIZED), "--build", "native", "--target", "nnscope_asan",
             "--tree", str(self.folder / "tree"), "--cmake", self.program("cmake", cmake),
             "--ctest", self.program("ctest", ctest), *reserve], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    def has_run(self, name):
        return (self.folder / name).exists()

    def test_the_tree_is_built_then_tested(self):
        status, output = self.run_with(f'echo "built $@"; touch {self.folder}/built', f'[ -e {self.folder}/built ] && echo "tested $@"')
        self.assertEqual(status, 0, output)
        self.assertIn("built --build native --target nnscope_asan", output)
        self.assertIn(f"tested --test-dir {self.folder}/tree", output)

    def test_a_build_that_fails_fails(self):
        self.assertEqual(self.run_with("exit 3", f"touch {self.folder}/tested")[0], 1)
        self.assertFalse(self.has_run("tested"))

    def test_tests_that_fail_fail(self):
        self.assertEqual(self.run_with("exit 0", "exit 8")[0], 1)

    def test_enough_time_changes_nothing(self):
        self.assertEqual(self.run_with("exit 0", "exit 0", LONG)[0], 0)
        self.assertEqual(self.run_with("exit 0", "exit 8", LONG)[0], 1)

    def test_a_build_without_time_is_stopped_with_its_children_and_skipped(self):
        # The compiler is a child of the build's: it would go on, and write, if only the build were stopped.
        compiler = self.program("compiler", f"sleep 3; touch {self.folder}/compiled")
        status, output = self.run_with(f"{compiler} & wait", f"touch {self.folder}/tested", 1)
        self.assertEqual(status, SKIPPED, output)
        self.assertIn("no time was left to build", output)
        time.sleep(4)
        self.assertFalse(self.has_run("compiled"))
        self.assertFalse(self.has_run("tested"))

    def stopped_tests(self, said):
        """With a build that takes no time and tests that never end."""
        return self.run_with("exit 0", f'for last; do :; done; echo "{said}" > "$last"; sleep 30', 2, 0)

    def test_tests_without_time_are_skipped(self):
        status, output = self.stopped_tests("1/2 Test #1: base/0 ....   Passed    0.10 sec")
        self.assertEqual(status, SKIPPED)
        self.assertIn("stopped at the deadline", output)

    def test_what_failed_before_the_deadline_has_failed(self):
        self.assertEqual(self.stopped_tests("1/2 Test #1: base/0 ....***Failed    0.10 sec")[0], 1)


if __name__ == "__main__":
    unittest.main()
