#!/usr/bin/env python3
"""Holds `nnscope capture --json` to what torch._dynamo of PyTorch 2.14.1 did with 635 recorded programs.

usage: recorded_test.py NNSCOPE [--cases FOLDER] [--not-yet FILE] [-v] [TOPIC or NAME]...

Compared, case by case: of each graph its nodes (op, name, target, args, kwargs, users, nn_module_stack) and whether a
break ends it; of each break its action, gb_type, explanation, hints and line; stdout; the type of the error; the guards
that recompiles tell of; the installed guards on locals; the module variables that were built. Cases with `hard_facts`
other than the names of symbols, which are matched, are left out. `not_yet.txt` names the cases that differ, each with its first difference: one of them that agrees fails
the test as well, so that the list stays true.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NODE_KEYS = ("op", "name", "target", "args", "kwargs", "users", "nn_module_stack")
BREAK_KEYS = ("action", "gb_type", "explanation", "hints", "line")
SECONDS = 60
# Facts that a tracer of syntax trees was not asked to match, and this one does.
MATCHED = {"symbol names"}


def run(program, case):
    inlines = "true" if case["config"]["inline_inbuilt_nn_modules"] else "false"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(case["source"])
        command = [program, "capture", str(path), "--json", "--max-steps=3000000",
                   f"--config=inline_inbuilt_nn_modules={inlines}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None, f"longer than {SECONDS} s"
    try:
        return json.loads(done.stdout), ""
    except json.JSONDecodeError:
        return None, f"no JSON, exit status {done.returncode}: {done.stderr[-300:]}"


def local_guards(frame):
    return sorted(guard for guard in map(list, frame["installed"]) if guard[1].startswith("L["))


def error_type(error):
    return error and error["type"].rsplit(".", 1)[-1]


def views(case, recorded=None):
    """The parts that are compared, by name, in the order in which a difference is told.

    Where frames were compiled and no guards recorded, they were left out: they hold a time or a random number.
    """
    recorded = recorded or case
    yield "graphs", [([{key: node[key] for key in NODE_KEYS if node.get(key)} for node in graph["nodes"]],
                      graph["graph_break"]) for graph in case["graphs"]]
    yield "breaks", [[one.get(key) for key in BREAK_KEYS] for one in case["breaks"]]
    yield "stdout", case["stdout"]
    yield "error", error_type(case["error"])
    yield "recompiles", [[reason["guard"] for reason in one["reasons"]] for one in case["recompiles"]]
    if recorded["guards"] or not recorded["graphs"]:
        yield "guards", [local_guards(frame) for frame in case["guards"]]
    yield "modules", [list(row) for row in case["modules"]]


def first_difference(case, found):
    for (name, wanted), (_, got) in zip(views(case), views(found, case)):
        if wanted == got:
            continue
        if isinstance(wanted, list) and len(wanted) == len(got):
            wanted, got = next((a, b) for a, b in zip(wanted, got) if a != b)
        return name, f"wanted {wanted}\n      found  {got}"
    return None


def read_not_yet(path):
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            rows[name] = reason
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=pathlib.Path, default=HERE.parent / "conformance" / "dynamo")
    parser.add_argument("--not-yet", type=pathlib.Path, default=HERE / "not_yet.txt")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    not_yet = read_not_yet(options.not_yet)
    wrong, listed, total = [], 0, collections.Counter()
    names = set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path in sorted(options.cases.glob("*.json")):
            topic = path.stem
            cases = [case for case in json.loads(path.read_text()) if set(case.get("hard_facts") or ()) <= MATCHED]
            names.update(f"{topic}/{case['name']}" for case in cases)
            if options.only:
                cases = [case for case in cases if topic in options.only or case["name"] in options.only]
            good = 0
            for case, (found, trouble) in zip(cases, pool.map(lambda one: run(options.program, one), cases)):
                name = f"{topic}/{case['name']}"
                difference = ("run", trouble) if found is None else first_difference(case, found)
                if difference is None:
                    good += 1
                    if name in not_yet:
                        wrong.append(f"{name} agrees now: take it out of {options.not_yet.name}")
                elif name in not_yet:
                    listed += 1
                    if options.verbose:
                        print(f"    (not yet) {name}: {difference[0]}: {difference[1][:1200]}")
                else:
                    wrong.append(f"{name}: {difference[0]}: {difference[1][:2000]}")
            total["good"] += good
            total["all"] += len(cases)
            if cases:
                print(f"{topic:<20} {good:>3} of {len(cases)}", flush=True)
    wrong += [f"{name} in {options.not_yet.name} is no case" for name in not_yet if name not in names]
    print(f"{total['good']} of {total['all']} agree; {listed} differ as listed")
    for text in wrong:
        print(f"FAILED {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
