#!/usr/bin/env python3
"""What is another value at each call is no constant of a compiled frame: random numbers, clocks, sizes from values.

usage: changing_values_test.py NNSCOPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEAD = "import random\nimport time\nimport torch\n\n\n"

# Compiled as often as not, each prints the same: the numbers come from the same generator in the same order.
RANDOM = {
    "in an operation": "def f(x):\n    return x * random.random() + random.uniform(1, 2)\n",
    "two of one kind": "def f(x):\n    a = random.randint(0, 1000)\n    return x + a - random.randint(0, 1000)\n",
    "a branch": "def f(x):\n    r = random.random()\n    if r < 0.5:\n        return x + r\n    return x - r\n",
    "a chain of comparisons": "def f(x):\n    r = random.random()\n    return x * (0.2 < r < 0.8)\n",
    "as it is": "def f(x):\n    r = random.randrange(10)\n    return x + 1, r, [r, 2 * r]\n",
    "behind a break": "def f(x):\n    x = x + 1\n    r = random.random()\n    print('cut')\n    return x * r\n",
    "as a size": "def f(x):\n    return x[: random.randint(1, 3)] * 2\n",
    "of a loop": "def f(x):\n    for _ in range(random.randint(1, 3)):\n        x = x + random.random()\n    return x\n",
    "with an error": ("def f(x):\n    try:\n        return x + random.randint(2, 1)\n    except ValueError as error:\n"
                      "        return x - 1, str(error)\n"),
    "of a generator of one's own": "own = random.Random(3)\n\n\ndef f(x):\n    return x + own.random()\n",
    "of another kind": "def f(x):\n    return x + random.gauss(0, 1) + random.choice([1, 2, 3])\n",
}
CALLS = "\n\nrandom.seed(7)\nfor _ in range(12):\n    print({}(torch.ones(4)))\nprint(random.random())\n"

# Sizes that depend on values: with fullgraph=True one graph, or an error that says so; else the same as uncompiled.
SIZES = {
    "def f(x):\n    return torch.nonzero(x) * 2\n": True,
    "def f(x):\n    n = x.argwhere()\n    return n.ndim, n.dtype, n[:, 0].float().mean()\n": True,
    "def f(x):\n    return torch.relu(torch.masked_select(x, x > 0).sum() - 1)\n": True,
    "def f(x):\n    return x.nonzero().shape[0] + x\n": False,
    "def f(x):\n    return x * len(x.nonzero())\n": False,
    "def f(x):\n    return x.nonzero().numel() * x\n": False,
    "def f(x):\n    return sum(row.sum() for row in x.nonzero()) * x\n": False,
    "def f(x):\n    return x.nonzero().unbind()\n": False,
    "def f(x):\n    return x.nonzero() + torch.ones(3, 1)\n": False,
}
SIZE = """

call = torch.compile(f, backend='eager', fullgraph={}) if {} else f
for x in (torch.tensor([1.0, 0, 2, 3]), torch.tensor([0.0, 5, 2, 3])):
    try:
        print(call(x))
    except torch._dynamo.exc.Unsupported as error:
        print(error.gb_type)
"""

CLOCKS = ("time.time()", "time.perf_counter()", "time.monotonic_ns() / 1e9", "now()")
CLOCK = """from time import perf_counter as now


@torch.compile(backend="eager")
def f(x):
    return x * 0 + {}


before = f(torch.ones(1, dtype=torch.float64))
time.sleep(0.002)
print((f(torch.ones(1, dtype=torch.float64)) > before).item())
"""


def run(program, folder, source, *words):
    path = pathlib.Path(folder) / "program.py"
    path.write_text(HEAD + source)
    return subprocess.run([program, *words, str(path)], capture_output=True, text=True, timeout=60, check=False)


def main(program):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, source in RANDOM.items():
            plain = run(program, folder, source + CALLS.format("f"), "run")
            call = "torch.compile(f, backend='eager')"
            compiled = run(program, folder, source + CALLS.format("g").replace("\n\n", f"\n\ng = {call}\n", 1), "run")
            if plain.returncode != 0 or (plain.stdout, plain.stderr) != (compiled.stdout, compiled.stderr):
                wrong.append(f"{name}: {plain.stdout[:200]}{plain.stderr}, compiled {compiled.stdout[:200]}"
                             f"{compiled.stderr}")
        for clock in CLOCKS:
            captured = run(program, folder, CLOCK.format(clock), "capture", "--json")
            found = json.loads(captured.stdout)
            kinds = [one["gb_type"] for one in found["breaks"]]
            if found["stdout"] != "True\n" or kinds != ["Attempted to call function marked as skipped"]:
                wrong.append(f"{clock}: {found['stdout']!r}, breaks {kinds}, {captured.stderr}")
        for source, is_one_graph in SIZES.items():
            plain, broken, whole = (run(program, folder, source + SIZE.format(is_whole, is_compiled), "run")
                                    for is_whole, is_compiled in ((False, False), (False, True), (True, True)))
            refused = "Data-dependent size\n" * 2
            if plain.stdout != broken.stdout or whole.stdout != (plain.stdout if is_one_graph else refused):
                wrong.append(f"{source}: {plain.stdout}{plain.stderr}, compiled {broken.stdout}{broken.stderr}, as one "
                             f"graph {whole.stdout}{whole.stderr}")
    for text in wrong:
        print(f"FAILED {text}")
    total = len(RANDOM) + len(CLOCKS) + len(SIZES)
    print(f"{total - len(wrong)} of {total} hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
