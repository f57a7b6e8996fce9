"""Methods of Tensor that are made of others. Behaviour: torch/_tensor.py; native_functions.yaml, the functions of these names.

Random numbers come from the generator as PyTorch's CPU generator has them: aten/src/ATen/core/TransformationHelper.h."""
import math

import torch
from torch._type_info import cpp_name as _cpp_name


def _check_floating(self, name):
    if not self.is_floating_point():
        raise NotImplementedError(f"\"{name}\" not implemented for '{_cpp_name(self.dtype)}'")


def _uniform(shape, generator):
    """Numbers in [0, 1) with 53 digits, one draw after another."""
    return torch.empty(shape, dtype=torch.float64).uniform_(generator=generator)


def cauchy_(self, median=0, sigma=1, *, generator=None):
    if not (self.is_floating_point()):
        raise RuntimeError(f"Cauchy distribution is a continuous probability distribution. dtype must be a floating point but "
                           f"you specified {str(self.dtype).partition('.')[2]}")
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    with torch.no_grad():
        return self.copy_(median + sigma * torch.tan(math.pi * (_uniform(self.shape, generator) - 0.5)))


def geometric_(self, p, *, generator=None):
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    with torch.no_grad():
        return self.copy_(torch.ceil(torch.log(_uniform(self.shape, generator)) / math.log1p(-p)))


def log_normal_(self, mean=1, std=2, *, generator=None):
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    _check_floating(self, "log_normal_cpu")
    with torch.no_grad():
        one = torch.empty((), dtype=torch.float64)
        drawn = [one.normal_(generator=generator).item() for _ in range(self.numel())]
        return self.copy_(torch.exp(torch.tensor(drawn, dtype=torch.float64) * std + mean).reshape(self.shape))


def apply_(self, callable):
    if self.requires_grad:
        raise TypeError("Can't use function apply_ on a Variable that requires grad. Use torch.no_grad() or "
                        "detach it first")
    return self.copy_(torch.tensor([callable(one) for one in self.flatten().tolist()], dtype=self.dtype).reshape(self.shape))


def map_(self, tensor, callable):
    if self.requires_grad or tensor.requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    if self.dtype != tensor.dtype:
        raise TypeError(f"map_: expected {self.type()} for argument 'x' (got {tensor.type()})")
    other = tensor.expand_as(self)
    made = [callable(a, b) for a, b in zip(self.flatten().tolist(), other.flatten().tolist())]
    return self.copy_(torch.tensor(made, dtype=self.dtype).reshape(self.shape))


def map2_(self, x, y, callable):
    if self.requires_grad or x.requires_grad or y.requires_grad:
        raise RuntimeError("Can't call map2_() on Variable that requires grad. Use var.detach().map2_() instead.")
    rows = zip(self.flatten().tolist(), x.expand_as(self).flatten().tolist(), y.expand_as(self).flatten().tolist())
    return self.copy_(torch.tensor([callable(*row) for row in rows], dtype=self.dtype).reshape(self.shape))


def frexp(self):
    """(mantissa, exponent): self == mantissa * 2**exponent, and the mantissa lies in [0.5, 1) or is 0."""
    if not self.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    parts = [math.frexp(one) if math.isfinite(one) else (one, 0) for one in self.detach().double().flatten().tolist()]
    exponent = torch.tensor([part[1] for part in parts], dtype=torch.int32).reshape(self.shape)
    # The number times a power of two, through which gradients flow; in two steps, neither of which overflows.
    half = torch.div(exponent, 2, rounding_mode="floor")
    mantissa = self * torch.pow(2.0, -half.double()).to(self.dtype) * torch.pow(2.0, (half - exponent).double()).to(self.dtype)
    return _named("frexp", ("mantissa", "exponent"))((mantissa, exponent))


_tuples = {}


def _named(name, fields):
    """torch.return_types.<name>."""
    if name not in _tuples:
        def shown(self):
            parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self))
            return f"torch.return_types.{name}(\n{parts})"

        body = {field: property(lambda self, at=at: self[at]) for at, field in enumerate(fields)}
        body.update(__repr__=shown, __module__="torch.return_types")
        _tuples[name] = type(name, (tuple,), body)
    return _tuples[name]


def histogram(self, bins, *, range=None, weight=None, density=False):
    """(hist, bin_edges). Behaviour: aten/src/ATen/native/Histogram.cpp: each bin has its lower edge, the last one both."""
    _check_floating(self, "histogram_cpu")
    if isinstance(bins, torch.Tensor):
        edges = bins
        if bins.dtype != self.dtype:
            raise RuntimeError("torch.histogram: input tensor and bins tensors should have the same dtype, but got input with "
                               f"dtype {_cpp_name(self.dtype)} and bins with dtype {_cpp_name(bins.dtype)}")
    else:
        if bins <= 0:
            raise RuntimeError(f"torch.histogramdd(): bins must be > 0, but got {bins} for dimension 0")
        if range is None:
            low, high = (self.min().item(), self.max().item()) if self.numel() else (0.0, 1.0)
        else:
            low, high = range
        if low > high:
            raise RuntimeError(f"torch.histogramdd(): min should not exceed max, but got min {low} max {high} for dimension 0")
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = torch.linspace(low, high, bins + 1, dtype=self.dtype)
    flat = self.detach().flatten()
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    places = (torch.bucketize(flat[inside], edges, right=True) - 1).clamp(max=edges.numel() - 2)
    weights = torch.ones_like(flat) if weight is None else weight.flatten()
    hist = torch.zeros(edges.numel() - 1, dtype=self.dtype).index_add_(0, places, weights[inside])
    if density:
        hist = hist / (hist.sum() * edges.diff())
    return _named("histogram", ("hist", "bin_edges"))((hist, edges))


def inner(self, other):
    return torch.inner(self, other)


def igamma(self, other):
    return _incomplete(self, other, False)


def igammac(self, other):
    return _incomplete(self, other, True)


def _front(a, x):
    """x^a exp(-x) / Gamma(a)."""
    return math.exp(a * math.log(x) - x - math.lgamma(a))


def _upper_fraction(a, x):
    """The continued fraction of the upper incomplete gamma function, which converges where x >= a + 1 (DLMF 8.9.2)."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for i in range(1, 10000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b or 1e-300)
        c = b + step / c or 1e-300
        fraction *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return fraction


def _lower(a, x):
    """The regularised lower incomplete gamma function, by its series or its continued fraction (DLMF 8.11.4, 8.9.2)."""
    if math.isnan(a) or math.isnan(x) or a < 0 or x < 0 or (a == 0 and x == 0):
        return math.nan
    if a == 0:
        return 1.0
    if x == 0:
        return 0.0
    if math.isinf(a):
        return math.nan if math.isinf(x) else 0.0
    if math.isinf(x):
        return 1.0
    front = _front(a, x)
    if x < a + 1:
        term = total = 1.0 / a
        n = a
        while abs(term) > abs(total) * 1e-17:
            n += 1
            term *= x / n
            total += term
        return front * total
    return 1 - front * _upper_fraction(a, x)


def _upper(a, x):
    if not (a >= 0 and x >= 0) or (a == 0 and x == 0):
        return math.nan
    if a > 0 and math.isfinite(a) and math.isfinite(x) and x >= a + 1:
        # Not 1 minus the other, which would lose all digits where this one is small.
        return _front(a, x) * _upper_fraction(a, x)
    return 1 - _lower(a, x)


class _Incomplete(torch.autograd.Function):
    """Gradients flow to x only, as in PyTorch."""

    @staticmethod
    def forward(ctx, a, x, is_upper):
        ctx.save_for_backward(a, x)
        ctx.is_upper = is_upper
        rows = zip(a.double().flatten().tolist(), x.double().flatten().tolist())
        made = [(_upper if is_upper else _lower)(*row) for row in rows]
        return torch.tensor(made, dtype=torch.float64).to(a.dtype).reshape(a.shape)

    @staticmethod
    def backward(ctx, grad):
        a, x = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            raise NotImplementedError(f"the derivative for 'igamma{'c' if ctx.is_upper else ''}: input' is not implemented.")
        slope = torch.exp((a - 1) * torch.log(x) - x - torch.lgamma(a))
        return None, grad * (-slope if ctx.is_upper else slope), None


def _incomplete(a, x, is_upper):
    dtype = torch.promote_types(a.dtype, x.dtype)
    a, x = (one.to(dtype) for one in torch.broadcast_tensors(a, x))
    return _Incomplete.apply(a, x, is_upper)


def put_(self, index, source, accumulate=False):
    """As if it were flat: self[index] = source, or += source."""
    if index.dtype is not torch.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {_cpp_name(index.dtype)}")
    if self.dtype is not source.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{_cpp_name(self.dtype)} and source.dtype = {_cpp_name(source.dtype)}")
    if index.numel() != source.numel():
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got source.numel() = "
                         f"{source.numel()}, index.numel() = {index.numel()}")
    if self.numel() == 0 and index.numel() != 0:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    if torch._debug_has_internal_overlap(self) == 1:
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory "
                           "location. Please clone() the tensor before performing the operation.")
    if self.is_contiguous() and not self.requires_grad:
        self.view(-1).index_put_((index.reshape(-1),), source.reshape(-1), accumulate)
        return self
    flat = self.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return self.copy_(flat.reshape(self.shape))


def put(self, index, source, accumulate=False):
    return put_(self.clone(), index, source, accumulate)


def renorm(self, p, dim, maxnorm):
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    others = [axis for axis in range(self.ndim) if axis != dim % self.ndim]
    norms = torch.linalg.vector_norm(self, p, others, keepdim=True)
    return self * torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))


def renorm_(self, p, dim, maxnorm):
    # Gradients read what stood here before.
    return self.copy_(renorm(self.clone() if self.requires_grad else self, p, dim, maxnorm))


def dim_order(self, ambiguity_check=False):
    """Dimensions from the outermost to the innermost, by their strides."""
    strides = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda axis: -strides[axis]))


def float_power_(self, exponent):
    wanted = torch.complex128 if self.is_complex() else torch.float64
    if self.dtype != wanted:
        raise RuntimeError("the base given to float_power_ has dtype "
                           f"{_cpp_name(self.dtype)} but the operation's result requires dtype {_cpp_name(wanted)}")
    return self.pow_(exponent)


def unsafe_chunk(self, chunks, dim=0):
    return tuple(part.clone() for part in self.chunk(chunks, dim))


def unsafe_split(self, split_size, dim=0):
    return tuple(part.clone() for part in self.split(split_size, dim))


def new_empty_strided(self, size, stride, dtype=None, device=None, requires_grad=False, layout=torch.strided,
                      pin_memory=False):
    return torch.empty_strided(size, stride, dtype=dtype or self.dtype, device=device or self.device,
                               requires_grad=requires_grad)


def nonzero_static(self, *, size, fill_value=-1):
    """Indices of what is not zero, as many as `size`: the rest has `fill_value`."""
    found = self.nonzero()[:size]
    rest = torch.full((size - found.shape[0], self.ndim), fill_value, dtype=torch.int64)
    return torch.cat([found, rest])


def chalf(self, memory_format=torch.preserve_format):
    return self.to(torch.complex32)


def record_stream(self, stream):
    """What a stream of the GPU uses stays until it is done; here the memory does anyway."""


def smm(self, mat):
    return torch.smm(self, mat)


def _refuse(name, why):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"Tensor.{name}: {why}")

    refuse.__name__ = name
    globals()[name] = refuse


for _method in ("align_as", "align_to", "refine_names", "rename", "rename_"):
    _refuse(_method, "nnscope has no named dimensions")
for _method in ("int_repr", "dequantize", "q_scale", "q_zero_point"):
    _refuse(_method, "nnscope computes on no quantised tensors")
_refuse("to_mkldnn", "nnscope has no tensors of MKL-DNN")
_refuse("to_padded_tensor", "nnscope has no nested tensors")
_refuse("sspaddmm", "nnscope has it not")


def module_load(self, other, assign=False):
    """What load_state_dict() puts in this tensor's place where parameters are swapped."""
    return other.detach() if assign else self.copy_(other).detach()
