"""a + b and its like for arrays and scalars. Behaviour: numpy/_core/src/multiarray/number.c, binop_override.h."""
import torch

from numpy import _ufunc
from numpy._array import _cast, asarray, ndarray
from numpy._dtypes import BOOL, KINDS
from numpy._scalars import generic
from numpy._ufunc import UFUNCS, wrap


def _takes_part(value):
    return isinstance(value, (ndarray, generic, bool, int, float, complex, list, tuple)) or (
        hasattr(value, "__array__") and not isinstance(value, torch.Tensor))


def _scalar_pair(a, b):
    return isinstance(a, (generic, bool, int, float, complex)) and isinstance(b, (generic, bool, int, float, complex))


def _binary(function):
    def forward(self, other):
        if not _takes_part(other):
            return NotImplemented
        return function(self, other, _scalar=_scalar_pair(self, other))

    def reflected(self, other):
        if isinstance(other, torch.Tensor) and isinstance(self, ndarray):
            return torch.from_numpy(asarray(function(other, self)))
        if not _takes_part(other):
            return NotImplemented
        return function(other, self, _scalar=_scalar_pair(self, other))

    def in_place(self, other):
        if isinstance(other, torch.Tensor):
            other = other.__array__()
        elif not _takes_part(other):
            return NotImplemented
        made = function(self, other)
        if KINDS.index(made.dtype.kind) > KINDS.index(self.dtype.kind):
            raise _ufunc.UFuncTypeError(f"Cannot cast ufunc '{function.__name__}' output from {made.dtype!r} to "
                                        f"{self.dtype!r} with casting rule 'same_kind'")
        if made.shape != self.shape:
            texts = [str(one).replace(" ", "") for one in (self.shape, asarray(other).shape, made.shape)]
            raise ValueError(f"non-broadcastable output operand with shape {texts[0]} doesn't match the broadcast shape "
                             f"{texts[2]}")
        self._write(_cast(made._t, made.dtype, self.dtype))
        return self

    return forward, reflected, in_place


def _comparison(function):
    def compare(self, other):
        if isinstance(other, torch.Tensor) and isinstance(self, ndarray):
            other = other.__array__()
        elif not _takes_part(other):
            if function.__name__ in ("equal", "not_equal") and not isinstance(other, torch.Tensor):
                result = torch.full(self.shape, function.__name__ == "not_equal", dtype=torch.bool)
                return wrap(result, BOOL)
            return NotImplemented
        try:
            return function(self, other)
        except (TypeError, NotImplementedError):
            return NotImplemented

    return compare


def _divmod(self, other):
    return UFUNCS["floor_divide"](self, other), UFUNCS["remainder"](self, other)


def _pow(self, other, modulo=None):
    if not _takes_part(other):
        return NotImplemented
    return UFUNCS["power"](self, other, _scalar=_scalar_pair(self, other))


for _method, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
                       "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
                       "lshift": "left_shift", "rshift": "right_shift"}.items():
    _forward, _reflected, _in_place = _binary(UFUNCS[_name])
    for _cls in (ndarray, generic):
        setattr(_cls, f"__{_method}__", _pow if _method == "pow" else _forward)
        setattr(_cls, f"__r{_method}__", _reflected)
    setattr(ndarray, f"__i{_method}__", _in_place)
for _method, _name in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                       "ge": "greater_equal"}.items():
    for _cls in (ndarray, generic):
        setattr(_cls, f"__{_method}__", _comparison(UFUNCS[_name]))
for _method, _name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    for _cls in (ndarray, generic):
        setattr(_cls, f"__{_method}__", (lambda function: lambda self: function(self))(UFUNCS[_name]))
for _cls in (ndarray, generic):
    _cls.__divmod__ = _divmod
    _cls.__rdivmod__ = lambda self, other: _divmod(other, self)
