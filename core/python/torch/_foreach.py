"""torch._foreach_*: one op on each tensor of a list. Behaviour: aten/src/ATen/native/ForeachOpsKernels.cpp, slow path.

Errors: RuntimeError  a list is empty, or lists are not of one length."""
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


def _one(name, tensor, other, keywords):
    if name in ("maximum", "minimum") and not isinstance(other, torch.Tensor):
        name = "clamp_min" if name == "maximum" else "clamp_max"
    return getattr(torch, name)(tensor, other, **keywords)


def _make_unary(name):
    def apply(self):
        return tuple(getattr(torch, name)(tensor) for tensor in _checked(self))

    def apply_(self):
        with torch.no_grad():
            for tensor in _checked(self):
                tensor.copy_(getattr(torch, name)(tensor))

    return apply, apply_


def _make_binary(name):
    def apply(self, other=None, *, alpha=None, scalars=None, exponent=None):
        self = _checked(self)
        other = next(given for given in (other, scalars, exponent) if given is not None)
        keywords = {} if alpha is None else {"alpha": alpha}
        return tuple(_one(name, tensor, one, keywords) for tensor, one in zip(self, _others(self, other)))

    def apply_(self, other=None, *, alpha=None, scalars=None, exponent=None):
        with torch.no_grad():
            for tensor, made in zip(self, apply(self, other, alpha=alpha, scalars=scalars, exponent=exponent)):
                tensor.copy_(made)

    return apply, apply_


def _make_ternary(name):
    def apply(self, tensor1, tensor2, value=1, *, scalars=None):
        self = _checked(self)
        values = value if scalars is None else scalars
        values = values.tolist() if isinstance(values, torch.Tensor) and values.ndim else values
        rows = zip(self, _others(self, tensor1), _others(self, tensor2), _others(self, values))
        return tuple(getattr(torch, name)(one, first, second, value=factor) for one, first, second, factor in rows)

    def apply_(self, tensor1, tensor2, value=1, *, scalars=None):
        with torch.no_grad():
            for tensor, made in zip(self, apply(self, tensor1, tensor2, value, scalars=scalars)):
                tensor.copy_(made)

    return apply, apply_


def _name(function, name):
    function.__name__ = function.__qualname__ = name
    globals()[name] = function


for _make, _names in ((_make_unary, _UNARY), (_make_binary, _BINARY), (_make_ternary, _TERNARY)):
    for _op in _names:
        _new, _in_place = _make(_op)
        _name(_new, f"_foreach_{_op}")
        _name(_in_place, f"_foreach_{_op}_")


def _foreach_lerp(self, tensors1, weight):
    self = _checked(self)
    return tuple(torch.lerp(one, end, by) for one, end, by in zip(self, _others(self, tensors1), _others(self, weight)))


def _foreach_lerp_(self, tensors1, weight):
    with torch.no_grad():
        for tensor, made in zip(self, _foreach_lerp(self, tensors1, weight)):
            tensor.copy_(made)


def _foreach_norm(self, ord=2, dtype=None):
    return tuple(torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in _checked(self))


def _foreach_max(self):
    return tuple(tensor.max() for tensor in _checked(self))


def _foreach_zero_(self):
    with torch.no_grad():
        for tensor in _checked(self):
            tensor.zero_()


def _foreach_copy_(self, src, non_blocking=False):
    self = _checked(self)
    with torch.no_grad():
        for tensor, source in zip(self, _others(self, src)):
            tensor.copy_(source, non_blocking=non_blocking)
