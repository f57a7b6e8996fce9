"""How states are written and read by default. Behaviour: torch/distributed/checkpoint/default_planner.py."""

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class DefaultLoadPlanner:
    """`allow_partial_load`: what the checkpoint does not have stays as it is."""

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        if not flatten_state_dict:
            raise NotImplementedError("DefaultLoadPlanner: flatten_state_dict=False")
        self.allow_partial_load = allow_partial_load


class DefaultSavePlanner:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.distributed.checkpoint.DefaultSavePlanner: save() plans by itself")
