"""torch.gradient. Behaviour: aten/src/ATen/native/ReduceOps.cpp, gradient and its helpers."""
import torch


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The derivative along dimensions by differences of neighbours: second order inside, first or second at the ends.

    spacing: a number, one for each dimension, or the coordinates along each (1-d tensors)."""
    is_list = isinstance(spacing, (list, tuple))
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    steps = list(spacing) if is_list else [1.0 if spacing is None else spacing] * len(dims)
    _check(input, len(steps) if spacing is not None else None, dim is None, dims, edge_order)
    are_coordinates = is_list and any(isinstance(one, torch.Tensor) for one in steps)
    along = _by_coordinates if are_coordinates else _by_step
    if are_coordinates:
        for one in steps:
            if one.device != input.device:
                raise RuntimeError("torch.gradient expected each tensor to be on the same device, but got devices "
                                   f"{input.device} and {one.device}!")
    return tuple(along(input, step, one, edge_order) for step, one in zip(steps, dims))


def _check(input, count, is_everywhere, dims, edge_order):
    if input.dtype is torch.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if count is not None and is_everywhere and count != input.ndim:
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                           f"'self.dim() = {input.ndim}', since dim argument was not given, but got a list of length {count}")
    if count is not None and not is_everywhere and count != len(dims):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
                           f"the same length, but got a spacing argument of length {count} and a dim argument of length "
                           f"{len(dims)}.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    seen = set()
    for one in dims:
        size = input.size(one)  # IndexError: no such dimension
        if one % input.ndim in seen:
            raise RuntimeError(f"dim {one % input.ndim} appears multiple times in the list of dims")
        seen.add(one % input.ndim)
        if size < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")


def _slices(input, dim):
    """slice(start, end) of that dimension."""
    def part(start, end=None):
        return input[(slice(None),) * (dim % input.ndim) + (slice(start, end),)]
    return part


def _by_step(input, step, dim, edge_order):
    part = _slices(input, dim)
    center = (part(2) - part(0, -2)) / step / 2
    if edge_order == 1:
        first, last = (part(1, 2) - part(0, 1)) / step, (part(-1) - part(-2, -1)) / step
    else:
        first = (-1.5 * part(0, 1) + 2 * part(1, 2) - 0.5 * part(2, 3)) / step
        last = (0.5 * part(-3, -2) - 2 * part(-2, -1) + 1.5 * part(-1)) / step
    return torch.cat([first, center, last], dim)


def _by_coordinates(input, places, dim, edge_order):
    if places.ndim != 1:
        raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got an element with "
                           f"{places.ndim} dimensions!")
    part, shape = _slices(input, dim), [1] * input.ndim
    shape[dim] = -1
    steps = places.diff()
    left, right = steps[:-1], steps[1:]
    both = left + right
    center = ((-right / (left * both)).reshape(shape) * part(0, -2) + ((right - left) / (left * right)).reshape(shape) * part(1, -1)
              + (left / (right * both)).reshape(shape) * part(2))
    if edge_order == 1:
        first, last = (part(1, 2) - part(0, 1)) / steps[0], (part(-1) - part(-2, -1)) / steps[-1]
    else:
        a, b = steps[0], steps[1]
        first = (-(2.0 * a + b) / (a * (a + b)) * part(0, 1) + (a + b) / (a * b) * part(1, 2)
                 + -a / (b * (a + b)) * part(2, 3))
        a, b = steps[-1], steps[-2]
        last = (a / (b * (a + b)) * part(-3, -2) - (a + b) / (a * b) * part(-2, -1) + (2 * a + b) / (a * (a + b)) * part(-1))
    return torch.cat([first, center, last], dim)
