#!/usr/bin/env python3
"""A package that torch.export.save writes here is opened by `nnscope inspect`, with its modules, tensors and graph; a package that
PyTorch wrote runs, where NNSCOPE_TEST_DATA names a folder that has one."""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return torch.relu(self.fc(x))


torch.export.save(torch.export.export(Net(), (torch.ones(4, 3),)), "net.pt2")
print(torch.export.load("net.pt2").module()(torch.ones(4, 3)).shape)
"""
WANTED = ("fc", "weight", "torch.ops.aten.linear.default(x, p_fc_weight, p_fc_bias)", "torch.ops.aten.relu.default(linear)", "Net")

RUNS = """
import torch

program = torch.export.load("linear.pt2")
print([node.name for node in program.graph.nodes])
x = torch.ones(3)
made = program.module()(x)
weight, bias = program.state_dict["linear.weight"], program.state_dict["linear.bias"]
print(made is None or torch.allclose(made, weight @ x + bias))
"""


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def main():
    nnscope = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "net.py").write_text(PROGRAM)
        made = run(nnscope, "run", "--allow-write", folder, "net.py", folder=folder)
        if made.returncode != 0 or made.stdout != "torch.Size([4, 2])\n":
            sys.exit(f"the program that saves: {made.returncode}\n{made.stdout}{made.stderr}")
        shown = run(nnscope, "inspect", "net.pt2", folder=folder)
        missing = [word for word in WANTED if word not in shown.stdout]
        if shown.returncode != 0 or missing:
            sys.exit(f"inspect shows no {missing}:\n{shown.stdout}{shown.stderr}")
        package = pathlib.Path(os.environ.get("NNSCOPE_TEST_DATA", "")) / "executorch/linear.pt2"
        if not package.exists():
            print("no package of PyTorch is there: only our own was opened")
            return
        (place / "linear.pt2").write_bytes(package.read_bytes())
        (place / "runs.py").write_text(RUNS)
        done = run(nnscope, "run", "runs.py", folder=folder)
        if done.stdout != "['p_linear_weight', 'p_linear_bias', 'x', 'linear', 'output']\nTrue\n":
            sys.exit(f"PyTorch's package: {done.returncode}\n{done.stdout}{done.stderr}")


main()
