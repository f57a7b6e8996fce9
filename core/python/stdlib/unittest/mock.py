"""Objects that stand for others and keep how they were called. Behaviour: CPython Lib/unittest/mock.py.

There are Mock, MagicMock, call, patch, patch.object, patch.dict, ANY, sentinel, PropertyMock; specifications
(create_autospec) know the names of what they stand for, not its arguments."""
import functools
import importlib



class InvalidSpecError(Exception):
    """A mock stands for another mock."""


class _Any:
    """Equal to everything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None

    def __repr__(self):
        return "<ANY>"


ANY = _Any()


class _SentinelObject:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"sentinel.{self.name}"


class _Sentinel:
    def __init__(self):
        self._made = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._made.setdefault(name, _SentinelObject(name))


sentinel = _Sentinel()
DEFAULT = sentinel.DEFAULT


class _Call(tuple):
    """(name, args, kwargs) of a call; of what a mock keeps of calls of its own (args, kwargs)."""

    def __new__(cls, value=(), name="", two=False):
        args, kwargs = (), {}
        for part in value:
            if isinstance(part, str):
                name = part
            elif isinstance(part, tuple):
                args = part
            else:
                kwargs = part
        return tuple.__new__(cls, (args, kwargs) if two else (name, args, kwargs))

    def _name(self):
        return self[0] if len(self) == 3 else ""

    def __eq__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        if not isinstance(other, _Call):
            other = _Call(other)
        mine, others = self._name(), other._name()
        return (not mine or not others or mine == others) and self.args == other.args and self.kwargs == other.kwargs

    __ne__ = object.__ne__  # that of tuples does not ask __eq__
    __hash__ = None

    def __call__(self, /, *args, **kwargs):
        made = _Call((self._name(), args, kwargs))
        made._is_made = True
        return made

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        mine = self._name()
        if self._is_made:
            mine += "()"
        return _Call((f"{mine}.{name}" if mine else name, (), {}))

    _is_made = False

    args = property(lambda self: self[-2])
    kwargs = property(lambda self: self[-1])

    def __repr__(self):
        parts = [repr(one) for one in self.args] + [f"{name}={value!r}" for name, value in self.kwargs.items()]
        mine = self._name()
        return f"call{'.' + mine if mine else ''}({', '.join(parts)})"


call = _Call()


def _shown(name, args, kwargs):
    parts = [repr(one) for one in args] + [f"{key}={value!r}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


class NonCallableMock:
    """Attributes that are mocks, made when they are asked for."""

    def __new__(cls, *args, **kwargs):
        # A class of its own, so that special methods of one are not those of all.
        return object.__new__(type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__}))

    def __init__(self, spec=None, wraps=None, name=None, spec_set=None, parent=None, _name="", return_value=DEFAULT,
                 side_effect=None, **kwargs):
        own = self.__dict__
        spec = spec_set if spec_set is not None else spec
        own["_names"] = None if spec is None else spec if isinstance(spec, (list, tuple)) else dir(spec)
        own["_spec_class"] = None if spec is None or isinstance(spec, (list, tuple)) else \
            spec if isinstance(spec, type) else type(spec)
        own["_is_set"] = spec_set is not None
        own["_wraps"], own["_name"], own["_parent"], own["_children"] = wraps, name or _name, parent, {}
        own["_deleted"] = set()
        own["_return"], own["_effect"] = return_value, None
        self._begin()
        self.side_effect = side_effect
        self.configure_mock(**kwargs)

    def _begin(self):
        own = self.__dict__
        own["called"], own["call_count"], own["call_args"] = False, 0, None
        own["call_args_list"], own["mock_calls"], own["method_calls"] = [], [], []

    def configure_mock(self, /, **kwargs):
        for path, value in sorted(kwargs.items(), key=lambda entry: entry[0].count(".")):
            *parts, last = path.split(".")
            target = self
            for part in parts:
                target = getattr(target, part)
            setattr(target, last, value)

    def _child(self, name):
        kind = MagicMock if isinstance(self, MagicMixin) else Mock
        return kind(parent=self, _name=name)

    def __getattr__(self, name):
        own = self.__dict__
        if name in ("_names", "_children") or "_children" not in own:
            raise AttributeError(name)
        if name in own["_deleted"] or name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"Mock object has no attribute {name!r}" if own["_names"] is not None else name)
        if own["_names"] is not None and name not in own["_names"]:
            raise AttributeError(f"Mock object has no attribute {name!r}")
        if own["_names"] is None and name.startswith(("assert", "assret", "asert", "aseert", "assrt")):
            raise AttributeError(f"{name!r} is not a valid assertion. Use a spec for the mock if {name!r} is meant to be an "
                                 "attribute.")
        if name not in own["_children"]:
            own["_children"][name] = self._child(name)
        return own["_children"][name]

    def __setattr__(self, name, value):
        own = self.__dict__
        if name in ("return_value", "side_effect") or name in own and name not in own["_children"]:
            object.__setattr__(self, name, value)
        elif name.startswith("__") and name.endswith("__"):
            function = value if not isinstance(value, NonCallableMock) else (lambda _self, *args, **kwargs: value(*args, **kwargs))
            setattr(type(self), name, function)
            own["_children"][name] = value
        else:
            if own.get("_is_set") and name not in own["_names"]:
                raise AttributeError(f"Mock object has no attribute {name!r}")
            own["_deleted"].discard(name)
            if isinstance(value, NonCallableMock) and value._parent is None and not value._name:
                value.__dict__["_parent"], value.__dict__["_name"] = self, name
            if isinstance(value, PropertyMock):
                setattr(type(self), name, value)
                return
            own[name] = value

    def __delattr__(self, name):
        own = self.__dict__
        if name in own["_deleted"]:
            raise AttributeError(name)
        own["_children"].pop(name, None)
        own.pop(name, None)
        own["_deleted"].add(name)

    @property
    def __class__(self):
        found = self.__dict__.get("_spec_class")
        return type(self) if found is None else found

    @property
    def return_value(self):
        own = self.__dict__
        if own["_return"] is DEFAULT:
            own["_return"] = self._child("()")
        return own["_return"]

    @return_value.setter
    def return_value(self, value):
        self.__dict__["_return"] = value

    @property
    def side_effect(self):
        return self.__dict__["_effect"]

    @side_effect.setter
    def side_effect(self, value):
        is_one = value is None or callable(value) or isinstance(value, BaseException)
        self.__dict__["_effect"] = value if is_one else iter(value)

    def reset_mock(self, visited=None, *, return_value=False, side_effect=False):
        self._begin()
        if return_value:
            self.__dict__["_return"] = DEFAULT
        if side_effect:
            self.__dict__["_effect"] = None
        for child in self.__dict__["_children"].values():
            if isinstance(child, NonCallableMock):
                child.reset_mock()

    def attach_mock(self, mock, attribute):
        mock.__dict__["_parent"], mock.__dict__["_name"] = None, ""
        setattr(self, attribute, mock)

    def _full_name(self):
        own, parent = self.__dict__, self.__dict__["_parent"]
        name = own["_name"] or "mock"
        if parent is None:
            return name
        return parent._full_name() + (name if name == "()" else "." + name)

    def _note(self, name, args, kwargs):
        self.__dict__["mock_calls"].append(_Call((name, args, kwargs)))
        if name and "()" not in name:
            self.__dict__["method_calls"].append(_Call((name, args, kwargs)))
        parent = self.__dict__["_parent"]
        if parent is not None:
            own = self.__dict__["_name"]
            dot = "" if not name or name.startswith("()") else "."
            parent._note(own + dot + name, args, kwargs)

    def assert_not_called(self):
        if self.call_count:
            raise AssertionError(f"Expected {self._shown_name()!r} to not have been called. Called {self.call_count} times."
                                 f"\nCalls: {self.mock_calls}.")

    def assert_called(self):
        if self.call_count == 0:
            raise AssertionError(f"Expected {self._shown_name()!r} to have been called.")

    def assert_called_once(self):
        if self.call_count != 1:
            told = f"\nCalls: {self.mock_calls}." if self.call_count else ""
            raise AssertionError(f"Expected {self._shown_name()!r} to have been called once. Called {self.call_count} "
                                 f"times.{told}")

    def _shown_name(self):
        return self.__dict__["_name"] or "mock"

    def assert_called_with(self, /, *args, **kwargs):
        expected = _shown(self._shown_name(), args, kwargs)
        if self.call_args is None:
            raise AssertionError(f"expected call not found.\nExpected: {expected}\n  Actual: not called.")
        if _Call((args, kwargs)) != self.call_args:
            actual = _shown(self._shown_name(), self.call_args.args, self.call_args.kwargs)
            raise AssertionError(f"expected call not found.\nExpected: {expected}\n  Actual: {actual}")

    def assert_called_once_with(self, /, *args, **kwargs):
        if self.call_count != 1:
            told = f"\nCalls: {self.mock_calls}." if self.call_count else ""
            raise AssertionError(f"Expected {self._shown_name()!r} to be called once. Called {self.call_count} times.{told}")
        self.assert_called_with(*args, **kwargs)

    def assert_any_call(self, /, *args, **kwargs):
        if _Call((args, kwargs)) not in self.call_args_list:
            raise AssertionError(f"{_shown(self._shown_name(), args, kwargs)} call not found")

    def assert_has_calls(self, calls, any_order=False):
        calls = [_Call(one) for one in calls]
        if any_order:
            left = list(self.mock_calls)
            missing = []
            for one in calls:
                if one in left:
                    left.remove(one)
                else:
                    missing.append(one)
            if missing:
                raise AssertionError(f"{self._shown_name()!r} does not contain all of {tuple(missing)!r} in its call list, found "
                                     f"{self.mock_calls!r} instead")
        elif not any(self.mock_calls[at:at + len(calls)] == calls for at in range(len(self.mock_calls) - len(calls) + 1)):
            raise AssertionError(f"Calls not found.\nExpected: {calls!r}\n  Actual: {self.mock_calls!r}")

    def __repr__(self):
        kind = type(self).__name__
        named = f" name={self._full_name()!r}" if self.__dict__["_name"] else ""
        spec = self.__dict__["_spec_class"]
        told = f" spec={spec.__name__!r}" if spec is not None else ""
        return f"<{kind}{named}{told} id='{id(self)}'>"


class Mock(NonCallableMock):
    """A mock that may be called."""

    def __call__(self, /, *args, **kwargs):
        own = self.__dict__
        own["called"], own["call_args"] = True, _Call((args, kwargs), two=True)
        own["call_count"] += 1
        own["call_args_list"].append(own["call_args"])
        self._note("", args, kwargs)
        effect = own["_effect"]
        if effect is not None:
            if isinstance(effect, BaseException) or isinstance(effect, type) and issubclass(effect, BaseException):
                raise effect
            if not callable(effect):
                result = next(effect)
                if isinstance(result, BaseException) or isinstance(result, type) and issubclass(result, BaseException):
                    raise result
                return own["_return"] if result is DEFAULT else result
            result = effect(*args, **kwargs)
            if result is not DEFAULT:
                return result
        if own["_return"] is DEFAULT and own["_wraps"] is not None:
            return own["_wraps"](*args, **kwargs)
        return self.return_value


class MagicMixin:
    """Special methods that answer, and are mocks where somebody asks for them."""


class _Magic:
    """A special method of the class, which is a mock of the instance."""

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            raise AttributeError(self.name)
        children = instance.__dict__["_children"]
        if self.name not in children:
            made = children[self.name] = MagicMock(parent=instance, _name=self.name)
            default = {"__len__": 0, "__bool__": True, "__contains__": False, "__int__": 1, "__float__": 1.0, "__index__": 1,
                       "__exit__": False}.get(self.name, DEFAULT)
            if self.name == "__iter__":
                made.side_effect = lambda: iter([])
            elif self.name == "__next__":
                made.side_effect = StopIteration
            elif self.name in ("__lt__", "__gt__", "__le__", "__ge__"):
                made.return_value = NotImplemented
            elif default is not DEFAULT:
                made.return_value = default
        return children[self.name]


class MagicMock(MagicMixin, Mock):
    """A mock with special methods."""


for _name in ("__len__", "__bool__", "__contains__", "__int__", "__float__", "__index__", "__iter__", "__next__", "__enter__",
              "__exit__", "__getitem__", "__setitem__", "__delitem__", "__lt__", "__gt__", "__le__", "__ge__", "__add__",
              "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__matmul__", "__and__", "__or__",
              "__xor__", "__lshift__", "__rshift__", "__neg__", "__pos__", "__abs__", "__invert__", "__radd__", "__rsub__",
              "__rmul__", "__rtruediv__"):
    setattr(MagicMock, _name, _Magic(_name))


class NonCallableMagicMock(MagicMixin, NonCallableMock):
    """A mock with special methods that may not be called."""


class PropertyMock(Mock):
    """A property of a class whose reads and writes are calls."""

    def __get__(self, instance, owner=None):
        return self()

    def __set__(self, instance, value):
        self(value)


class AsyncMock(MagicMock):
    """A mock whose calls are awaited."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__["_awaits"] = []

    await_args_list = property(lambda self: self.__dict__["_awaits"])
    await_count = property(lambda self: len(self.__dict__["_awaits"]))
    await_args = property(lambda self: self.__dict__["_awaits"][-1] if self.__dict__["_awaits"] else None)

    async def __call__(self, /, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        if hasattr(type(result), "__await__"):
            result = await result
        self.__dict__["_awaits"].append(self.__dict__["call_args"])
        return result

    def assert_awaited(self):
        if not self.await_count:
            raise AssertionError(f"Expected {self.__dict__['_name'] or 'mock'} to have been awaited.")

    def assert_not_awaited(self):
        if self.await_count:
            raise AssertionError(f"Expected {self.__dict__['_name'] or 'mock'} to not have been awaited. "
                                 f"Awaited {self.await_count} times.")

    def assert_awaited_once(self):
        if self.await_count != 1:
            raise AssertionError(f"Expected {self.__dict__['_name'] or 'mock'} to have been awaited once. "
                                 f"Awaited {self.await_count} times.")

    def assert_awaited_with(self, /, *args, **kwargs):
        self.assert_awaited()
        expected = _Call((args, kwargs))
        if self.await_args != expected:
            raise AssertionError(f"expected await not found.\nExpected: {expected}\n  Actual: {self.await_args}")


def create_autospec(spec, spec_set=False, instance=False, _parent=None, _name=None, **kwargs):
    return MagicMock(spec=spec, **kwargs)


def seal(mock):
    mock.__dict__["_names"] = list(mock.__dict__["_children"]) + [name for name in mock.__dict__ if not name.startswith("_")]


# Attributes that are empty once they are deleted.
_ALWAYS_THERE = ("__doc__", "__module__", "__defaults__", "__annotations__", "__kwdefaults__")


def _patch_tests(cls, patcher):
    """The class, whose tests run with what the patcher changes."""
    for name in dir(cls):
        if name.startswith("test") and callable(getattr(cls, name)):
            setattr(cls, name, patcher(getattr(cls, name)))
    return cls


class _patch:
    """An attribute that is another one for a while."""

    def __init__(self, getter, attribute, new, spec, create, new_callable, kwargs):
        self.getter, self.attribute, self.new, self.spec, self.create = getter, attribute, new, spec, create
        self.new_callable, self.kwargs = new_callable, kwargs

    def __enter__(self):
        target = self.target = self.getter()
        own = getattr(target, "__dict__", {})
        self.is_own = self.attribute in own
        missing = object()
        self.original = own[self.attribute] if self.is_own else getattr(target, self.attribute, missing)
        if self.original is missing and not self.create:
            raise AttributeError(f"{target} does not have the attribute {self.attribute!r}")
        new = self.new
        if new is DEFAULT:
            kind = self.new_callable or MagicMock
            given = dict(self.kwargs)
            if self.spec is not None:
                given["spec"] = self.original if self.spec is True else self.spec
            if kind in (MagicMock, Mock):
                given.setdefault("name", self.attribute)
            new = kind(**given)
        self.is_absent = self.original is missing
        setattr(target, self.attribute, new)
        return new

    def __exit__(self, *given):
        if self.is_own:
            setattr(self.target, self.attribute, self.original)
        else:
            delattr(self.target, self.attribute)
            # A module's or an instance's attribute may come from elsewhere again.
            is_gone = not hasattr(self.target, self.attribute) or self.attribute in _ALWAYS_THERE
            if not self.is_absent and is_gone:
                setattr(self.target, self.attribute, self.original)
        return False

    start = __enter__

    def stop(self):
        return self.__exit__(None, None, None)

    def __call__(self, func):
        if isinstance(func, type):
            return _patch_tests(func, self)

        @functools.wraps(func)
        def patched(*args, **kwargs):
            with self as made:
                if self.new is DEFAULT:
                    args += (made,)
                return func(*args, **kwargs)

        return patched


def _importer(path):
    for end in range(path.count(".") + 1, 0, -1):
        parts = path.split(".")
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(f"No module named {path.partition('.')[0]!r}")


def patch(target, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None, new_callable=None, **kwargs):
    """What `target` ("package.module.name") names is `new` for a while."""
    place, dot, attribute = target.rpartition(".")
    if not dot:
        raise TypeError(f"Need a valid target to patch. You supplied: {target!r}")
    return _patch(lambda: _importer(place), attribute, new, spec or spec_set or autospec, create, new_callable, kwargs)


def _patch_object(target, attribute, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None, new_callable=None,
                  **kwargs):
    return _patch(lambda: target, attribute, new, spec or spec_set or autospec, create, new_callable, kwargs)


class _patch_dict:
    """A dictionary with other entries for a while."""

    def __init__(self, in_dict, values=(), clear=False, **kwargs):
        self.in_dict, self.values, self.clear = in_dict, dict(values), clear
        self.values.update(kwargs)

    def __enter__(self):
        if isinstance(self.in_dict, str):
            self.in_dict = _importer(self.in_dict)
        self.before = dict(self.in_dict)
        if self.clear:
            self._empty()
        for key, value in self.values.items():
            self.in_dict[key] = value
        return self.in_dict

    def _empty(self):
        for key in list(self.in_dict):
            del self.in_dict[key]

    def __exit__(self, *given):
        self._empty()
        for key, value in self.before.items():
            self.in_dict[key] = value
        return False

    start = __enter__

    def stop(self):
        return self.__exit__()

    def __call__(self, func):
        if isinstance(func, type):
            return _patch_tests(func, self)

        @functools.wraps(func)
        def patched(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return patched


patch.object, patch.dict = _patch_object, _patch_dict


def mock_open(mock=None, read_data=""):
    """What open() is where a file holds `read_data`."""
    import io
    made = MagicMock(name="open") if mock is None else mock

    def opened(*args, **kwargs):
        file = io.BytesIO(read_data) if isinstance(read_data, bytes) else io.StringIO(read_data)
        handle = MagicMock(name="file")
        handle.__enter__ = lambda self: handle
        for name in ("read", "readline", "readlines"):
            getattr(handle, name).side_effect = getattr(file, name)
        handle.__iter__ = lambda self: iter(file)
        return handle

    made.side_effect = opened
    return made
