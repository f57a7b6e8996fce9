#!/usr/bin/env python3
"""What the programs of the folder `export` print, beside the files with what they should. Called with: the program nnscope."""
import difflib
import pathlib
import subprocess
import sys


def main():
    failed = []
    for program in sorted((pathlib.Path(__file__).resolve().parent / "export").glob("*.py")):
        done = subprocess.run([sys.argv[1], "run", str(program)], capture_output=True, text=True, timeout=120)
        wanted = program.with_suffix(".txt").read_text()
        if done.stdout != wanted or done.returncode != 0:
            failed.append(program.name)
            sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), done.stdout.splitlines(True), str(program), "printed"))
            print(done.stderr)
    print(f"{', '.join(failed)}: other lines" if failed else "all programs print what they should")
    return bool(failed)


sys.exit(main())
