"""Sizes that are symbols: expressions of s77 and its like, and how they are found.

Nothing is traced symbolically here: the program runs with several sizes, and an integer that differs from run to run is the
expression that gives all of them. Behaviour of names, texts and ranges: torch/fx/experimental/symbolic_shapes.py,
torch/utils/_sympy/printers.py."""
import hashlib

import torch


class Symbol:
    """A size of an input. Ordered and hashed by its name, as the keys of range_constraints."""

    def __init__(self, name, source, hint):
        self.name, self.source, self.hint = name, source, hint

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, Symbol) and self.name == other.name or (isinstance(other, str) and other == self.name)

    def __hash__(self):
        return hash(self.name)


def symbol_name(source, taken):
    """The name that PyTorch gives the size that `source` says: "L['x'].size()[0]" is s77."""
    number = int(hashlib.sha256(source.encode()).hexdigest(), 16) % 100
    while f"s{number}" in taken:
        number += 1
    return f"s{number}"


class Sum:
    """A sum of products of symbols: {names in order: factor}; () is the constant."""

    def __init__(self, terms):
        self.terms = {key: factor for key, factor in terms.items() if factor}

    def value(self, sizes):
        total = 0
        for names, factor in self.terms.items():
            for name in names:
                factor *= sizes[name]
            total += factor
        return total

    def names(self):
        return sorted({name for key in self.terms for name in key})

    def is_atom(self):
        return len(self.terms) == 1 and next(iter(self.terms.items()))[1] == 1 and len(next(iter(self.terms))) == 1

    def __str__(self):
        parts = []
        for names, factor in sorted(self.terms.items(), key=lambda item: (-len(item[0]), item[0])):
            shown = "*".join(_powers(names))
            sign = "-" if factor < 0 else "+"
            if not names:
                shown = str(abs(factor))
            elif abs(factor) != 1:
                shown = f"{abs(factor)}*{shown}"
            parts.append((sign, shown))
        if not parts:
            return "0"
        first = ("-" if parts[0][0] == "-" else "") + parts[0][1]
        return first + "".join(f" {sign} {shown}" for sign, shown in parts[1:])


def _powers(names):
    made = []
    for name in sorted(set(names)):
        count = names.count(name)
        made.append(name if count == 1 else f"{name}**{count}")
    return made


class Quotient:
    """factor * (inner // divisor) + offset."""

    def __init__(self, inner, divisor, offset, factor=1):
        self.inner, self.divisor, self.offset, self.factor = inner, divisor, offset, factor

    def value(self, sizes):
        return self.factor * (self.inner.value(sizes) // self.divisor) + self.offset

    def names(self):
        return self.inner.names()

    def is_atom(self):
        return False

    def __str__(self):
        inner = str(self.inner) if self.inner.is_atom() else f"({self.inner})"
        shown = f"({inner}//{self.divisor})"
        if self.factor != 1:
            shown = f"{self.factor}*({shown})"
        elif self.offset:
            shown = f"({shown})"
        return shown if not self.offset else f"{shown} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"


class SizeInt(torch.SymInt):
    """An int that depends on the sizes of inputs. `hint`: what it is for the example inputs."""

    def __init__(self, expr, hint):
        self.expr, self.hint = expr, hint
        self.node = self

    def __repr__(self):
        return str(self.expr)

    __str__ = __repr__

    def __int__(self):
        return self.hint

    __index__ = __int__

    def __eq__(self, other):
        if isinstance(other, SizeInt):
            return str(self.expr) == str(other.expr)
        return False if isinstance(other, int) else NotImplemented

    def __hash__(self):
        return hash(str(self.expr))


SizeInt.__name__ = SizeInt.__qualname__ = "SymInt"
SizeInt.__module__ = "torch"


class NoExpression(Exception):
    """No expression that is known here gives these values."""


def expression(values, runs, symbols):
    """The expression that has values[i] for the sizes runs[i] = {symbol name: size}. Errors: NoExpression."""
    names = [symbol.name for symbol in symbols]
    for candidate in _candidates(values, runs, names):
        if candidate is not None and all(candidate.value(run) == value for run, value in zip(runs, values)):
            return candidate
    raise NoExpression(values)


def _candidates(values, runs, names):
    # An affine sum: the slope along each symbol from the runs where it alone differs.
    base, terms, changing = runs[0], {}, []
    slopes_fit = True
    for name in names:
        for run, value in zip(runs[1:], values[1:]):
            if all((run[other] == base[other]) != (other == name) for other in names):
                step = run[name] - base[name]
                if value != values[0]:
                    changing.append(name)
                if (value - values[0]) % step:
                    slopes_fit = False
                elif (value - values[0]) // step:
                    terms.setdefault((name,), (value - values[0]) // step)
    changing = sorted(set(changing))
    if slopes_fit:
        constant = values[0] - Sum(terms).value(base)
        yield Sum({**terms, (): constant})
    # A product of symbols.
    for powers in _power_choices(len(changing)):
        key = tuple(sorted(name for name, power in zip(changing, powers) for _ in range(power)))
        unit = Sum({key: 1}).value(base)
        if unit and values[0] % unit == 0:
            yield Sum({key: values[0] // unit})
    # A product, and something else: (a*s + b)*t.
    if len(changing) == 2:
        yield _bilinear(values, runs, changing)
    # A quotient, as of strides.
    if len(changing) == 1:
        name = changing[0]
        for divisor in range(2, 65):
            for shift in range(0, -divisor, -1):
                yield _quotient(values, runs, Sum({(name,): 1, (): shift}), divisor)


def _quotient(values, runs, inner, divisor):
    """factor * (inner // divisor) + offset through the first run and one that differs; None: there is none."""
    parts = [inner.value(run) // divisor for run in runs]
    other = next((i for i, part in enumerate(parts) if part != parts[0]), None)
    if other is None or (values[other] - values[0]) % (parts[other] - parts[0]):
        return None
    factor = (values[other] - values[0]) // (parts[other] - parts[0])
    if not factor:
        return None
    offset = values[0] - factor * parts[0]
    shift = inner.terms.get((), 0)
    if (shift or offset) and offset % factor == 0:
        # As the sizes of windows are written: (size - window) // stride + 1.
        inner = Sum({**inner.terms, (): shift + divisor * (offset // factor - 1)})
        offset = factor
    return Quotient(inner, divisor, offset, factor)


def _power_choices(count):
    if count == 0 or count > 4:
        return []
    choices = [()]
    for _ in range(count):
        choices = [(*one, power) for one in choices for power in (1, 2, 3)]
    return choices


def _bilinear(values, runs, changing):
    """a*s*t + b*s + c*t + d from four runs of which two differ in one symbol and one in both; None: there are none."""
    first, second = changing
    base = runs[0]
    alone_first = next((i for i, run in enumerate(runs) if run[first] != base[first] and run[second] == base[second]), None)
    alone_second = next((i for i, run in enumerate(runs) if run[second] != base[second] and run[first] == base[first]), None)
    both = next((i for i, run in enumerate(runs) if run[first] != base[first] and run[second] != base[second]), None)
    if None in (alone_first, alone_second, both):
        return None
    s0, t0 = base[first], base[second]
    ds, dt = runs[alone_first][first] - s0, runs[alone_second][second] - t0
    by_s, by_t = (values[alone_first] - values[0]) / ds, (values[alone_second] - values[0]) / dt
    es, et = runs[both][first] - s0, runs[both][second] - t0
    mixed = (values[both] - values[0] - by_s * es - by_t * et) / (es * et)
    a, b, c = mixed, by_s - mixed * t0, by_t - mixed * s0
    d = values[0] - a * s0 * t0 - b * s0 - c * t0
    whole = [round(one) for one in (a, b, c, d)]
    if any(abs(one - near) > 1e-9 for one, near in zip((a, b, c, d), whole)):
        return None
    return Sum({tuple(sorted((first, second))): whole[0], (first,): whole[1], (second,): whole[2], (): whole[3]})


class ValueRanges:
    """From `lower` to `upper`, both included; None: without end."""

    def __init__(self, lower, upper=None):
        self.lower, self.upper = lower, upper

    def __repr__(self):
        return f"VR[{self.lower}, {'int_oo' if self.upper is None else self.upper}]"

    def __eq__(self, other):
        return isinstance(other, ValueRanges) and (self.lower, self.upper) == (other.lower, other.upper)

    def __hash__(self):
        return hash((self.lower, self.upper))

    def __contains__(self, value):
        return self.lower <= value and (self.upper is None or value <= self.upper)
