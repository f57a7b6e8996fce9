"""More functions of torch. Behaviour: native_functions.yaml, the functions of these names."""
import enum
from builtins import range as _range

import torch
from torch import _methods
from torch._linalg_utils import _symeig as symeig, eig, lstsq, matrix_rank, solve  # noqa: F401
from torch._outputs import takes_out as _takes_out
from torch._type_info import cpp_name as _cpp_name
from torch.nn import functional as _F


def _method_of(name):
    def function(input, *args, **kwargs):
        return getattr(_methods, name)(input, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return _takes_out(function)


frexp, igamma, igammac, histogram, put, renorm, unsafe_chunk, unsafe_split, nonzero_static = map(_method_of, (
    "frexp", "igamma", "igammac", "histogram", "put", "renorm", "unsafe_chunk", "unsafe_split", "nonzero_static"))


class Tag(enum.Enum):
    """What is known of an op. Behaviour: aten/src/ATen/native/tags.yaml."""

    core, cudagraph_unsafe, data_dependent_output, dynamic_output_shape, flexible_layout, generated, inplace_view, \
        maybe_aliasing_or_mutating, needs_contiguous_strides, needs_exact_strides, needs_fixed_stride_order, \
        nondeterministic_bitwise, nondeterministic_seeded, pointwise, pt2_compliant_tag, reduction, view_copy = _range(17)


@_takes_out
def _int_mm(input, mat2):
    """The product of two matrices of int8, in int32."""
    for name, one in (("self", input), ("mat2", mat2)):
        if one.ndim != 2:
            raise RuntimeError(f"Expected {name} to be of dimension 2 but got {one.ndim}")
    if input.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"self.size(1) needs to match mat2.size(0) but got {input.shape[1]} and {mat2.shape[0]}")
    for name, one in (("self", input), ("mat2", mat2)):
        if one.dtype is not torch.int8:
            raise RuntimeError(f"int_mm_out_cpu : Expected {name} dtype to be of type int8 but got {_cpp_name(one.dtype)}")
    return torch.mm(input.to(torch.int32), mat2.to(torch.int32))


def poisson(input, generator=None):
    """A draw of each rate. Errors: RuntimeError  a rate is negative."""
    from torch.distributions._draws import poisson as draw
    if (input < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{_cpp_name(input.dtype)}'")
    return draw(input, generator)


def binomial(count, prob, generator=None):
    """How many of `count` trials succeed, each with probability `prob`."""
    from torch.distributions._draws import binomial as draw
    return draw(count, prob, generator)


def _standard_gamma(input, generator=None):
    from torch.distributions._draws import standard_gamma
    return standard_gamma(input)


def _standard_gamma_grad(self, output):
    from torch.distributions._implicit import standard_gamma_grad
    return standard_gamma_grad(self, output)


def _dirichlet_grad(x, alpha, total):
    from torch.distributions._implicit import dirichlet_grad
    return dirichlet_grad(x, alpha, total)


def _sample_dirichlet(input, generator=None):
    from torch.distributions._draws import sample_dirichlet
    return sample_dirichlet(input)


def empty_strided(size, stride, *, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False):
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    count = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride))
    made = torch.empty(count, dtype=dtype, device=device).as_strided(size, stride)
    return made.requires_grad_() if requires_grad else made


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    size, order = tuple(size), tuple(physical_layout)
    if sorted(order) != list(_range(len(size))):
        raise RuntimeError(f"Duplicate dim not allowed: physical_layout={list(order)}")
    stride, step = [0] * len(size), 1
    for axis in reversed(order):
        stride[axis] = step
        step *= size[axis]
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


def get_device(input):
    return input.get_device()


def _assert(condition, message):
    """An assert statement that graphs can hold."""
    kind = type(condition)
    if not isinstance(condition, torch.Tensor) and hasattr(kind, "__torch_function__"):
        return kind.__torch_function__(_assert, (kind,), (condition, message), {})
    assert condition, message


_assert.__module__ = "torch"


def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Behaviour: aten/src/ATen/native/TensorFactories.cpp, from_file."""
    if pin_memory:
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    dtype = torch.get_default_dtype() if dtype is None else dtype
    storage = torch.UntypedStorage.from_file(filename, bool(shared), (size or 0) * dtype.itemsize)
    return torch._C._rebuild_tensor(storage, 0, (size or 0,), (1,), dtype).requires_grad_(requires_grad)


def conv_tbc(input, weight, bias, pad=0):
    """Convolution of (time, batch, channels); weight (width, channels, outputs)."""
    return torch.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_channel_shuffle(input, groups):
    return _F.channel_shuffle(input, groups) if hasattr(_F, "channel_shuffle") else torch.channel_shuffle(input, groups)


def softshrink(input, lambd=0.5):
    return _F.softshrink(input, lambd)


def feature_dropout(input, p, train):
    return _F.dropout2d(input, p, train) if input.ndim > 2 else _F.dropout(input, p, train)


def feature_dropout_(input, p, train):
    return input.copy_(feature_dropout(input, p, train))


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """(h, c) behind one step. Shapes: input (batch, in), h and c (batch, hidden), w_ih (4 hidden, in)."""
    gates = _F.linear(input, w_ih, b_ih) + _F.linear(hx[0], w_hh, b_hh)
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * hx[1] + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """h behind one step. Shapes: input (batch, in), h (batch, hidden), w_ih (3 hidden, in)."""
    ir, iz, inn = _F.linear(input, w_ih, b_ih).chunk(3, 1)
    hr, hz, hn = _F.linear(hx, w_hh, b_hh).chunk(3, 1)
    z = (iz + hz).sigmoid()
    n = (inn + (ir + hr).sigmoid() * hn).tanh()
    return (hx - n) * z + n


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (_F.linear(input, w_ih, b_ih) + _F.linear(hx, w_hh, b_hh)).tanh()


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (_F.linear(input, w_ih, b_ih) + _F.linear(hx, w_hh, b_hh)).relu()


def native_dropout(input, p, train):
    """(output, mask)"""
    if train is False:
        return input, torch.ones_like(input, dtype=torch.bool)
    mask = torch.empty_like(input).bernoulli_(1 - p).bool()
    return input * mask * (1 / (1 - p) if p < 1 else 0.0), mask


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """(hist, bin_edges) of points (..., D) in D dimensions."""
    points = input.reshape(-1, input.shape[-1])
    count = points.shape[1]
    per_axis = [bins] * count if isinstance(bins, int) else list(bins)
    if len(per_axis) != count:
        raise RuntimeError(f"torch.histogramdd: Expected len(bins) to be {count}, got {len(per_axis)}")
    edges = []
    for axis in _range(count):
        limits = None if range is None else range[2 * axis:2 * axis + 2]
        edges.append(_methods.histogram(points[:, axis], per_axis[axis], range=limits)[1])
    shape = [edge.numel() - 1 for edge in edges]
    inside = torch.ones(points.shape[0], dtype=torch.bool)
    place = torch.zeros(points.shape[0], dtype=torch.int64)
    for axis, edge in enumerate(edges):
        column = points[:, axis].contiguous()
        inside &= (column >= edge[0]) & (column <= edge[-1])
        place = place * shape[axis] + (torch.bucketize(column, edge, right=True) - 1).clamp(0, shape[axis] - 1)
    weights = torch.ones(points.shape[0], dtype=input.dtype) if weight is None else weight.reshape(-1)
    hist = torch.zeros(torch.Size(shape).numel(), dtype=input.dtype).index_add_(0, place[inside], weights[inside])
    hist = hist.reshape(shape)
    if density:
        hist = hist / hist.sum()
        for axis, edge in enumerate(edges):
            hist = hist / edge.diff().reshape([-1 if other == axis else 1 for other in _range(count)])
    return _methods._named("histogramdd", ("hist", "bin_edges"))((hist, tuple(edges)))


def _refuse(name, why):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.{name}: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    globals()[name] = refuse


for _name in ("quantize_per_tensor", "quantize_per_channel", "dequantize", "fake_quantize_per_tensor_affine",
              "fake_quantize_per_channel_affine", "quantized_batch_norm"):
    _refuse(_name, "nnscope computes on no quantised tensors")
_refuse("lobpcg", "nnscope has it not; torch.linalg.eigh finds all eigenvalues")
_refuse("sspaddmm", "nnscope has it not")
_refuse("hsmm", "nnscope has it not")
_refuse("saddmm", "nnscope has it not")


class SymInt:
    """A size that a tracer knows by name only. No program of nnscope meets one: its tracer gives numbers."""


class SymFloat:
    """A number that a tracer knows by name only."""


class SymBool:
    """A truth value that a tracer knows by name only."""


for _cls in (SymInt, SymFloat, SymBool):
    _cls.__module__ = "torch"


def _nnpack_available():
    """Whether convolutions can be NNPACK's: there is none here."""
    return False


def conv_tbc(input, weight, bias, pad=0):
    """A convolution of (time, batch, channels) with (time, channels, channels of the output)."""
    made = _F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return made.permute(2, 0, 1).contiguous()
