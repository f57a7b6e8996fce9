"""fully_shard().

Behaviour: torch/distributed/fsdp/_fully_shard/_fully_shard.py, _fsdp_init.py."""
import functools
from collections import OrderedDict

import torch
import torch.nn as nn
from torch.distributed.device_mesh import _default_mesh
from torch.distributed.fsdp._policies import MixedPrecisionPolicy, OffloadPolicy
from torch.distributed.fsdp._param_group import ParameterGroup
from torch.distributed.fsdp._state import FSDPState, state_of

# A class of modules -> what it becomes.
_classes = {}


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None,
                mp_policy=MixedPrecisionPolicy(), offload_policy=OffloadPolicy(), ignored_params=None):
    """Shards the parameters of a module (or of several, as one group) that no call for a module below it has sharded.
    They are gathered for forward and backward; gradients are averaged, and each rank keeps the part that is its own.

    Errors: AssertionError  it was applied already.
            ValueError      a container without a forward; a parameter of no dimension; reshard_after_forward."""
    modules = list(module) if isinstance(module, (list, tuple)) else [module]
    for one in modules:
        if isinstance(one, (nn.ModuleList, nn.ModuleDict)) and type(one).forward is nn.Module.forward:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {one}")
        if state_of(one) is not None:
            raise AssertionError("Each distinct composable distributed API can only be applied to a module once. "
                                 f"fully_shard has already been applied to the following module:\n{one}")
    if shard_placement_fn is not None:
        raise NotImplementedError("shard_placement_fn: parameters are sharded on dimension 0")
    mesh = mesh or _default_mesh()
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    managed = _managed_modules(modules)
    parameters = _managed_parameters(managed, ignored_params or set())
    state = FSDPState(modules, mp_policy, reshard_after_forward is None)
    if parameters:
        wanted = True if reshard_after_forward is None else reshard_after_forward
        state.group = ParameterGroup(parameters, mesh, wanted, mp_policy)
    for one in modules:
        one.__dict__.setdefault("__composable_api_state_key", OrderedDict())["fully_shard"] = state
    for one in managed:
        one._is_fsdp_managed_module = True
        one._fsdp_use_orig_params = True
    for one in modules:
        cls = type(one)
        if cls not in _classes:
            _classes[cls] = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__deepcopy__": _refuse_copy})
        one.__class__ = _classes[cls]
    return module


fully_shard.state = state_of


def _refuse_copy(*args, **kwargs):
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def _managed_modules(roots):
    """The modules themselves and those below them, up to modules that are sharded by themselves."""
    found = []

    def visit(module):
        if module in found or (module not in roots and state_of(module) is not None):
            return
        for child in module.children():
            visit(child)
        found.append(module)

    for root in roots:
        visit(root)
    return found


def _managed_parameters(modules, ignored):
    """[(parameter, [(module, name), ...])]: a parameter may have several names."""
    owners = {}
    for module in reversed(modules):
        for name, parameter in module._parameters.items():
            if parameter is None or any(parameter is one for one in ignored):
                continue
            if parameter.dim() == 0:
                raise ValueError("fully_shard doesn't support scalar parameters. "
                                 f"Change {name} to a 1D tensor with numel equal to 1.")
            owners.setdefault(id(parameter), (parameter, []))[1].append((module, name))
    return list(owners.values())


class FSDPModule:
    """What a module is, too, that fully_shard() was applied to."""

    def __new__(cls, *args, **kwargs):
        # A part of a container is of the class that it was.
        original = cls.__mro__[2]
        made = original.__new__(original, *args, **kwargs)
        made.__init__(*args, **kwargs)
        return made

    def _get_fsdp_state(self):
        state = state_of(self)
        if state is None:
            raise AssertionError(f"No FSDP state found on {self}")
        return state

    def reshard(self):
        """Frees the gathered parameters of this module; those of modules below that are sharded by themselves stay."""
        group = self._get_fsdp_state().group
        if group is not None:
            group.to_sharded()

    def unshard(self, async_op=False):
        """Gathers the parameters of this module; with async_op=True gives an UnshardHandle to wait for."""
        group = self._get_fsdp_state().group
        if group is not None:
            group.prepare({})
            group.unshard()
        handle = UnshardHandle(group)
        if async_op:
            return handle
        handle.wait()
        return None

    def _states(self, recurse=True):
        modules = list(self.modules()) if recurse else [self]
        return [one._get_fsdp_state() for one in modules if isinstance(one, FSDPModule)]

    def _groups(self, recurse=True):
        return [state.group for state in self._states(recurse) if state.group is not None]

    def set_is_last_backward(self, is_last_backward):
        """Whether the next backward waits for the averages."""
        self._get_fsdp_state().shared.is_last_backward = is_last_backward

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        """Whether gradients are averaged; without it they are summed on each rank until they are."""
        for group in self._groups(recurse):
            group.reduce_grads = group.all_reduce_grads = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce, *, recurse=True):
        """On a mesh of two dimensions, whether gradients are averaged over the replicas."""
        for group in self._groups(recurse):
            group.all_reduce_grads = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward, recurse=True):
        """Whether gathered parameters are freed between forward and backward."""
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for state in self._states(recurse):
            state.decides_reshard = False
            if state.group is not None:
                state.group.set_reshard_after_forward(reshard_after_forward)

    def set_reshard_after_backward(self, reshard_after_backward, *, recurse=True):
        """Whether gathered parameters are freed after backward."""
        for group in self._groups(recurse):
            group.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules):
        """Whose parameters begin to be gathered when this module's are there, in forward."""
        self._get_fsdp_state().forward_prefetch = _states_of(modules)

    def set_modules_to_backward_prefetch(self, modules):
        """The same in backward; without it that is who ended forward before this module."""
        self._get_fsdp_state().backward_prefetch = _states_of(modules)

    def set_gradient_divide_factor(self, factor):
        """What gradients are divided by, instead of the number of ranks."""
        for group in self._groups(False):
            group.gradient_divide_factor = factor

    def set_unshard_in_backward(self, unshard_in_backward):
        """Whether backward needs the parameters."""
        for group in self._groups(False):
            group.unshard_in_backward = unshard_in_backward

    def _apply(self, *args, **kwargs):
        self.reshard()
        result = super()._apply(*args, **kwargs)
        for group in self._groups(False):
            for one in group.parameters:
                one.wrap_converted()
                one.adopt()
        return result


def _states_of(modules):
    for one in modules:
        if not isinstance(one, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(one)}: {one}")
    return [one._get_fsdp_state() for one in modules]


class UnshardHandle:
    """What FSDPModule.unshard(async_op=True) gives."""

    def __init__(self, group=None):
        self._group = group

    def wait(self):
        """Registers the gathered parameters."""
        if self._group is not None:
            self._group.wait_for_unshard()
            self._group = None


def register_fsdp_forward_method(module, method_name):
    """Lets another method gather and free parameters as forward does."""
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    method = getattr(module, method_name)

    @functools.wraps(method)
    def wrapped(*args, **kwargs):
        state = module._get_fsdp_state()
        args, kwargs = state.pre_forward(module, args, kwargs)
        return state.post_forward(module, args, method(*args, **kwargs))

    setattr(module, method_name, wrapped)
