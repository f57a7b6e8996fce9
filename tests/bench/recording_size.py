#!/usr/bin/env python3
"""How many bytes recordings of trainings take: per step, and per hour of training.

Each recipe trains for a while with its folder's recording (whose statistics become rarer the longer the run takes) and
with one of --record (statistics of every module twice a second), one after the other. Bytes an hour of the first are
those of the last half of the run, of the second those of all of it.

    python3 tests/bench/recording_size.py build/native/bin/nnscope --data .../datasets/mnist --seconds 60"""
import argparse
import json
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path


def steps_of(run):
    """How many steps the run has told of, and the seconds that they took."""
    steps, seconds = 0, 0.0
    with open(run / "metrics.jsonl", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "loss" in entry:
                steps, seconds = steps + 1, entry["seconds"]
    return steps, seconds


def measure(program, recipe, arguments, seconds, records):
    """Trains for so long; (steps, seconds, bytes, bytes a second of the last half, bytes a second of all)."""
    folder = Path(tempfile.mkdtemp(prefix="nnscope-size-"))
    run = folder / "run"
    recording = folder / "record.nnscope" if records else run / "recording.nnscope"
    command = [program, "train", recipe, "--headless", "--run", run, "--checkpoint-every", "0", *arguments]
    if records:
        command += ["--record", recording]
    try:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        began = time.monotonic()
        time.sleep(seconds / 2)
        half, half_at = recording.stat().st_size, time.monotonic()
        time.sleep(seconds / 2)
        if process.poll() is not None:
            raise SystemExit(f"{recipe} ended before it was measured: {process.stderr.read()}")
        last, last_at = recording.stat().st_size, time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate()
        steps, trained = steps_of(run)
        whole = recording.stat().st_size
        return steps, trained, whole, (last - half) / (last_at - half_at), whole / (last_at - began)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", required=True, help="a folder with MNIST's four files, for the MLP")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    recipes = {"mlp": ["--data", options.data, "--set", "epochs=100000"], "gpt": ["--set", "steps=100000000"]}
    print("| recording | steps | bytes | bytes a step | an hour |\n| --- | --- | --- | --- | --- |")
    for recipe, arguments in recipes.items():
        for records, name in ((False, "its folder's"), (True, "`--record`")):
            steps, trained, size, last_rate, rate = measure(options.program, recipe, arguments, options.seconds,
                                                            records)
            hour = 3600 * (rate if records else last_rate)
            print(f"| {recipe}, {name} | {steps:,} in {trained:.0f} s | {size:,} | {size / steps:.1f} | "
                  f"{hour / 1e6:.1f} MB |", flush=True)


if __name__ == "__main__":
    main()
