"""Tensors whose memory others may share. Behaviour: torch/utils/dlpack.py, torch/_tensor.py, torch/csrc/DLConvertor.cpp.

A capsule holds its tensor and gives it once."""
import torch

_KINDS = {"cpu": "kDLCPU", "cuda": "kDLCUDA"}


class PyCapsule:
    """What carries a tensor from one library to another."""

    def __init__(self, tensor, name="dltensor"):
        self._tensor, self._name = tensor, name

    def __repr__(self):
        return f'<capsule object "{self._name}" at {hex(id(self))}>'

    def _take(self):
        if self._name != "dltensor":
            raise RuntimeError("from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
                               "so you might have already constructed a tensor from it once.")
        self._name = "used_dltensor"
        return self._tensor


PyCapsule.__module__ = "builtins"


def to_dlpack(tensor):
    """A capsule of the tensor's memory."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"to_dlpack(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    return PyCapsule(tensor.detach())


def __dlpack__(self, stream=-1, max_version=None, dl_device=None, copy=None):
    """Tensor.__dlpack__. Errors: BufferError  the tensor is more than its items."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if self.layout != torch.strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if self.device.type == "cpu" and stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    return to_dlpack(self.clone() if copy else self)


def __dlpack_device__(self):
    """Tensor.__dlpack_device__: the kind of the device and its number."""
    if self.device.type not in _KINDS:
        raise ValueError(f"Unknown device type {self.device.type} for Dlpack")
    from torch.utils.dlpack import DLDeviceType
    return DLDeviceType[_KINDS[self.device.type]], self.device.index or 0


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """The tensor that shares the memory of a capsule, or of what gives one."""
    if isinstance(ext_tensor, PyCapsule):
        made = ext_tensor._take()
    elif isinstance(ext_tensor, torch.Tensor):
        made = ext_tensor.__dlpack__(stream=None)._take()
    elif hasattr(ext_tensor, "__array__"):
        made = torch.from_numpy(ext_tensor)
    elif hasattr(ext_tensor, "__dlpack__"):
        given = ext_tensor.__dlpack__()
        if not isinstance(given, PyCapsule):
            raise NotImplementedError(f"torch.from_dlpack: nnscope shares no memory with '{type(ext_tensor).__name__}'")
        made = given._take()
    else:
        raise AttributeError(f"'{type(ext_tensor).__name__}' object has no attribute '__dlpack__'")
    if device is not None:
        made = made.to(device)
    return made.clone() if copy else made
