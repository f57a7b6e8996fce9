"""Functions of torch that give copies of what views show, and those that write into what a view shows.

Behaviour: aten/src/ATen/native/native_functions.yaml, the functions of these names; TensorShape.cpp, as_strided_scatter."""
import torch
from torch._outputs import takes_out as _takes_out


def _copy(view):
    return view.clone(memory_format=torch.contiguous_format)


def _copy_of(view):
    def function(input, *args, **kwargs):
        made = getattr(torch.Tensor, view)(input, *args, **kwargs)
        return tuple(map(_copy, made)) if isinstance(made, (tuple, list)) else _copy(made)

    function.__name__ = function.__qualname__ = view + "_copy"
    return _takes_out(function)


(as_strided_copy, detach_copy, diagonal_copy, permute_copy, select_copy, split_copy, split_with_sizes_copy, squeeze_copy,
 t_copy, transpose_copy, unbind_copy, unfold_copy, unsqueeze_copy, view_copy) = map(_copy_of, (
    "as_strided", "detach", "diagonal", "permute", "select", "split", "split_with_sizes", "squeeze", "t", "transpose",
    "unbind", "unfold", "unsqueeze", "view"))


@_takes_out
def alias_copy(input):
    return _copy(input)


@_takes_out
def expand_copy(input, size, *, implicit=False):
    return _copy(input.expand(size))


@_takes_out
def slice_copy(input, dim=0, start=None, end=None, step=1):
    return _copy(input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)])


@_takes_out
def view_as_complex_copy(input):
    return _copy(torch.view_as_complex(input))


@_takes_out
def view_as_real_copy(input):
    return _copy(torch.view_as_real(input))


@_takes_out
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """The input with `src` in the places that as_strided() would show."""
    made = input.clone()
    made.as_strided(size, stride, storage_offset).copy_(src)
    return made
