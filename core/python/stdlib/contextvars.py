"""Variables of a context. Behaviour: PEP 567."""


class _Missing:
    def __repr__(self):
        return "<Token.MISSING>"


class Token:
    """What ContextVar.set() gives: the way back."""

    MISSING = _Missing()

    def __init__(self, context, var, old_value):
        self._context, self._var, self._old, self._is_used = context, var, old_value, False

    var = property(lambda self: self._var)
    old_value = property(lambda self: self._old)

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self._var.reset(self)

    def __repr__(self):
        return f"<Token{' used' if self._is_used else ''} var={self._var!r} at {id(self):#x}>"


_NONE = object()


class ContextVar:
    """A name with a value in each context."""

    def __init__(self, name, *, default=_NONE):
        if not isinstance(name, str):
            raise TypeError("context variable name must be a str")
        self._name, self._default = name, default

    name = property(lambda self: self._name)

    def get(self, default=_NONE, /):
        values = _current[-1]._values
        if self in values:
            return values[self]
        if default is not _NONE:
            return default
        if self._default is not _NONE:
            return self._default
        raise LookupError(self)

    def set(self, value, /):
        values = _current[-1]._values
        token = Token(_current[-1], self, values.get(self, Token.MISSING))
        values[self] = value
        return token

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError(f"expected an instance of Token, got {token!r}")
        if token._is_used:
            raise RuntimeError(f"{token!r} has already been used once")
        if token._var is not self:
            raise ValueError(f"{token!r} was created by a different ContextVar")
        if token._context is not _current[-1]:
            raise ValueError(f"{token!r} was created in a different Context")
        token._is_used = True
        if token._old is Token.MISSING:
            del _current[-1]._values[self]
        else:
            _current[-1]._values[self] = token._old

    def __class_getitem__(cls, item):
        import types
        return types.GenericAlias(cls, item)

    def __repr__(self):
        default = "" if self._default is _NONE else f" default={self._default!r}"
        return f"<ContextVar name={self._name!r}{default} at {id(self):#x}>"


class Context:
    """The values of context variables."""

    def __init__(self):
        self._values = {}
        self._is_entered = False

    def run(self, callable, /, *args, **kwargs):
        if self._is_entered:
            raise RuntimeError(f"cannot enter context: {self!r} is already entered")
        self._is_entered = True
        _current.append(self)
        try:
            return callable(*args, **kwargs)
        finally:
            _current.remove(self)
            self._is_entered = False

    def copy(self):
        made = Context()
        made._values = dict(self._values)
        return made

    def __getitem__(self, var):
        if not isinstance(var, ContextVar):
            raise TypeError(f"a ContextVar key was expected, got {var!r}")
        return self._values[var]

    def __contains__(self, var):
        if not isinstance(var, ContextVar):
            raise TypeError(f"a ContextVar key was expected, got {var!r}")
        return var in self._values

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def get(self, var, default=None, /):
        return self[var] if var in self else default

    def keys(self):
        return self._values.keys()

    def values(self):
        return self._values.values()

    def items(self):
        return self._values.items()


_current = [Context()]


def copy_context():
    return _current[-1].copy()


for _cls in (Token, ContextVar, Context):
    _cls.__module__ = "_contextvars"
