"""How tensors and what belongs to them are taken apart for pickles.

Behaviour: torch/_tensor.py, Tensor.__reduce_ex__; torch/nn/parameter.py; torch/csrc/Dtype.cpp, Device.cpp, Size.cpp,
Generator.cpp."""
import io
import warnings
from collections import OrderedDict

import torch
from torch import _utils
from torch._type_info import cpp_name, cpp_type
from torch.storage import TypedStorage, _load_from_bytes, _new_dtypes, _warn_typed_storage_removal


def _rebuild_from_type_v2(func, new_type, args, state):
    made = func(*args)
    if not isinstance(new_type, type) or not issubclass(new_type, torch.Tensor):
        raise TypeError(f"{new_type} is no class of tensors")
    if type(made) is not new_type:
        made.__class__ = new_type
    if getattr(type(made), "__setstate__", torch.Tensor.__setstate__) is not torch.Tensor.__setstate__:
        made.__setstate__(state)
    else:
        made = _utils._set_obj_state(made, state)
    return made


def _warn_if_has_hooks(tensor):
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {repr(hook)} on tensor will not be "
                          "serialized.  If this is expected, you can "
                          "decorate the function with @torch.utils.hooks.unserializable_hook "
                          "to suppress this warning", stacklevel=2)


def _reduce_plain(tensor):
    if tensor.is_sparse:
        return _utils._rebuild_sparse_tensor, (tensor.layout, (tensor._indices(), tensor._values(), tensor.size(),
                                                               tensor.is_coalesced()))
    if hasattr(tensor.untyped_storage(), "_wrapper_device"):
        return _utils._rebuild_wrapper_subclass, (type(tensor), tensor.dtype, tuple(tensor.size()), tensor.stride(),
                                                  tensor.storage_offset(), tensor.layout, tensor.device, tensor.requires_grad)
    if tensor.is_meta:
        return _utils._rebuild_meta_tensor_no_storage, (tensor.dtype, tuple(tensor.size()), tensor.stride(),
                                                        tensor.requires_grad)
    args = (tensor.storage_offset(), tuple(tensor.size()), tensor.stride(), tensor.requires_grad, OrderedDict())
    if tensor.dtype in _new_dtypes():
        return _utils._rebuild_tensor_v3, (tensor.untyped_storage(), *args, tensor.dtype)
    storage = TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype, _internal=True)
    return _utils._rebuild_tensor_v2, (storage, *args)


def _reduce_tensor(tensor, proto):
    state = _utils._get_obj_state(tensor)
    _warn_if_has_hooks(tensor)
    func, args = _reduce_plain(tensor)
    if type(tensor) is torch.Tensor and not state:
        return func, args
    return _rebuild_from_type_v2, (func, type(tensor), args, state)


def _reduce_parameter(parameter, proto):
    state = _utils._get_obj_state(parameter)
    args = (parameter.data, parameter.requires_grad, OrderedDict())
    if type(parameter) is not torch.nn.Parameter:
        return _rebuild_from_type_v2, (_utils._rebuild_parameter, type(parameter), args, state)
    if not state:
        return _utils._rebuild_parameter, args
    return _utils._rebuild_parameter_with_state, (*args, state)


def _reduce_uninitialized(tensor, proto):
    return type(tensor), (tensor.requires_grad,)


def _set_tensor_state(tensor, state):
    """What older pickles set: (storage, offset, size, stride) or its four parts and the rest."""
    if not isinstance(state, tuple):
        _utils._set_obj_state(tensor, state)
        return
    if len(state) == 4:
        tensor.set_(*state)
        return
    if len(state) == 5:
        # Before 0.4: (data, ..., requires_grad, hooks).
        tensor.data = state[0]
        state = (state[3], state[4])
    tensor.requires_grad = state[0]


def _reduce_size(size):
    return torch.Size, (tuple(size),)


def _reduce_dtype(dtype):
    return str(dtype).removeprefix("torch.")


def _reduce_layout(layout):
    return torch.serialization._get_layout, (str(layout),)


def _reduce_device(device):
    return torch.device, (device.type,) if device.index is None else (device.type, device.index)


def _reduce_generator(generator):
    return torch.Generator, ("cpu",), (generator.initial_seed(), None, generator.get_state())


def _set_generator_state(generator, state):
    seed, _, stream = state
    generator.manual_seed(seed)
    generator.set_state(stream)


def _reduce_storage(storage):
    buffer = io.BytesIO()
    torch.save(storage, buffer, _use_new_zipfile_serialization=False)
    return _load_from_bytes, (buffer.getvalue(),)


def _storage_with_warning(tensor):
    _warn_typed_storage_removal(stacklevel=2)
    return _typed_storage(tensor)


def _storage_type(tensor):
    return tensor.storage()._get_legacy_storage_class()


def _typed_storage(tensor):
    return TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype, _internal=True)


def _plain_storage(tensor, source):
    """The bytes of a storage that tensor.set_() is given."""
    if not isinstance(source, TypedStorage):
        return source
    if source.dtype != tensor.dtype:
        raise RuntimeError(f"Expected a Storage of type {cpp_type(tensor.dtype)} or an UntypedStorage, but got type "
                           f"{cpp_name(source.dtype)} for argument 1 'storage'")
    return source._untyped_storage


def _room(size, stride, storage_offset):
    """How many items a storage needs for such a view."""
    if 0 in size:
        return 0
    return storage_offset + 1 + sum((one - 1) * step for one, step in zip(size, stride))


def _view_for_set(tensor, source=None, storage_offset=0, size=None, stride=None):
    """What tensor.set_(...) is to look at."""
    if source is None:
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    if isinstance(source, torch.Tensor):
        if source.dtype != tensor.dtype:
            raise RuntimeError("Could not set tensor of type "
                               f"{cpp_type(source.dtype)} to a tensor of type {cpp_type(tensor.dtype)}")
        if size is None:
            return source
        source = source.untyped_storage()
    storage = _plain_storage(tensor, source)
    if storage.device.type != tensor.device.type:
        raise RuntimeError(f"Attempted to set the storage of a tensor on device \"{tensor.device}\" to a storage on "
                           f"different device \"{storage.device}\".  This is no longer allowed; the devices must match.")
    if size is None:
        size, storage_offset = (storage.nbytes() // tensor.element_size(),), 0
    size = tuple(size)
    if stride is None:
        stride, step = [], 1
        for one in reversed(size):
            stride.insert(0, step)
            step *= max(one, 1)
    needed = _room(size, stride, storage_offset) * tensor.element_size()
    if needed > storage.nbytes():
        storage.resize_(needed)
    return torch._C._rebuild_tensor(storage, storage_offset, size, tuple(stride), tensor.dtype)
