"""torch.finfo and torch.iinfo. Behaviour: torch/csrc/TypeInfo.cpp."""
import torch

# Bits, digits behind the point, the exponents of the least normal number and of the largest one, decimal digits.
_FLOATS = {torch.float16: (16, 10, -14, 15, 3), torch.bfloat16: (16, 7, -126, 127, 2),
           torch.float32: (32, 23, -126, 127, 6), torch.float64: (64, 52, -1022, 1023, 15),
           torch.float8_e4m3fn: (8, 3, -6, 8, 0), torch.float8_e5m2: (8, 2, -14, 15, 0),
           torch.float8_e4m3fnuz: (8, 3, -7, 7, 0), torch.float8_e5m2fnuz: (8, 2, -15, 15, 0)}
_PARTS = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}
_INTEGERS = {torch.uint8: (8, 0), torch.int8: (8, 1), torch.int16: (16, 1), torch.int32: (32, 1), torch.int64: (64, 1),
             torch.uint16: (16, 0), torch.uint32: (32, 0), torch.uint64: (64, 0)}


class _Info:
    """Equal where it tells of the same dtype."""

    def __eq__(self, other):
        return self.dtype == other.dtype if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash(self.dtype)


class finfo(_Info):
    """What a floating dtype can hold; without one that of the default dtype."""

    def __init__(self, type=None):
        dtype = torch.get_default_dtype() if type is None else type
        dtype = _PARTS.get(dtype, dtype)
        if dtype not in _FLOATS:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        self.bits, digits, least, greatest, precision = _FLOATS[dtype]
        self.dtype = str(dtype).removeprefix("torch.")
        self.eps = 2.0 ** -digits
        # The last number of float8_e4m3fn is NaN, and it has no infinities.
        lost = 2 if dtype == torch.float8_e4m3fn else 1
        self.max = (2.0 - lost * self.eps) * 2.0 ** greatest
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** least
        self.resolution = 10.0 ** -precision

    def __repr__(self):
        names = ["resolution", "min", "max", "eps", "smallest_normal", "tiny"]
        numbers = ", ".join(f"{name}={getattr(self, name):.6g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"


class iinfo(_Info):
    """The bounds of an integer dtype."""

    def __init__(self, type):
        if type not in _INTEGERS:
            if type == torch.bool:
                raise TypeError("torch.bool is not supported by torch.iinfo")
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.bits, signed = _INTEGERS[type]
        self.dtype = str(type).removeprefix("torch.")
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


finfo.__module__ = iinfo.__module__ = "torch"


def cpp_type(dtype):
    """The type itself, as errors that print it have it."""
    return {torch.int64: "long int", torch.int32: "int", torch.int16: "short int", torch.int8: "signed char",
            torch.uint8: "unsigned char", torch.bool: "bool", torch.float16: "c10::Half", torch.bfloat16: "c10::BFloat16",
            torch.float32: "float", torch.float64: "double", torch.complex64: "c10::complex<float>",
            torch.complex128: "c10::complex<double>"}.get(dtype, cpp_name(dtype))


def cpp_name(dtype):
    """What C++ calls the type of a tensor's items, as errors have it; the type itself where they do not tell."""
    return {torch.int64: "Long", torch.int32: "Int", torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte",
            torch.bool: "Bool", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float",
            torch.float64: "Double", torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble"}.get(dtype, dtype)
