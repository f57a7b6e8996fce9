#!/usr/bin/env python3
"""Holds the sources against the shape that README.md describes: who includes whom, where the platform is chosen, what is built."""
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOPS = ("core", "ui", "web", "native", "tests")
SOURCES = {".cpp", ".cu"}
HEADERS = {".h", ".cuh", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
POSIX = re.compile(r"^(sys|netinet|arpa)/|^(unistd|fcntl|poll|pthread|signal|dirent|dlfcn|termios|spawn|pwd|netdb)\.h$")


def files_of(*tops, suffixes=SOURCES | HEADERS):
    """Files of these folders that git knows or would know; all of them, where there is no git."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *tops],
                            cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        str(path.relative_to(ROOT)) for top in tops for path in (ROOT / top).rglob("*")]
    return sorted({Path(name) for name in names if Path(name).suffix in suffixes and (ROOT / name).is_file()})


def read_table():
    """The lines of needs.txt: folder -> (folders that it names, third-party prefixes that it names)."""
    table = {}
    for line in (ROOT / "tests/structure/needs.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, needs = line.split(":")
            words = needs.split()
            table[folder.strip()] = ([word for word in words if word[0] != "<"], [word[1:-1] for word in words if word[0] == "<"])
    return table


def may_include(table):
    """folder -> every folder that it may include: itself, what it names, and what those may."""
    reach = {}

    def expand(name, folder):
        return [row for row in table if row.startswith(name[:-1]) and row != folder] if name.endswith("/*") else [name]

    def visit(folder, path=()):
        if folder in path:
            raise AssertionError("needs.txt goes round in a circle: " + " -> ".join((*path, folder)))
        if folder not in reach:
            found = {folder}
            for name in table.get(folder, ([], []))[0]:
                for needed in expand(name, folder):
                    found |= visit(needed, (*path, folder))
            reach[folder] = found
        return reach[folder]

    for row in table:
        visit(row)
    return reach


def is_standard(name):
    """C++'s own headers have neither slash nor suffix; C's are used in their C++ form."""
    return re.fullmatch(r"[a-z_0-9]+", name) is not None


class Structure(unittest.TestCase):
    def complain(self, problems, advice):
        if problems:
            self.fail("\n  " + "\n  ".join(problems) + "\n" + advice)

    def test_a_folder_includes_only_what_its_row_names(self):
        table = read_table()
        reach = may_include(table)
        problems = []
        for path in files_of("core", "ui", "web", "native"):
            folder = str(path.parent)
            if folder not in table:
                problems.append(f"{path}: its folder has no row")
                continue
            for bracket, name in INCLUDE.findall((ROOT / path).read_text()):
                if bracket == '"':
                    target = str(Path(name).parent)
                    if target not in reach[folder]:
                        problems.append(f'{path} includes "{name}", and {folder} does not need {target}')
                elif not is_standard(name):
                    first = "POSIX" if POSIX.match(name) else name.split("/")[0]
                    if first not in table[folder][1]:
                        problems.append(f"{path} includes <{name}>, and the row of {folder} does not name <{first}>")
        self.complain(problems, "The table is tests/structure/needs.txt; paths of ours are in quotes and start at the top.")

    def test_tests_include_our_headers_by_their_path_from_the_top(self):
        problems = [f'{path} includes "{name}"' for path in files_of("tests")
                    for bracket, name in INCLUDE.findall((ROOT / path).read_text())
                    if bracket == '"' and name.split("/")[0] not in (*TOPS, "shaders")]
        self.complain(problems, 'Write "core/nn/module.h" or "tests/support/temporary_file.h".')

    def test_core_and_ui_choose_the_platform_by_file_never_by_preprocessor(self):
        problems = []
        for path in files_of("core", "ui"):
            for condition in CONDITIONAL.findall((ROOT / path).read_text()):
                if not re.fullmatch(r"\s*(?:!?\s*defined\s*\(?)?\s*NNS_\w+\s*\)?\s*", condition):
                    problems.append(f"{path}: #if{condition.rstrip()}")
        self.complain(problems, "Put the bodies that differ into native/ and web/; only lists (.def) may test an NNS_ macro.")

    def test_every_source_is_listed_in_the_CMakeLists_of_its_folder(self):
        problems = []
        for path in files_of(*TOPS, suffixes=SOURCES):
            lists = [ROOT / folder / "CMakeLists.txt" for folder in path.parents]
            words = {word for each in lists if each.is_file()
                     for word in re.findall(r"[\w./+-]+", re.sub(r"#.*", "", each.read_text()))}
            names = {str(path.relative_to(folder)) for folder in path.parents} | {str(path)}
            if not names & words:
                problems.append(str(path))
        self.complain(problems, "No CMakeLists.txt lists these: nobody builds them.")

    def test_every_folder_that_a_row_needs_has_a_row(self):
        table = read_table()
        for folder, (needs, _) in table.items():
            for name in needs:
                if not name.endswith("/*"):
                    self.assertTrue(name in table or name == "shaders", f"{folder} needs {name}, which has no row")

    def test_no_source_is_longer_than_a_person_reads(self):
        problems = [f"{path} has {count} lines" for path in files_of(*TOPS)
                    if (count := len((ROOT / path).read_text().splitlines())) > 600]
        self.complain(problems, "One idea a file; 600 lines are the end.")


if __name__ == "__main__":
    unittest.main(verbosity=1)
