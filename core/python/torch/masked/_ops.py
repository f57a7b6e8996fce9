"""Reductions and normalisations of the items that a mask has True for.

Behaviour: torch/masked/_ops.py, of strided tensors: items that are masked out are as the identity of the operation."""
import torch


def _broadcast_mask(input, mask):
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return mask.to(torch.bool).broadcast_to(input.shape) if mask.shape != input.shape else mask.to(torch.bool)


def _dims(dim, ndim):
    """The dimensions that `dim` means, in their order."""
    if dim is None:
        return tuple(range(ndim))
    count, found = max(ndim, 1), []
    for one in (dim,) if isinstance(dim, int) else dim:
        if one in found:
            raise RuntimeError(f"dim={one} appears multiple times in the list of dims")
        if not -count <= one < count:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {one})")
        found.append(one % count)
    return tuple(sorted(found)) if ndim else ()


def _filled(input, mask, identity):
    if mask is None:
        return input
    return torch.where(_broadcast_mask(input, mask), input, torch.tensor(identity, dtype=input.dtype, device=input.device))


def _bound(dtype, largest):
    """The greatest or the least number of a dtype."""
    if dtype == torch.bool:
        return largest
    if dtype.is_floating_point:
        return float("inf") if largest else float("-inf")
    return torch.iinfo(dtype).max if largest else torch.iinfo(dtype).min


def _whole_dtype(input, dtype):
    if dtype is not None:
        return dtype
    return torch.int64 if input.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32) else input.dtype


def _floating(input, dtype):
    return input.to(_floating_dtype(input, dtype))


def _floating_dtype(input, dtype):
    if dtype is not None:
        return dtype
    return input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.get_default_dtype()


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    items = _filled(input.to(_whole_dtype(input, dtype)), mask, 0)
    return torch.sum(items, _dims(dim, input.ndim), bool(keepdim)) if input.ndim else items.clone()


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    made = _filled(input.to(_whole_dtype(input, dtype)), mask, 1)
    for one in reversed(_dims(dim, input.ndim)):
        made = torch.prod(made, one, bool(keepdim))
    return made


def cumsum(input, dim, *, dtype=None, mask=None):
    items = _filled(input.to(_whole_dtype(input, dtype)), mask, 0)
    return torch.cumsum(items, (_dims(dim, input.ndim) or (0,))[0])


def cumprod(input, dim, *, dtype=None, mask=None):
    items = _filled(input.to(_whole_dtype(input, dtype)), mask, 1)
    return torch.cumprod(items, (_dims(dim, input.ndim) or (0,))[0])


def _extreme(name, largest):
    def function(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        items = input if dtype is None else input.to(dtype)
        items = _filled(items, mask, _bound(items.dtype, not largest))
        return getattr(torch, name)(items, _dims(dim, input.ndim), bool(keepdim))

    function.__name__ = function.__qualname__ = name
    return function


amax, amin = _extreme("amax", True), _extreme("amin", False)


def _place(name, largest):
    def function(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        items = input if dtype is None else input.to(dtype)
        items = _filled(items, mask, _bound(items.dtype, not largest))
        return getattr(torch, name)(items, dim, bool(keepdim)).to(items.dtype)

    function.__name__ = function.__qualname__ = name
    return function


argmax, argmin = _place("argmax", True), _place("argmin", False)


def _count(input, dim, keepdim, mask):
    """How many items are not masked out."""
    ones = torch.ones(input.shape, dtype=torch.int64, device=input.device)
    return sum(ones, dim, keepdim=keepdim, mask=mask)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    total = sum(input, dim, keepdim=keepdim, dtype=input.dtype if dtype is None else dtype, mask=mask)
    return total / _count(input, dim, keepdim, mask)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    items = input if dtype is None else input.to(dtype)
    dims = _dims(dim, input.ndim)
    if mask is None:
        return torch.nanmedian(items, dims[0] if dims else 0, keepdim).values if items.is_floating_point() else \
            torch.median(items, dims[0] if dims else 0, keepdim).values
    if not items.is_floating_point() and not bool(mask.all()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    items = _filled(items, mask, float("nan")) if items.is_floating_point() else items
    return (torch.nanmedian if items.is_floating_point() else torch.median)(items, dims[0] if dims else 0, keepdim).values


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    items = input if dtype is None else input.to(dtype)
    items = _filled(items, mask, _bound(items.dtype, False))
    return torch.logsumexp(items, _dims(dim, input.ndim), bool(keepdim)).to(items.dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    left, right = (one if dtype is None else one.to(dtype) for one in (input, other))
    return torch.logaddexp(_filled(left, input_mask, float("-inf")), _filled(right, other_mask, float("-inf")))


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    items = _filled(_floating(input, dtype), mask, float("inf") if ord is not None and ord < 0 else 0)
    return torch.linalg.vector_norm(items, 2.0 if ord is None else ord, _dims(dim, input.ndim), bool(keepdim))


def _variance(input, dim, unbiased, correction, keepdim, dtype, mask):
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    items = _floating(input, dtype)
    centre = mean(items, dim, keepdim=True, mask=mask)
    distance = items - centre
    squares = distance * distance.conj()
    count = _count(input, dim, keepdim, mask)
    divisor = (count - correction).clamp(min=0)
    return sum(squares, dim, keepdim=keepdim, mask=mask) / divisor


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    return torch.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


def softmax(input, dim, *, dtype=None, mask=None):
    return torch.softmax(_filled(_floating(input, dtype), mask, float("-inf")), dim)


def log_softmax(input, dim, *, dtype=None, mask=None):
    return torch.log_softmax(_filled(_floating(input, dtype), mask, float("-inf")), dim)


def softmin(input, dim, *, dtype=None, mask=None):
    return torch.softmax(-_filled(_floating(input, dtype), mask, float("inf")), dim)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    items = _floating(input, dtype)
    size = norm(items, ord, dim, keepdim=True, mask=mask)
    return _filled(items, mask, 0) / size.clamp(min=eps)
