"""FullyShardedDataParallel, the older wrapper, over fully_shard(). Behaviour:
torch/distributed/fsdp/fully_sharded_data_parallel.py with use_orig_params=True.

Differs: parameters are DTensors, one for each (there are no flat ones, also with use_orig_params=False), so the module inside
becomes one of FSDPModule's classes; NO_SHARD, LOCAL_STATE_DICT, offloading of parameters and other dtypes of buffers are
refused."""
import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp._policies import MixedPrecisionPolicy
from torch.distributed.fsdp._fully_shard import fully_shard
from torch.distributed.fsdp.api import (BackwardPrefetch, CPUOffload, FullOptimStateDictConfig, FullStateDictConfig,
                                        LocalOptimStateDictConfig, LocalStateDictConfig, MixedPrecision, OptimStateDictConfig,
                                        ShardedOptimStateDictConfig, ShardedStateDictConfig, ShardingStrategy, StateDictConfig,
                                        StateDictSettings, StateDictType)
from torch.distributed.fsdp.wrap import wrap_below

__all__ = ["FullyShardedDataParallel", "OptimStateKeyType"]
FSDP_WRAPPED_MODULE = "_fsdp_wrapped_module"
_PREFIX = FSDP_WRAPPED_MODULE + "."


def _mesh(process_group, strategy, device_mesh):
    is_hybrid = strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
    if device_mesh is not None:
        if process_group is not None:
            raise ValueError("Cannot pass both process_group and device_mesh at the same time. Please just pass only one of them.")
        if is_hybrid != (device_mesh.ndim == 2):
            raise ValueError(f"{strategy} needs a device_mesh of {2 if is_hybrid else 1} dimensions")
        return device_mesh
    if is_hybrid:
        raise NotImplementedError(f"{strategy}: nnscope takes the ranks from a device_mesh of two dimensions")
    return None if process_group is None else DeviceMesh.from_group(process_group, "cpu")


def _policy(mixed_precision):
    if mixed_precision is None:
        return MixedPrecisionPolicy()
    if mixed_precision.buffer_dtype not in (None, torch.float32):
        raise NotImplementedError("FullyShardedDataParallel: buffers of another dtype")
    return MixedPrecisionPolicy(param_dtype=mixed_precision.param_dtype,
                                reduce_dtype=mixed_precision.reduce_dtype or mixed_precision.param_dtype,
                                cast_forward_inputs=mixed_precision.cast_forward_inputs or mixed_precision.cast_root_forward_inputs)


class FullyShardedDataParallel(nn.Module):
    """A module whose parameters lie in parts on the ranks, and those below it that the policy chooses."""

    def __init__(self, module, process_group=None, sharding_strategy=None, cpu_offload=None, auto_wrap_policy=None,
                 backward_prefetch=BackwardPrefetch.BACKWARD_PRE, mixed_precision=None, ignored_modules=None, param_init_fn=None,
                 device_id=None, sync_module_states=False, forward_prefetch=False, limit_all_gathers=True,
                 use_orig_params=False, ignored_states=None, device_mesh=None):
        super().__init__()
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        if strategy is ShardingStrategy.NO_SHARD:
            raise NotImplementedError("FullyShardedDataParallel: NO_SHARD; DistributedDataParallel does that")
        if cpu_offload is not None and cpu_offload.offload_params:
            raise NotImplementedError("FullyShardedDataParallel: offload_params")
        if param_init_fn is not None:
            for one in module.modules():
                if any(each.is_meta for each in one.parameters(recurse=False)):
                    param_init_fn(one)
        ignored = {each for one in ignored_modules or () for each in one.modules()}
        kept = {each for one in ignored for each in one.parameters()} | {
            each for one in ignored_states or () for each in (one.parameters() if isinstance(one, nn.Module) else [one])}
        if sync_module_states:
            _broadcast(module, process_group, kept)
        if auto_wrap_policy is not None:
            settings = {"process_group": process_group, "sharding_strategy": sharding_strategy, "cpu_offload": cpu_offload,
                        "backward_prefetch": backward_prefetch, "mixed_precision": mixed_precision, "device_id": device_id,
                        "forward_prefetch": forward_prefetch, "limit_all_gathers": limit_all_gathers,
                        "use_orig_params": use_orig_params, "ignored_states": list(kept), "device_mesh": device_mesh}
            wrap_below(module, auto_wrap_policy, FullyShardedDataParallel, settings, ignored)
        self.sharding_strategy, self.process_group = strategy, process_group if process_group is not None else dist.group.WORLD
        self.rank, self.world_size = dist.get_rank(self.process_group), dist.get_world_size(self.process_group)
        keeps = strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2)
        fully_shard(module, mesh=_mesh(process_group, strategy, device_mesh), reshard_after_forward=not keeps,
                    mp_policy=_policy(mixed_precision), ignored_params=kept)
        self._fsdp_wrapped_module = module
        self._settings = StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())
        self._register_state_dict_hook(_after_state_dict)
        self.register_load_state_dict_pre_hook(_before_load)

    @property
    def module(self):
        """What is wrapped."""
        inner = self._fsdp_wrapped_module
        return inner._checkpoint_wrapped_module if hasattr(type(inner), "_without_prefix") else inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == FSDP_WRAPPED_MODULE:
                raise
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key):
        return self._fsdp_wrapped_module.__getitem__(key)

    def forward(self, *args, **kwargs):
        return self._fsdp_wrapped_module(*args, **kwargs)

    def check_is_root(self):
        """Whether no other one is around it, once forward has run."""
        return self._fsdp_wrapped_module._get_fsdp_state().is_root is not False

    @staticmethod
    def fsdp_modules(module, root_only=False):
        """All wrappers in a module."""
        found = [one for one in module.modules() if isinstance(one, FullyShardedDataParallel)]
        return [one for one in found if one.check_is_root()] if root_only else found

    @contextlib.contextmanager
    def no_sync(self):
        """Gradients are summed on each rank without averages."""
        self._fsdp_wrapped_module.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            self._fsdp_wrapped_module.set_requires_gradient_sync(True)

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        """By the norm of all ranks, which it gives."""
        total = torch.nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)
        return total.full_tensor() if hasattr(total, "full_tensor") else total

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(module, recurse=True, writeback=True, rank0_only=False, offload_to_cpu=False, with_grads=False):
        """Within it parameters are whole; what is written to them is kept in the parts afterwards."""
        if with_grads:
            raise NotImplementedError("summon_full_params: with_grads")
        if rank0_only and writeback:
            raise NotImplementedError("writeback=True and rank0_only=True is not supported")
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        groups = [group for one in (wrappers if recurse else wrappers[:1])
                  for group in one._fsdp_wrapped_module._groups(False)]
        for group in groups:
            group.prepare({})
            group.unshard()
            group.wait_for_unshard()
        try:
            yield
        finally:
            for group in groups:
                if writeback:
                    _write_back(group)
                group.to_sharded()

    @staticmethod
    def set_state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """What state_dict() of the wrappers in a module gives from now on. Gives what was set before."""
        if state_dict_type is StateDictType.LOCAL_STATE_DICT:
            raise NotImplementedError("LOCAL_STATE_DICT: there are no flat parameters in nnscope")
        is_full = state_dict_type is StateDictType.FULL_STATE_DICT
        settings = StateDictSettings(state_dict_type,
                                     state_dict_config or (FullStateDictConfig() if is_full else ShardedStateDictConfig()),
                                     optim_state_dict_config or (FullOptimStateDictConfig() if is_full else
                                                                 ShardedOptimStateDictConfig()))
        before = None
        for one in FullyShardedDataParallel.fsdp_modules(module):
            before = before or one._settings
            one._settings = settings
        return before

    @staticmethod
    def get_state_dict_type(module):
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        if not wrappers:
            return StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())
        return wrappers[0]._settings

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """The same for the time of a `with`."""
        before = FullyShardedDataParallel.set_state_dict_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            if before is not None:
                for one in FullyShardedDataParallel.fsdp_modules(module):
                    one._settings = before

    @staticmethod
    def optim_state_dict(model, optim, optim_state_dict=None, group=None):
        """The state of an optimiser by the names of the parameters, whole or of the parts as state_dict_type says; with
        rank0_only the other ranks get none."""
        settings = FullyShardedDataParallel.get_state_dict_type(model)
        is_full = settings.state_dict_type is StateDictType.FULL_STATE_DICT
        names = {id(one): name for name, one in _clean_names(model)}
        made = {"state": {}, "param_groups": []}
        for one in optim.param_groups:
            own = {key: value for key, value in one.items() if key != "params"}
            made["param_groups"].append({**own, "params": [names[id(each)] for each in one["params"]]})
            for each in one["params"]:
                state = {key: _whole_state(value, each) if is_full else value for key, value in optim.state.get(each, {}).items()}
                if state:
                    made["state"][names[id(each)]] = state
        is_left_out = is_full and getattr(settings.optim_state_dict_config, "rank0_only", False) and dist.get_rank() != 0
        return {} if is_left_out else made

    full_optim_state_dict = optim_state_dict

    @staticmethod
    def optim_state_dict_to_load(model, optim, optim_state_dict, is_named_optimizer=False, load_directly=False, group=None):
        """Such a state as optim.load_state_dict() takes it: of each parameter the part of this rank."""
        parameters = dict((name, one) for name, one in _clean_names(model))
        numbers = {}
        for number, one in enumerate(each for own in optim.param_groups for each in own["params"]):
            numbers[id(one)] = number
        state = {numbers[id(parameters[name])]: {key: _part_state(value, parameters[name]) for key, value in own.items()}
                 for name, own in optim_state_dict["state"].items()}
        groups = [{**own, "params": [numbers[id(parameters[name])] for name in own["params"]]}
                  for own in optim_state_dict["param_groups"]]
        made = {"state": state, "param_groups": groups}
        if load_directly:
            optim.load_state_dict(made)
        return made


def _clean_names(model):
    for name, one in model.named_parameters():
        yield name.replace(_PREFIX, "").replace("_checkpoint_wrapped_module.", ""), one


def _broadcast(module, process_group, kept):
    source = 0 if process_group is None else dist.get_global_rank(process_group, 0)
    with torch.no_grad():
        for one in (*module.parameters(), *module.buffers()):
            if not any(one is each for each in kept) and not hasattr(one, "_spec"):
                dist.broadcast(one.detach(), source, group=process_group)


def _write_back(group):
    from torch.distributed.tensor._api import _chunks
    with torch.no_grad():
        for one in group.parameters:
            begin, length = _chunks(one.shape[0], group.size)[group.rank]
            one.part.copy_(one.whole.detach().narrow(0, begin, length))


def _is_part(value, parameter):
    return isinstance(value, torch.Tensor) and value.dim() > 0 and hasattr(parameter, "_spec")


def _whole_state(value, parameter):
    if not _is_part(value, parameter):
        return value
    from torch.distributed.tensor._api import _gathered
    if hasattr(value, "full_tensor"):
        return value.full_tensor()
    spec = parameter._spec
    for mesh_dim, dim in reversed(spec.sharded()):
        value = _gathered(value, spec.mesh.get_group(mesh_dim), dim, spec.shape[dim])
    return value


def _part_state(value, parameter):
    if not _is_part(value, parameter) or value.shape != parameter._spec.shape:
        return value
    from torch.distributed.tensor._api import _part_of
    return _part_of(value, parameter._spec).clone()


def _after_state_dict(module, state_dict, prefix, *args):
    """Names without the wrapper, and tensors as state_dict_type says."""
    settings = module._settings
    is_full = settings.state_dict_type is StateDictType.FULL_STATE_DICT
    for key in [key for key in state_dict if key.startswith(prefix + _PREFIX)]:
        value = state_dict.pop(key)
        if is_full and hasattr(value, "full_tensor"):
            value = value.full_tensor()
        if is_full and getattr(settings.state_dict_config, "rank0_only", False) and module.rank != 0:
            continue
        state_dict[prefix + key[len(prefix + _PREFIX):]] = value


def _before_load(module, state_dict, prefix, *args):
    own = {name: one for name, one in module._fsdp_wrapped_module.named_parameters()}
    plain = {name.replace(_PREFIX, ""): one for name, one in own.items()}
    for key in [key for key in state_dict if key.startswith(prefix) and not key.startswith(prefix + _PREFIX)]:
        value, name = state_dict.pop(key), key[len(prefix):]
        parameter = plain.get(name)
        if parameter is not None and hasattr(parameter, "_spec") and not hasattr(value, "_spec"):
            from torch.distributed.tensor import distribute_tensor
            value = distribute_tensor(value.detach().to(parameter.device), parameter.device_mesh, parameter.placements,
                                      src_data_rank=None)
        state_dict[prefix + _PREFIX + name] = value


class OptimStateKeyType:
    """How states of optimisers name parameters: rekeying is refused."""

    PARAM_NAME, PARAM_ID = "PARAM_NAME", "PARAM_ID"
