"""The training step of the MLP on two ranks at once: without each other, and as DistributedDataParallel, in turn.
Run by: nnscope run --nproc 2 tests/bench/ranks_step.py [ROUNDS]; or by torchrun --nproc-per-node 2 with PyTorch."""
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
STEPS = 20


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))


def training(model):
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
    inputs = [torch.randn(128, 784) for _ in range(8)]
    targets = [torch.randint(10, (128,)) for _ in range(8)]

    def step(k):
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(inputs[k % 8]), targets[k % 8]).backward()
        optimizer.step()
    return step


def middle(times):
    return sorted(times)[len(times) // 2]


torch.set_num_threads(1)
torch.manual_seed(0)
dist.init_process_group("gloo")
kinds = {"uncoupled": training(mlp()), "ddp": training(DDP(mlp())),
         "ddp, bucket views, static graph": training(DDP(mlp(), gradient_as_bucket_view=True, static_graph=True))}
times = {kind: [] for kind in kinds}
for step in kinds.values():
    for k in range(10):
        step(k)
# Each round: all kinds one after the other, so that what disturbs the machine disturbs all of them. A time is the mean
# over the steps of a round.
for _ in range(ROUNDS):
    for kind, step in kinds.items():
        dist.barrier()
        begin = time.perf_counter()
        for k in range(STEPS):
            step(k)
        times[kind].append((time.perf_counter() - begin) / STEPS * 1e3)
if dist.get_rank() == 0:
    for kind in kinds:
        ratios = [a / b for a, b in zip(times[kind], times["uncoupled"])]
        print(f"{kind}: median {middle(times[kind]):.3f} ms, best {min(times[kind]):.3f} ms a step; "
              f"{middle(ratios):.3f} x uncoupled (median of {ROUNDS} rounds), "
              f"{min(times[kind]) / min(times['uncoupled']):.3f} x by the best")
for n in (4, 65536, 1 << 20, 25 << 20):
    t = torch.zeros(n // 4)
    took = []
    for _ in range(2000 if n <= 65536 else 200 if n < 3 << 20 else 30):
        begin = time.perf_counter()
        dist.all_reduce(t)
        took.append((time.perf_counter() - begin) * 1e6)
    if dist.get_rank() == 0:
        print(f"dist.all_reduce of {n} bytes: median {middle(took):.1f} us, best {min(took):.1f} us")
dist.destroy_process_group()
