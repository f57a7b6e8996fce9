"""Which sizes of the inputs may differ from call to call. Behaviour: torch/export/dynamic_shapes.py."""
import re
import sys
from enum import Enum, auto

import torch
from torch._dynamo.exc import UserError
from torch.export._symbols import Symbol, ValueRanges, symbol_name
from torch.utils import _pytree as pytree

__all__ = ["AdditionalInputs", "Dim", "ShapesCollection", "dims", "refine_dynamic_shapes_from_suggested_fixes"]


class _DimHintType(Enum):
    AUTO = auto()
    STATIC = auto()
    DYNAMIC = auto()


class _DimHint:
    """Dim.AUTO and its like; Dim.AUTO(min=2, max=8) says what range is meant."""

    def __init__(self, type, min=None, max=None, factory=True):
        self.type, self.min, self.max, self._factory = type, min, max, factory

    def __call__(self, min=None, max=None):
        if not self._factory:
            raise TypeError(f"'{type(self)}' object is not callable")
        if min is not None and min < 0:
            raise AssertionError("min must be non-negative")
        if max is not None and max < 0:
            raise AssertionError("max must be non-negative")
        if min is not None and max is not None and min > max:
            raise AssertionError("min must be <= max")
        return _DimHint(self.type, min, max, factory=False)

    def __repr__(self):
        parts = [self.type.name] + [f"{name}={value}" for name, value in (("min", self.min), ("max", self.max)) if value is not None]
        return f"DimHint({', '.join(parts)})"


class Dim:
    """A named size, from `min` to `max`. Sums and products of one with numbers are sizes that follow from it."""

    AUTO = _DimHint(_DimHintType.AUTO)
    DYNAMIC = _DimHint(_DimHintType.DYNAMIC)
    STATIC = _DimHint(_DimHintType.STATIC)

    def __init__(self, name, *, min=None, max=None):
        lower, upper = 0 if min is None else min, max
        if upper is not None and upper <= lower:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__, self.min, self.max = name, lower, sys.maxsize - 1 if upper is None else upper
        self._has_max = upper is not None
        self.root, self.factor, self.shift = self, 1, 0

    def _derived(self, factor, shift):
        made = Dim.__new__(Dim)
        made.__name__, made.root, made.factor, made.shift = _derived_name(self.root.__name__, factor, shift), self.root, factor, shift
        made.min, made._has_max = self.root.min * factor + shift, self.root._has_max
        made.max = self.root.max * factor + shift if made._has_max else self.root.max
        return made

    def __add__(self, other):
        self._check(other, "add", "to")
        return self._derived(self.factor, self.shift + other)

    __radd__ = __add__

    def __sub__(self, other):
        self._check(other, "subtract", "from")
        return self._derived(self.factor, self.shift - other)

    def __rsub__(self, other):
        raise NotImplementedError(f"Attempted to negate {self.__name__}. (Only increasing linear operations with integer coefficients "
                                  "are supported.)")

    def __mul__(self, other):
        if type(other) is not int or other <= 0:
            raise NotImplementedError(f"Attempted to multiply {other} with {self.__name__}, where a positive integer was expected. "
                                      "(Only increasing linear operations with integer coefficients are supported.)")
        return self._derived(self.factor * other, self.shift * other)

    __rmul__ = __mul__

    def _check(self, other, verb, word):
        if type(other) is not int:
            raise NotImplementedError(f"Attempted to {verb} {other} {word} {self.__name__}, where an integer was expected. (Only increasing "
                                      "linear operations with integer coefficients are supported.)")

    def is_derived(self):
        return self.root is not self

    def __repr__(self):
        return self.__name__ if self.is_derived() else readable(self.__name__, self.min, self.max if self._has_max else None)


def _derived_name(name, factor, shift):
    shown = name if factor == 1 else f"{factor}*{name}"
    return shown if not shift else f"{shown} {'+' if shift > 0 else '-'} {abs(shift)}"


def readable(name, lower, upper):
    """A Dim as it is written in a program; a lower end of 2 goes without saying."""
    parts = [f", {word}={value}" for word, value in (("min", None if lower == 2 else lower), ("max", upper)) if value is not None]
    return f"Dim('{name}'{''.join(parts)})"


def dims(*names, min=None, max=None):
    """Several named sizes of one range."""
    return tuple(Dim(name, min=min, max=max) for name in names)


class ShapesCollection:
    """dynamic_shapes by the tensors themselves: collection[tensor] = {0: dim}."""

    def __init__(self):
        self._shapes = {}

    def __setitem__(self, t, shape):
        if not isinstance(t, torch.Tensor):
            raise AssertionError(f"Cannot assign shape to non-tensor type {type(t)}")
        if id(t) in self._shapes and self._shapes[id(t)][1] != shape:
            raise AssertionError(f"Shapes assigned to input do not match: expected {self._shapes[id(t)][1]}, got {shape}")
        self._shapes[id(t)] = (t, shape)

    def __getitem__(self, t):
        return self._shapes.setdefault(id(t), (t, {}))[1]

    def __len__(self):
        return len(self._shapes)

    def dynamic_shapes(self, m, args, kwargs=None):
        combined = combine_args(m, args, kwargs or {})
        return pytree.tree_map(lambda leaf: self._shapes[id(leaf)][1] if id(leaf) in self._shapes else None, combined)


class AdditionalInputs:
    """Further example inputs: sizes that differ among them are dynamic."""

    def __init__(self):
        self._examples = []

    def add(self, args, kwargs=None):
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        self._examples.append((args, kwargs or {}))

    def dynamic_shapes(self, m, args, kwargs=None):
        first, spec = pytree.tree_flatten(combine_args(m, args, kwargs or {}))
        rest = [pytree.tree_leaves(combine_args(m, *example)) for example in self._examples]

        def shape_of(index, leaf):
            if not isinstance(leaf, torch.Tensor):
                return None
            others = [leaves[index] for leaves in rest]
            return tuple(Dim.DYNAMIC if any(other.shape[dim] != size for other in others) else None
                         for dim, size in enumerate(leaf.shape))
        return pytree.tree_unflatten([shape_of(i, leaf) for i, leaf in enumerate(first)], spec)

    def verify(self, ep):
        program = ep.module()
        for args, kwargs in self._examples:
            program(*args, **kwargs)


def refine_dynamic_shapes_from_suggested_fixes(msg, dynamic_shapes):
    """dynamic_shapes with the sizes that an error's "Suggested fixes" name."""
    found = re.search(r"Suggested fixes:\s*\n(.*)", msg, re.DOTALL)
    if found is None:
        raise Exception("Suggested fixes not found in error message given to refine_dynamic_shapes_from_suggested_fixes()")
    fixes = {}
    for line in found.group(1).splitlines():
        name, _, text = line.partition("=")
        text = text.strip()
        ranged = re.match(r"Dim\('(\w+)'(?:, min=(\d+))?(?:, max=(\d+))?\)", text)
        if text.isdigit():
            fixes[name.strip()] = int(text)
        elif ranged:
            fixes[name.strip()] = Dim(ranged.group(1), **{key: int(value) for key, value in
                                                         (("min", ranged.group(2)), ("max", ranged.group(3))) if value})

    def fixed(one):
        return fixes.get(one.__name__, one) if isinstance(one, Dim) else one

    def walk(shapes):
        if isinstance(shapes, dict):
            return {key: walk(value) for key, value in shapes.items()}
        if isinstance(shapes, (tuple, list)):
            return type(shapes)(walk(value) for value in shapes)
        return fixed(shapes)
    return walk(dynamic_shapes)


# The parameters of forward() of layers that take more than "input"; layers have no source that could be asked.
_FORWARDS = {
    "MultiheadAttention": "query key value key_padding_mask need_weights attn_mask average_attn_weights is_causal",
    "LSTM": "input hx", "GRU": "input hx", "RNN": "input hx", "LSTMCell": "input hx", "GRUCell": "input hx", "RNNCell": "input hx",
    "TransformerEncoderLayer": "src src_mask src_key_padding_mask is_causal", "TransformerEncoder": "src mask src_key_padding_mask is_causal",
    "TransformerDecoderLayer": "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask tgt_is_causal memory_is_causal",
    "TransformerDecoder": "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask tgt_is_causal memory_is_causal",
    "Transformer": "src tgt src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask memory_key_padding_mask",
    "EmbeddingBag": "input offsets per_sample_weights", "Bilinear": "input1 input2", "CosineSimilarity": "x1 x2", "PairwiseDistance": "x1 x2",
    "TripletMarginLoss": "anchor positive negative", "MarginRankingLoss": "input1 input2 target", "CosineEmbeddingLoss": "input1 input2 target",
}


def bound_arguments(f, args, kwargs):
    """[(name, value, kind)]: what each parameter of forward() gets; kind "*" and "**" for those that take many."""
    import inspect
    function = f.forward if isinstance(f, torch.nn.Module) else f
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except ValueError:
        # Written in C++, like the layers.
        names = next((_FORWARDS[cls.__name__].split() for cls in type(f).__mro__ if cls.__name__ in _FORWARDS), ["input", "target"])
        names = names + [f"args_{index}" for index in range(len(names), len(args))]
        return [(name, value, "") for name, value in zip(names, args)] + [(name, value, "") for name, value in kwargs.items()]
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [(name, value, kinds.get(bound.signature.parameters[name].kind, "")) for name, value in bound.arguments.items()]


def combine_args(f, args, kwargs):
    """The arguments by the names of forward's parameters."""
    combined = {}
    for name, value, kind in bound_arguments(f, args, kwargs):
        if kind == "**":
            combined.update(value)
        else:
            combined[name] = value
    return combined


class SizeRequest:
    """What is wished for one dimension of one input tensor."""

    def __init__(self, source, size, wish):
        self.source, self.size, self.wish = source, size, wish
        self.symbol = None
        self.root = None

    def is_free(self):
        """Whether it may turn out to be a constant."""
        return isinstance(self.wish, _DimHint) and self.wish.type is _DimHintType.AUTO

    def name(self):
        return self.wish.__name__ if isinstance(self.wish, Dim) else self.source


def requests_of(combined, dynamic_shapes):
    """The requests, by the id of the tensor's place: [(path, tensor, {dim: SizeRequest})]. Errors: UserError."""
    if isinstance(dynamic_shapes, (tuple, list)):
        if len(dynamic_shapes) not in (0, len(combined)):
            raise UserError(f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs` has {len(combined)} "
                            f"elements, but `dynamic_shapes` has {len(dynamic_shapes)} elements")
        dynamic_shapes = dict(zip(combined, dynamic_shapes))
    dynamic_shapes = dynamic_shapes or None
    if dynamic_shapes is not None and set(dynamic_shapes) != set(combined):
        names = list(combined)
        hint = ("Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to enclose `dynamic_shapes` in a "
                "list/tuple?" if len(names) == 1 and isinstance(combined[names[0]], dict) and names[0] not in dynamic_shapes else
                "Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`.")
        raise UserError(f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names {names} of `inputs`, but "
                        f"here they are {list(dynamic_shapes)}. {hint}")
    found = []

    def walk(value, shapes, path):
        if isinstance(value, torch.Tensor):
            found.append((path, value, _tensor_requests(value, shapes, path)))
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(item, None if shapes is None else shapes.get(key) if isinstance(shapes, dict) else None, f"{path}[{key!r}]")
        elif isinstance(value, (tuple, list)):
            if isinstance(shapes, (tuple, list)) and len(shapes) != len(value):
                raise UserError(f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs{path[1:]}` has "
                                f"{len(value)} elements, but `dynamic_shapes{path[1:]}` has {len(shapes)} elements")
            for index, item in enumerate(value):
                walk(item, shapes[index] if isinstance(shapes, (tuple, list)) else None, f"{path}[{index}]")

    for name, value in combined.items():
        walk(value, None if dynamic_shapes is None else dynamic_shapes[name], f"L['{name}']")
    return found


_WISHES = "expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC, "


def _tensor_requests(tensor, shapes, path):
    if shapes is None:
        return {}
    place = f"`dynamic_shapes{path[1:]}`"
    if isinstance(shapes, dict):
        pairs, word = shapes.items(), "mapped to index "
    elif isinstance(shapes, (tuple, list)):
        if len(shapes) != tensor.dim():
            raise UserError(f"Expected dynamic shape spec {shapes} specified at {place} to have the same length as the actual tensor shape "
                            f"{tensor.shape} (expected {tensor.dim()}, but got {len(shapes)} instead)")
        pairs, word = enumerate(shapes), "#"
    else:
        raise UserError(f"Unexpected input tensor shape {shapes} specified at {place} (expected either a list/tuple of dimensions, or a "
                        "dict mapping indices to dimensions, where each dimension is an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC)")
    made = {}
    for dim, wish in pairs:
        if wish is None or isinstance(wish, int) or (isinstance(wish, _DimHint) and wish.type is _DimHintType.STATIC):
            if isinstance(wish, int) and wish != tensor.shape[dim]:
                raise UserError(f"Static shape constraint of {wish} does not match input size of {tensor.shape[dim]}, for "
                                f"{path}.size()[{dim}]")
            continue
        if not isinstance(wish, (Dim, _DimHint)):
            raise UserError(f"Unexpected dimension {word}{dim} in input tensor shape {shapes} specified at {place} ({_WISHES}"
                            f"{' ' if isinstance(shapes, dict) else ''}but got {wish!r} instead)")
        made[dim] = SizeRequest(f"{path}.size()[{dim}]", tensor.shape[dim], wish)
    return made


def give_symbols(requests):
    """Gives each request its symbol; those of one Dim share one. Returns the symbols with their ranges.
    Errors: UserError  sizes of one Dim differ, or one is 0 or 1."""
    symbols, by_dim, taken = {}, {}, set()
    for request in requests:
        wish = request.wish
        if request.size in (0, 1):
            if request.is_free():
                continue
            raise UserError(violations([request.name()], [specialised(request.name(), request.size)],
                                       [f"{request.name()} = {request.size}"] if isinstance(wish, Dim) else []))
        if isinstance(wish, Dim):
            base = (request.size - wish.shift) // wish.factor
            if base * wish.factor + wish.shift != request.size:
                raise UserError(f"Expected shape[{request.source.rpartition('[')[2][:-1]}] = {request.size} of input Tensor to be of the form "
                                f"{wish.__name__}, where {wish.root.__name__} is an integer")
            known = by_dim.get(wish.root.__name__)
            if known is None:
                name = symbol_name(request.source, taken)
                taken.add(name)
                known = by_dim[wish.root.__name__] = Symbol(name, request.source, base)
                symbols[known] = ValueRanges(wish.root.min, wish.root.max if wish.root._has_max else None)
                if base not in symbols[known]:
                    raise UserError(f"Constraints violated ({wish.__name__})! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
                                    f"  - Not all values of {wish.__name__} = {request.source} in the specified range "
                                    f"{range_text(wish.root.__name__, symbols[known])} satisfy the generated guard "
                                    f"{request.source} == {base}.")
            elif known.hint != base:
                raise UserError(f"Constraints violated ({wish.root.__name__})! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
                                f"  - The values of {wish.__name__} = {request.source} and {wish.root.__name__} = {known.source} must "
                                "always be equal.")
            request.symbol = known
        else:
            name = symbol_name(request.source, taken)
            taken.add(name)
            request.symbol = Symbol(name, request.source, request.size)
            symbols[request.symbol] = ValueRanges(2 if wish.min is None else max(wish.min, 2), wish.max)
    return symbols


def violations(names, lines, fixes):
    text = f"Constraints violated ({', '.join(names)})! For more information, run with TORCH_LOGS=\"+dynamic\".\n" + "\n".join(lines)
    if fixes:
        text += "\n\nSuggested fixes:\n" + "\n".join(f"  {one}" for one in fixes)
    return text + "\n"


def specialised(name, size):
    return (f"  - You marked {name} as dynamic but your code specialized it to be a constant ({size}). If you're using Dim.DYNAMIC, "
            "replace it with either Dim.STATIC or Dim.AUTO.")


def range_text(name, found):
    if found.upper is None:
        return f"{found.lower} <= {name}"
    return f"{name} <= {found.upper}" if found.lower == 0 else f"{found.lower} <= {name} <= {found.upper}"
