"""Which types functions give for each pair of types, and numbers at the edges of integer types."""
import warnings

import numpy as np

warnings.simplefilter("ignore")
names = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def make(name):
    if name == "bool":
        return np.array([True, False, True, True])
    return np.array([1.5, -2.25, 0.0, 7.0] if name.startswith("f") else [3, 200, 0, 7] if name.startswith("u") else
                    [3, -100, 0, 7]).astype(name)


def told(function, *arrays):
    try:
        made = function(*arrays)
        return f"{made.dtype.char}{made.tolist()}" if len(arrays) == 1 else made.dtype.char
    except (TypeError, ValueError) as error:
        return "!" + ("T" if isinstance(error, TypeError) else "V")


for op in ["add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "fmod", "maximum", "arctan2", "hypot", "equal", "less",
           "logical_and", "logical_xor", "bitwise_and", "copysign"]:
    for x in names:
        print(op, x, *[told(getattr(np, op), make(x), make(y)[::-1]) for y in names])
for op in ["negative", "absolute", "sign", "square", "rint", "isnan", "invert", "logical_not", "reciprocal", "signbit", "positive", "sum", "prod", "mean",
           "std", "var", "min", "max", "argmin", "cumsum", "cumprod", "any", "all", "ptp", "median", "sort", "unique"]:
    for x in names:
        print(op, x, told(getattr(np, op), make(x)))
for x in names:
    print(x, *[make(x).astype(y).tolist() for y in names if not (x.startswith("f") and y.startswith("u"))])
    if x.startswith(("i", "u")):
        low, high = np.iinfo(x).min, np.iinfo(x).max
        edge = np.array([low, high], dtype=x)
        print(edge, edge + np.array(1, dtype=x), edge * np.array(2, dtype=x), edge.tolist(), np.array([low, high]).dtype)
