#!/usr/bin/env python3
"""Training steps of bin/nnscope_bench beside the same steps of PyTorch on the same processor, one after the other, as
ratios: PyTorch's time over ours, and our floating point operations over the processor's peak of the same run.

Usage: train_beside_torch.py PATH_OF_NNSCOPE_BENCH [THREADS]. PyTorch is tried with the optimiser's plain and fused form;
the faster one counts. Set MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ for both, so that large tensors are not
given back to the system at every step."""
import json
import os
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = (nn.LayerNorm(width, bias=False) for _ in range(2))
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.c_fc, self.c_out = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.c_attn(self.ln_1(x)).split(width, 2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(mixed.transpose(1, 2).contiguous().view(batch, length, width))
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, layers, heads, width, block, vocabulary=65):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(block, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width, bias=False), nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight
        self.register_buffer("pos", torch.arange(block), persistent=False)

    def forward(self, i):
        x = self.wte(i) + self.wpe(self.pos)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x)).flatten(0, 1)


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def cnn():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), *mlp(400, 120, 84, 10))


def tokens(*shape):
    return torch.randint(65, shape)


WORKLOADS = {
    "mlp": (lambda: mlp(784, 512, 256, 10), "Adam", dict(lr=1e-3), lambda: (torch.randn(128, 784), torch.randint(10, (128,)))),
    "cnn": (cnn, "SGD", dict(lr=1e-2, momentum=0.9), lambda: (torch.randn(64, 1, 28, 28), torch.randint(10, (64,)))),
    "gpt": (lambda: GPT(6, 6, 384, 256), "AdamW", dict(lr=1e-3), lambda: (tokens(8, 256), tokens(8 * 256))),
    "tinygpt": (lambda: GPT(4, 4, 64, 64), "AdamW", dict(lr=1e-3), lambda: (tokens(16, 64), tokens(16 * 64))),
    "tinymlp": (lambda: mlp(2, 16, 16, 1), "SGD", dict(lr=1e-2), lambda: (torch.randn(32, 2), torch.randn(32, 1))),
}


def milliseconds_of(name, is_fused):
    """Of one training step: the median of 9 rounds of some 0.3 s."""
    torch.manual_seed(0)
    make, optimizer, options, batch = WORKLOADS[name]
    model = make()
    stepper = getattr(torch.optim, optimizer)(model.parameters(), fused=is_fused, **options)
    loss_of = F.mse_loss if name == "tinymlp" else F.cross_entropy
    batches = [batch() for _ in range(8)]

    def one_round(steps):
        start = time.perf_counter()
        for step in range(steps):
            inputs, target = batches[step % 8]
            stepper.zero_grad()
            loss_of(model(inputs), target).backward()
            stepper.step()
        return (time.perf_counter() - start) / steps
    once = min(one_round(3) for _ in range(2))
    steps = max(1, int(0.3 / once))
    return statistics.median(one_round(steps) for _ in range(9)) * 1e3


def ours(program, threads):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    pattern = f"^(limit/fma|gemm/2048|train/.*/threads:{threads}$)"
    run = subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_format=json", "--benchmark_repetitions=5",
                          "--benchmark_report_aggregates_only=true"], capture_output=True, text=True, env=environment, check=True)
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
    return {row["run_name"]: (row["real_time"] * scale[row["time_unit"]], row.get("GF/s", 0.0))
            for row in json.loads(run.stdout)["benchmarks"] if row["aggregate_name"] == "median"}


def main():
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    torch.set_num_threads(threads)
    figures = ours(sys.argv[1], threads)
    peak = next(rate for name, (_, rate) in figures.items() if name.startswith("limit/fma") and name.endswith(f"threads:{threads}"))
    print(f"PyTorch {torch.__version__}, {threads} thread(s); FMA peak {peak:.0f} GF/s, products of 2048^3 {figures['gemm/2048'][1]:.0f} GF/s")
    print(f"{'step':10} {'ours ms':>10} {'of peak':>8} {'torch ms':>10} {'fused ms':>10} {'ratio':>6}")
    for name in WORKLOADS:
        time_of, rate = figures[f"train/{name}/threads:{threads}"]
        plain, fused = milliseconds_of(name, False), milliseconds_of(name, True)
        print(f"{name:10} {time_of:10.4f} {rate / peak:8.1%} {plain:10.4f} {fused:10.4f} {min(plain, fused) / time_of:6.2f}", flush=True)


if __name__ == "__main__":
    main()
