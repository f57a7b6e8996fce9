"""The training step of the MLP, alone or as ranks of DistributedDataParallel or fully_shard: what nnscope simulate
predicts from the first, beside the second.
Run by: nnscope simulate tests/bench/ranks_training.py --ranks 1,2 ...; nnscope run tests/bench/ranks_training.py;
nnscope run --nproc 2 tests/bench/ranks_training.py [ddp|fully-shard]."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

STEPS = 200
torch.set_num_threads(1)
torch.manual_seed(0)
size = int(os.environ.get("WORLD_SIZE", "1"))
net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
model = net
if size > 1:
    dist.init_process_group("gloo")
    if sys.argv[1:] == ["fully-shard"]:
        from torch.distributed.fsdp import fully_shard
        for layer in (net[0], net[2], net[4]):
            fully_shard(layer)
        fully_shard(net)
    else:
        model = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
inputs = [torch.randn(128, 784) for _ in range(8)]
targets = [torch.randint(10, (128,)) for _ in range(8)]
times = []
for k in range(STEPS):
    begin = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    F.cross_entropy(model(inputs[k % 8]), targets[k % 8]).backward()
    optimizer.step()
    times.append((time.perf_counter() - begin) * 1e3)
if size == 1 or dist.get_rank() == 0:
    times = sorted(times[10:])
    print(f"{size} rank(s): median {times[len(times) // 2]:.3f} ms, fastest tenth {times[len(times) // 10]:.3f} ms a step")
