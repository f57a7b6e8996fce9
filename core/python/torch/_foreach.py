"""torch._foreach_*: one op on each tensor of a list. Behaviour: aten/src/ATen/native/ForeachOpsKernels.cpp, slow path; ForeachUtils.h.

In place they write into tensors as the methods do, and give None. Errors: RuntimeError  a list is empty, or lists are not of one
length; what the op itself raises."""
import torch

_UNARY = ("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma",
          "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt",
          "tan", "tanh", "trunc")
_BINARY = ("add", "sub", "mul", "div", "clamp_max", "clamp_min", "maximum", "minimum", "pow")
_TERNARY = ("addcdiv", "addcmul")


def _checked(tensors):
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return tensors


def _others(tensors, other):
    """What stands beside each tensor: an item of a list, or the same for all."""
    if isinstance(other, (list, tuple)):
        if len(other) != len(tensors):
            what = "Tensor lists must have the same number of tensors" if any(isinstance(one, torch.Tensor) for one in other) \
                else "Tensor list must have same number of elements as scalar list."
            raise RuntimeError(f"{what}, got {len(tensors)} and {len(other)}" if what[-1] != "." else what)
        return other
    return [other] * len(tensors)


def _unpacked(scalars, count):
    """The numbers of a packed tensor of scalars. Behaviour: convert_tensor_to_scalar_list."""
    if not isinstance(scalars, torch.Tensor):
        return scalars
    if scalars.device.type != "cpu":
        raise RuntimeError(f"Expected scalars to be on CPU, got {scalars.device} instead.")
    if not scalars.is_contiguous():
        raise RuntimeError("Expected scalars to be contiguous.")
    if scalars.ndim != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.ndim} instead.")
    if len(scalars) != count:
        raise RuntimeError(f"Expected length of scalars to match input of length {count} but got {len(scalars)} instead.")
    return scalars.tolist()


def _clamping(name):
    return {"maximum": "clamp_min", "minimum": "clamp_max"}.get(name, name)


def _make_unary(name):
    def apply(self):
        return tuple(getattr(torch, name)(tensor) for tensor in _checked(self))

    def apply_(self):
        for tensor in _checked(self):
            getattr(tensor, f"{name}_")()

    return apply, apply_


def _make_binary(name):
    def pairs(self, other, scalars, exponent):
        self = _checked(self)
        other = next(given for given in (other, scalars, exponent) if given is not None)
        return zip(self, _others(self, other))

    def apply(self, other=None, *, alpha=None, scalars=None, exponent=None):
        keywords = {} if alpha is None else {"alpha": alpha}
        if name == "pow" and not isinstance(self, (list, tuple)):
            # One base for all exponents.
            powers = _checked(other if exponent is None else exponent)
            return tuple(torch.pow(self, power) for power in powers)
        return tuple(getattr(torch, name if isinstance(one, torch.Tensor) else _clamping(name))(tensor, one, **keywords)
                     for tensor, one in pairs(self, other, scalars, exponent))

    def apply_(self, other=None, *, alpha=None, scalars=None, exponent=None):
        keywords = {} if alpha is None else {"alpha": alpha}
        for tensor, one in pairs(self, other, scalars, exponent):
            getattr(tensor, f"{_clamping(name)}_")(one, **keywords)

    return apply, apply_


def _make_ternary(name):
    def rows(self, tensor1, tensor2, value, scalars):
        self = _checked(self)
        values = _unpacked(value if scalars is None else scalars, len(self))
        return zip(self, _others(self, tensor1), _others(self, tensor2), _others(self, values))

    def apply(self, tensor1, tensor2, value=1, *, scalars=None):
        return tuple(getattr(torch, name)(one, first, second, value=factor)
                     for one, first, second, factor in rows(self, tensor1, tensor2, value, scalars))

    def apply_(self, tensor1, tensor2, value=1, *, scalars=None):
        for one, first, second, factor in rows(self, tensor1, tensor2, value, scalars):
            getattr(one, f"{name}_")(first, second, value=factor)

    return apply, apply_


def _name(function, name):
    function.__name__ = function.__qualname__ = name
    globals()[name] = function


for _make, _names in ((_make_unary, _UNARY), (_make_binary, _BINARY), (_make_ternary, _TERNARY)):
    for _op in _names:
        _new, _in_place = _make(_op)
        _name(_new, f"_foreach_{_op}")
        _name(_in_place, f"_foreach_{_op}_")


def _lerp_rows(self, tensors1, weight):
    self = _checked(self)
    return zip(self, _others(self, tensors1), _others(self, weight))


def _foreach_lerp(self, tensors1, weight):
    return tuple(torch.lerp(one, end, by) for one, end, by in _lerp_rows(self, tensors1, weight))


def _foreach_lerp_(self, tensors1, weight):
    for one, end, by in _lerp_rows(self, tensors1, weight):
        one.lerp_(end, by)


def _foreach_norm(self, ord=2, dtype=None):
    return tuple(torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in _checked(self))


def _foreach_max(self):
    return tuple(tensor.max() for tensor in _checked(self))


def _foreach_zero_(self):
    for tensor in _checked(self):
        tensor.zero_()


def _foreach_copy_(self, src, non_blocking=False):
    self = _checked(self)
    for tensor, source in zip(self, _others(self, src)):
        tensor.copy_(source, non_blocking=non_blocking)
