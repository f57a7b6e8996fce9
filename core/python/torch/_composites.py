"""Functions of torch that are other names of methods and of torch.nn.functional, or are made of them.

Behaviour: torch/functional.py; aten/src/ATen/native/native_functions.yaml, the functions of these names."""
import math
import warnings
from builtins import range as builtins_range

import torch
from torch._gradient import gradient  # noqa: F401
from torch._outputs import takes_out as _takes_out
from torch.nn import functional as _F


def is_storage(obj):
    return isinstance(obj, (torch.UntypedStorage, torch.TypedStorage))


def is_floating_point(input):
    return input.is_floating_point()


def is_complex(input):
    return input.is_complex()


def is_conj(input):
    return input.is_conj()


def is_neg(input):
    return input.is_neg()


def is_signed(input):
    return input.is_signed()


def is_same_size(input, other):
    return input.is_same_size(other)


def is_inference(input):
    return input.is_inference()


def is_distributed(input):
    return False


def is_vulkan_available():
    return False


def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """As arange(), with the end."""
    warnings.warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent "
                  "with Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
                  stacklevel=2)
    if end is None:
        start, end = 0, start
    count = math.floor((end - start) / step) + 1
    made = start + step * torch.arange(count, dtype=torch.float64)
    made = made.to(torch.get_default_dtype() if dtype is None else dtype)
    made = made if device is None else made.to(device)
    if out is not None:
        return out.copy_(made.view_as(out)) if out.numel() == made.numel() else torch.clone(made, out=out.resize_(0))
    return made.requires_grad_() if requires_grad else made


def row_stack(tensors, *, out=None):
    return torch.vstack(tensors, out=out)


def adjoint(input):
    return input.mH


@_takes_out
def inner(input, other):
    """Sums of products over the last dimension of both."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    return torch.tensordot(input, other, dims=([input.ndim - 1], [other.ndim - 1]))


def vander(x, N=None, increasing=False):
    """Powers of a vector as columns."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    ones = torch.ones(x.shape[0], 1, dtype=torch.promote_types(x.dtype, torch.int64), device=x.device)
    factors = torch.cat([ones, x[:, None].to(ones.dtype).expand(-1, max(count - 1, 0))], 1)[:, :count]
    powers = torch.cumprod(factors, 1)
    return powers if increasing else powers.flip(1)


@_takes_out
def chain_matmul(*matrices):
    warnings.warn("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
                  "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
                  "parameters.", stacklevel=2)
    made = matrices[0]
    for matrix in matrices[1:]:
        made = made @ matrix
    return made


def unravel_index(indices, shape):
    """The coordinates of places in a flattened tensor."""
    if indices.is_floating_point() or indices.is_complex() or indices.dtype is torch.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    coordinates, rest = [], indices
    for size in reversed(sizes):
        coordinates.append(rest % size)
        rest = rest // size
    return tuple(reversed(coordinates))


def randint_like(input, low, high=None, *, dtype=None, layout=torch.strided, device=None, requires_grad=False,
                 memory_format=torch.preserve_format, generator=None):
    if high is None:
        low, high = 0, low
    made = torch.randint(low, high, tuple(input.shape), generator=generator,
                         device=input.device if device is None else device)
    made = made.to(input.dtype if dtype is None else dtype)
    return made.requires_grad_() if requires_grad else made


@_takes_out
def renorm(input, p, dim, maxnorm):
    """Subtensors along `dim` whose p-norm is greater are made so long."""
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    others = [one for one in builtins_range(input.ndim) if one != dim % input.ndim]
    norms = torch.linalg.vector_norm(input, p, dim=others, keepdim=True)
    factor = torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))
    return input * factor


def nuclear_norm(input, dim=None, keepdim=False):
    return torch.norm(input, p="nuc", dim=dim, keepdim=keepdim)


def frobenius_norm(input, dim=None, keepdim=False):
    return torch.norm(input, p="fro", dim=dim, keepdim=keepdim)


def rsub(input, other, *, alpha=1):
    return other - alpha * input


# Copies and changes in place.

def detach(input):
    return input.detach()


def detach_(input):
    return input.detach_()


def zero_(input):
    return input.zero_()


def fill(input, value):
    return input.clone().fill_(value)


def fill_(input, value):
    return input.fill_(value)


def index_put_(input, indices, values, accumulate=False):
    return input.index_put_(indices, values, accumulate)


def unsafe_chunk(input, chunks, dim=0):
    return torch.chunk(input, chunks, dim)


def unsafe_split(tensor, split_size, dim=0):
    return torch.split(tensor, split_size, dim)


# Of torch.nn.functional, with the arguments of ATen.

_REDUCTIONS = ("none", "mean", "sum")


def dropout(input, p, train):
    return _F.dropout(input, p, train)


def dropout_(input, p, train):
    return _F.dropout(input, p, train, inplace=True)


def alpha_dropout(input, p, train):
    return _F.alpha_dropout(input, p, train)


def feature_alpha_dropout(input, p, train):
    return _F.feature_alpha_dropout(input, p, train)


def rrelu(input, lower=1 / 8, upper=1 / 3, training=False):
    return _F.rrelu(input, lower, upper, training)


def rrelu_(input, lower=1 / 8, upper=1 / 3, training=False):
    return _F.rrelu(input, lower, upper, training, inplace=True)


def pdist(input, p=2):
    return _F.pdist(input, p)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    return _F.cosine_similarity(x1, x2, dim, eps)


def pairwise_distance(x1, x2, p=2, eps=1e-6, keepdim=False):
    return _F.pairwise_distance(x1, x2, p, eps, keepdim)


def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    return _F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def bilinear(input1, input2, weight, bias=None):
    return _F.bilinear(input1, input2, weight, bias)


def affine_grid_generator(theta, size, align_corners):
    return _F.affine_grid(theta, size, align_corners)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False):
    return _F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _REDUCTIONS[reduction], zero_infinity)


def kl_div(input, target, reduction=1, *, log_target=False):
    made = _F.kl_div(input, target, reduction="none", log_target=log_target)
    return made if reduction == 0 else made.mean() if reduction == 1 else made.sum()


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction=1):
    return _F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_REDUCTIONS[reduction])


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1):
    return _F.margin_ranking_loss(input1, input2, target, margin, reduction=_REDUCTIONS[reduction])


def hinge_embedding_loss(input, target, margin=1.0, reduction=1):
    return _F.hinge_embedding_loss(input, target, margin, reduction=_REDUCTIONS[reduction])


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=1):
    return _F.cosine_embedding_loss(input1, input2, target, margin, reduction=_REDUCTIONS[reduction])


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    return _F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_REDUCTIONS[reduction])


# Numbers that may be symbols while a program is traced; here they are numbers.

def sym_int(a):
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a):
    return float(a)


def sym_not(a):
    return not a


def sym_max(a, b):
    made = max(a, b)
    return float(made) if isinstance(a, float) or isinstance(b, float) else made


def sym_min(a, b):
    made = min(a, b)
    return float(made) if isinstance(a, float) or isinstance(b, float) else made


def sym_ite(condition, first, second):
    return first if condition else second
