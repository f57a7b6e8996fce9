"""literal_eval(), the values that a text writes down. Behaviour: CPython Lib/ast.py.

Trees of programs (ast.parse, the classes of nodes) are refused by their names."""
import re as _re

PyCF_ONLY_AST, PyCF_TYPE_COMMENTS, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_OPTIMIZED_AST = 0x400, 0x1000, 0x2000, 0x8400
_TOKEN = _re.compile(r"""
    (?P<text>(?:[rR][bB]?|[bB][rR]?|[uU])?(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"
                                         |'(?:[^\\'\n]|\\.)*'|"(?:[^\\"\n]|\\.)*"))
  | (?P<number>0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+
       |(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?[jJ]?)
  | (?P<name>[^\W\d]\w*)
  | (?P<mark>\.\.\.|[()\[\]{},:+\-])
""", _re.VERBOSE | _re.DOTALL)
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class _Other(Exception):
    """The text is an expression, but no literal."""


def _refuse(name):
    raise NotImplementedError(f"ast.{name}: nnscope gives programs no trees of programs; ast.literal_eval is there")


class _Reader:
    """Reads literals off a text whose syntax is right."""

    def __init__(self, text):
        self._tokens, at = [], 0
        depth = 0
        while at < len(text):
            if text[at] in " \t\f" or (text[at] in "\r\n" and depth) or text.startswith("\\\n", at):
                at += 2 if text[at] == "\\" else 1
                continue
            if text[at] in "\r\n":
                if text[at:].strip():
                    raise _Other
                break
            if text[at] == "#":
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
                continue
            found = _TOKEN.match(text, at)
            if found is None:
                raise _Other
            mark = found.group()
            depth += (mark in _CLOSERS) - (mark in _CLOSERS.values())
            self._tokens.append((found.lastgroup, mark))
            at = found.end()
        self._tokens.append(("end", ""))
        self._at = 0

    def _next_is(self, mark):
        return self._tokens[self._at] == ("mark", mark)

    def _take(self, mark):
        if self._next_is(mark):
            self._at += 1
            return True
        return False

    def whole(self):
        value = self._items_of_tuple("end") if self._tokens[0][0] != "end" else None
        if self._tokens[self._at][0] != "end":
            raise _Other
        return value

    def _items_of_tuple(self, end):
        """One value, or those of a tuple without brackets around."""
        first = self._value()
        if not self._next_is(","):
            return first
        items = [first]
        while self._take(","):
            if self._tokens[self._at][0] == "end" or self._next_is(end):
                break
            items.append(self._value())
        return tuple(items)

    def _value(self):
        left, is_real = self._signed()
        while self._next_is("+") or self._next_is("-"):
            is_plus = self._take("+") or not self._take("-")
            right, _ = self._atom()
            # Only a real number and an imaginary one are added.
            if not is_real or type(right) is not complex:
                raise _Other
            left, is_real = (left + right if is_plus else left - right), False
        return left

    def _signed(self):
        if self._next_is("+") or self._next_is("-"):
            is_plus = self._take("+") or not self._take("-")
            value, is_number = self._atom()
            if not is_number:
                raise _Other
            value = +value if is_plus else -value
            return value, type(value) in (int, float)
        value, is_number = self._atom()
        return value, is_number and type(value) in (int, float)

    def _atom(self):
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return eval(text, {"__builtins__": {}}), True
        if kind == "text":
            value = eval(text, {"__builtins__": {}})
            while self._tokens[self._at][0] == "text":
                value = value + eval(self._tokens[self._at][1], {"__builtins__": {}})
                self._at += 1
            return value, False
        if kind == "name":
            if text in ("None", "True", "False"):
                return {"None": None, "True": True, "False": False}[text], False
            if text == "set" and self._take("(") and self._take(")"):
                return set(), False
            raise _Other
        if text == "...":
            return Ellipsis, False
        if text == "(":
            if self._take(")"):
                return (), False
            value = self._items_of_tuple(")")
            is_bracketed_number = type(value) in (int, float, complex)
            if not self._take(")"):
                raise _Other
            return value, is_bracketed_number
        if text == "[":
            return self._list("]"), False
        if text == "{":
            return self._braces(), False
        raise _Other

    def _list(self, end):
        items = []
        while not self._take(end):
            items.append(self._value())
            if not self._take(",") and not self._next_is(end):
                raise _Other
        return items

    def _braces(self):
        if self._take("}"):
            return {}
        first = self._value()
        if not self._take(":"):
            self._take(",")
            rest = self._list("}")
            return {first, *rest}
        made = {first: self._value()}
        while self._take(","):
            if self._next_is("}"):
                break
            key = self._value()
            if not self._take(":"):
                raise _Other
            made[key] = self._value()
        if not self._take("}"):
            raise _Other
        return made


def literal_eval(node_or_string):
    """The value of a text of literals: numbers, texts, bytes, tuples, lists, dicts, sets, booleans and None."""
    if not isinstance(node_or_string, str):
        raise ValueError(f"malformed node or string: {node_or_string!r}")
    text = node_or_string.lstrip(" \t")
    # What is no Python at all is a SyntaxError, as eval() has it.
    compile(text, "<unknown>", "eval")
    try:
        return _Reader(text).whole()
    except _Other:
        line = text.count("\n", 0, len(text) - len(text.lstrip()))
        raise ValueError(f"malformed node or string on line {line + 1}: {text.strip()!r}") from None


def parse(source, filename="<unknown>", mode="exec", *, type_comments=False, feature_version=None, optimize=-1):
    _refuse("parse")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'ast' has no attribute {name!r}")
    if name in ("dump", "walk", "unparse", "get_docstring", "fix_missing_locations", "copy_location", "increment_lineno",
                "iter_fields", "iter_child_nodes", "get_source_segment"):
        return lambda *args, **kwargs: _refuse(name)
    if name[:1].isupper() or name in ("expr", "stmt", "mod", "operator", "slice", "arg", "arguments", "keyword", "alias"):
        from _stand_in import StandIn
        return StandIn(f"ast.{name}")
    raise AttributeError(f"module 'ast' has no attribute {name!r}")
