# What programs import of torch.distributed beside collectives, where there are no other ranks.
import os

import torch
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing, checkpoint_wrapper
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_state_dict, set_state_dict
from torch.distributed.elastic.multiprocessing.errors import record
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy, StateDictType
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy, transformer_auto_wrap_policy


@record
def main(value):
    """Runs."""
    if value < 0:
        raise ValueError("negative")
    return value


print(main(3), main.__name__, main.__doc__)
os.environ["TORCHELASTIC_ERROR_FILE"] = "error.json"
try:
    main(-1)
except ValueError as error:
    print(error, "ValueError: negative" in open("error.json").read())

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
net(torch.ones(2, 3)).sum().backward()
optimizer.step()
model_state, optim_state = get_state_dict(net, optimizer)
print(list(model_state), sorted(optim_state["state"]), optim_state["param_groups"][0]["params"], sorted(optim_state["state"]["0.bias"]))
kept = {key: value.clone() for key, value in model_state.items()}
dcp.save({"model": model_state, "optim": optim_state, "epoch": 3, "names": ["a", "b"]}, checkpoint_id="saved", no_dist=True)
print(sorted(os.listdir("saved")))
with torch.no_grad():
    for one in net.parameters():
        one.zero_()
net.zero_grad()
other = torch.optim.AdamW(net.parameters(), lr=0.5)
model_state, optim_state = get_state_dict(net, other)
state = {"model": model_state, "optim": optim_state, "epoch": 0, "names": []}
dcp.load(state, checkpoint_id="saved", no_dist=True)
set_state_dict(net, other, model_state_dict=state["model"], optim_state_dict=state["optim"])
print(state["epoch"], state["names"], all(torch.equal(value, kept[key]) for key, value in get_model_state_dict(net).items()), other.param_groups[0]["lr"])
print(torch.equal(other.state[net[0].weight]["exp_avg"], optimizer.state[net[0].weight]["exp_avg"]))
metadata = dcp.FileSystemReader("saved").read_metadata()
print(metadata.state_dict_metadata["model.0.weight"].size, metadata.state_dict_metadata["model.0.weight"].properties.dtype, metadata.planner_data["optim.state.0.bias.step"], type(metadata.state_dict_metadata["epoch"]).__name__)
dcp_to_torch_save("saved", "whole.pt")
whole = torch.load("whole.pt", weights_only=False)
print(sorted(whole), torch.equal(whole["model"]["1.weight"] if "1.weight" in whole["model"] else whole["model"]["1"]["weight"], kept["1.weight"]))
for wrong in ({"model": {"none": torch.zeros(1)}}, {"model": {"0.weight": torch.zeros(2, 2)}}):
    try:
        dcp.load(wrong, checkpoint_id="saved", no_dist=True)
    except dcp.CheckpointException as error:
        print(type(error.failures[0]).__name__, error.failures[0])


class Holder:
    def __init__(self):
        self.value = 1

    def state_dict(self):
        return {"value": self.value}

    def load_state_dict(self, state_dict):
        self.value = state_dict["value"]


holder = Holder()
holder.value = 7
dcp.save({"app": holder}, checkpoint_id="app", no_dist=True)
fresh = Holder()
dcp.load({"app": fresh}, checkpoint_id="app", no_dist=True)
print(fresh.value, isinstance(fresh, dcp.Stateful))
wrapped = checkpoint_wrapper(nn.Linear(3, 2))
print(list(wrapped.state_dict()), [name for name, _ in wrapped.named_parameters()], wrapped.in_features)
x = torch.ones(1, 3, requires_grad=True)
wrapped(x).sum().backward()
print(x.grad.shape, wrapped.load_state_dict(wrapped.state_dict()))
apply_activation_checkpointing(net, check_fn=lambda one: isinstance(one, nn.Linear))
print(net, list(net.state_dict()))
print(size_based_auto_wrap_policy(nn.Linear(2, 2), False, 10, min_num_params=5), transformer_auto_wrap_policy(nn.Linear(2, 2), False, 0, {nn.Conv2d}), ModuleWrapPolicy({nn.Linear})(nn.Linear(1, 1), False))
print(ShardingStrategy.FULL_SHARD, MixedPrecision().param_dtype, StateDictType.FULL_STATE_DICT.name, FullyShardedDataParallel.__mro__[1].__name__)
import torch.distributed.launch  # noqa: E402
import torch.distributed.pipelining as pipelining  # noqa: E402
import torch.distributed.rpc as rpc  # noqa: E402
import torch.distributed.run  # noqa: E402
import torch.distributed.tensor.parallel as parallel  # noqa: E402

for refused in (lambda: rpc.init_rpc("a"), lambda: parallel.parallelize_module(net), lambda: pipelining.PipelineStage(net), lambda: torch.distributed.run.main(), lambda: torch.distributed.launch.main(), lambda: dcp.async_save({})):
    try:
        refused()
    except NotImplementedError as error:
        print(error)
