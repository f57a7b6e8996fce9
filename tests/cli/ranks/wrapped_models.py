# Ranks with FullyShardedDataParallel, ZeroRedundancyOptimizer and checkpoints in parts are one process with the whole batch.
import copy
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_state_dict, set_state_dict
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, ShardingStrategy, StateDictType
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.optim import ZeroRedundancyOptimizer

folder = sys.argv[1]
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(torch.relu(self.inner(x)))


def make():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 7), Block(7), Block(7), nn.Linear(7, 3)).double()


torch.manual_seed(1)
x, y = torch.randn(4 * size, 6).double(), torch.randn(4 * size, 3).double()
part = slice(4 * rank, 4 * rank + 4)
alone, net = make(), make()
if rank != 0:
    nn.init.zeros_(net[0].weight)
net = FSDP(net, auto_wrap_policy=ModuleWrapPolicy({Block}), sync_module_states=True, use_orig_params=True)
print(len(FSDP.fsdp_modules(net)), type(net[1]).__name__, net.rank == rank, net.world_size == size)
steps = [torch.optim.AdamW(one.parameters(), lr=0.05) for one in (alone, net)]


def train(models, optimizers, count=3):
    for _ in range(count):
        for one, inputs, targets in ((models[0], x, y), (models[1], x[part], y[part])):
            nn.functional.mse_loss(one(inputs), targets).backward()
        norms = [torch.nn.utils.clip_grad_norm_(models[0].parameters(), 0.5),
                 models[1].clip_grad_norm_(0.5) if isinstance(models[1], FSDP) else torch.tensor(0.0)]
        for one in optimizers:
            one.step()
            one.zero_grad()
    return norms


norms = train((alone, net), steps)
print("norm", torch.allclose(*norms))


def same(state):
    return list(state) == list(alone.state_dict()) and all(torch.allclose(a, b, atol=1e-12) for a, b in zip(state.values(), alone.state_dict().values()))


print("state", same(net.state_dict()), all(type(one) is torch.Tensor for one in net.state_dict().values()))
with FSDP.state_dict_type(net, StateDictType.SHARDED_STATE_DICT):
    sharded = net.state_dict()
    print("sharded", sharded["0.weight"].shape, type(sharded["0.weight"]).__name__, sharded["0.weight"].to_local().shape[0] < 7)
with FSDP.state_dict_type(net, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
    print("rank 0 only", len(net.state_dict()) == (len(alone.state_dict()) if rank == 0 else 0))
with FSDP.summon_full_params(net):
    print("whole", same({name.replace("_fsdp_wrapped_module.", ""): one.detach() for name, one in net.named_parameters()}))
    with torch.no_grad():
        net[3].bias.fill_(2.0)
print("written", net.state_dict()["3.bias"].tolist())
net.load_state_dict(alone.state_dict())
print("loaded", same(net.state_dict()))
optim_state = FSDP.optim_state_dict(net, steps[1])
print("moments", sorted(optim_state["state"]) == sorted(alone.state_dict()),
      torch.allclose(optim_state["state"]["1.inner.weight"]["exp_avg"], steps[0].state[alone[1].inner.weight]["exp_avg"], atol=1e-12))
other = torch.optim.AdamW(net.parameters(), lr=0.05)
other.load_state_dict(FSDP.optim_state_dict_to_load(net, other, optim_state))
train((alone, net), (steps[0], other))
print("goes on", same(net.state_dict()))
with net.no_sync():
    nn.functional.mse_loss(net(x[part]), y[part]).backward()
net.zero_grad()

# A checkpoint of the parts is read whole, and into other parts.
model_state, optim_state = get_state_dict(net, other)
dcp.save({"model": model_state, "optim": optim_state, "step": 6}, checkpoint_id=folder)
whole = {"model": {key: torch.zeros_like(value) for key, value in alone.state_dict().items()}, "step": 0}
dcp.load(whole, checkpoint_id=folder)
print("whole", same(whole["model"]), whole["step"])
fresh = FSDP(make(), sharding_strategy=ShardingStrategy.SHARD_GRAD_OP)
again = torch.optim.AdamW(fresh.parameters(), lr=0.01)
model_state, optim_state = get_state_dict(fresh, again)
state = {"model": model_state, "optim": optim_state, "step": 0}
dcp.load(state, checkpoint_id=folder)
set_state_dict(fresh, again, model_state_dict=state["model"], optim_state_dict=state["optim"])
print("parts", same(get_model_state_dict(fresh, options=StateDictOptions(full_state_dict=True))), again.param_groups[0]["lr"])
train((alone, fresh), (steps[0], again))
print("and goes on", same(fresh.state_dict()))

# Each rank keeps the moments of its own parameters.
alone, net = make(), make()
ddp = nn.parallel.DistributedDataParallel(net)
zero = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.Adam, lr=0.05)
plain = torch.optim.Adam(alone.parameters(), lr=0.05)


def train_zero(count=3):
    for _ in range(count):
        nn.functional.mse_loss(alone(x), y).backward()
        nn.functional.mse_loss(ddp(x[part]), y[part]).backward()
        plain.step()
        zero.step()
        alone.zero_grad()
        ddp.zero_grad()


train_zero()
print("zero", same(net.state_dict()), 0 < len(zero.optim.state) < len(list(net.parameters())))
try:
    zero.state_dict()
except RuntimeError as error:
    print(str(error).split(". ")[0])
zero.consolidate_state_dict(0)
kept = [zero.state_dict() if rank == 0 else None]
dist.broadcast_object_list(kept, src=0)
print("all moments", len(kept[0]["state"]) == len(list(net.parameters())))
zero = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.Adam, lr=0.5)
zero.load_state_dict(copy.deepcopy(kept[0]))
train_zero()
print("zero goes on", same(net.state_dict()), zero.param_groups[0]["lr"])
dist.destroy_process_group()
