#!/usr/bin/env python3
"""backend="nnscope": random chains of elementwise ops give the same bits as without compilation, and are fused.

usage: plan_test.py NNSCOPE [--programs N] [--seed S]

Each program runs one chain over several shapes often enough that its plan is measured and, where it is faster, used;
also with a tensor that asks for gradients, whose gradients must be the same too. The last lines of the report of
`nnscope capture` must tell of a chain.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

TEMPLATE = """import torch
import torch.nn.functional as F


def run(x, row, one, y):
LINES
    return a, b


f = torch.compile(run, backend="nnscope")
torch.manual_seed(1)
for shape in [(40, 1500), (3, 7), (5, 6, 64), (1,), (70, 1, 33)]:
    x, y = torch.randn(*shape), torch.randn(*shape)
    x.view(-1)[0] = float("nan")
    row, one = torch.randn(shape[-1]), torch.tensor(0.75)
    for call in range(9):
        x = x + 1
        with torch.no_grad():
            got, wanted = f(x, row, one, y), run(x, row, one, y)
        for p, q in zip(got, wanted):
            assert p.shape == q.shape and p.dtype == q.dtype, (shape, call)
            assert torch.equal(p.contiguous().view(torch.int32), q.contiguous().view(torch.int32)), (shape, call)
    grads = []
    for function in (f, run):
        leaf = y.clone().requires_grad_()
        a, b = function(x, row, one, leaf)
        (a.sum() + b.sum()).backward()
        grads.append(leaf.grad)
    assert torch.equal(torch.nan_to_num(grads[0]), torch.nan_to_num(grads[1])), shape
print("same")
"""


def program(seed):
    pick = random.Random(seed)

    def value():
        return pick.choice(["a", "b", "x", "y", "row", "one", "a", "b"])

    def line():
        p, q = value(), value()
        text = pick.choice([
            f"{p} + {q}", f"{p} * {q}", f"{p} - 0.5", f"2 / ({p} * {p} + 1)", f"torch.tanh({p})", f"torch.sigmoid({p})",
            f"F.relu({p})", f"F.gelu({p})", f"F.silu({p})", f"{p}.exp()", f"{p}.abs().sqrt()", f"torch.maximum({p}, {q})",
            f"{p}.clamp(-1, 1)", f"-{p}", f"{p} ** 2", f"torch.add({p}, {q}, alpha=3)", f"F.leaky_relu({p}, 0.1)",
            f"{p} + ({p} > 0)", f"{p}.mean() + {q}", f"({p} + y).view(y.shape)", f"torch.where({p} > 0, {q}, {p})"])
        return f"    {pick.choice('ab')} = {text} + y * 0"

    lines = ["    a = x * 1.5", "    b = y + row"] + [line() for _ in range(pick.randrange(3, 12))]
    return TEMPLATE.replace("LINES", "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--programs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    for seed in range(options.seed, options.seed + options.programs):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.py"
            path.write_text(program(seed))
            done = subprocess.run([options.program, "capture", str(path), "--json"], capture_output=True, text=True,
                                  timeout=120, check=False)
        try:
            found = json.loads(done.stdout)
        except json.JSONDecodeError:
            found = {"stdout": "", "error": done.stderr[-300:], "plans": []}
        chains = sum(plan["chains"] for plan in found.get("plans", []))
        if found["stdout"] != "same\n" or chains == 0:
            wrong += 1
            print(f"FAILED seed {seed}: {found['error']}, {chains} chains")
    print(f"{options.programs - wrong} of {options.programs} programs give the same bits")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
