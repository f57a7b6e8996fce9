"""inspect.Signature: what a callable takes."""

import types

from inspect import (_KEYWORD_ONLY, _POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD, _VAR_KEYWORD, _VAR_POSITIONAL, BoundArguments,
                     FullArgSpec, OrderedDict, Parameter, _empty, _void, formatannotation, get_annotations, isclass, isfunction,
                     ismethod, unwrap)


class Signature:
    """The parameters of a callable and the annotation of its result."""

    __slots__ = ("_parameters", "_return_annotation")
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty, __validate_parameters__=True):
        found = OrderedDict()
        last_kind = _POSITIONAL_ONLY
        has_default = False
        for one in parameters or ():
            if __validate_parameters__:
                if one.kind < last_kind:
                    raise ValueError(f"wrong parameter order: {last_kind.description} parameter before "
                                     f"{one.kind.description} parameter")
                if one.kind in (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD):
                    if one.default is not _empty:
                        has_default = True
                    elif has_default:
                        raise ValueError("non-default argument follows default argument")
                if one.name in found:
                    raise ValueError(f"duplicate parameter name: {one.name!r}")
            last_kind = one.kind
            found[one.name] = one
        self._parameters = types.MappingProxyType(found)
        self._return_annotation = return_annotation

    def __reduce__(self):
        return type(self), (tuple(self._parameters.values()),), {"_return_annotation": self._return_annotation}

    def __setstate__(self, state):
        self._return_annotation = state["_return_annotation"]

    @classmethod
    def from_callable(cls, obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False, annotation_format=None):
        """The signature of a callable. Errors: TypeError, ValueError."""
        return _of(obj, cls, follow_wrapped, globals, locals, eval_str)

    parameters = property(lambda self: self._parameters)
    return_annotation = property(lambda self: self._return_annotation)

    def replace(self, *, parameters=_void, return_annotation=_void):
        """The same with something else in it."""
        return type(self)(self._parameters.values() if parameters is _void else parameters,
                          return_annotation=self._return_annotation if return_annotation is _void else return_annotation)

    __replace__ = replace

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        mine, others = list(self._parameters.values()), list(other._parameters.values())
        in_order = lambda all_: [one for one in all_ if one.kind != _KEYWORD_ONLY]
        by_name = lambda all_: {one.name: one for one in all_ if one.kind == _KEYWORD_ONLY}
        return in_order(mine) == in_order(others) and by_name(mine) == by_name(others) and \
            self._return_annotation == other._return_annotation

    def __hash__(self):
        return hash((tuple(self._parameters.values()), self._return_annotation))

    def bind(self, /, *args, **kwargs):
        """The arguments by name. Errors: TypeError where a call would raise it."""
        return self._bind(args, kwargs, False)

    def bind_partial(self, /, *args, **kwargs):
        """The same where some may be missing."""
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, is_partial):
        arguments = {}
        rest = list(args)
        keywords = dict(kwargs)
        only_positional = [one.name for one in self._parameters.values()
                           if one.kind == _POSITIONAL_ONLY and one.name in keywords]
        takes_keywords = any(one.kind == _VAR_KEYWORD for one in self._parameters.values())
        catch_all = None
        is_past_positional = False
        for name, parameter in self._parameters.items():
            kind = parameter.kind
            if kind == _VAR_POSITIONAL:
                is_past_positional = True
                if rest:
                    arguments[name] = tuple(rest)
                    rest = []
            elif kind == _VAR_KEYWORD:
                catch_all = name
            elif kind != _KEYWORD_ONLY and rest:
                if name in keywords and kind != _POSITIONAL_ONLY:
                    raise TypeError(f"multiple values for argument {name!r}")
                arguments[name] = rest.pop(0)
            elif name in keywords and kind != _POSITIONAL_ONLY:
                is_past_positional = True
                arguments[name] = keywords.pop(name)
            elif parameter.default is _empty and not is_partial:
                if kind == _POSITIONAL_ONLY and name in keywords and not takes_keywords:
                    continue
                if kind == _KEYWORD_ONLY and rest:
                    raise TypeError("too many positional arguments")
                # Python tells the kind only where all parameters before were given by position.
                word = " keyword-only" if kind == _KEYWORD_ONLY and not is_past_positional else ""
                raise TypeError(f"missing a required{word} argument: {name!r}")
            else:
                is_past_positional = True
        if rest:
            raise TypeError("too many positional arguments")
        if keywords:
            if catch_all is not None:
                arguments[catch_all] = keywords
            elif only_positional:
                raise TypeError("got some positional-only arguments passed as keyword arguments: "
                                f"{', '.join(map(repr, only_positional))}")
            else:
                raise TypeError(f"got an unexpected keyword argument {next(iter(keywords))!r}")
        return BoundArguments(self, arguments)

    def __str__(self):
        return self.format()

    def format(self, *, max_width=None, quote_annotation_strings=True):
        """The text of the signature; wider than `max_width`, a line for each parameter."""
        parts = []
        has_positional_only = False
        has_star = False
        for parameter in self._parameters.values():
            if parameter.kind == _POSITIONAL_ONLY:
                has_positional_only = True
            elif has_positional_only:
                parts.append("/")
                has_positional_only = False
            if parameter.kind == _VAR_POSITIONAL:
                has_star = True
            elif parameter.kind == _KEYWORD_ONLY and not has_star:
                parts.append("*")
                has_star = True
            parts.append(str(parameter))
        if has_positional_only:
            parts.append("/")
        text = f"({', '.join(parts)})"
        if max_width is not None and len(text) > max_width:
            text = "(\n    " + ",\n    ".join(parts) + "\n)"
        if self._return_annotation is not _empty:
            text += f" -> {formatannotation(self._return_annotation, quote_annotation_strings=quote_annotation_strings)}"
        return text

    def __repr__(self):
        return f"<{type(self).__name__} {self}>"


Signature.__module__ = "inspect"


def signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False, annotation_format=None):
    """The signature of a callable. Errors: TypeError for what can't be called, ValueError where it is not known."""
    return _of(obj, Signature, follow_wrapped, globals, locals, eval_str)


def _of(obj, cls, follow_wrapped, globals, locals, eval_str):
    def again(inner):
        return _of(inner, cls, follow_wrapped, globals, locals, eval_str)

    if not callable(obj):
        raise TypeError(f"{obj!r} is not a callable object")
    if ismethod(obj):
        return _without_first(again(obj.__func__))
    if follow_wrapped and not isclass(obj):
        inner = unwrap(obj, stop=lambda one: hasattr(one, "__signature__") or ismethod(one))
        if ismethod(inner):
            return again(inner)
        obj = inner
    given = getattr(obj, "__signature__", None) if not isclass(obj) else obj.__dict__.get("__signature__")
    if given is not None:
        if not isinstance(given, Signature):
            raise TypeError(f"unexpected object {given!r} in __signature__ attribute")
        return given
    if isfunction(obj):
        return _of_function(obj, cls, globals, locals, eval_str)
    if hasattr(obj, "func") and hasattr(obj, "keywords") and hasattr(obj, "args"):
        return _of_partial(obj, again(obj.func))
    if isclass(obj):
        return _of_class(obj, cls, again)
    text = getattr(obj, "__text_signature__", None)
    if text:
        return _of_text(text, cls)
    call = getattr(type(obj), "__call__", None)
    if isfunction(call) or ismethod(call) or getattr(call, "__text_signature__", None):
        return _without_first(again(call))
    raise ValueError(f"no signature found for builtin {obj!r}")


def _without_first(given):
    parameters = list(given.parameters.values())
    if not parameters or parameters[0].kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
        raise ValueError("invalid method signature")
    if parameters[0].kind != _VAR_POSITIONAL:
        parameters = parameters[1:]
    return given.replace(parameters=parameters)


def _of_function(function, cls, globals, locals, eval_str):
    code = function.__code__
    names = code.co_varnames
    count = code.co_argcount
    keyword_count = code.co_kwonlyargcount
    annotations = get_annotations(function, globals=globals, locals=locals, eval_str=eval_str)
    defaults = function.__defaults__ or ()
    keyword_defaults = function.__kwdefaults__ or {}
    first_default = count - len(defaults)
    parameters = []

    def add(name, kind, default=_empty):
        parameters.append(Parameter(name, kind, default=default, annotation=annotations.get(name, _empty)))

    for at, name in enumerate(names[:count]):
        add(name, _POSITIONAL_ONLY if at < code.co_posonlyargcount else _POSITIONAL_OR_KEYWORD,
            defaults[at - first_default] if at >= first_default else _empty)
    if code.co_flags & 4:
        add(names[count + keyword_count], _VAR_POSITIONAL)
    for name in names[count:count + keyword_count]:
        add(name, _KEYWORD_ONLY, keyword_defaults.get(name, _empty))
    if code.co_flags & 8:
        add(names[count + keyword_count + bool(code.co_flags & 4)], _VAR_KEYWORD)
    return cls(parameters, return_annotation=annotations.get("return", _empty), __validate_parameters__=False)


def _of_partial(partial, inner):
    parameters = list(inner.parameters.values())
    try:
        bound = inner.bind_partial(*partial.args, **partial.keywords)
    except TypeError as error:
        raise ValueError(f"partial object {partial!r} has incorrect arguments") from error
    result = []
    left = len(partial.args)
    is_keyword = False
    for parameter in parameters:
        name = parameter.name
        if left and parameter.kind in (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD):
            left -= 1
            continue
        if name in partial.keywords and parameter.kind in (_POSITIONAL_OR_KEYWORD, _KEYWORD_ONLY):
            is_keyword = True
            result.append(parameter.replace(kind=_KEYWORD_ONLY, default=bound.arguments[name]))
        elif is_keyword and parameter.kind == _POSITIONAL_OR_KEYWORD:
            result.append(parameter.replace(kind=_KEYWORD_ONLY))
        elif not (is_keyword and parameter.kind == _VAR_POSITIONAL):
            result.append(parameter)
    return inner.replace(parameters=result)


def _of_class(obj, cls, again):
    meta_call = type(obj).__call__
    if isfunction(meta_call) and type(obj).__module__ != "enum":
        return _without_first(again(meta_call))
    for base in obj.__mro__[:-1]:
        # Whichever of both is found first in the classes decides.
        for name in ("__new__", "__init__"):
            method = base.__dict__.get(name)
            method = getattr(method, "__func__", method)
            if isfunction(method) or getattr(method, "__text_signature__", None):
                return _without_first(again(method))
        text = base.__dict__.get("__text_signature__")
        if text:
            return _of_text(text, cls)
    if object in obj.__bases__ or obj is object or all(base.__module__ != "builtins" for base in obj.__mro__[:-1]):
        if obj.__module__ != "builtins":
            return cls([])
    raise ValueError(f"no signature found for builtin type {obj!r}")


def _of_text(text, cls):
    """From the text that a built-in function has: its defaults are what they read as."""
    names = {}
    exec(f"def function{text.replace('$', '')}: pass", {}, names)
    found = _of_function(names["function"], cls, None, None, False)
    parameters = list(found.parameters.values())
    if "$" in text:
        parameters = parameters[1:]
    return cls(parameters)


def getfullargspec(func):
    """The parameters as a named tuple."""
    args, kwonlyargs, defaults = [], [], ()
    varargs = varkw = None
    annotations, kwdefaults = {}, {}
    try:
        found = _of(func, Signature, False, None, None, False)
    except Exception as error:
        raise TypeError("unsupported callable") from error
    if ismethod(func):
        found = _of_function(func.__func__, Signature, None, None, False)
    if found.return_annotation is not _empty:
        annotations["return"] = found.return_annotation
    for parameter in found.parameters.values():
        if parameter.kind in (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD):
            args.append(parameter.name)
            if parameter.default is not _empty:
                defaults += (parameter.default,)
        elif parameter.kind == _VAR_POSITIONAL:
            varargs = parameter.name
        elif parameter.kind == _KEYWORD_ONLY:
            kwonlyargs.append(parameter.name)
            if parameter.default is not _empty:
                kwdefaults[parameter.name] = parameter.default
        else:
            varkw = parameter.name
        if parameter.annotation is not _empty:
            annotations[parameter.name] = parameter.annotation
    return FullArgSpec(args, varargs, varkw, defaults or None, kwonlyargs, kwdefaults or None, annotations)


def getcallargs(func, /, *positional, **named):
    """The arguments of a call by the names of the parameters."""
    bound = signature(func).bind(*positional, **named)
    bound.apply_defaults()
    return bound.arguments
