"""Which devices DataParallel may use, and tensors on their way between them.

Behaviour: torch/_utils.py (device helpers), torch/nn/parallel/_functions.py, torch/nn/parallel/comm.py."""
import torch
from torch._C import _virtual_device_count
from torch.autograd import Function


def available_type():
    """The kind of device that there are several of, or None. Virtual devices, where they were asked for, are cpu:0,
    cpu:1, ..."""
    if _virtual_device_count() > 0:
        return "cpu"
    return "cuda" if torch.cuda.is_available() else None


def all_indices():
    kind = available_type()
    if kind is None:
        return []
    return list(range(_virtual_device_count() if kind == "cpu" else torch.cuda.device_count()))


def _is_plain_cpu(device):
    return device.type == "cpu" and (device.index is None or _virtual_device_count() == 0)


def index_of(device, optional=False, allow_cpu=False):
    """The number of a device; -1 is the CPU."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if not allow_cpu and _is_plain_cpu(device):
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        device = -1 if _is_plain_cpu(device) else device.index
    if isinstance(device, int):
        return device
    if optional:
        return 0
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


def _place(index):
    if index == -1:
        return torch.device("cpu")
    kind = available_type()
    if kind is None:
        raise RuntimeError("device type could not be determined")
    return torch.device(kind, index)


class Broadcast(Function):
    """Copies of tensors on every device; backward sums what comes back."""

    @staticmethod
    def forward(ctx, targets, *inputs):
        ctx.count, ctx.source = len(inputs), inputs[0].device if inputs else None
        return tuple(tensor.to(_place(target)).view_as(tensor) for target in targets for tensor in inputs)

    @staticmethod
    def backward(ctx, *grads):
        sums = list(grads[:ctx.count])
        for first in range(ctx.count, len(grads), ctx.count):
            sums = [a + b.to(a.device) for a, b in zip(sums, grads[first:first + ctx.count])]
        return (None, *sums)


class Scatter(Function):
    """Parts of a tensor along an axis, each on its device."""

    @staticmethod
    def forward(ctx, targets, sizes, dim, tensor):
        ctx.dim, ctx.device = dim, tensor.device
        parts = tensor.chunk(len(targets), dim) if sizes is None else tensor.split(list(sizes), dim)
        return tuple(part.to(_place(target)) for part, target in zip(parts, targets))

    @staticmethod
    def backward(ctx, *grads):
        return None, None, None, torch.cat([grad.to(ctx.device) for grad in grads], ctx.dim)


class Gather(Function):
    """One tensor of the parts, on one device."""

    @staticmethod
    def forward(ctx, target, dim, *inputs):
        if any(_is_plain_cpu(one.device) for one in inputs):
            raise AssertionError("Gather function not implemented for CPU tensors")
        ctx.dim = dim
        ctx.devices = [one.device for one in inputs]
        ctx.is_scalar = all(one.dim() == 0 for one in inputs) and dim == 0
        if ctx.is_scalar:
            inputs = tuple(one.view(1) for one in inputs)
            import warnings
            warnings.warn("Was asked to gather along dimension 0, but all input tensors were scalars; will instead "
                          "unsqueeze and return a vector.", stacklevel=2)
        ctx.sizes = [one.size(dim) for one in inputs]
        return torch.cat([one.to(_place(target)) for one in inputs], dim)

    @staticmethod
    def backward(ctx, grad):
        parts = grad.split(ctx.sizes, ctx.dim)
        if ctx.is_scalar:
            parts = [part[0] for part in parts]
        return (None, None, *(part.to(device) for part, device in zip(parts, ctx.devices)))
