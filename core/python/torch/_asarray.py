"""torch.asarray: the memory of what is given where it can be shared. Behaviour: torch/csrc/utils/tensor_new.cpp, asarray."""
import torch


def _of_memory(obj, copy):
    """A tensor over the memory of an array or of bytes; None: the object has none that could be shared."""
    if isinstance(obj, torch.Tensor):
        return obj
    if hasattr(obj, "__array_interface__") or type(obj).__module__ == "numpy":
        import numpy
        if isinstance(obj, numpy.generic):
            if copy is False:
                raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
            return torch.from_numpy(numpy.array(obj))
        if isinstance(obj, numpy.ndarray):
            return torch.from_numpy(obj)
    if hasattr(obj, "__dlpack__") or type(obj).__name__ == "PyCapsule":
        return torch.from_dlpack(obj)
    return None


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    place = None if device is None else torch.empty(0, device=device).device
    if isinstance(obj, (bytes, bytearray, memoryview)):
        made = torch.frombuffer(obj, dtype=torch.get_default_dtype() if dtype is None else dtype)
    else:
        made = _of_memory(obj, copy)
    if made is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return torch.tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    moves = place is not None and made.device != place
    converts = dtype is not None and made.dtype != dtype
    if copy is False and moves:
        raise ValueError(f"can't alias tensor from device '{made.device}' to '{place}'.")
    if copy is False and converts:
        raise ValueError(f"can't alias tensor with dtype '{_name(made.dtype)}' into dtype '{_name(dtype)}'.")
    shared = made
    made = made.to(device=place or made.device, dtype=dtype or made.dtype)
    if copy and made is shared:
        made = made.clone()
    if not requires_grad:
        return made.detach() if made.requires_grad else made
    return made if made.requires_grad else made.requires_grad_()


def _name(dtype):
    from torch._type_info import cpp_type
    return cpp_type(dtype)
