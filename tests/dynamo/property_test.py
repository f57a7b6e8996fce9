#!/usr/bin/env python3
"""Random programs: compiled and uncompiled they print the same.

usage: property_test.py NNSCOPE [--programs N] [--seed S] [--keep FOLDER]

A program is a module with children, numbers, lists and dicts, and classes of these, whose forward takes a tensor and two
numbers that are others at each call, the tensor's size, too, and is made of random statements: arithmetic, branches on numbers, sizes and
tensors, loops, prints, writes to attributes, appended lists, no_grad, autocast, try, calls. It runs once with
torch.compile(backend="eager") and once without; both must print the same and end alike.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def tensor(self):
        return self.random.choice(["x", "y", "z"])

    def number(self):
        return self.random.choice(["self.n", "self.table['a']", "len(self.history)", "x.shape[0]", "2", "0.5", "k",
                                   "x.size(0) * 2 + 1", "y.numel()", "len(z[1:])", "min(x.shape[0], 3)",
                                   "i", "(i * 2 - k)", "(k / 3 + i // 2)", "x.mean().item()", "(y.max().item() + k)"])

    def expression(self):
        a, b, n = self.tensor(), self.tensor(), self.number()
        return self.random.choice([
            f"{a} + {b}", f"{a} * {n}", f"{a} - {n}", f"torch.relu({a})", f"self.lin({a})", f"self.seq({a})",
            f"self.layers[{self.random.choice(['0', '1', 'i % 2'])}]({a})", f"{a}.sum(i % 2, keepdim=True) + {b}", f"torch.tanh({a}) * {b}", f"{a}.clamp(-2, 2)",
            f"{a}.view(x.shape[0], -1) + {b}", f"torch.cat([{a}, {b}]).view(2, -1, 3).mean(0)",
            f"{a}[:2].sum(0) + {b}", f"torch.arange(x.shape[0]).view(-1, 1) + {a}", f"{a}.expand(x.shape) * {n}",
            f"torch.zeros({b}.size(0), 3) + {a}", f"F.pad({a}, (0, 0, 1, 0))[1:] - {b}",
            f"self.mask[: x.shape[0]] * {a}", f"{a}.t().reshape(-1, 3) + {b}", f"self.lin(torch.cat([{a}, {b}]))[::2]",
            f"torch.stack([row * 2 for row in {a}])",
            f"self.helper({a}, {n})", f"sum([{a}, {b}])", f"{a} * self.box['a'] + self.box.total()",
            f"{a} * self.box['none'] + len(self.box)", f"{a} + sum(self.stack) + self.stack.top",
            f"{a} + Stack([{b}]).push({a}).top", f"self.acts['{self.random.choice(['relu', 'sig'])}']({a})",
            f"(lambda q: q + {b})({a})", f"torch.stack([{a}, {b}]).mean(0)", f"{a} / 2 + self.shift"])

    def statement(self, indent, depth):
        pad = "    " * indent
        kind = self.random.randrange(14 if depth < 2 else 6)
        target = self.random.choice(["y", "z"])
        if kind <= 2:
            self.lines.append(f"{pad}{target} = {self.expression()}")
        elif kind == 3:
            written = self.random.choice(["self.n += 1", "self.history.append(1)", "self.last = y", "self.box['b'] = self.n",
                                          "self.box.name = i", "self.stack.push(2)", "self.stack[0] = k", "self.box.update(a=2)"])
            self.lines.append(f"{pad}{written}")
        elif kind == 4:
            self.lines.append(f"{pad}self.table['a'] = {self.random.randrange(1, 4)}")
        elif kind == 5:
            self.lines.append(f"{pad}{target} = {target}.detach() * 0.5")
        elif kind == 6:
            self.lines.append(f"{pad}print('here', self.n, round(float({target}.sum()), 3))")
        elif kind in (7, 8):
            test = self.random.choice(["self.n % 2 == 0", "i > 1", "k", "i * 2 < k + 2", "x.shape[0] > 3",
                                       "x.size(0) % 2 == 0", "y.numel() < 10 <= 3 * len(z)",
                                       "y.shape == x.shape"])
            test = test if kind == 7 else self.random.choice([f"{target}.sum() > 0", f"{target}.sum().item() > k"])
            self.lines.append(f"{pad}if {test}:")
            self.block(indent + 1, depth + 1)
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth + 1)
        elif kind in (9, 10):
            self.lines.append(f"{pad}for i in range({self.random.randrange(1, 4)}):")
            self.block(indent + 1, depth + 1)
        elif kind == 11:
            self.lines.append(f"{pad}with torch.no_grad():")
            self.block(indent + 1, depth + 1)
        elif kind == 12:
            enabled = self.random.choice(["", ", enabled=False", ", enabled=i > 1"])
            self.lines.append(f"{pad}with torch.autocast('cpu', dtype=torch.bfloat16{enabled}):")
            self.block(indent + 1, depth + 1)
        else:
            self.lines.append(f"{pad}try:")
            self.block(indent + 1, depth + 1)
            self.lines.append(f"{pad}except ValueError:")
            self.lines.append(f"{pad}    y = y - 1")

    def block(self, indent, depth):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(indent, depth)

    def program(self):
        for _ in range(self.random.randrange(3, 8)):
            self.statement(2, 0)
        return TEMPLATE.replace("    BODY\n", "\n".join(self.lines) + "\n").replace(
            "SCALARS", self.random.choice(["True", "False"])).replace(
            "SIZES", str([self.random.choice([1, 2, 2, 3, 4, 5, 6]) for _ in range(6)])).replace(
            "DYNAMIC", self.random.choice(["None", "None", "True", "False"]))


TEMPLATE = """import sys
import torch
import torch.nn as nn
import torch.nn.functional as F


class Box(dict):
    name = 0

    def __missing__(self, key):
        return self.name + 1

    def total(self):
        return sum(self.values())


class Stack(list):
    def push(self, item):
        self.append(item)
        return self

    @property
    def top(self):
        return self[-1]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.box = Box(a=1)
        self.stack = Stack([1])
        self.lin = nn.Linear(3, 3)
        self.seq = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.layers = nn.ModuleList([nn.Sigmoid(), nn.Linear(3, 3)])
        self.acts = nn.ModuleDict({"relu": nn.ReLU(), "sig": nn.Sigmoid()})
        self.register_buffer("shift", torch.ones(3))
        self.register_buffer("mask", torch.arange(24.0).view(8, 3) % 5)
        self.n = 0
        self.history = []
        self.table = {"a": 1}
        self.last = None

    def helper(self, t, n=1):
        return t * n + 1

    def forward(self, x, k, i):
        y = x * 2
        z = x - 1
    BODY
        return y, z, self.n, len(self.history)


torch.manual_seed(0)
torch._dynamo.config.capture_scalar_outputs = SCALARS
net = Net()
f = torch.compile(net, backend="eager", dynamic=DYNAMIC) if COMPILED else net
for step, size in enumerate(SIZES):
    y, z, n, length = f(torch.arange(3.0 * size).view(size, 3) - step, 0.5 * step, 3 - step)
    print([round(v, 3) for v in y.flatten().tolist()], [round(v, 3) for v in z.flatten().tolist()], n, length)
print(sorted(net.__dict__) == sorted(net.__dict__), net.table, net.last is None)
print(dict(net.box), net.box.name, list(net.stack))
"""


def run(program, text, folder):
    path = pathlib.Path(folder) / "program.py"
    path.write_text(text)
    done = subprocess.run([program, "run", str(path)], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout, done.returncode, done.stderr.strip().splitlines()[-1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    wrong = []
    for seed in range(options.seed, options.seed + options.programs):
        text = Maker(seed).program()
        with tempfile.TemporaryDirectory() as folder:
            plain = run(options.program, text.replace("COMPILED", "False"), folder)
            compiled = run(options.program, text.replace("COMPILED", "True"), folder)
        if plain != compiled:
            wrong.append(seed)
            print(f"FAILED seed {seed}:\n  plain    {plain}\n  compiled {compiled}")
            if options.keep:
                (options.keep / f"program_{seed}.py").write_text(text.replace("COMPILED", "True"))
    print(f"{options.programs - len(wrong)} of {options.programs} programs print the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
