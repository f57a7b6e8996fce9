#!/usr/bin/env python3
"""Runs clang-tidy on our sources: all of them, or those that changed since the commit at which all of them passed.

That commit is in .ci/tidy_passed, written by --all --record. Where it is no ancestor of HEAD (or not there), what HEAD
itself changed is looked at, and a line says so.

A file that passed is remembered by a hash of everything that its result depends on (its text, the text of our headers
that it includes, the compile command, the .clang-tidy of its folder and of those above, clang-tidy's version), and is
not looked at again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / ".ci" / "tidy_passed"
COMMIT = re.compile(r"[0-9a-f]{40,64}")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def base_commit():
    """The commit that `--changed` compares with; None without git or before the second commit."""
    recorded = RECORD.read_text().strip() if RECORD.is_file() else ""
    if COMMIT.fullmatch(recorded) and git("merge-base", "--is-ancestor", recorded, "HEAD") is not None:
        return recorded
    base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    if base is not None:
        why = f"names {recorded[:12]}, no ancestor of HEAD" if recorded else "is not there"
        print(f"warning: {RECORD.relative_to(ROOT)} {why}: only what changed since HEAD~1 is looked at", flush=True)
    return base


def changed_files():
    """Paths that differ from the commit to compare with, those that git does not know yet included; None: all of them."""
    base = base_commit()
    if base is None:
        return None
    changed = git("diff", "--name-only", base) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return {ROOT / name for name in changed.splitlines() + untracked.splitlines()}


def record():
    """Writes down that everything passed at HEAD, which is what was looked at if nothing is changed."""
    head = git("rev-parse", "HEAD")
    if head is None or git("status", "--porcelain", "--", ".", f":!{RECORD.relative_to(ROOT)}") != "":
        sys.exit("everything passed, but that is no commit: commit what is changed, then --record again")
    RECORD.write_text(head + "\n")
    print(f"{RECORD.relative_to(ROOT)} says now that all passed at {head[:12]}")


def rules_of(paths):
    """The .clang-tidy that apply to any of these files of ours: of their folders and of all above them."""
    folders = {folder for path in paths for folder in path.parents if folder.is_relative_to(ROOT)}
    return sorted(folder / ".clang-tidy" for folder in folders if (folder / ".clang-tidy").is_file())


def single_files(entries):
    """The compile commands with each group of files (a source that CMake wrote to include them) as its single files."""
    singles = []
    for entry in entries:
        group = Path(entry["file"])
        if not (group.name.startswith("unity_") and group.is_file()):
            singles.append(entry)
            continue
        for name in INCLUDE.findall(group.read_text()):
            singles.append({**entry, "file": name, "command": entry["command"].replace(str(group), name)})
    return singles


class Headers:
    """Which of our files a file includes, and a hash over all of them."""

    def __init__(self):
        self.includes = {}

    def direct(self, path):
        if path not in self.includes:
            text = path.read_text(errors="replace")
            found = [ROOT / name for name in INCLUDE.findall(text)] + [path.parent / name for name in INCLUDE.findall(text)]
            self.includes[path] = [header for header in found if header.is_file()]
        return self.includes[path]

    def closure(self, path):
        seen, waiting = set(), [path]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                waiting.extend(self.direct(current))
        return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    scope = parser.add_mutually_exclusive_group(required=True)
    scope.add_argument("--all", action="store_true")
    scope.add_argument("--changed", action="store_true")
    parser.add_argument("--record", action="store_true", help="with --all: if all passed, write down at which commit")
    parser.add_argument("--build", required=True, help="build tree with compile_commands.json")
    parser.add_argument("--cache", required=True, help="where files that passed are remembered")
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 2, 8))
    options = parser.parse_args()
    if options.record and not options.all:
        parser.error("--record goes with --all: only then everything was looked at")

    commands = {}
    build = Path(options.build).resolve()
    entries = single_files(json.loads((build / "compile_commands.json").read_text()))
    # What clang-tidy reads: each file by itself, however the build groups them.
    database = build / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(entries))
    for entry in entries:
        path = Path(entry["file"])
        # What nvcc compiles clang does not read; what is generated nobody names.
        if path.suffix != ".cu" and path.is_relative_to(ROOT) and not path.is_relative_to(build):
            commands[path] = entry["command"]
    headers = Headers()
    wanted = sorted(commands)
    changed = changed_files() if options.changed else None
    if changed is not None and all(path.name != ".clang-tidy" for path in changed):
        # A changed header is looked at through the sources that include it directly.
        wanted = [path for path in wanted if path in changed or changed.intersection(headers.direct(path))]

    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True).stdout
    common = hashlib.sha256(version.encode())

    def stamp(path):
        digest = common.copy()
        digest.update(commands[path].replace(str(ROOT), "").encode())
        read = headers.closure(path)
        for file in rules_of(read) + sorted(read):
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
        return cache / digest.hexdigest()

    stamps = {path: stamp(path) for path in wanted}
    waiting = [path for path in wanted if not stamps[path].exists()]
    print(f"{len(wanted)} files to look at, {len(wanted) - len(waiting)} of them known to pass", flush=True)

    def check(path):
        # The build's compiler may have warnings and optimisations that clang does not know.
        command = [options.clang_tidy, "--quiet", "-p", str(database), "--extra-arg=-Wno-unknown-warning-option",
                   "--extra-arg=-Wno-ignored-optimization-argument", str(path)]
        result = subprocess.run(command, capture_output=True, text=True)
        return path, result

    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, result in pool.map(check, waiting):
            if result.returncode == 0:
                stamps[path].touch()
            else:
                failed.append(path)
                print(result.stdout + result.stderr, flush=True)
    if failed:
        sys.exit("clang-tidy objects to " + ", ".join(str(path.relative_to(ROOT)) for path in failed))
    if options.record:
        record()


if __name__ == "__main__":
    main()
