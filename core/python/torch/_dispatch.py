"""__torch_dispatch__: tensors' classes and modes that carry out ops of ATen, below autograd.

core/ops/dispatch.cpp asks here for each op that is theirs to carry out.
Behaviour: aten/src/ATen/core/PythonFallbackKernel.cpp; torch/csrc/autograd/python_variable.cpp, THPVariable_make_wrapper_subclass;
torch/_tensor.py, Tensor.__deepcopy__; torch/_tensor_str.py."""
import copy
import sys

import torch
from torch._aten import steps
from torch._ops import OpOverloadPacket, ops

# TorchDispatchModes, the last one is asked first.
modes = []
# Ops of ours that are none of ATen's, by name.
_own = {}


def _own_op(name):
    if name not in _own:
        _own[name] = OpOverloadPacket("nnscope", name, torch._C._op_function(name)).default
    return _own[name]


def _call_of(place, name, is_in_place, names, values):
    """(op, args, kwargs) of what was called."""
    if name in ("detach", "_local_scalar_dense", "alias"):
        return getattr(ops.aten, name).default, tuple(values), {}
    if name in ("normal_", "uniform_", "random_", "exponential_", "bernoulli_"):
        return getattr(ops.aten, name).default, (values[0],), dict(zip(names[1:], values[1:]))
    try:
        aten_name, schema, args, kwargs = steps.aten_call(place, name, is_in_place, names, values)
    except steps.NoOp:
        if is_in_place or torch._C._op_function(name) is None:
            raise
        return _own_op(name), (), dict(zip(names, values))
    if aten_name == "to":
        # That it is copied is decided above.
        told = {**dict(zip([one.name for one in schema.arguments][1:], args[1:])), **kwargs}
        kept = {key: told[key] for key in ("dtype", "layout", "device", "memory_format") if told.get(key) is not None}
        return ops.aten._to_copy.default, (args[0],), kept
    return getattr(getattr(ops.aten, aten_name), schema.overload), args, kwargs


def carry_out(place, name, is_in_place, names, values, types):
    """What the innermost mode, else the classes of the arguments say of an op."""
    op, args, kwargs = _call_of(place, name, is_in_place, names, values)
    if modes and torch._C._count_dispatch_modes(0) > 0:
        return _ask_mode(op, types, args, kwargs)
    for cls in types:
        result = cls.__torch_dispatch__(op, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise _nobody(op, [f"tensor subclass {cls}" for cls in types])


def _ask_mode(op, types, args, kwargs):
    # A mode is not asked about what it does itself.
    mode = modes.pop()
    torch._C._count_dispatch_modes(-1)
    try:
        result = mode.__torch_dispatch__(op, types, args, kwargs)
    finally:
        torch._C._count_dispatch_modes(1)
        modes.append(mode)
    if result is NotImplemented:
        raise _nobody(op, [f"mode object {mode}"])
    return result


def _nobody(op, asked):
    told = "\n".join(f"  - {one}" for one in asked)
    return TypeError(f"Multiple dispatch failed for '{op._packet.__module__}.{op.__name__}'; all __torch_dispatch__ handlers "
                     f"returned NotImplemented:\n\n{told}\n\nFor more information, try re-running with "
                     "TORCH_LOGS=not_implemented")


def make_wrapper(cls, size, strides=None, storage_offset=None, memory_format=None, dtype=None, layout=torch.strided, device=None,
                 pin_memory=False, requires_grad=False, dispatch_sizes_strides_policy=None, dispatch_device=False,
                 dispatch_layout=False, _extra_dispatch_keys=None, storage_size=None):
    """A tensor of class `cls` without memory, which says that it has this shape and lies on this device."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if cls.__torch_dispatch__ in (None, torch._C._disabled_torch_dispatch_impl):
        raise RuntimeError(f"{cls.__name__} must define __torch_dispatch__")
    size = tuple(size)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    offset = 0 if storage_offset is None else storage_offset
    if strides is None:
        strides = torch.empty(size, dtype=dtype, device="meta").stride()
    room = 0 if 0 in size else 1 + sum((one - 1) * step for one, step in zip(size, strides))
    storage = torch.UntypedStorage((room + offset) * dtype.itemsize, device="meta")
    storage._wrapper_device = torch.empty(0).device if device is None else torch.device(device)
    seen = torch._C._rebuild_tensor(storage, offset, size, tuple(strides), dtype)
    return torch.Tensor._make_subclass(cls, seen, requires_grad)


def deepcopy(tensor, memo):
    if not tensor.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                           "moment.  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
    memo = {} if memo is None else memo
    if id(tensor) in memo:
        return memo[id(tensor)]
    with torch.no_grad():
        made = tensor.clone()
        if type(made) is not type(tensor):
            raise RuntimeError("The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types "
                               "that properly implement clone() by returning another instance of the same subclass type. "
                               "To copy it, implement clone() or __deepcopy__() for the subclass type "
                               f"{type(tensor).__name__}.")
        if tensor.requires_grad:
            made.requires_grad_()
        if tensor.grad is not None:
            made.grad = copy.deepcopy(tensor.grad, memo)
        made.__dict__.update(copy.deepcopy(tensor.__dict__, memo))
    memo[id(tensor)] = made
    return made


def text(tensor, tensor_contents=None):
    """repr() of a tensor whose items its class shows."""
    plain = type(tensor) is torch.Tensor or type(tensor) is torch.nn.Parameter
    parts = ["..." if tensor_contents is None else tensor_contents]
    if tensor.device.type != "cpu":
        parts.append(f"device='{tensor.device}'")
    if tensor_contents is None:
        parts.append(f"size={tuple(tensor.shape)}")
    if tensor.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
        parts.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        parts.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        parts.append("requires_grad=True")
    shown = f"{'tensor' if plain else type(tensor).__name__}({', '.join(parts)})"
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    return f"Parameter containing:\n{shown}" if is_parameter else shown


torch._C._begin_dispatch(sys.modules[__name__])
