#!/usr/bin/env python3
"""Formats our C++ sources with clang-format, or with --check fails where that would change something."""
import argparse
import subprocess
import sys
from pathlib import Path

SUFFIXES = {".cpp", ".h", ".cu", ".cuh"}
ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["core", "ui", "web", "native", "tests"]


def sources():
    """Our sources: those of the working tree that git does not ignore, or all, where there is no git."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
                            cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        names = [ROOT / name for name in listed.stdout.splitlines()]
    else:
        names = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted({path for path in names if path.suffix in SUFFIXES and path.is_file()})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where something would change")
    parser.add_argument("--clang-format", default="clang-format")
    options = parser.parse_args()
    files = [str(path) for path in sources()]
    if not files:
        sys.exit("no sources found")
    mode = ["--dry-run", "--Werror"] if options.check else ["-i"]
    failed = False
    for start in range(0, len(files), 50):
        failed |= subprocess.run([options.clang_format, *mode, *files[start:start + 50]]).returncode != 0
    if failed:
        sys.exit("badly formatted: run .ci/format.py")
    print(f"{len(files)} files are well formatted")


if __name__ == "__main__":
    main()
