"""rearrange, repeat and reduce by patterns of axes. Behaviour: einops 0.8."""

__all__ = ["rearrange", "reduce", "repeat", "einsum", "pack", "unpack", "parse_shape", "EinopsError"]
__version__ = "0.8.1"

from einops._pattern import EinopsError, is_identifier, plan, read_side

_REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


def _reduced(tensor, axes, reduction):
    if callable(reduction):
        return reduction(tensor, axes)
    if reduction == "mean" and not (tensor.is_floating_point() or tensor.is_complex()):
        raise NotImplementedError("reduce_mean is not available for non-floating tensors")
    if reduction in ("min", "max"):
        return getattr(tensor, "a" + reduction)(dim=axes)
    if reduction in ("sum", "mean"):
        return getattr(tensor, reduction)(dim=axes)
    for axis in reversed(axes):
        tensor = getattr(tensor, reduction)(dim=axis)
    return tensor


def _apply(operation, tensor, pattern, reduction, lengths):
    is_list = isinstance(tensor, (list, tuple))
    if is_list:
        if not tensor:
            raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
        import torch
        tensor = torch.stack(list(tensor))
    shape = tuple(tensor.shape)
    try:
        if operation == "reduce" and not callable(reduction) and reduction not in _REDUCTIONS:
            raise EinopsError(f"Unknown reduction {reduction}. Expect one of {_REDUCTIONS}.")
        steps = plan(pattern, operation, tuple(lengths), len(shape))
        split, widened, after = steps.sizes(shape, lengths)
    except EinopsError as error:
        told = "\n Input is list. " if is_list else f"\n Input tensor shape: {shape}. "
        raise EinopsError(f' Error while processing {operation}-reduction pattern "{pattern}".{told}'
                          f"Additional info: {lengths}.\n {error}") from None
    if split != shape:
        tensor = tensor.reshape(split)
    if steps.order != tuple(range(len(steps.order))):
        tensor = tensor.permute(steps.order)
    if steps.reduced:
        tensor = _reduced(tensor, steps.reduced, reduction)
    if steps.is_widened:
        for at in steps.new_places:
            tensor = tensor.unsqueeze(at)
        tensor = tensor.expand(widened)
    return tensor if tuple(tensor.shape) == after else tensor.reshape(after)


def rearrange(tensor, pattern, **axes_lengths):
    """Another order and grouping of axes: rearrange(x, 'b c h w -> b (c h w)'). Errors: EinopsError."""
    return _apply("rearrange", tensor, pattern, "rearrange", axes_lengths)


def reduce(tensor, pattern, reduction, **axes_lengths):
    """rearrange, with the axes that the result has not reduced by 'min', 'max', 'sum', 'mean', 'prod', 'any' or 'all'."""
    return _apply("reduce", tensor, pattern, reduction, axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    """rearrange, with new axes along which the values are repeated."""
    return _apply("repeat", tensor, pattern, "repeat", axes_lengths)


def parse_shape(x, pattern):
    """The lengths of the axes by name; _ stands for one that is not wanted. Errors: RuntimeError."""
    names = read_side(pattern, allow_underscore=True)
    shape = tuple(x.shape)
    flat = [group[0] if isinstance(group, list) and len(group) == 1 else group for group in names]
    if "..." in flat:
        if len(shape) < len(flat) - 1:
            raise RuntimeError(f"Can't parse shape with this number of dimensions: {pattern} {shape}")
        at = flat.index("...")
        flat[at:at + 1] = ["_"] * (len(shape) - len(flat) + 1)
    if len(shape) != len(flat):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {shape}")
    result = {}
    for name, length in zip(flat, shape):
        if isinstance(name, list):
            raise RuntimeError(f"Can't parse shape with composite axes: {pattern} {shape}")
        if isinstance(name, str) and name != "_":
            result[name] = length
        elif isinstance(name, int) and name != length:
            raise RuntimeError(f"Length of anonymous axis does not match: {pattern} {shape}")
    return result


def einsum(*tensors_and_pattern):
    """torch.einsum with names of axes of any length: einsum(a, b, 'i j, j k -> i k')."""
    *tensors, pattern = tensors_and_pattern
    if not tensors:
        raise ValueError("`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern.")
    if not isinstance(pattern, str):
        raise ValueError("The last argument passed to `einops.einsum` must be a string, representing the einsum pattern.")
    if "->" not in pattern:
        raise ValueError("Einsum pattern must contain '->'.")
    letters = {}
    left, right = pattern.split("->")
    texts = []
    for side in (*left.split(","), right):
        text = ""
        for group in read_side(side):
            if group == "...":
                text += "..."
            elif len(group) != 1 or not isinstance(group[0], str):
                raise NotImplementedError("Shape rearrangement is not yet supported in einsum.")
            else:
                at = letters.setdefault(group[0], len(letters))
                if at >= 52:
                    raise RuntimeError("Too many axes in einsum.")
                text += chr(ord("a") + at) if at < 26 else chr(ord("A") + at - 26)
        texts.append(text)
    import torch
    return torch.einsum(f"{','.join(texts[:-1])}->{texts[-1]}", *tensors)


def _packing(pattern, operation):
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {operation}(..., "{pattern}")')
    if "*" not in axes:
        raise EinopsError(f'No *-axis in {operation}(..., "{pattern}")')
    for axis in axes:
        if axis != "*" and not is_identifier(axis):
            raise EinopsError(f'Invalid axis name {axis} in {operation}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors, pattern):
    """(tensor, shapes): tensors side by side along the axis *, which stands for any number of axes of each."""
    before, behind = _packing(pattern, "pack")
    import torch
    flat = []
    shapes = []
    for at, tensor in enumerate(tensors):
        shape = tuple(tensor.shape)
        if len(shape) < before + behind:
            raise EinopsError(f"packed tensor #{at} (enumeration starts with 0) has shape {shape}, "
                              f"while pattern {pattern} assumes at least {before + behind} axes")
        end = len(shape) - behind
        shapes.append(shape[before:end])
        flat.append(tensor.reshape((*shape[:before], -1, *shape[end:])))
    return torch.cat(flat, dim=before), shapes


def unpack(tensor, packed_shapes, pattern):
    """The tensors that pack() put side by side; one of the shapes may have a -1."""
    before, behind = _packing(pattern, "unpack")
    shape = tuple(tensor.shape)
    if len(shape) != before + 1 + behind:
        raise EinopsError(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    lengths = []
    for one in packed_shapes:
        length = 1
        for size in one:
            length = -1 if size == -1 or length == -1 else length * size
        lengths.append(length)
    if lengths.count(-1) > 1:
        raise EinopsError(f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions")
    if -1 in lengths:
        lengths[lengths.index(-1)] = shape[before] - sum(length for length in lengths if length != -1)
    elif sum(lengths) != shape[before]:
        raise EinopsError(f"Error during unpack(..., \"{pattern}\"): could not split axis of length {shape[before]}"
                          f" into requested {packed_shapes}")
    result = []
    start = 0
    for one, length in zip(packed_shapes, lengths):
        result.append(tensor.narrow(before, start, length).reshape((*shape[:before], *one, *shape[before + 1:])))
        start += length
    return result
