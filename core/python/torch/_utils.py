"""What pickles of tensors call; exceptions on their way from where they were raised.

Behaviour: torch/_utils.py."""
import traceback

import torch
from torch._C import _rebuild_tensor as _tensor_at


def _rebuild_tensor(storage, storage_offset, size, stride):
    return _tensor_at(storage._untyped_storage, storage_offset, size, stride, storage.dtype)


def _finished(tensor, requires_grad, backward_hooks, metadata):
    if requires_grad:
        tensor.requires_grad = True
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    return _finished(_rebuild_tensor(storage, storage_offset, size, stride), requires_grad, backward_hooks, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    tensor = _tensor_at(storage if isinstance(storage, torch.UntypedStorage) else storage._untyped_storage,
                        storage_offset, size, stride, dtype)
    return _finished(tensor, requires_grad, backward_hooks, metadata)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    items = 1 if all(size) else 0
    for one, step in zip(size, stride):
        items += (one - 1) * step if items else 0
    storage = torch.UntypedStorage(max(items, 0) * dtype.itemsize, device="meta")
    return _finished(_tensor_at(storage, 0, size, stride, dtype), requires_grad, None, None)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    return _finished(torch.nn.Parameter(data, requires_grad), False, backward_hooks, None)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad):
    device = _get_restore_location(device)
    return _finished(data.to(dtype=dtype, device=device), requires_grad, None, None)


def _refused(name):
    def rebuild(*args):
        raise NotImplementedError(f"nnscope does not rebuild what torch._utils.{name} makes")

    rebuild.__name__ = rebuild.__qualname__ = name
    rebuild.__module__ = __name__
    return rebuild


_rebuild_qtensor = _refused("_rebuild_qtensor")

def _rebuild_sparse_tensor(layout, data):
    if layout != torch.sparse_coo:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    indices, values, size, *is_coalesced = data
    # What a file says is looked at.
    return torch.sparse_coo_tensor(indices, values, size, check_invariants=True,
                                   is_coalesced=is_coalesced[0] if is_coalesced else False)



def _rebuild_wrapper_subclass(cls, dtype, size, stride, storage_offset, layout, device, requires_grad):
    return torch.Tensor._make_wrapper_subclass(cls, size, strides=stride, dtype=dtype, storage_offset=storage_offset,
                                               layout=layout, device=_get_restore_location(device),
                                               requires_grad=requires_grad)


_rebuild_device_tensor_from_numpy = _refused("_rebuild_device_tensor_from_numpy")

# The map_location of the torch.load() that runs.
_map_location = None


def _get_restore_location(device):
    if _map_location is None:
        return device
    if isinstance(_map_location, dict):
        return _map_location.get(device, device)
    if isinstance(_map_location, (str, torch.device)):
        return _map_location
    if not callable(_map_location):
        raise AssertionError("map_location must be callable if not None or dict/str/device")
    raise RuntimeError("Callable map_location not supported with _rebuild_wrapper_subclass "
                       "or _rebuild_device_tensor_from_numpy")


def _get_obj_state(obj):
    """The attributes of a tensor that a program gave it: None or {} for most."""
    import copyreg
    if hasattr(obj, "__getstate__") and type(obj).__getstate__ is not object.__getstate__:
        return obj.__getstate__()
    state = dict(getattr(obj, "__dict__", None) or {})
    slots = {name: getattr(obj, name) for name in copyreg._slotnames(type(obj)) if hasattr(obj, name)}
    return (state, slots) if slots else state


def _set_obj_state(obj, state):
    slots = None
    if isinstance(state, tuple):
        if len(state) != 2:
            raise RuntimeError(f"Invalid serialized state: {state}")
        state, slots = state
    for name, value in (state or {}).items():
        setattr(obj, name, value)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)
    return obj


def _import_dotted_name(name):
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _element_size(dtype):
    if not isinstance(dtype, torch.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


class KeyErrorMessage(str):
    """As a KeyError shows the repr of its argument, this one's is the text."""

    def __repr__(self):
        return self


class ExceptionWrapper:
    """An exception of a worker or replica, raised again where its result is asked for."""

    def __init__(self, error, where="in background"):
        self.exc_type = type(error)
        self.exc_msg = "".join(traceback.format_exception(error))
        self.where = where

    def reraise(self):
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            raise KeyError(KeyErrorMessage(message))
        try:
            error = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise error


def _flatten_dense_tensors(tensors):
    """Tensors of one dtype as one of one dimension."""
    return torch.cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Parts of a flat tensor in the shapes of others."""
    sizes = [tensor.numel() for tensor in tensors]
    return tuple(part.view(tensor.shape) for part, tensor in zip(flat.split(sizes), tensors))


def _take_tensors(tensors, size_limit):
    """Groups of tensors of one type, each of about `size_limit` bytes."""
    groups = {}
    for tensor in tensors:
        size = tensor.numel() * tensor.element_size()
        group = groups.setdefault(tensor.type(), [[], 0])
        if group[1] + size > size_limit and group[0]:
            yield group[0]
            group = groups[tensor.type()] = [[], 0]
        group[0].append(tensor)
        group[1] += size
    for group, _ in groups.values():
        if group:
            yield group


def _get_device_index(device, optional=False, allow_cpu=False):
    """The number of a device. Errors: ValueError  it has none."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if not allow_cpu and device.type == "cpu":
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        index = -1 if device.type == "cpu" else device.index
    else:
        index = device if isinstance(device, int) else None
    if index is None:
        if not optional:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
        return torch.cuda.current_device()
    return index


def _get_available_device_type():
    """"cuda" where there is a GPU, else None."""
    return "cuda" if torch.cuda.is_available() else None


def _get_device_module(device_type):
    module = getattr(torch, device_type, None)
    if module is None:
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'.")
    return module


def is_compiling():
    """Whether a compiler or an exporter follows the program now."""
    return torch.compiler.is_compiling()
