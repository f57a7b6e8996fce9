"""Functions item by item. Behaviour: numpy/_core/src/umath, NEP 50 for the types of results."""
import sys
import warnings

import torch

from numpy import _complex
from numpy._dtypes import (
    BOOL, FLOAT64, INT8, KINDS, UINT64, absent, as_dtype, bounds, dtype, floating_for, promote, with_weak,
)
from numpy._scalars import generic, make

_array = None  # the module numpy._array, which needs this one
_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def wrap(tensor, found):
    """An array, or a scalar where there are no dimensions."""
    if tensor.ndim == 0:
        return make(found, item_of(tensor, found))
    return _array.ndarray._of(tensor, found)


def item_of(tensor, found):
    value = tensor.item()
    return value + 2 ** 64 if found is UINT64 and value < 0 else value


def tensor_of_number(value, found):
    """A number of Python as a tensor of the type. Errors: OverflowError."""
    if found.kind in "iu":
        low, high = bounds(found)
        if not low <= value <= high:
            raise OverflowError(f"Python integer {value} out of bounds for {found.name}")
        if value >= 2 ** 63:
            return torch.tensor(value - 2 ** 64, dtype=torch.int64).to(torch.uint64)
    return torch.tensor(value, dtype=found.torch)


class _Operand:
    """A tensor with its type, or a number of Python that takes the type of the others."""

    __slots__ = ("tensor", "found", "weak", "value")

    def __init__(self, given, name):
        self.tensor = self.found = self.value = None
        self.weak = ""
        if isinstance(given, (_array.ndarray, generic)):
            self.tensor, self.found = given._t, given.dtype
        elif isinstance(given, bool):
            self.weak, self.value = "b", given
        elif isinstance(given, int):
            self.weak, self.value = "i", given
        elif isinstance(given, float):
            self.weak, self.value = "f", given
        elif isinstance(given, complex):
            self.weak, self.value = "c", given
        else:
            try:
                made = _array.asarray(given)
            except NotImplementedError:
                raise _refusal(name) from None
            self.tensor, self.found = made._t, made.dtype

    def own_type(self):
        return with_weak(self.found, self.weak)

    def as_tensor(self, found):
        if self.tensor is None:
            return tensor_of_number(self.value, found)
        return self.tensor.to(found.torch)

    def is_scalar(self):
        return self.tensor is None or self.tensor.ndim == 0


def result_of(operands):
    """The type that operands have together."""
    found, weak = None, ""
    for one in operands:
        if one.found is not None:
            found = one.found if found is None else promote(found, one.found)
        elif "bifc".find(one.weak) > "bifc".find(weak) or not weak:
            weak = one.weak
    return with_weak(found, weak)


def warn_at_caller(text, category):
    """A warning at the line that called numpy."""
    level = 2
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "numpy":
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)


def _warn(kind, text):
    how = _ERRORS[kind]
    if how == "warn":
        warn_at_caller(text, RuntimeWarning)
    elif how == "raise":
        raise FloatingPointError(text)


def _check(name, result, tensors):
    """The warnings for what became infinite or no number."""
    if bool(_complex.isfinite(result).all()):
        return
    clean = no_nans = torch.ones((), dtype=torch.bool)
    for one in tensors:
        if one.dtype.is_floating_point or one.is_complex():
            clean, no_nans = clean & _complex.isfinite(one), no_nans & ~_complex.isnan(one)
    if bool((_complex.isinf(result) & clean).any()):
        is_pole = name.split()[-1] in ("divide", "floor_divide", "remainder", "log", "log2", "log10", "log1p", "reciprocal",
                                       "arctanh")
        if is_pole:
            _warn("divide", f"divide by zero encountered in {name}")
        else:
            _warn("over", f"overflow encountered in {name}")
    if bool((_complex.isnan(result) & no_nans).any()):
        _warn("invalid", f"invalid value encountered in {name}")


def _refusal(name):
    return TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
                     "supported types according to the casting rule ''safe''")


class ufunc:
    """A function of one or two arrays, item by item, with broadcasting."""

    def __init__(self, name, nin, rule, compute, identity=None):
        self.__name__, self.nin, self.nout, self._rule, self._compute, self.identity = name, nin, 1, rule, compute, identity
        self.nargs = nin + 1

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True, _scalar=False):
        if len(args) == self.nin + 1 and out is None:
            args, out = args[:-1], args[-1]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nin + 1} positional arguments but "
                            f"{len(args)} were given")
        operands = [_Operand(one, self.__name__) for one in args]
        wanted = None if dtype is None else as_dtype(dtype)
        result, found = self._run(operands, wanted, _scalar)
        if isinstance(out, tuple):
            out, = out
        if where is not True:
            mask = _array.asarray(where)._t
            if out is None:
                result = torch.where(mask, result, torch.zeros((), dtype=result.dtype))
            else:
                result = torch.where(mask, result, out._t.to(result.dtype))
        if out is not None:
            if not isinstance(out, _array.ndarray):
                raise TypeError("return arrays must be of ArrayType")
            if KINDS.index(found.kind) > KINDS.index(out.dtype.kind):
                raise UFuncTypeError(f"Cannot cast ufunc '{self.__name__}' output from {found!r} to {out.dtype!r} with "
                                     f"casting rule '{casting}'")
            out._write(result.expand(out.shape))
            return out
        if any(isinstance(one, torch.Tensor) for one in args):
            return result.contiguous()  # Tensor.__array_wrap__
        return wrap(result, found)

    def _run(self, operands, wanted, is_scalar):
        rule = self._rule
        together = result_of(operands)
        if rule == "compare" and together.kind in "iu":
            # Numbers beyond the type are compared as they are.
            low, high = bounds(together)
            if any(one.weak == "i" and not low <= one.value <= high for one in operands):
                together = FLOAT64
        if rule == "logic":
            tensors = [one.as_tensor(one.own_type()) for one in operands]
            return self._compute(*[one if one.dtype == torch.bool else one != 0 for one in tensors]), BOOL
        if rule == "bit" and together.kind in "fc":
            raise _refusal(self.__name__)
        found = wanted or together
        if rule == "float":
            # The least floating type that holds each of them, not what they have in common.
            found = floating_for(found)
            each = [floating_for(one.found) for one in operands if one.found is not None]
            if wanted is None and len(each) == 2:
                found = promote(*each)
        elif rule == "divide":
            found = found if found.kind in "fc" else FLOAT64
        elif rule == "number" and found is BOOL:
            found = INT8
        compute = self._compute
        if found.kind == "c":
            compute = OF_COMPLEX.get(self.__name__)
            if compute is None:
                raise _refusal(self.__name__)
        tensors = [one.as_tensor(found) for one in operands]
        try:
            if rule == "test":
                if found.kind not in "fc":
                    tensors[0] = tensors[0].to(torch.float64)
                return compute(*tensors), BOOL
            result = compute(*tensors)
        except RuntimeError as error:
            shapes = [tuple(one.shape) for one in tensors]
            if len(shapes) == 2 and not _fit(*shapes):
                texts = " ".join(str(shape).replace(" ", "") for shape in shapes)
                raise ValueError(f"operands could not be broadcast together with shapes {texts} ") from None
            raise error
        if rule == "compare":
            return result, BOOL
        if (result.dtype.is_floating_point or found.kind == "c") and self.__name__ in _CHECKED:
            _check(("scalar " if is_scalar else "") + self.__name__, result, tensors)
        return result, dtype._of_torch[result.dtype]

    def outer(self, a, b):
        a, b = _array.asarray(a), _array.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b)


class UFuncTypeError(TypeError):
    pass


UFuncTypeError.__name__ = UFuncTypeError.__qualname__ = "UFuncTypeError"
UFuncTypeError.__module__ = "numpy._core._exceptions"


def _fit(a, b):
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b)))


def _subtract(a, b):
    if a.dtype == torch.bool:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                        "or the logical_xor function instead.")
    return a - b


def _negative(a):
    if a.dtype == torch.bool:
        raise TypeError("The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
                        "logical_not function instead.")
    return -a


def _add(a, b):
    return a | b if a.dtype == torch.bool else a + b


def _multiply(a, b):
    return a & b if a.dtype == torch.bool else a * b


def _whole_division(name, compute):
    def divide(a, b):
        if a.dtype.is_floating_point:
            return compute(a, b)
        zero = b == 0
        if not bool(zero.any()):
            return compute(a, b)
        _warn("divide", f"divide by zero encountered in {name}")
        made = compute(a, torch.where(zero, torch.ones_like(b), b))
        return torch.where(zero, torch.zeros_like(made), made)

    return divide


def _floor_divide(a, b):
    if a.dtype.is_floating_point:
        # npy_divmod: the quotient without its remainder, rounded.
        rest = torch.fmod(a, b)
        quotient = (a - rest) / b
        quotient = torch.where((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1, quotient)
        low = torch.floor(quotient)
        low = torch.where(quotient - low > 0.5, low + 1, low)
        low = torch.where(quotient == 0, torch.copysign(torch.zeros_like(quotient), a / b), low)
        return torch.where(b == 0, a / b, low)
    return torch.floor_divide(a, b)


def _remainder(a, b):
    made = torch.remainder(a, b)
    # npy_divmod: a remainder of zero has the sign of the divisor.
    return torch.where(made == 0, torch.copysign(made, b), made) if a.dtype.is_floating_point else made


def _power(a, b):
    if not a.dtype.is_floating_point and bool((b < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return torch.pow(a, b)


def _not_of_bools(name, compute):
    def run(a):
        if a.dtype == torch.bool:
            raise UFuncTypeError(f"ufunc '{name}' did not contain a loop with signature matching types "
                                 "<class 'numpy.dtypes.BoolDType'> -> None")
        return compute(a)

    return run


def _reciprocal(a):
    if a.dtype.is_floating_point:
        return torch.reciprocal(a)
    found = dtype._of_torch[a.dtype]
    zero = a == 0
    if bool(zero.any()):
        _warn("divide", "divide by zero encountered in reciprocal")
    made = torch.floor_divide(torch.ones_like(a), torch.where(zero, torch.ones_like(a), torch.abs(a) if found.kind == "i" else a))
    if found.kind == "i":
        made = torch.where(a < 0, -made, made)
    pole = bounds(found)[0] if found.itemsize >= 4 else 0
    return torch.where(zero, torch.full_like(a, pole), made)


def _sign(a):
    return torch.where(torch.isnan(a), a, torch.sign(a)) if a.dtype.is_floating_point else torch.sign(a)


def _keep_whole(compute):
    return lambda a: compute(a) if a.dtype.is_floating_point else a


def _tensor_function(name):
    function = getattr(torch, name)
    return lambda *tensors: function(*tensors)


_CHECKED = {"divide", "floor_divide", "remainder", "fmod", "power", "log", "log2", "log10", "log1p", "sqrt", "exp", "exp2",
            "expm1", "arcsin", "arccos", "arccosh", "arctanh", "add", "subtract", "multiply", "square", "reciprocal", "sinh",
            "cosh", "float_power", "sin", "cos", "tan"}
UFUNCS = {}
for _name, _nin, _rule, _function in [
    ("add", 2, "keep", _add), ("subtract", 2, "keep", _subtract), ("multiply", 2, "keep", _multiply),
    ("divide", 2, "divide", torch.true_divide if hasattr(torch, "true_divide") else torch.div),
    ("floor_divide", 2, "number", _whole_division("floor_divide", _floor_divide)),
    ("remainder", 2, "number", _whole_division("remainder", _remainder)),
    ("fmod", 2, "number", _whole_division("fmod", torch.fmod)), ("power", 2, "number", _power),
    ("maximum", 2, "keep", torch.maximum), ("minimum", 2, "keep", torch.minimum), ("fmax", 2, "keep", torch.fmax),
    ("fmin", 2, "keep", torch.fmin), ("arctan2", 2, "float", torch.atan2), ("hypot", 2, "float", torch.hypot),
    ("logaddexp", 2, "float", torch.logaddexp), ("logaddexp2", 2, "float", torch.logaddexp2),
    ("copysign", 2, "float", torch.copysign), ("nextafter", 2, "float", torch.nextafter),
    ("heaviside", 2, "float", torch.heaviside), ("gcd", 2, "bit", torch.gcd), ("lcm", 2, "bit", torch.lcm),
    ("float_power", 2, "divide", lambda a, b: torch.pow(a.double(), b.double())),
    ("equal", 2, "compare", torch.eq), ("not_equal", 2, "compare", torch.ne), ("less", 2, "compare", torch.lt),
    ("less_equal", 2, "compare", torch.le), ("greater", 2, "compare", torch.gt), ("greater_equal", 2, "compare", torch.ge),
    ("logical_and", 2, "logic", torch.logical_and), ("logical_or", 2, "logic", torch.logical_or),
    ("logical_xor", 2, "logic", torch.logical_xor), ("logical_not", 1, "logic", torch.logical_not),
    ("bitwise_and", 2, "bit", torch.bitwise_and), ("bitwise_or", 2, "bit", torch.bitwise_or),
    ("bitwise_xor", 2, "bit", torch.bitwise_xor), ("invert", 1, "bit", torch.bitwise_not),
    ("left_shift", 2, "bit", torch.bitwise_left_shift), ("right_shift", 2, "bit", torch.bitwise_right_shift),
    ("negative", 1, "keep", _negative), ("positive", 1, "keep", _not_of_bools("positive", lambda a: a.clone())),
    ("absolute", 1, "keep", lambda a: a.clone() if a.dtype in (torch.bool, torch.uint8) else torch.abs(a)),
    ("conjugate", 1, "number", lambda a: a.clone()), ("fabs", 1, "float", torch.abs),
    ("sign", 1, "keep", _not_of_bools("sign", _sign)), ("square", 1, "number", lambda a: a * a),
    ("reciprocal", 1, "number", _reciprocal),
    ("sqrt", 1, "float", torch.sqrt), ("exp", 1, "float", torch.exp), ("exp2", 1, "float", torch.exp2),
    ("expm1", 1, "float", torch.expm1), ("log", 1, "float", torch.log), ("log2", 1, "float", torch.log2),
    ("log10", 1, "float", torch.log10), ("log1p", 1, "float", torch.log1p), ("sin", 1, "float", torch.sin),
    ("cos", 1, "float", torch.cos), ("tan", 1, "float", torch.tan), ("arcsin", 1, "float", torch.asin),
    ("arccos", 1, "float", torch.acos), ("arctan", 1, "float", torch.atan), ("sinh", 1, "float", torch.sinh),
    ("cosh", 1, "float", torch.cosh), ("tanh", 1, "float", torch.tanh), ("arcsinh", 1, "float", torch.asinh),
    ("arccosh", 1, "float", torch.acosh), ("arctanh", 1, "float", torch.atanh), ("deg2rad", 1, "float", torch.deg2rad),
    ("rad2deg", 1, "float", torch.rad2deg), ("floor", 1, "keep", _keep_whole(torch.floor)),
    ("ceil", 1, "keep", _keep_whole(torch.ceil)), ("trunc", 1, "keep", _keep_whole(torch.trunc)),
    ("rint", 1, "float", torch.round), ("isnan", 1, "test", torch.isnan), ("isinf", 1, "test", torch.isinf),
    ("isfinite", 1, "test", torch.isfinite), ("signbit", 1, "test", torch.signbit),
]:
    UFUNCS[_name] = ufunc(_name, _nin, _rule, _function)
for _alias, _of in {"true_divide": "divide", "mod": "remainder", "abs": "absolute", "conj": "conjugate",
                    "bitwise_not": "invert", "bitwise_invert": "invert", "radians": "deg2rad", "degrees": "rad2deg",
                    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2", "acosh": "arccosh",
                    "asinh": "arcsinh", "atanh": "arctanh", "pow": "power", "bitwise_left_shift": "left_shift",
                    "bitwise_right_shift": "right_shift"}.items():
    UFUNCS[_alias] = UFUNCS[_of]
for _name, _identity in {"add": 0, "multiply": 1, "logical_and": True, "logical_or": False}.items():
    UFUNCS[_name].identity = _identity


# What functions do with complex numbers; the others refuse them.
OF_COMPLEX = {
    "add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "divide": _complex.divide, "power": _complex.power,
    "float_power": lambda a, b: _complex.power(a.to(torch.complex128), b.to(torch.complex128)),
    "maximum": _complex.maximum, "minimum": _complex.minimum, "fmax": _complex.fmax, "fmin": _complex.fmin,
    "equal": torch.eq, "not_equal": torch.ne, "less": _complex.less, "less_equal": _complex.less_equal,
    "greater": _complex.greater, "greater_equal": _complex.greater_equal, "negative": torch.neg,
    "positive": lambda a: a.clone(), "conjugate": lambda a: torch.conj(a).resolve_conj(), "absolute": torch.abs,
    "sign": _complex.sign, "square": lambda a: a * a, "reciprocal": _complex.reciprocal, "sqrt": torch.sqrt,
    "exp": torch.exp, "exp2": _complex.exp2, "expm1": _complex.expm1, "log": torch.log, "log2": _complex.logarithm(2.0),
    "log10": _complex.logarithm(10.0), "log1p": _complex.log1p, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan,
    "arcsin": torch.asin, "arccos": torch.acos, "arctan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh,
    "tanh": torch.tanh, "arcsinh": torch.asinh, "arccosh": torch.acosh, "arctanh": torch.atanh,
    "rint": _complex.by_parts(torch.round), "isnan": _complex.isnan, "isinf": _complex.isinf, "isfinite": _complex.isfinite,
}


class errstate:
    """What happens at a division by zero and its like, for the length of a with block."""

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        self._given = {"divide": divide or all, "over": over or all, "under": under or all, "invalid": invalid or all}
        for how in self._given.values():
            if how not in (None, "ignore", "warn", "raise"):
                raise absent(f"errstate(...={how!r})")

    def __enter__(self):
        self._kept = dict(_ERRORS)
        _ERRORS.update({name: how for name, how in self._given.items() if how is not None})

    def __exit__(self, *error):
        _ERRORS.update(self._kept)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with errstate(**{name: how for name, how in self._given.items()}):
                return function(*args, **kwargs)

        return inside


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    old = dict(_ERRORS)
    given = errstate(all=all, divide=divide, over=over, under=under, invalid=invalid)._given
    _ERRORS.update({name: how for name, how in given.items() if how is not None})
    return old


def geterr():
    return dict(_ERRORS)
