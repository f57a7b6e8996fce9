"""Patterns of axes: reading them, and what is to be done to a shape."""


class EinopsError(RuntimeError):
    """Why a pattern can't be applied."""


def is_identifier(name):
    """Whether it may name an axis."""
    return name.isidentifier() and not name.startswith("_") and not name.endswith("_")


def read_side(text, allow_underscore=False):
    """The axes of one side: lists of names and numbers, one for each axis of the tensor, or "..." Errors: EinopsError."""
    if "." in text:
        if "..." not in text:
            raise EinopsError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise EinopsError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        text = text.replace("...", " \u2026 ")
    groups = []
    names = set()
    group = None
    word = ""

    def add(name):
        if name == "\u2026":
            if group is None:
                groups.append("...")
            else:
                group.append("...")
            return
        if name in names:
            raise EinopsError(f'Indexing expression contains duplicate dimension "{name}"')
        if name.isdecimal():
            number = int(name)
            if number == 1:
                if group is None:
                    groups.append([])
                return
            if number == 0:
                raise EinopsError("Anonymous axis should have positive length, not 0")
            name = number
        elif name == "_" and allow_underscore:
            pass
        elif not is_identifier(name):
            reason = "Not a valid python identifier" if not name.isidentifier() else \
                "axis name should should not start or end with underscore"
            raise EinopsError(f"Invalid axis identifier: {name}\n{reason}")
        else:
            names.add(name)
        if group is None:
            groups.append([name])
        else:
            group.append(name)

    for char in text + " ":
        if char in "() ":
            if word:
                add(word)
            word = ""
            if char == "(":
                if group is not None:
                    raise EinopsError("Axis composition is one-level (brackets inside brackets not allowed)")
                group = []
            elif char == ")":
                if group is None:
                    raise EinopsError("Brackets are not balanced")
                groups.append(group)
                group = None
        elif char.isalnum() or char in "_\u2026":
            word += char
        else:
            raise EinopsError(f"Unknown character '{char}'")
    if group is not None:
        raise EinopsError(f'Imbalanced parentheses in expression: "{text}"')
    return groups


class _Number:
    """An axis that has a length and no name; each is one of its own."""

    __slots__ = ("length",)

    def __init__(self, length):
        self.length = length

    def __repr__(self):
        return f"{self.length}-axis"


def _with_numbers(groups):
    return [group if group == "..." else [_Number(axis) if isinstance(axis, int) else axis for axis in group]
            for group in groups]


def _names(groups):
    return {axis for group in groups if group != "..." for axis in group if axis != "..."}


def _has_ellipsis(groups):
    return any(group == "..." or "..." in group for group in groups)


class Plan:
    """What a pattern does to tensors of a number of axes.

    order: the axes after splitting, those that stay as they come in the result, then those that are reduced.
    new_places: where the result's axes before grouping are new.
    """

    __slots__ = ("left", "right", "order", "reduced", "new_places", "is_widened", "_flat", "_kept", "_numbers")

    def __init__(self, left, right):
        self.left = left
        self.right = right
        self._flat = [axis for group in left for axis in group]
        wanted = [axis for group in right for axis in group]
        places = {axis: at for at, axis in enumerate(self._flat)}
        stays = [axis for axis in wanted if axis in places]
        gone = [axis for axis in self._flat if axis not in wanted]
        self.order = tuple(places[axis] for axis in (*stays, *gone))
        self.reduced = tuple(range(len(stays), len(self._flat)))
        self.new_places = tuple(at for at, axis in enumerate(wanted) if axis not in places)
        self.is_widened = bool(self.new_places)

    def sizes(self, shape, lengths):
        """(shape with split axes, shape with new axes, shape of the result). Errors: EinopsError."""
        known = dict(lengths)
        for group, length in zip(self.left, shape):
            product = 1
            unknown = None
            for axis in group:
                size = axis.length if isinstance(axis, _Number) else known.get(axis)
                if size is not None:
                    product *= size
                elif unknown is not None:
                    unknown = {*unknown, axis} if isinstance(unknown, set) else {unknown, axis}
                else:
                    unknown = axis
            if isinstance(unknown, set):
                raise EinopsError(f"Could not infer sizes for {unknown}")
            if unknown is None:
                if product != length:
                    raise EinopsError(f"Shape mismatch, {length} != {product}")
            else:
                if product == 0 or length % product:
                    raise EinopsError(f"Shape mismatch, can't divide axis of length {length} in chunks of {product}")
                known[unknown] = length // product

        def size_of(axis):
            return axis.length if isinstance(axis, _Number) else known[axis]

        split = tuple([size_of(axis) for axis in self._flat])
        widened = tuple([size_of(axis) for group in self.right for axis in group])
        after = []
        for group in self.right:
            product = 1
            for axis in group:
                product *= size_of(axis)
            after.append(product)
        return split, widened, tuple(after)


def _without_ellipsis(groups, axes):
    """`groups` with the axes that ... stands for in its place."""
    result = []
    for group in groups:
        if group == "...":
            result.extend([axis] for axis in axes)
        else:
            result.append([inner for axis in group for inner in (axes if axis == "..." else (axis,))])
    return result


_plans = {}


def plan(pattern, operation, names, count):
    """What to do to tensors of `count` axes, where the lengths of the axes `names` are given. Errors: EinopsError."""
    key = pattern, operation, names, count
    found = _plans.get(key)
    if found is None:
        if len(_plans) >= 256:
            _plans.clear()
        found = _plans[key] = _make_plan(*key)
    return found


def _make_plan(pattern, operation, names, count):
    sides = pattern.split("->")
    if len(sides) != 2:
        raise EinopsError(f"Pattern {pattern!r} must have exactly one '->'" if len(sides) > 2 else
                          f"not enough values to unpack (expected 2, got {len(sides)})")
    left, right = _with_numbers(read_side(sides[0])), _with_numbers(read_side(sides[1]))
    if _has_ellipsis(right) and not _has_ellipsis(left):
        raise EinopsError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(group != "..." and "..." in group for group in left):
        raise EinopsError(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    _check_sides(left, right, pattern, operation, names)
    for name in names:
        if not is_identifier(name):
            raise EinopsError(f"Invalid name for an axis: {name}")
        if name not in _names(left) | _names(right):
            raise EinopsError(f"Axis {name} is not used in transform")
    if "..." in left:
        covered = count - (len(left) - 1)
        if covered < 0:
            raise EinopsError(f"Wrong shape: expected >={len(left) - 1} dims. Received {count}-dim tensor.")
        axes = [f"... {at}" for at in range(covered)]
    else:
        if count != len(left):
            raise EinopsError(f"Wrong shape: expected {len(left)} dims. Received {count}-dim tensor.")
        axes = []
    return Plan(_without_ellipsis(left, axes), _without_ellipsis(right, axes))


def _check_sides(left, right, pattern, operation, names):
    left_names = {name for name in _names(left) if isinstance(name, str)}
    right_names = {name for name in _names(right) if isinstance(name, str)}
    has_numbers = any(isinstance(axis, _Number) for axis in _names(left) | _names(right))
    if operation == "rearrange":
        if has_numbers:
            raise EinopsError("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        different = left_names ^ right_names
        if _has_ellipsis(left) != _has_ellipsis(right):
            different.add("\u2026")
        if different:
            raise EinopsError(f"Identifiers only on one side of expression (should be on both): {different}")
    elif operation == "repeat":
        different = left_names - right_names
        if different:
            raise EinopsError(f"Unexpected identifiers on the left side of repeat: {different}")
        if any(isinstance(axis, _Number) for axis in _names(left)):
            raise EinopsError("Unexpected identifiers on the left side of repeat: "
                              f"{ {axis for axis in _names(left) if isinstance(axis, _Number)} }")
        missing = right_names - left_names - set(names)
        if missing:
            raise EinopsError(f"Specify sizes for new axes in repeat: {missing}")
    else:
        different = right_names - left_names
        if different or any(isinstance(axis, _Number) for axis in _names(right)):
            raise EinopsError(f"Unexpected identifiers on the right side of reduce {operation}: {different}")
