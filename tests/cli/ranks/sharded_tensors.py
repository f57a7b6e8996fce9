# What a program sees of fully_shard(), DTensor and DeviceMesh. Each rank prints what it has.
import copy

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor


def attempt(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, " ".join(str(e).splitlines()[:2]))


dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2,))
print(mesh, init_device_mesh("cpu", (2,), mesh_dim_names=("dp",)), mesh.size(), mesh.get_local_rank())

# Tensors
x = distribute_tensor(torch.arange(6.0).view(3, 2), mesh, [Shard(0)])
print(x)
print(x.shape, x.numel(), x.stride(), len(x), x.to_local().shape, x.full_tensor().tolist())
print((x * 2 + x).to_local().tolist(), (x * 2).placements, x.sum(), x.mean().item())
print(x.redistribute(mesh, [Shard(1)]).to_local().tolist(), x.redistribute(mesh, [Replicate()]).placements)
print(torch.zeros_like(x).shape, x.detach().device_mesh == mesh, isinstance(x, nn.Parameter))
attempt(lambda: x + torch.ones(3, 2))
x.add_(1)
print(x.full_tensor().tolist())
print(DTensor.from_local(torch.ones(1, 2) * rank, mesh, [Shard(0)]).full_tensor().tolist())

# Modules
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
print(fully_shard(net[0]) is net[0], fully_shard(net) is net, net)
print(type(net).__mro__[1] is FSDPModule, type(net).__name__, type(net[1]).__name__, isinstance(net[:1], FSDPModule))
print({name: (tuple(p.shape), tuple(p.to_local().shape)) for name, p in net.named_parameters()})
print(type(net[0].weight), isinstance(net[0].weight, nn.Parameter), net[0].weight.placements)
seen = []
net[0].register_forward_pre_hook(lambda m, i: seen.append(("in forward", type(m.weight).__name__, tuple(m.weight.shape))))
out = net(torch.ones(2, 2))
print(seen, type(net[0].weight).__name__, type(net[1].weight).__name__)
out.sum().backward()
print([type(p).__name__ for p in net.parameters()], type(net[0].weight.grad).__name__, net[1].weight.grad.full_tensor().tolist())
net.unshard()
print(type(net[1].weight).__name__, type(net[0].weight).__name__)
net.reshard()
print(type(net[1].weight).__name__, list(net.state_dict()), type(net.state_dict()["0.weight"]).__name__)

# Gradients that are not averaged, then are
before = net[0].weight.grad.full_tensor()
net.zero_grad()
net.set_requires_gradient_sync(False)
net(torch.ones(1, 2) * (rank + 1)).sum().backward()
print(net[0].weight.grad)
net.set_requires_gradient_sync(True)
net(torch.ones(1, 2) * (rank + 1)).sum().backward()
print(torch.allclose(net[0].weight.grad.full_tensor(), before * 1.5))

# Other dtypes
half = fully_shard(nn.Linear(4, 4), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
y = half(torch.ones(1, 4))
y.sum().backward()
print(y.dtype, half.weight.dtype, half.weight.grad.dtype)
net.double()
print(net[0].weight.dtype, net(torch.ones(1, 2).double()).dtype, net[0].weight.shape)
state = {k: v.full_tensor() for k, v in net.state_dict().items()}
attempt(lambda: net.load_state_dict(state))
print(net.load_state_dict({k: distribute_tensor(v * 2, mesh, [Shard(0)]) for k, v in state.items()}))
print(torch.equal(net.state_dict()["0.weight"].full_tensor(), state["0.weight"] * 2))

# What is refused
attempt(lambda: fully_shard(net))
attempt(lambda: fully_shard(nn.ModuleList([nn.Linear(1, 1)])))
attempt(lambda: copy.deepcopy(net))
attempt(lambda: fully_shard(nn.Linear(2, 2), reshard_after_forward=3))
attempt(lambda: fully_shard(nn.Linear(2, 2), reshard_after_forward="no"))
with torch.device("meta"):
    meta = fully_shard(nn.Linear(4, 2))
attempt(lambda: meta(torch.ones(1, 4)))
scalar = nn.Linear(1, 1)
scalar.scale = nn.Parameter(torch.tensor(1.0))
attempt(lambda: fully_shard(scalar))
attempt(lambda: net[0].weight.pow(2).sum().backward())
inner = nn.Sequential(fully_shard(nn.Linear(2, 2)))
inner[0](torch.ones(1, 2))
fully_shard(inner)
attempt(lambda: inner(torch.ones(1, 2)))
