#!/usr/bin/env python3
"""What the programs of the folder `programs` print, beside the files with what they should. Called with: the program nnscope.

user_containers.py prints each call twice uncompiled and twice compiled: the four lines must be the same."""
import difflib
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "programs"


def main():
    failed = []
    for program in sorted(HERE.glob("*.py")):
        done = subprocess.run([sys.argv[1], "run", str(program)], capture_output=True, text=True, timeout=120, check=False)
        wanted = program.with_suffix(".txt").read_text()
        if done.stdout != wanted or done.returncode != 0:
            failed.append(program.name)
            sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), done.stdout.splitlines(True), str(program), "printed"))
            print(done.stderr)
        if program.name == "user_containers.py":
            lines = [line for line in done.stdout.splitlines() if not line.startswith("[")]
            groups = [set(lines[i:i + 4]) for i in range(0, len(lines), 4)]
            if any(len(group) != 1 for group in groups):
                failed.append(f"{program.name}: compiled and uncompiled calls differ")
    print(f"{', '.join(failed)}: other lines" if failed else "all programs print what they should")
    return bool(failed)


sys.exit(main())
