"""What nodes of an exported graph stand for: tensors without bytes, whose sizes may be symbols.
Behaviour: torch/_subclasses/fake_tensor.py as far as a graph shows it."""
import torch
from torch.export._symbols import SizeInt, Sum

class FakeTensor:
    """Shape, strides, dtype and device of a tensor."""

    def __init__(self, shape, stride, dtype, device, requires_grad=False, is_parameter=False):
        self.shape = torch.Size(shape) if all(isinstance(size, int) for size in shape) else tuple(shape)
        self._stride, self.dtype, self.device = tuple(stride), dtype, device
        self.requires_grad, self._is_parameter = requires_grad, is_parameter
        self.layout, self.is_leaf = torch.strided, True
        self.is_cuda, self.is_meta = device.type == "cuda", device.type == "meta"

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        return self._stride if dim is None else self._stride[dim]

    def dim(self):
        return len(self.shape)

    ndim = property(dim)

    def numel(self):
        count = 1
        for size in self.shape:
            count = times(count, size)
        return count

    def storage_offset(self):
        return 0

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def __repr__(self):
        size = "(" + ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "") + ")"
        parts = [f"size={size}"]
        if self.device.type != "cpu":
            parts.insert(0, f"device='{self.device}'")
        if self.dtype is not torch.float32:
            parts.append(f"dtype={self.dtype}")
        if self.requires_grad:
            parts.append("requires_grad=True")
        shown = f"FakeTensor(..., {', '.join(parts)})"
        return f"Parameter({shown})" if self._is_parameter else shown


def times(a, b):
    """The product of two sizes, each an int or a symbol's."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int) and a == 1:
        return b
    if isinstance(b, int) and b == 1:
        return a
    left, right = terms_of(a), terms_of(b)
    if left is None or right is None:
        return hint_of(a) * hint_of(b)
    made = {}
    for names, factor in left.items():
        for others, other in right.items():
            key = tuple(sorted((*names, *others)))
            made[key] = made.get(key, 0) + factor * other
    return SizeInt(Sum(made), hint_of(a) * hint_of(b))


def terms_of(size):
    """The terms of a size that is a sum, or None."""
    if isinstance(size, int):
        return {(): size}
    return size.expr.terms if isinstance(size.expr, Sum) else None


def hint_of(size):
    return size if isinstance(size, int) else size.hint


def contiguous_stride(shape):
    stride, step = [], 1
    for size in reversed(shape):
        stride.insert(0, step)
        step = times(step, size) if not (isinstance(size, int) and size == 0) else step
    return tuple(stride)


def fake_of(tensor, device=None, shape=None, stride=None):
    """The description of a tensor; `device` where it lies for the program."""
    return FakeTensor(tuple(tensor.shape) if shape is None else shape, tensor.stride() if stride is None else stride, tensor.dtype,
                      tensor.device if device is None else device, tensor.requires_grad, isinstance(tensor, torch.nn.Parameter))
