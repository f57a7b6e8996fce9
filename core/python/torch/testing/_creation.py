"""torch.testing.make_tensor. Behaviour: torch/testing/_creation.py."""
import math

import torch

# What is drawn from without bounds, and the least and greatest that may be given.
_INTEGERS = {torch.uint8: (0, 10), torch.uint16: (0, 10), torch.uint32: (0, 10), torch.uint64: (0, 10), torch.int8: (-9, 10),
             torch.int16: (-9, 10), torch.int32: (-9, 10), torch.int64: (-9, 10)}


def _bounds(dtype):
    """The least number of a dtype and the one behind its greatest, as far as there is one."""
    if dtype is torch.bool:
        return 0, 2
    if dtype in _INTEGERS:
        most = torch.iinfo(dtype).max
        return torch.iinfo(dtype).min, most if dtype in (torch.int64, torch.uint64) else most + 1
    finfo = torch.finfo(dtype)
    return finfo.min, finfo.max


def _drawn(shape, dtype, low, high):
    """Numbers of an interval that may be wider than the dtype's greatest number."""
    made = torch.empty(shape, dtype=dtype)
    if high - low >= torch.finfo(dtype).max:
        return made.uniform_(low / 2, high / 2).mul_(2)
    return made.uniform_(low, high)


def make_tensor(*shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """Numbers from `low` to `high`, from the generator that all draw from."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list, torch.Size)):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"{noncontiguous=} and {memory_format=}")
    drawn_shape = (*shape[:-1], 2 * shape[-1]) if noncontiguous and math.prod(shape) > 1 else shape
    is_real = dtype.is_floating_point or dtype.is_complex
    if dtype is torch.bool:
        low, high = (0 if low is None else low), (2 if high is None else high)
    elif dtype in _INTEGERS:
        low, high = (_INTEGERS[dtype][0] if low is None else low), (_INTEGERS[dtype][1] if high is None else high)
    elif is_real:
        low, high = (-9 if low is None else low), (9 if high is None else high)
    else:
        raise TypeError(f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, "
                        "file an issue at: https://github.com/pytorch/pytorch/issues")
    if low >= high and low != high:
        raise ValueError(f"`low` must be less than `high`, but got {low=} and {high=}")
    least, most = _bounds(dtype)
    if high < least or low >= most:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
                         f"[{least}, {most})")
    low, high = min(max(low, least), most), min(max(high, least), most)
    if is_real:
        if dtype.is_complex:
            parts = _drawn((*drawn_shape, 2), torch.float64 if dtype is torch.complex128 else torch.float32, low, high)
            made = torch.complex(parts[..., 0], parts[..., 1]).to(dtype)
        else:
            made = _drawn(drawn_shape, dtype, low, high)
    else:
        made = torch.randint(math.floor(low), math.ceil(high), drawn_shape).to(dtype)
    made = made.to(device)
    if drawn_shape is not shape:
        made = made[..., ::2]
    if exclude_zero:
        made[made == 0] = torch.finfo(dtype).tiny if dtype.is_floating_point else 1
    return made.requires_grad_() if requires_grad else made
