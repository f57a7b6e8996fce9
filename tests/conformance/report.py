#!/usr/bin/env python3
"""Runs the recorded programs and prints what passes, by topic, as Markdown.

    python3 tests/conformance/report.py [--build build/native]

A case that does not run yet is listed with its reason. The status is 1 if one fails.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

# Each program of tests with the suite that walks the recorded cases; the topic is the first word of a case's name.
SUITES = [("python_test", "*Recorded.*"), ("dynamo_test", "*Recorded*")]


def run(program: pathlib.Path, suite: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "results.json"
        subprocess.run([program, f"--gtest_filter={suite}", f"--gtest_output=json:{out}", "--gtest_brief=1"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        results = json.loads(out.read_text())
    return [case for group in results["testsuites"] for case in group["testsuite"]]


TOPICS = sorted((path.stem for path in pathlib.Path(__file__).parent.glob("*/*.json")), key=len, reverse=True)


def topic_of(label: str) -> str:
    return next((topic for topic in TOPICS if label.startswith(topic + "_")), "others")


def outcome(case: dict) -> tuple:
    """("passed" | "failed" | "waiting", reason)"""
    if case.get("failures"):
        return "failed", ""
    if case.get("result") == "SKIPPED":
        # "file:line\nreason"
        message = case.get("skipped", [{}])[0].get("message", "")
        return "waiting", message.split("\n", 1)[-1].strip()
    return "passed", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build/native", type=pathlib.Path)
    build = parser.parse_args().build
    counts = collections.defaultdict(collections.Counter)
    notes = []
    for name, suite in SUITES:
        program = build / "bin" / "tests" / name
        if not program.exists():
            notes.append(f"- {name} is not built: its cases are not in the table")
            continue
        for case in run(program, suite):
            label = case["name"].split("/", 1)[-1]
            state, reason = outcome(case)
            counts[topic_of(label)][state] += 1
            if state != "passed":
                notes.append(f"- {state}: {label}" + (f": {reason}" if reason else ""))
    print("| topic | passed | failed | not yet |\n|---|---:|---:|---:|")
    total = collections.Counter()
    for topic_name, count in sorted(counts.items()):
        print(f"| {topic_name} | {count['passed']} | {count['failed']} | {count['waiting']} |")
        total += count
    print(f"| all | {total['passed']} | {total['failed']} | {total['waiting']} |")
    if notes:
        print("\n" + "\n".join(notes))
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
