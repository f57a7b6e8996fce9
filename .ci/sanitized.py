#!/usr/bin/env python3
"""Builds a tree of tests under sanitizers, which belongs to a native tree, and runs it.

NNSCOPE_DEADLINE in the environment (seconds since 1970; .ci/run sets it) says when everything has to be over. Without
compiled files in a cache the build may not be ready by then: that ends with status 77, which CTest reports as skipped,
and what was compiled is in the cache for the next time. A test that fails before the deadline fails all the same.
"""
import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SKIPPED = 77


def run_until(command, deadline):
    """The status of a command; None if it was stopped, with all that it started, at the deadline."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(None if deadline is None else max(0, deadline - time.time()))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the native tree")
    parser.add_argument("--target", required=True, help="its target that builds the tree under sanitizers")
    parser.add_argument("--tree", required=True, help="the tree under sanitizers")
    parser.add_argument("--seconds-for-tests", type=float, default=480,
                        help="what the build leaves of the time: with less, the tests need not be started")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--ctest", default="ctest")
    options = parser.parse_args()
    told = os.environ.get("NNSCOPE_DEADLINE")
    deadline = float(told) if told else None

    status = run_until([options.cmake, "--build", options.build, "--target", options.target],
                       None if deadline is None else deadline - options.seconds_for_tests)
    if status is None:
        print(f"skipped: no time was left to build {options.tree}; what is compiled is kept for the next run")
        return SKIPPED
    if status != 0:
        return 1
    log = Path(options.tree) / "sanitized.log"
    status = run_until([options.ctest, "--test-dir", options.tree, "--output-on-failure", "--no-tests=error", "-j", "2",
                        "--output-log", str(log)], deadline)
    if status is None:
        if log.is_file() and "***" in log.read_text(errors="replace"):  # as CTest marks what failed
            print("stopped at the deadline, after what failed above")
            return 1
        print(f"skipped: the tests in {options.tree} were stopped at the deadline; those that had ended are above")
        return SKIPPED
    return 1 if status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
