"""What functions, classes and modules are made of."""

import linecache
import sys
import types
from collections import OrderedDict, namedtuple

import _source_blocks
from _generics import annotation_text

CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_NESTED, CO_GENERATOR = 1, 2, 4, 8, 16, 32
CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 128, 256, 512


def ismodule(object):
    """Whether it is a module."""
    return isinstance(object, types.ModuleType)


def isclass(object):
    """Whether it is a class."""
    return isinstance(object, type)


def ismethod(object):
    """Whether it is a method bound to an instance."""
    return isinstance(object, types.MethodType)


def isfunction(object):
    """Whether it is a function of a program."""
    return isinstance(object, types.FunctionType) and hasattr(object, "__code__")


def isbuiltin(object):
    """Whether it is a built-in function or method."""
    return isinstance(object, types.BuiltinFunctionType) and not isfunction(object)


def isroutine(object):
    """Whether it is any function or method."""
    return isbuiltin(object) or isfunction(object) or ismethod(object) or ismethoddescriptor(object) or \
        isinstance(object, types.MethodWrapperType)


def ismethoddescriptor(object):
    """Whether it has __get__ and no __set__, and is none of the usual functions, methods and classes."""
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    cls = type(object)
    return hasattr(cls, "__get__") and not hasattr(cls, "__set__") and not hasattr(cls, "__delete__")


def isdatadescriptor(object):
    """Whether it has __set__ or __delete__."""
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    return hasattr(type(object), "__set__") or hasattr(type(object), "__delete__")


def isgenerator(object):
    """Whether it is a generator."""
    return isinstance(object, types.GeneratorType)


def isgeneratorfunction(obj):
    """Whether calling it gives a generator."""
    function = _underlying(obj)
    return isfunction(function) and bool(function.__code__.co_flags & CO_GENERATOR)


def iscoroutinefunction(obj):
    """Whether it is an async function."""
    function = _underlying(obj)
    return isfunction(function) and bool(function.__code__.co_flags & CO_COROUTINE or getattr(function, "_is_coroutine_mark", False))


def isasyncgenfunction(obj):
    """Whether it is an async function that yields."""
    function = _underlying(obj)
    return isfunction(function) and bool(function.__code__.co_flags & CO_ASYNC_GENERATOR)


def iscoroutine(object):
    """Whether it is a coroutine."""
    return isinstance(object, types.CoroutineType)


def isasyncgen(object):
    """Whether it is an asynchronous generator."""
    return isinstance(object, types.AsyncGeneratorType)


def markcoroutinefunction(func):
    """Lets iscoroutinefunction() say that it is one."""
    getattr(func, "__func__", func)._is_coroutine_mark = True
    return func


def isawaitable(object):
    """Whether it can be awaited."""
    return hasattr(type(object), "__await__")


def iscode(object):
    """Whether it is a code object."""
    return isinstance(object, types.CodeType)


def isframe(object):
    """Whether it is a frame."""
    return isinstance(object, types.FrameType)


def istraceback(object):
    """Whether it is a traceback."""
    return isinstance(object, types.TracebackType)


def isabstract(object):
    """Whether it is a class with abstract methods."""
    return isinstance(object, type) and bool(getattr(object, "__abstractmethods__", None))


def _underlying(obj):
    """The function in methods and partial objects."""
    while True:
        if ismethod(obj):
            obj = obj.__func__
        elif hasattr(obj, "func") and hasattr(obj, "keywords"):
            obj = obj.func
        else:
            return obj


def getmembers(object, predicate=None):
    """(name, value) of all attributes, sorted by name."""
    names = dict.fromkeys(dir(object))
    if isclass(object):
        for base in object.__bases__:
            for name, value in base.__dict__.items():
                if isinstance(value, types.DynamicClassAttribute):
                    names[name] = None
    result = []
    for name in names:
        try:
            value = getattr(object, name)
        except AttributeError:
            for base in getattr(object, "__mro__", ()):
                if name in base.__dict__:
                    value = base.__dict__[name]
                    break
            else:
                continue
        if predicate is None or predicate(value):
            result.append((name, value))
    result.sort(key=lambda pair: pair[0])
    return result


def getmro(cls):
    """The classes in which attributes are looked up, in order."""
    return cls.__mro__


def getdoc(object):
    """The docstring without its indentation, that of a base class if there is none; or None."""
    doc = getattr(object, "__doc__", None)
    if doc is None and isclass(object):
        for base in object.__mro__[1:]:
            if base is not object and base.__module__ != "builtins" and base.__doc__ is not None:
                doc = base.__doc__
                break
    return cleandoc(doc) if isinstance(doc, str) else None


def cleandoc(doc):
    """A docstring without its indentation, and without empty lines around."""
    lines = doc.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].lstrip(), *[line[margin:] for line in lines[1:]]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getmodule(object, _filename=None):
    """The module that something was defined in, or None."""
    return object if ismodule(object) else sys.modules.get(getattr(object, "__module__", None))


def getmodulename(path):
    """The name of the module in a file, or None."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name[:-3] if name.endswith(".py") else None


def getfile(object):
    """The file that something was defined in. Errors: TypeError."""
    if ismodule(object):
        if getattr(object, "__file__", None):
            return object.__file__
        raise TypeError(f"{object!r} is a built-in module")
    if isclass(object):
        file = getattr(sys.modules.get(object.__module__), "__file__", None)
        if file:
            return file
        raise TypeError(f"{object!r} is a built-in class")
    function = _underlying(object)
    if isfunction(function):
        return function.__code__.co_filename
    if istraceback(function):
        function = function.tb_frame
    if isframe(function):
        return function.f_code.co_filename
    if iscode(function):
        return function.co_filename
    raise TypeError("module, class, method, function, traceback, frame, or code object was expected, got "
                    f"{type(object).__name__}")


def getsourcefile(object):
    """The file that the source of something is in."""
    return getfile(object)


def findsource(object):
    """(all lines of the file, the row of the definition from 0). Errors: OSError  there is no source."""
    file = getsourcefile(object)
    lines = linecache.getlines(file)
    if not lines:
        raise OSError("could not get source code")
    if ismodule(object):
        return lines, 0
    if isclass(object):
        row = _source_blocks.row_of_class(lines, object.__qualname__)
        if row is None:
            raise OSError("could not find class definition")
        return lines, row
    object = _underlying(object)
    if isfunction(object):
        object = object.__code__
    if istraceback(object):
        object = object.tb_frame
    if isframe(object):
        object = object.f_code
    row = object.co_firstlineno - 1
    if row >= len(lines):
        raise OSError("lineno is out of bounds")
    return lines, _source_blocks.first_row(lines, row)


def getblock(lines):
    """The lines of the definition that these begin with."""
    return _source_blocks.block_from(lines)


def getsourcelines(object):
    """(the lines of the definition, the number of the first); of a module all lines, and 0."""
    object = unwrap(object)
    lines, row = findsource(object)
    if istraceback(object):
        object = object.tb_frame
    if ismodule(object) or isframe(object) and object.f_code.co_name == "<module>":
        return lines, 0
    return getblock(lines[row:]), row + 1


def getsource(object):
    """The text of the definition of a function, a class, a module, a frame … Errors: OSError  there is none; TypeError."""
    return "".join(getsourcelines(object)[0])


def getcomments(object):
    """The comments right above a definition, or at the top of a module; None: there are none."""
    try:
        lines, row = findsource(object)
    except (OSError, TypeError):
        return None
    if ismodule(object):
        row = 1 if lines and lines[0].startswith("#!") else 0
        while row < len(lines) and lines[row].strip() in ("", "#"):
            row += 1
        end = row
        while end < len(lines) and lines[end].startswith("#"):
            end += 1
        return "".join(one.expandtabs() for one in lines[row:end]) or None
    margin = len(lines[row].expandtabs()) - len(lines[row].expandtabs().lstrip())
    start = row
    while start > 0 and lines[start - 1].lstrip().startswith("#") and \
            len(lines[start - 1].expandtabs()) - len(lines[start - 1].expandtabs().lstrip()) == margin:
        start -= 1
    return "".join(one.expandtabs().lstrip() for one in lines[start:row]) or None


def unwrap(func, *, stop=None):
    """What the function wraps, and that in its turn, up to the innermost. Errors: ValueError if they go round."""
    seen = {id(func)}
    start = func
    while hasattr(func, "__wrapped__") and not (stop is not None and stop(func)):
        func = func.__wrapped__
        if id(func) in seen:
            raise ValueError(f"wrapper loop when unwrapping {start!r}")
        seen.add(id(func))
    return func


def currentframe():
    """The frame of the caller."""
    return sys._getframe(1)


def stack(context=1):
    """A FrameInfo for each frame, the caller's first."""
    frame = sys._getframe(1)
    result = []
    while frame is not None:
        result.append(FrameInfo(frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, None))
        frame = frame.f_back
    return result


FrameInfo = namedtuple("FrameInfo", ["frame", "filename", "lineno", "function", "code_context", "index"])
FullArgSpec = namedtuple("FullArgSpec", ["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"])
ClosureVars = namedtuple("ClosureVars", ["nonlocals", "globals", "builtins", "unbound"])
Attribute = namedtuple("Attribute", "name kind defining_class object")


def getattr_static(obj, attr, default=FrameInfo):
    """An attribute without running descriptors or __getattr__."""
    if not isclass(obj):
        own = getattr(obj, "__dict__", {})
        if attr in own:
            return own[attr]
    for base in (obj if isclass(obj) else type(obj)).__mro__:
        if attr in base.__dict__:
            return base.__dict__[attr]
    if default is not FrameInfo:
        return default
    raise AttributeError(attr)


def get_annotations(obj, *, globals=None, locals=None, eval_str=False, format=None):
    """The annotations of a function, class or module itself, as a new dict; texts evaluated with `eval_str`."""
    found = getattr(obj, "__annotations__", None)
    if found is None:
        return {}
    found = dict(found)
    if eval_str:
        if globals is None:
            module = sys.modules.get(getattr(obj, "__module__", None))
            globals = getattr(_underlying(obj), "__globals__", None) or getattr(module, "__dict__", {})
        if locals is None and isclass(obj):
            locals = dict(vars(obj))
        found = {name: eval(value, globals, locals) if isinstance(value, str) else value for name, value in found.items()}
    return found


def formatannotation(annotation, base_module=None, *, quote_annotation_strings=True):
    """How an annotation reads in a signature."""
    if isinstance(annotation, str) and not quote_annotation_strings:
        return annotation
    if base_module is not None and isclass(annotation) and annotation.__module__ == base_module:
        return annotation.__qualname__
    return annotation_text(annotation)


# Signatures

class _empty:
    """Marks what a parameter has not."""


class _ParameterKind(int):
    """One of the five kinds of parameters, in the order in which they come."""

    def __new__(cls, value, name, description):
        self = int.__new__(cls, value)
        self.name = name
        self.description = description
        return self

    def __reduce_ex__(self, protocol):
        return _kind_of, (int(self),)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    @property
    def value(self):
        """Its number."""
        return int(self)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"<_ParameterKind.{self.name}: {int(self)}>"


_POSITIONAL_ONLY = _ParameterKind(0, "POSITIONAL_ONLY", "positional-only")
_POSITIONAL_OR_KEYWORD = _ParameterKind(1, "POSITIONAL_OR_KEYWORD", "positional or keyword")
_VAR_POSITIONAL = _ParameterKind(2, "VAR_POSITIONAL", "variadic positional")
_KEYWORD_ONLY = _ParameterKind(3, "KEYWORD_ONLY", "keyword-only")
_VAR_KEYWORD = _ParameterKind(4, "VAR_KEYWORD", "variadic keyword")
_KINDS = (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD, _VAR_POSITIONAL, _KEYWORD_ONLY, _VAR_KEYWORD)
_void = object()


def _kind_of(number):
    return _KINDS[number]


class Parameter:
    """One parameter of a signature."""

    __slots__ = ("_name", "_kind", "_default", "_annotation")
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = _KINDS
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        try:
            self._kind = _KINDS[kind]
        except (IndexError, TypeError):
            raise ValueError(f"value {kind!r} is not a valid Parameter.kind") from None
        if default is not _empty and self._kind in (_VAR_POSITIONAL, _VAR_KEYWORD):
            raise ValueError(f"{self._kind.description} parameters cannot have default values")
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not a {type(name).__name__}")
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid parameter name")
        self._name = name
        self._default = default
        self._annotation = annotation

    name = property(lambda self: self._name)
    kind = property(lambda self: self._kind)
    default = property(lambda self: self._default)
    annotation = property(lambda self: self._annotation)

    def replace(self, *, name=_void, kind=_void, annotation=_void, default=_void):
        """The same with something else in it."""
        return type(self)(self._name if name is _void else name, self._kind if kind is _void else kind,
                          default=self._default if default is _void else default,
                          annotation=self._annotation if annotation is _void else annotation)

    __replace__ = replace

    def __str__(self):
        text = self._name
        if self._annotation is not _empty:
            text += f": {formatannotation(self._annotation)}"
        if self._default is not _empty:
            text += f" = {self._default!r}" if self._annotation is not _empty else f"={self._default!r}"
        return {_VAR_POSITIONAL: "*", _VAR_KEYWORD: "**"}.get(self._kind, "") + text

    def __repr__(self):
        return f'<{type(self).__name__} "{self}">'

    def __hash__(self):
        return hash((self._name, self._kind, self._annotation, self._default))

    def __eq__(self, other):
        if not isinstance(other, Parameter):
            return NotImplemented
        return self._name == other._name and self._kind == other._kind and self._default == other._default and \
            self._annotation == other._annotation


class BoundArguments:
    """The arguments of a call by the names of the parameters."""

    __slots__ = ("arguments", "_signature")

    def __init__(self, signature, arguments):
        self.arguments = arguments
        self._signature = signature

    @property
    def signature(self):
        """The signature that they were bound to."""
        return self._signature

    @property
    def args(self):
        """The positional arguments."""
        result = []
        for name, parameter in self._signature.parameters.items():
            if parameter.kind in (_VAR_KEYWORD, _KEYWORD_ONLY) or name not in self.arguments:
                break
            if parameter.kind == _VAR_POSITIONAL:
                result.extend(self.arguments[name])
            else:
                result.append(self.arguments[name])
        return tuple(result)

    @property
    def kwargs(self):
        """The keyword arguments."""
        result = {}
        are_keywords = False
        for name, parameter in self._signature.parameters.items():
            if not are_keywords:
                if parameter.kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
                    are_keywords = True
                elif name not in self.arguments:
                    are_keywords = True
                    continue
            if not are_keywords or name not in self.arguments:
                continue
            if parameter.kind == _VAR_KEYWORD:
                result.update(self.arguments[name])
            else:
                result[name] = self.arguments[name]
        return result

    def apply_defaults(self):
        """Adds the defaults of what was not given."""
        arguments = {}
        for name, parameter in self._signature.parameters.items():
            if name in self.arguments:
                arguments[name] = self.arguments[name]
            elif parameter.default is not _empty:
                arguments[name] = parameter.default
            elif parameter.kind == _VAR_POSITIONAL:
                arguments[name] = ()
            elif parameter.kind == _VAR_KEYWORD:
                arguments[name] = {}
        self.arguments = arguments

    def __eq__(self, other):
        if not isinstance(other, BoundArguments):
            return NotImplemented
        return self.signature == other.signature and self.arguments == other.arguments

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"<{type(self).__name__} ({inside})>"


from _signature import Signature, getcallargs, getfullargspec, signature  # noqa: E402

__all__ = [name for name in list(globals()) if name[0] != "_" and name not in ("annotation_text", "linecache", "namedtuple", "sys",
                                                                                   "types")]
