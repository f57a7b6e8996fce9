"""An optimiser whose state is in parts, one a rank. Behaviour: torch/distributed/optim/zero_redundancy_optimizer.py.

Each rank steps its own parameters, which are then broadcast. Differs: parameters_as_bucket_view and overlap_with_ddp are
refused."""

import torch
import torch.distributed as dist
from torch.optim import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """`optimizer_class` with `defaults` over the parameters that this rank is given: the largest first, each to the rank that
    has least."""

    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False,
                 **defaults):
        if parameters_as_bucket_view or overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: parameters_as_bucket_view and overlap_with_ddp are not in nnscope")
        params = list(params)
        if not params:
            raise ValueError("params should not be empty")
        self._check_params(params)
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.world_size, self.rank = dist.get_world_size(self.process_group), dist.get_rank(self.process_group)
        self._optim_defaults, self._optim_constructor = defaults, optimizer_class
        self._is_ready = False
        super().__init__(params, defaults)
        self._all_state_dicts = []
        self._is_ready = True
        self._divide()

    @staticmethod
    def _check_params(params):
        kinds = {isinstance(one, torch.Tensor) for one in params}
        if kinds == {True} or all(isinstance(one, dict) for one in params):
            return
        if not all(isinstance(one, (torch.Tensor, dict)) for one in params):
            raise TypeError("params should be an iterable of Tensors or dicts")
        raise ValueError("All parameters should be either tensors or dicts")

    def _divide(self):
        """[[the groups with the parameters of one rank] for each rank], and the optimiser of this one."""
        sizes = [0] * self.world_size
        parts = [[] for _ in range(self.world_size)]
        for group in self.param_groups:
            own = [[] for _ in range(self.world_size)]
            for one in sorted(group["params"], key=lambda one: one.numel(), reverse=True):
                rank = sizes.index(min(sizes))
                sizes[rank] += one.numel()
                own[rank].append(one)
            for part, params in zip(parts, own):
                part.append({**group, "params": params})
        self._parts = parts
        self._owner = {id(one): rank for rank, part in enumerate(parts) for group in part for one in group["params"]}
        mine = [group for group in parts[self.rank]]
        self.optim = self._optim_constructor(mine, **self._optim_defaults)
        self._sync_groups(self.optim.param_groups, self.param_groups)

    @staticmethod
    def _sync_groups(source, target):
        """Settings go from some groups to others; parameters stay."""
        for one, other in zip(source, target):
            for key, value in one.items():
                if key != "params":
                    other[key] = value

    def add_param_group(self, param_group):
        super().add_param_group(param_group)
        if self._is_ready:
            state = self.optim.state
            self._divide()
            for one in (one for group in self.optim.param_groups for one in group["params"]):
                if one in state:
                    self.optim.state[one] = state[one]

    def step(self, closure=None, **kwargs):
        """A step of the own parameters, after which all ranks have those of all."""
        self._sync_groups(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        self._sync_groups(self.optim.param_groups, self.param_groups)
        works = []
        for rank, part in enumerate(self._parts):
            source = dist.get_global_rank(self.process_group, rank)
            for group in part:
                for one in group["params"]:
                    works.append(dist.broadcast(one.detach(), source, self.process_group, async_op=True))
        for work in works:
            work.wait()
        return loss

    def _index(self):
        return {id(one): at for at, one in enumerate(one for group in self.param_groups for one in group["params"])}

    def consolidate_state_dict(self, to=0):
        """Brings the states of all ranks to rank `to`; all ranks call it."""
        numbers = self._index()
        own = [(numbers[id(one)], _on_cpu(self.optim.state[one])) for group in self.optim.param_groups
               for one in group["params"] if one in self.optim.state]
        gathered = [None] * self.world_size
        dist.all_gather_object(gathered, own, group=self.process_group)
        self._all_state_dicts = gathered if self.rank == to else []

    def state_dict(self):
        """The state of all, on the rank to which it was brought. Errors: RuntimeError."""
        if not self._all_state_dicts:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call "
                               f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                               "global state.")
        self._sync_groups(self.optim.param_groups, self.param_groups)
        made = super().state_dict()
        made["state"] = {at: state for at, state in sorted(pair for part in self._all_state_dicts for pair in part)}
        return made

    def load_state_dict(self, state_dict):
        """Takes the part of this rank out of the state of all."""
        params = [one for group in self.param_groups for one in group["params"]]
        for at, state in state_dict["state"].items():
            one = params[at]
            if self._owner[id(one)] == self.rank:
                self.optim.state[one] = {key: value.to(one.device) if isinstance(value, torch.Tensor) and key != "step" else value
                                         for key, value in state.items()}
        self._sync_groups(state_dict["param_groups"], self.param_groups)
        self._sync_groups(self.param_groups, self.optim.param_groups)

    @property
    def join_device(self):
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self):
        return self.process_group

    def join_hook(self, **kwargs):
        raise NotImplementedError("ZeroRedundancyOptimizer.join_hook is not in nnscope")


def _on_cpu(state):
    return {key: value.detach().cpu() if isinstance(value, torch.Tensor) else value for key, value in state.items()}
