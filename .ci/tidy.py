#!/usr/bin/env python3
"""Runs clang-tidy on our sources: all of them, or those that changed since the merge base with the main branch.

A file that passed is remembered by a hash of everything that its result depends on (its text, the text of our headers
that it includes, the compile command, .clang-tidy, clang-tidy's version), and is not looked at again.
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
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def changed_files():
    """Paths that differ from the merge base with main, or on main itself from the commit before; None without git."""
    head = git("rev-parse", "HEAD")
    if head is None:
        return None
    base = None
    for main in ("origin/main", "main"):
        base = git("merge-base", "HEAD", main)
        if base:
            break
    if base is None or base == head:
        base = git("rev-parse", "HEAD~1")
    if base is None:
        return None
    changed = git("diff", "--name-only", base) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return {ROOT / name for name in changed.splitlines() + untracked.splitlines()}


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
    parser.add_argument("--build", required=True, help="build tree with compile_commands.json")
    parser.add_argument("--cache", required=True, help="where files that passed are remembered")
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 2, 8))
    options = parser.parse_args()

    commands = {}
    for entry in json.loads((Path(options.build) / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(ROOT) and not path.is_relative_to(options.build):
            commands[path] = entry["command"]
    headers = Headers()
    wanted = sorted(commands)
    changed = changed_files() if options.changed else None
    if changed is not None:
        # A changed header is looked at through the sources that include it directly.
        wanted = [path for path in wanted if path in changed or changed.intersection(headers.direct(path))]

    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True).stdout
    common = hashlib.sha256(version.encode() + (ROOT / ".clang-tidy").read_bytes())

    def stamp(path):
        digest = common.copy()
        digest.update(commands[path].replace(str(ROOT), "").encode())
        for header in sorted(headers.closure(path)):
            digest.update(str(header.relative_to(ROOT)).encode() + b"\0" + header.read_bytes())
        return cache / digest.hexdigest()

    stamps = {path: stamp(path) for path in wanted}
    waiting = [path for path in wanted if not stamps[path].exists()]
    print(f"{len(wanted)} files to look at, {len(wanted) - len(waiting)} of them known to pass", flush=True)

    def check(path):
        result = subprocess.run([options.clang_tidy, "--quiet", "-p", options.build, str(path)], capture_output=True, text=True)
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


if __name__ == "__main__":
    main()
