"""The Jacobians that gradcheck compares. Behaviour: torch/autograd/gradcheck.py."""
import torch
from torch.autograd import forward_ad


class GradcheckError(RuntimeError):
    """What gradcheck and gradgradcheck raise."""


def as_tuple(given):
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def is_differentiable(one):
    return isinstance(one, torch.Tensor) and (one.is_floating_point() or one.is_complex())


def differentiable_outputs(given):
    return tuple(one for one in as_tuple(given) if is_differentiable(one))


def followed(inputs):
    """The places of inputs whose gradients are checked."""
    return [place for place, one in enumerate(inputs) if isinstance(one, torch.Tensor) and one.requires_grad]


def _item(tensor, index):
    """One item of the tensor, as a tensor that writes to it; they are not counted."""
    place = []
    for size in reversed(tensor.shape):
        place.append(index % size)
        index //= size
    return tensor.data[tuple(reversed(place))]


def _same_kind(a, b, eps, index):
    where = f"on index {index} " if index is not None else ""
    for what, x, y in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if x != y:
            raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are perturbed "
                                 f"{where}by {eps}, but got: {what}s {x} and {y}.")


def numerical(func, inputs, tensor, eps):
    """By item of the tensor the slopes of each output, by central differences: one with the real part and, of a complex
    tensor, one with the imaginary part."""
    rows = []
    for index in range(tensor.numel()):
        slopes = []
        for step in ((eps, eps * 1j) if tensor.is_complex() else (eps,)):
            # Gradients are recorded: what a function gives may depend on it.
            item = _item(tensor, index)
            before = item.clone()
            item.copy_(before + step)
            above = [one.detach().clone() for one in differentiable_outputs(func(*inputs))]
            item.copy_(before - step)
            below = [one.detach().clone() for one in differentiable_outputs(func(*inputs))]
            item.copy_(before)
            for a, b in zip(above, below):
                _same_kind(a, b, eps, index)
            slopes.append([((a - b) / (2 * eps)).reshape(-1).cpu() for a, b in zip(above, below)])
        rows.append(slopes)
    return rows


def _wide(dtype):
    return torch.complex128 if dtype.is_complex else torch.float64


def expected_of_backward(rows, tensor, output, number, part):
    """What backward is to give of the real or imaginary part of an output: (items of the tensor, items of the output)."""
    made = torch.zeros(tensor.numel(), output.numel(), dtype=_wide(tensor.dtype))
    for row, slopes in enumerate(rows):
        taken = [part(one[number]).contiguous() for one in slopes]
        made[row] = taken[0] if len(taken) == 1 else torch.complex(taken[0].double(), taken[1].double())
    return made


def of_backward(output, tensor, one):
    """The gradients of each item of the output times `one`. None: nothing leads from the tensor to it."""
    made = torch.zeros(tensor.numel(), output.numel(), dtype=_wide(tensor.dtype))
    if not output.requires_grad:
        return made, None
    kind = None
    for item in range(output.numel()):
        cotangent = torch.zeros(output.numel(), dtype=output.dtype, device=output.device)
        cotangent[item] = one
        grad, = torch.autograd.grad(output, tensor, cotangent.view(output.shape), retain_graph=True, allow_unused=True)
        if grad is None:
            continue
        kind = grad
        if grad.shape == tensor.shape:
            made[:, item] = grad.detach().to_dense().reshape(-1).cpu().to(made.dtype)
    return made, kind


def of_forward(func, inputs, place, count, unit):
    """By item of one input the tangents of the outputs, along `unit` at that item."""
    rows = []
    tensor = inputs[place]
    for index in range(tensor.numel()):
        with forward_ad.dual_level():
            given = list(inputs)
            for other in followed(inputs):
                plain = inputs[other].detach()
                tangent = torch.zeros_like(plain)
                if other == place:
                    _item(tangent, index).fill_(unit)
                given[other] = forward_ad.make_dual(plain, tangent)
            outputs = differentiable_outputs(func(*given))
            row = []
            for output in outputs[:count]:
                tangent = forward_ad.unpack_dual(output).tangent
                row.append(None if tangent is None else tangent.detach().reshape(-1).cpu())
            rows.append(row)
    return rows
