#!/usr/bin/env python3
"""Tensors whose sizes are others at each call: how often a frame is compiled, and that it computes the same.

usage: changing_sizes_test.py NNSCOPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
# Behaviour: torch/_dynamo/pgo.py: what has changed once is a symbol from the second compilation on.
# A function, the sizes that it is called with, how often it is compiled, and the reasons of the later times.
CASES = {
    "a batch": ("def f(x):\n    return x * 2 + x.shape[0]\n", [2, 3, 4, 9], 2,
                ["tensor 'x' size mismatch at index 0. expected 2, actual 3"]),
    "one is always a constant": ("def f(x):\n    return x + x.size(0)\n", [2, 3, 1, 1, 7], 3,
                                 ["tensor 'x' size mismatch at index 0. expected 2, actual 3", "2 <= x.size()[0]"]),
    "a branch": ("def f(x):\n    return x + 1 if x.shape[0] > 4 else x - 1\n", [2, 3, 4, 8, 9], 3,
                 ["tensor 'x' size mismatch at index 0. expected 2, actual 3", "2 <= x.size()[0] <= 4"]),
    "a branch on what follows from it": (
        "def f(x):\n    y = torch.cat([x, x[1:]])\n    return y * 2 if y.shape[0] > 7 else y\n", [3, 4, 5, 6], 3, None),
    "a size that must be one number": ("def f(x):\n    return x + torch.ones(3, 1)\n", [1, 3, 1, 3], 2,
                                       ["tensor 'x' size mismatch at index 0. expected 1, actual 3"]),
    "a loop over rows": ("def f(x):\n    return sum(row for row in x)\n", [2, 3, 4], 3, None),
    "a linear layer": ("lin = nn.Linear(2, 5)\n\n\ndef f(x):\n    return F.relu(lin(x)).sum()\n", [2, 3, 40, 100], 2, None),
    "a slice of a mask": ("mask = torch.ones(8, 8).tril()\n\n\ndef f(x):\n    n = x.shape[0]\n"
                          "    return mask[:n, :n] @ x\n", [3, 4, 5, 8], 2, None),
    "beyond the mask": ("mask = torch.ones(8, 2)\n\n\ndef f(x):\n    m = mask[: x.shape[0]]\n"
                        "    return x.sum() + (m.shape[0] == x.shape[0])\n", [3, 4, 8, 9, 10], 3, None),
    "views": ("def f(x):\n    b, c = x.shape\n    return x.view(b, c, 1).expand(-1, -1, 3).reshape(b, -1)\n", [2, 3, 7], 2,
              None),
    "a shape as a tuple": ("def f(x):\n    return torch.zeros(x.shape[:-1] + (4,)) + x.numel(), tuple(x.shape)\n", [2, 3, 7], 2,
                           None),
    "a convolution with strides": ("conv = nn.Conv1d(2, 4, 3, stride=2)\n\n\ndef f(x):\n"
                                   "    y = conv(x.t())\n    return y + y.shape[-1], y.shape\n", [7, 8, 9, 15], 2, None),
    "a size that leaves the frame": ("def f(x):\n    print(x.shape[0])\n    return x * x.shape[0]\n", [2, 3, 4], 2, None),
    "made of a number": ("def f(x):\n    return torch.arange(len(x)) * x[:, 0]\n", [2, 3, 4, 6], 2, None),
    "the smaller one": ("def f(x):\n    return x[: min(len(x), 4)] + min(x.shape[0], 4)\n", [2, 3, 4, 6, 7], 3, None),
}
CALLS = """

torch.manual_seed(0)
call = torch.compile(f, backend="eager"{}) if {} else f
for n in {}:
    print(call(torch.arange(2.0 * n).view(n, 2)))
"""
# A program, and what it prints: settings, marks and the errors of marks.
PROGRAMS = {
    "dynamic=True": ("""
@torch.compile(backend="eager", dynamic=True)
def f(x):
    return x.view(-1) * x.shape[0]

for n in (4, 5, 6):
    f(torch.ones(n, 3))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "1\n"),
    "dynamic=False": ("""
@torch.compile(backend="eager", dynamic=False)
def f(x):
    return x + 1

for n in (4, 5, 6):
    f(torch.ones(n, 3))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "3\n"),
    "a mark": ("""
@torch.compile(backend="eager")
def f(x):
    return x + 1

x = torch.ones(4, 3)
torch._dynamo.mark_dynamic(x, 0)
f(x), f(torch.ones(5, 3)), f(torch.ones(6, 3))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "1\n"),
    "a mark with a range": ("""
@torch.compile(backend="eager")
def f(x):
    return x + 1 if x.shape[0] > 3 else x - 1

x = torch.ones(5, 3)
torch._dynamo.mark_dynamic(x, 0, min=4, max=8)
print([f(one).sum().item() for one in (x, torch.ones(4, 3), torch.ones(8, 3), torch.ones(3, 3), torch.ones(9, 3))])
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "[30.0, 24.0, 48.0, 0.0, 54.0]\n3\n"),
    "a mark that cannot be": ("""
@torch.compile(backend="eager")
def f(x):
    return x + torch.ones(4, 1)

x = torch.ones(4, 3)
torch._dynamo.mark_dynamic(x, 0)
try:
    f(x)
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
""", "ConstraintViolationError Constraints violated (L['x'].size()[0])! For more information, run with "
     "TORCH_LOGS=\"+dynamic\".\n"),
    "a mark that may not be": ("""
@torch.compile(backend="eager")
def f(x):
    return x + torch.ones(4, 1)

x = torch.ones(4, 3)
torch._dynamo.maybe_mark_dynamic(x, 0)
print(f(x).shape)
""", "torch.Size([4, 3])\n"),
    "a static mark": ("""
@torch.compile(backend="eager", dynamic=True)
def f(x):
    return x + 1

for n in (4, 5):
    x = torch.ones(n, 3)
    torch._dynamo.mark_static(x)
    f(x)
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "2\n"),
    "switched off": ("""
torch._dynamo.config.automatic_dynamic_shapes = False

@torch.compile(backend="eager")
def f(x):
    return x + 1

for n in (4, 5, 6):
    f(torch.ones(n))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "3\n"),
    "two of one batch": ("""
@torch.compile(backend="eager")
def f(x, y):
    return ((x - y) ** 2).mean() * y.shape[0]

print([f(torch.ones(n, 3), torch.zeros(n, 1)).item() for n in (2, 3, 4, 9)])
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "[2.0, 3.0, 4.0, 9.0]\n2\n"),
    "two that are no longer equal": ("""
@torch.compile(backend="eager")
def f(x, y):
    return x.sum() + y.sum() if x.shape[0] == y.shape[0] else x.sum() - y.sum()

print([f(torch.ones(n), torch.ones(m)).item() for n, m in ((2, 2), (3, 3), (4, 4), (5, 4), (7, 3))])
""", "[4.0, 6.0, 8.0, 1.0, 4.0]\n"),
    "strides": ("""
@torch.compile(backend="eager")
def f(x):
    return (x * 2).flatten()

for n in (2, 3, 4, 5):
    x = torch.arange(3.0 * n).view(n, 3)
    assert torch.equal(f(x), (x * 2).flatten())
    y = torch.arange(3.0 * n).view(3, n).t()
    assert torch.equal(f(y), (y * 2).flatten()), n
print(torch._dynamo.utils.counters["stats"]["unique_graphs"] < 6)
""", "True\n"),
    "a number that a size bounds": ("""
@torch.compile(backend="eager")
def f(x, k):
    return x.topk(k).values

x = torch.arange(8.0)
f(x, 2), f(x, 3), f(x, 5)
torch._dynamo.config.error_on_recompile = True
try:
    f(x, 6)
except torch._dynamo.exc.RecompileError as error:
    print([line.strip() for line in str(error).splitlines()[2:]])
""", "['- 0/1: k <= 5', '- 0/0: k == 2']\n"),
    "numbers of a module": ("""
torch._dynamo.config.allow_unspec_int_on_nn_module = True

class Net(nn.Module):
    def forward(self, x):
        return x * self.k

net = Net()
f = torch.compile(net, backend="eager")
for net.k in (4, 5, 6):
    f(torch.ones(1))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
""", "2\n"),
    "gradients": ("""
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4))
call = torch.compile(net, backend="eager")
same = []
for n in (2, 3, 5, 8):
    x = torch.randn(n, 3)
    net.zero_grad()
    net(x).square().sum().backward()
    plain = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    call(x).square().sum().backward()
    same += [torch.equal(a, p.grad) for a, p in zip(plain, net.parameters())]
print(all(same), len(same))
""", "True 16\n"),
}


def run(program, folder, source, *words):
    path = pathlib.Path(folder) / "program.py"
    path.write_text(HEAD + source)
    return subprocess.run([program, *words, str(path)], capture_output=True, text=True, timeout=60, check=False)


def main(program):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, sizes, compilations, reasons) in CASES.items():
            plain = run(program, folder, source + CALLS.format("", False, sizes), "run")
            captured = run(program, folder, source + CALLS.format("", True, sizes), "capture", "--json")
            found = json.loads(captured.stdout)
            told = [reason["guard"] for one in found["recompiles"] for reason in one["reasons"]]
            if plain.returncode != 0 or found["stdout"] != plain.stdout:
                wrong.append(f"{name}: {plain.stdout}{plain.stderr}, compiled {found['stdout']}{captured.stderr}")
            if len(found["graphs"]) != compilations:
                wrong.append(f"{name}: {len(found['graphs'])} graphs, not {compilations}: {told}")
            if reasons is not None and [one for one in reasons if one not in told]:
                wrong.append(f"{name}: {told}, not {reasons}")
            whole = run(program, folder, source + CALLS.format(", dynamic=True", True, sizes), "run")
            if whole.stdout != plain.stdout:
                wrong.append(f"{name}, dynamic: {plain.stdout}, compiled {whole.stdout}{whole.stderr}")
        for name, (source, wanted) in PROGRAMS.items():
            done = run(program, folder, source, "run")
            if done.stdout != wanted:
                wrong.append(f"{name}: {done.stdout}{done.stderr}, not {wanted}")
    for text in wrong:
        print(f"FAILED {text}")
    total = len(CASES) + len(PROGRAMS)
    print(f"{total} programs, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
