#!/usr/bin/env python3
"""What .ci/tidy.py looks at, in small repositories with a clang-tidy that objects to the word BAD."""
import json
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parents[2] / ".ci" / "tidy.py"

FAKE = """#!/bin/sh
[ "$1" = --version ] && echo "fake 1" && exit 0
for file; do :; done
echo "$file" >> "$(dirname "$0")/looked_at"
! grep -q BAD "$file"
"""


class Repository:
    """A git repository with sources a.cpp (includes a.h) and b.cpp, each its own translation unit."""

    def __init__(self, folder):
        self.outside = Path(folder)
        self.root = self.outside / "tree"
        (self.root / ".ci").mkdir(parents=True)
        shutil.copy(TIDY, self.root / ".ci" / "tidy.py")
        self.fake = self.outside / "clang-tidy"
        self.fake.write_text(FAKE)
        self.fake.chmod(self.fake.stat().st_mode | stat.S_IXUSR)
        self.write(".clang-tidy", "Checks: '*'")
        self.write("a.h", "int a();")
        self.write("a.cpp", '#include "a.h"')
        self.write("b.cpp", "int b();")
        self.build = self.outside / "build"
        self.build.mkdir()
        self.compile("a.cpp", "b.cpp")
        self.git("init", "--quiet")
        self.commit("first")

    def write(self, name, text):
        (self.root / name).write_text(text)

    def compile(self, *names, build=None):
        entries = [{"file": str(self.root / name), "command": f"c++ {name}"} for name in names]
        ((build or self.build) / "compile_commands.json").write_text(json.dumps(entries))

    def git(self, *arguments):
        settings = ("-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *settings, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def tidy(self, *arguments, build=None, cache="cache"):
        """Status, output, names of the files that were looked at."""
        told = self.outside / "looked_at"
        told.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, str(self.root / ".ci" / "tidy.py"), *arguments, "--build", str(build or self.build),
             "--cache", str(self.outside / cache), "--clang-tidy", str(self.fake)], cwd=self.root, capture_output=True,
            text=True)
        looked_at = sorted(Path(line).name for line in told.read_text().splitlines()) if told.exists() else []
        return done.returncode, done.stdout + done.stderr, looked_at

    def recorded(self):
        record = self.root / ".ci" / "tidy_passed"
        return record.read_text().strip() if record.exists() else None


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = Repository(folder.name)

    def changed(self):
        # A cache of its own: what matters is what would be looked at.
        self.caches = getattr(self, "caches", 0) + 1
        return self.repository.tidy("--changed", cache=f"cache{self.caches}")

    def test_all_that_changed_since_the_recorded_commit_is_looked_at(self):
        status, _, looked_at = self.repository.tidy("--all", "--record")
        self.assertEqual((status, looked_at), (0, ["a.cpp", "b.cpp"]))
        self.assertEqual(self.repository.recorded(), self.repository.git("rev-parse", "HEAD"))
        self.repository.commit("record")
        self.assertEqual(self.changed()[2], [])
        self.repository.write("b.cpp", "int b(int);")
        self.repository.commit("second")
        self.repository.write("notes.txt", "nothing")
        self.repository.commit("third")
        status, output, looked_at = self.changed()
        self.assertEqual((status, looked_at), (0, ["b.cpp"]), "HEAD~1 alone would show nothing")
        self.assertNotIn("warning", output)

    def test_a_changed_header_is_looked_at_through_its_users(self):
        self.repository.tidy("--all", "--record")
        self.repository.write("a.h", "int a(int);")
        self.assertEqual(self.changed()[2], ["a.cpp"])

    def test_other_rules_concern_every_file(self):
        self.repository.tidy("--all", "--record")
        self.repository.write(".clang-tidy", "Checks: 'bugprone-*'")
        self.assertEqual(self.changed()[2], ["a.cpp", "b.cpp"])

    def test_rules_of_a_folder_are_part_of_what_passed(self):
        (self.repository.root / "sub").mkdir()
        self.repository.write("sub/c.cpp", "int c();")
        self.repository.compile("a.cpp", "b.cpp", "sub/c.cpp")
        self.repository.commit("second")
        self.repository.tidy("--all", "--record")
        self.assertEqual(self.repository.tidy("--all")[2], [])
        self.repository.write("sub/.clang-tidy", "InheritParentConfig: true")
        self.assertEqual(self.repository.tidy("--all")[2], ["c.cpp"])
        self.assertEqual(self.changed()[2], ["a.cpp", "b.cpp", "c.cpp"])

    def test_generated_sources_are_left_alone_wherever_the_build_tree_is(self):
        (self.repository.root / "build").mkdir()
        self.repository.write("build/made.cpp", "BAD")
        self.repository.compile("a.cpp", "build/made.cpp", build=self.repository.root / "build")
        for build in ("build", self.repository.root / "build"):
            status, _, looked_at = self.repository.tidy("--all", build=build, cache=f"cache of {type(build)}")
            self.assertEqual((status, looked_at), (0, ["a.cpp"]), build)

    def test_files_that_are_compiled_in_a_group_are_looked_at_one_by_one(self):
        group = self.repository.build / "unity_0_cxx.cxx"
        group.write_text("".join(f'#include "{self.repository.root / name}"\n' for name in ("a.cpp", "b.cpp")))
        entry = {"file": str(group), "command": f"c++ -o group.o -c {group}"}
        (self.repository.build / "compile_commands.json").write_text(json.dumps([entry]))
        status, _, looked_at = self.repository.tidy("--all")
        self.assertEqual((status, looked_at), (0, ["a.cpp", "b.cpp"]))
        single = json.loads((self.repository.build / "tidy" / "compile_commands.json").read_text())[0]
        self.assertEqual(single["command"], f"c++ -o group.o -c {self.repository.root / 'a.cpp'}")

    def test_without_a_record_the_last_commit_is_looked_at_and_that_is_told(self):
        self.repository.write("b.cpp", "int b(int);")
        self.repository.commit("second")
        status, output, looked_at = self.changed()
        self.assertEqual((status, looked_at), (0, ["b.cpp"]))
        self.assertIn("warning: .ci/tidy_passed is not there", output)

    def test_a_record_of_another_history_is_not_trusted(self):
        for other in ("0" * 40, self.repository.git("commit-tree", "HEAD^{tree}", "-m", "elsewhere"), "--help"):
            with self.subTest(other=other):
                self.repository.write(".ci/tidy_passed", other + "\n")
                self.repository.commit("record")
                self.repository.write("a.cpp", f'#include "a.h"\n// {other}')
                self.repository.commit("second")
                status, output, looked_at = self.changed()
                self.assertEqual((status, looked_at), (0, ["a.cpp"]))
                self.assertIn("no ancestor of HEAD", output)

    def test_what_fails_is_not_recorded(self):
        self.repository.write("b.cpp", "BAD")
        self.repository.commit("second")
        status, output, _ = self.repository.tidy("--all", "--record")
        self.assertEqual(status, 1)
        self.assertIn("clang-tidy objects to b.cpp", output)
        self.assertIsNone(self.repository.recorded())

    def test_what_is_no_commit_is_not_recorded(self):
        self.repository.write("b.cpp", "int b(int, int);")
        status, output, _ = self.repository.tidy("--all", "--record")
        self.assertEqual(status, 1)
        self.assertIn("commit what is changed", output)
        self.assertIsNone(self.repository.recorded())

    def test_changed_files_alone_record_nothing(self):
        status, output, looked_at = self.repository.tidy("--changed", "--record")
        self.assertEqual((status, looked_at), (2, []))
        self.assertIn("--record goes with --all", output)


if __name__ == "__main__":
    unittest.main()
