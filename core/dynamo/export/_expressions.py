"""Reads sizes as packages write them: "2*s77 + 1", "((s77 - 1)//2)", or "Add(Mul(Integer(2), Symbol('s77', ...)), Integer(1))".
Behaviour: torch/_export/serde/serialize.py, which hands these texts to sympy."""
import re

from torch.export._symbols import Quotient, Sum

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|'[^']*'|//|\*\*|.)")


def parse_size(text):
    """The expression. Errors: NotImplementedError  it is none that is known here."""
    tokens = [one for one in _TOKEN.findall(text) if one.strip()]
    reader = _Reader(tokens, text)
    made = reader.total()
    if reader.tokens:
        reader.refuse()
    return made


def _times(a, b):
    made = {}
    for names, factor in a.terms.items():
        for others, other in b.terms.items():
            key = tuple(sorted((*names, *others)))
            made[key] = made.get(key, 0) + factor * other
    return Sum(made)


class _Reader:
    def __init__(self, tokens, text):
        self.tokens, self._text = tokens, text

    def refuse(self):
        raise NotImplementedError(f"torch.export.load: the size {self._text!r}")

    def _next(self):
        if not self.tokens:
            self.refuse()
        return self.tokens.pop(0)

    def _accept(self, token):
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False

    def _expect(self, token):
        if not self._accept(token):
            self.refuse()

    def _add(self, a, b):
        if isinstance(a, Quotient) or isinstance(b, Quotient):
            a, b = (a, b) if isinstance(a, Quotient) else (b, a)
            if isinstance(b, Quotient) or b.names():
                self.refuse()
            return Quotient(a.inner, a.divisor, a.offset + b.terms.get((), 0), a.factor)
        made = dict(a.terms)
        for key, factor in b.terms.items():
            made[key] = made.get(key, 0) + factor
        return Sum(made)

    def _multiply(self, a, b):
        if isinstance(a, Quotient) or isinstance(b, Quotient):
            a, b = (a, b) if isinstance(a, Quotient) else (b, a)
            if isinstance(b, Quotient) or b.names():
                self.refuse()
            number = b.terms.get((), 0)
            return Quotient(a.inner, a.divisor, a.offset * number, a.factor * number)
        return _times(a, b)

    def _divide(self, a, b):
        if isinstance(a, Quotient) or isinstance(b, Quotient) or b.names():
            self.refuse()
        return Quotient(a, b.terms.get((), 0), 0)

    def total(self):
        made = self._product()
        while self.tokens and self.tokens[0] in "+-":
            sign = self._next()
            other = self._product()
            made = self._add(made, other if sign == "+" else self._multiply(Sum({(): -1}), other))
        return made

    def _product(self):
        if self._accept("-"):
            return self._multiply(Sum({(): -1}), self._product())
        made = self._atom()
        while self.tokens and self.tokens[0] in ("*", "//", "**"):
            sign = self._next()
            other = self._atom()
            if sign == "**":
                power, made_of = other.terms.get((), 0), made
                for _ in range(power - 1):
                    made = self._multiply(made, made_of)
            else:
                made = self._multiply(made, other) if sign == "*" else self._divide(made, other)
        return made

    def _atom(self):
        token = self._next()
        if token == "(":
            made = self.total()
            self._expect(")")
            return made
        if token == "-":
            return self._multiply(Sum({(): -1}), self._atom())
        if token.isdigit():
            return Sum({(): int(token)})
        if not (token[0].isalpha() or token[0] == "_"):
            self.refuse()
        if not self._accept("("):
            return Sum({(token,): 1})
        return self._function(token)

    def _function(self, name):
        if name == "Symbol":
            made = Sum({(self._next().strip("'"),): 1})
            while not self._accept(")"):
                self._next()
            return made
        parts = [self.total()]
        while self._accept(","):
            parts.append(self.total())
        self._expect(")")
        if name == "Integer" and len(parts) == 1:
            return parts[0]
        if name not in ("Add", "Mul", "FloorDiv", "Pow"):
            self.refuse()
        made = parts[0]
        for other in parts[1:]:
            if name == "Pow":
                base = made
                for _ in range(other.terms.get((), 0) - 1):
                    made = self._multiply(made, base)
            else:
                made = {"Add": self._add, "Mul": self._multiply, "FloorDiv": self._divide}[name](made, other)
        return made
