#!/usr/bin/env python3
"""Runs test files of a PyTorch checkout under nnscope and counts what passes: see README.md."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


def call(options, file, names, seconds):
    """Rows of what was told, whether the program ended by itself, and the end of what it wrote on stderr."""
    command = [options.program, "run", "--allow-read", str(options.tests.parent), "--allow-read", str(HERE), "--allow-read", "/tmp",
               "--allow-write", "/tmp", str(HERE / "harness.py"), str(file), names, str(options.tests.parent)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        out, error = process.communicate(timeout=seconds)
        has_ended = process.returncode == 0
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        has_ended = False
    rows = []
    for line in out.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, has_ended, error[-2000:]


def run_file(options, file):
    """One row a test."""
    rows, has_ended, error = call(options, file, "-", 120)
    names = [row["found"] for row in rows if "found" in row]
    if not names:
        return [{"test": "(file)", "state": "failed", "error": error.strip() or "no tests"}]
    pattern = re.compile(options.k or "")
    left = [name for name in names if pattern.search(name)]
    results = []
    while left:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", dir="/tmp", delete=False) as wanted:
            wanted.write("\n".join(left))
        rows, has_ended, error = call(options, file, wanted.name, options.seconds)
        os.unlink(wanted.name)
        told = {}
        for row in rows:
            if "test" in row and (row["test"] not in told or row["state"] == "failed"):
                told[row["test"]] = row
        begun = [row["begin"] for row in rows if "begin" in row]
        results += told.values()
        left = [name for name in left if name not in told]
        if left and begun and begun[-1] in left:
            # It ended the program, or took all the time there was.
            results.append({"test": begun[-1], "state": "ended", "error": error})
            left.remove(begun[-1])
        elif left and not told:
            results += [{"test": name, "state": "ended", "error": error} for name in left]
            left = []
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="below the tests' folder; none: those that are known to load")
    parser.add_argument("--tests", type=Path, default=os.environ.get("NNSCOPE_PYTORCH_TESTS"))
    parser.add_argument("--program", default=str(HERE.parents[2] / "build/native/bin/nnscope"))
    parser.add_argument("-k", help="a pattern of tests' names")
    parser.add_argument("--seconds", type=float, default=600, help="for one start of the program")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("-v", action="store_true", help="the end of each error")
    options = parser.parse_args()
    if options.tests is None:
        sys.exit("--tests FOLDER, or NNSCOPE_PYTORCH_TESTS, names the test folder of a PyTorch checkout")
    options.tests = Path(options.tests).resolve()
    before = json.loads(options.before.read_text()) if options.before else {}
    report, total = {}, Counter()
    for name in options.files:
        begin = time.time()
        rows = run_file(options, options.tests / name)
        counts = Counter(row["state"] for row in rows)
        total += counts
        report[name] = {row["test"]: row for row in rows}
        print(f"{name}: {counts['passed']} passed, {counts['failed'] + counts['ended']} failed, {counts['skipped']} skipped "
              f"({time.time() - begin:.0f} s)", flush=True)
        for row in rows:
            old = before.get(name, {}).get(row["test"], {}).get("state")
            if old is not None and old != row["state"]:
                print(f"  {row['test']}: {old} -> {row['state']}")
            if options.v and row["state"] in ("failed", "ended"):
                last = [line for line in row.get("error", "").strip().splitlines() if line.strip()] or ["?"]
                print(f"  {row['state']} {row['test']}: {last[-1][:200]}")
    if options.report:
        options.report.write_text(json.dumps(report, indent=1))
    if len(options.files) > 1:
        print(f"{total['passed']} passed, {total['failed'] + total['ended']} failed, {total['skipped']} skipped")


if __name__ == "__main__":
    main()
