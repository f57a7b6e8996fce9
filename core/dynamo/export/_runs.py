"""Runs of one program with several sizes of its inputs, as one tape whose integers are expressions of these sizes.

Where a run with another size calls other ops, or fails, the sizes around the example's at which nothing changes are looked for:
they are the range of the symbol, or the symbol is no symbol. Behaviour of the errors: torch/fx/experimental/symbolic_shapes.py,
produce_guards_verbose; torch/_export/non_strict_utils.py."""
import torch
from torch._dynamo.exc import UserError
from torch.export import dynamic_shapes as _shapes
from torch.export._symbols import NoExpression, SizeInt, Sum, ValueRanges, expression
from torch.export._tape import Ref, Step
from torch.export._values import contiguous_stride

_STEPS = (1, 2, 3, 5, 8, 13)
# No size that is tried is larger than the example's by more.
_FARTHEST = 4096


class OtherRun(Exception):
    """Two runs that are not the same program."""


class Finished:
    """A tape that ended: its steps, its constants, and what the module gave as plain values and references."""

    def __init__(self, tape, outputs, out_spec, given):
        self.steps, self.constants, self.calls = tape.steps, tape.constants, tape.calls
        self.outputs, self.out_spec, self.given = outputs, out_spec, given


def _same(values):
    first = values[0]
    return all(type(one) is type(first) and one == first for one in values[1:])


class Merger:
    """Makes one value of those of all runs."""

    def __init__(self, sizes, symbols):
        self._sizes, self._symbols = sizes, symbols

    def merge(self, values):
        first = values[0]
        if isinstance(first, (tuple, list)):
            if any(type(one) is not type(first) or len(one) != len(first) for one in values[1:]):
                raise OtherRun(first)
            return type(first)(map(self.merge, zip(*values)))
        if isinstance(first, bool) or not isinstance(first, int):
            if isinstance(first, torch.Tensor) or isinstance(first, Ref):
                if not all(isinstance(one, type(first)) for one in values) or (isinstance(first, Ref) and not _same(values)):
                    raise OtherRun(first)
                return first
            if isinstance(first, float) and any(isinstance(one, float) and one != first for one in values[1:]):
                raise OtherRun(first)
            if not _same(values):
                raise OtherRun(first)
            return first
        if not all(type(one) is int for one in values):
            raise OtherRun(first)
        if _same(values):
            return first
        try:
            found = expression(list(values), self._sizes, self._symbols)
        except NoExpression:
            raise OtherRun(first) from None
        return found.terms.get((), 0) if isinstance(found, Sum) and not found.names() else SizeInt(found, first)

    def runs(self, runs):
        """The steps of the first run with expressions. Errors: OtherRun."""
        first = runs[0]
        if any(len(one.steps) != len(first.steps) or len(one.outputs) != len(first.outputs) or one.out_spec != first.out_spec
               or len(one.constants) != len(first.constants) for one in runs[1:]):
            raise OtherRun("another number of steps")
        steps = []
        for group in zip(*[one.steps for one in runs]):
            head = group[0]
            if any((one.name, one.schema, one.outputs, sorted(one.kwargs)) != (head.name, head.schema, head.outputs, sorted(head.kwargs))
                   for one in group[1:]):
                raise OtherRun(head.name)
            kwargs = {key: self.merge([one.kwargs[key] for one in group]) for key in head.kwargs}
            if any(one.kinds[i][0] != head.kinds[i][0] for one in group[1:] for i in range(len(head.kinds))):
                raise OtherRun(head.name)
            shapes = self.merge([one.shapes for one in group])
            steps.append(Step(head.name, head.schema, self.merge([one.args for one in group]), kwargs, head.outputs, head.is_list,
                              shapes, self._strides([one.strides for one in group], shapes), head.kinds, head.trace, head.modules))
        for group in zip(*[one.constants for one in runs]):
            if any(one[2].shape != group[0][2].shape for one in group[1:]):
                raise OtherRun("a constant")
        return steps, [self.merge(list(group)) for group in zip(*[one.outputs for one in runs])]


    def _strides(self, strides, shapes):
        """The strides; where no expression gives them, those of a tensor that lies contiguously."""
        try:
            return self.merge(strides)
        except OtherRun:
            return [contiguous_stride(shape) for shape in shapes]


class Search:
    """Finds what holds for all sizes. `attempt(sizes)` runs the program with {symbol name: size}."""

    def __init__(self, attempt, requests, symbols):
        self._attempt, self._requests, self.symbols = attempt, requests, symbols
        self._known = {}

    def _run(self, sizes):
        """The run, or None where it fails."""
        key = tuple(sorted(sizes.items()))
        if key not in self._known:
            try:
                self._known[key] = self._attempt(sizes)
            except Exception:
                # Only that it fails matters: with these sizes the program is another one.
                self._known[key] = None
        return self._known[key]

    def _base(self):
        return {symbol.name: symbol.hint for symbol in self.symbols}

    def _fits(self, first, sizes):
        """Whether the run with these sizes calls the same ops, whatever the integers are."""
        other = self._run(sizes)
        if other is None or len(other.steps) != len(first.steps) or other.out_spec != first.out_spec:
            return False
        return all((a.name, a.schema, a.outputs) == (b.name, b.schema, b.outputs) for a, b in zip(first.steps, other.steps))

    def _tries(self, symbol):
        allowed = self.symbols[symbol]
        found = [symbol.hint + step for step in _STEPS if symbol.hint + step in allowed]
        if len(found) < 3:
            found += [symbol.hint - step for step in _STEPS if symbol.hint - step >= 2 and symbol.hint - step in allowed]
        return found

    def merged(self):
        """(steps, outputs) with expressions; self.symbols has become what holds. Errors: UserError."""
        first = self._attempt(self._base())
        for _ in range(len(self.symbols) + 1):
            if not self.symbols:
                break
            broken = [symbol for symbol in self.symbols if not self._is_free(first, symbol)]
            if not broken:
                break
            self._settle(first, broken)
        for symbol in list(self.symbols):
            self._narrow(first, symbol)
        sizes = [self._base()]
        for symbol in self.symbols:
            sizes += [{**self._base(), symbol.name: size} for size in self._tries(symbol)]
        if len(self.symbols) > 1:
            for step in (0, 1):
                together = {symbol.name: (self._tries(symbol) or [symbol.hint])[-1 - step if step < len(self._tries(symbol)) else 0]
                            for symbol in self.symbols}
                sizes.append(together)
        runs = [first, *[self._run(one) for one in sizes[1:]]]
        kept = [(run, size) for run, size in zip(runs, sizes) if run is not None]
        try:
            steps, outputs = Merger([size for _, size in kept], list(self.symbols)).runs([run for run, _ in kept])
        except OtherRun:
            # No expression that is known here: the last symbol is none, if it need not be one.
            symbol = list(self.symbols)[-1]
            if not all(one.is_free() for one in self._requests if one.symbol is symbol):
                self._refuse([symbol], [_shapes.specialised(self._name(symbol), symbol.hint)],
                             [f"{self._name(symbol)} = {symbol.hint}"])
            self._drop(symbol)
            return self.merged()
        return first, steps, outputs

    def _is_free(self, first, symbol):
        """Whether a size next to the example's gives the same program."""
        allowed = self.symbols[symbol]
        near = [symbol.hint + step for step in (1, -1, 2, -2) if symbol.hint + step in allowed and symbol.hint + step >= 2]
        return not near or any(self._fits(first, {**self._base(), symbol.name: size}) for size in near)

    def _settle(self, first, broken):
        """One symbol less: it equals another one, or is a constant."""
        symbol = broken[0]
        for other in self.symbols:
            if other is symbol or other.hint != symbol.hint:
                continue
            both = {**self._base(), symbol.name: symbol.hint + 1, other.name: symbol.hint + 1}
            if self._fits(first, both):
                return self._unite(symbol, other)
        requests = [one for one in self._requests if one.symbol is symbol]
        if not all(one.is_free() for one in requests):
            self._refuse([symbol], [_shapes.specialised(self._name(symbol), symbol.hint)],
                         [f"{self._name(symbol)} = {symbol.hint}"] if isinstance(requests[0].wish, _shapes.Dim) else [])
        self._drop(symbol)
        return None

    def _drop(self, symbol):
        """The symbol is a constant."""
        for one in self._requests:
            if one.symbol is symbol:
                one.symbol = None
        del self.symbols[symbol]
        self._known.clear()

    def _unite(self, symbol, other):
        kept, gone = sorted((symbol, other), key=list(self.symbols).index)
        requests = [one for one in self._requests if one.symbol in (kept, gone)]
        named = [one for one in requests if isinstance(one.wish, _shapes.Dim)]
        if len({one.wish.root.__name__ for one in named}) > 1:
            first, second = self._name(kept), self._name(gone)
            self._refuse([gone, kept], [f"  - The values of {second} = {gone.source} and {first} = {kept.source} must always be equal."],
                         [f"{second} = {first}"])
        for one in requests:
            one.symbol = kept
        del self.symbols[gone]
        self._known.clear()

    def _narrow(self, first, symbol):
        """The range in which the program is the same. A range that the program wants is an error where another one was given."""
        wanted = self.symbols[symbol]
        lower = max(wanted.lower, 2)
        upper = wanted.upper if wanted.upper is not None and wanted.upper - symbol.hint <= _FARTHEST else symbol.hint + _FARTHEST
        fits = lambda size: self._fits(first, {**self._base(), symbol.name: size})  # noqa: E731
        found_lower = _edge(symbol.hint, lower, fits)
        found_upper = _edge(symbol.hint, upper, fits)
        if found_lower == lower and found_upper == upper:
            return
        guards = []
        if found_lower != lower:
            guards.append(f"{found_lower} <= {symbol.source}")
        if found_upper != upper:
            guards.append(f"{symbol.source} <= {found_upper}")
        narrowed = ValueRanges(found_lower if found_lower != lower else wanted.lower, found_upper if found_upper != upper else wanted.upper)
        named = next((one for one in self._requests if one.symbol is symbol and isinstance(one.wish, _shapes.Dim)), None)
        if named is None:
            self.symbols[symbol] = narrowed
            return
        name = self._name(symbol)
        fix = _shapes.readable(name, found_lower if found_lower != lower else 2, narrowed.upper)
        self._refuse([symbol], [f"  - Not all values of {name} = {symbol.source} in the specified range "
                                f"{_shapes.range_text(name, wanted)} satisfy the generated guard {guard}." for guard in guards],
                     [f"{name} = {fix}"])

    def _name(self, symbol):
        request = next(one for one in self._requests if one.symbol is symbol)
        return request.wish.root.__name__ if isinstance(request.wish, _shapes.Dim) else symbol.source

    def _refuse(self, symbols, lines, fixes):
        raise UserError(_shapes.violations([self._name(one) for one in symbols], lines, fixes))


def _edge(start, end, holds):
    """The last value from `start` towards `end` up to which it holds, if it holds up to one value only."""
    if start == end or holds(end):
        return end
    while abs(end - start) > 1:
        middle = (start + end) // 2
        if holds(middle):
            start = middle
        else:
            end = middle
    return start
