#!/usr/bin/env python3
"""The last line of a run of all checks: "N passed, N failed, N skipped", from what CTest and the GoogleTest programs wrote.

A CTest test that runs a GoogleTest program counts as the tests in that program, where the program lived long enough to tell of
them, else as one. The status is 1 if anything failed, or was to run and did not.
"""
import argparse
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def of_googletest(file):
    """How many tests of a program passed, failed and skipped; None: the file does not tell."""
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    counts = Counter()
    for case in root.iter("testcase"):
        if case.find("failure") is not None:
            counts["failed"] += 1
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            counts["skipped"] += 1
        elif case.get("status") == "run":
            counts["passed"] += 1
    return counts


def of_ctest(case, tell):
    """The same of one test of CTest's."""
    # CTest says "run", "fail", "notrun" (a skipped test, or one whose program is missing) and "disabled".
    status = case.get("status")
    if status == "run":
        return Counter(passed=1)
    if status == "fail":
        return Counter(failed=1)
    reason = case.find("skipped")
    message = reason.get("message", "") if reason is not None else ""
    if "SKIP" in message.upper() or status == "disabled":
        return Counter(skipped=1)
    tell(f"not run: {case.get('name')} ({message})")
    return Counter(failed=1)


def summary(results, programs, tell=print):
    total = Counter()
    for case in ElementTree.parse(results).getroot().findall("testcase"):
        counts = None
        if case.get("status") in ("run", "fail"):
            counts = of_googletest(programs / f"{case.get('name').replace('/', '-')}.xml")
        # A program that failed after its last test, as a leak does, told of nothing that failed.
        if counts is not None and case.get("status") == "fail" and counts["failed"] == 0:
            counts["failed"] = 1
        total += of_ctest(case, tell) if counts is None else counts
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="CTest's results, as JUnit's XML")
    parser.add_argument("programs", type=Path, help="the folder of what the GoogleTest programs wrote")
    options = parser.parse_args()
    total = summary(options.results, options.programs)
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
