"""Modules that are settings. Behaviour: torch/utils/_config_module.py."""
import contextlib
import copy
import hashlib
import pickle
import types
from unittest import mock

_KINDS = (int, float, bool, type(None), str, list, set, tuple, dict)


def install_config_module(module, on_change=None, aliases=None):
    """Makes a module's plain values settings; nothing else can be set from then on.

    `on_change(name, value)` is told what is set. `aliases`: other names of settings."""
    settings = {}
    for name, value in list(vars(module).items()):
        if not name.startswith("__") and isinstance(value, _KINDS):
            settings[name] = value
            delattr(module, name)
    module.__dict__.update(_config=settings, _default=copy.deepcopy(settings), _aliases=aliases or {}, _on_change=on_change)
    module.__class__ = ConfigModule


class ConfigModule(types.ModuleType):
    """Settings with the values that they had at first."""

    def __init__(self):
        raise NotImplementedError(f"use {__name__}.install_config_module(sys.modules[__name__])")

    def _known(self, name):
        name = self._aliases.get(name, name)
        if name not in self._config:
            raise AttributeError(f"{self.__name__}.{name} does not exist")
        return name

    def __getattr__(self, name):
        if name in ("_config", "_aliases"):
            raise AttributeError(name)
        return self._config[self._known(name)]

    def __setattr__(self, name, value):
        name = self._known(name)
        self._config[name] = value
        if self._on_change is not None:
            self._on_change(name, value)

    def __delattr__(self, name):
        # What mock.patch deletes it sets again.
        name = self._known(name)
        setattr(self, name, self._default[name])

    def __dir__(self):
        return list(super().__dir__()) + list(self._config)

    def save_config(self):
        ignored = self._config.get("_save_config_ignore", ())
        return pickle.dumps({name: value for name, value in self._config.items() if name not in ignored}, protocol=2)

    def save_config_portable(self, *, ignore_private_configs=True):
        ignored = tuple(self._config.get("_cache_config_ignore_prefix", ()))
        return {name: self._config[name] for name in sorted(self._config)
                if not (ignore_private_configs and name.startswith("_")) and not name.startswith(ignored or (" ",))}

    def codegen_config(self):
        """Python statements that set what is not as it was at first."""
        return "\n".join(f"{self.__name__}.{name} = {value!r}" for name, value in self._config.items()
                         if value != self._default[name])

    def get_hash(self):
        return hashlib.md5(repr(sorted(self._config.items())).encode("utf-8")).digest()

    def shallow_copy_dict(self):
        return dict(self._config)

    def get_config_copy(self):
        return copy.deepcopy(self._config)

    get_serializable_config_copy = get_config_copy

    def load_config(self, maybe_pickled_config):
        """Sets what save_config() or shallow_copy_dict() gave."""
        given = maybe_pickled_config
        for name, value in (given if isinstance(given, dict) else pickle.loads(given)).items():
            setattr(self, name, value)

    def patch(self, arg1=None, arg2=None, **kwargs):
        """Changes of settings for a `with`, a function or the tests of a class: "name", value; a dict; or keywords."""
        if arg1 is None:
            assert arg2 is None
            changes = kwargs
        else:
            assert not kwargs
            changes = arg1 if arg2 is None and not isinstance(arg1, str) else {arg1: arg2}
        assert isinstance(changes, dict), f"expected `dict` got {type(changes)}"
        return _Patch(self, changes)

    def _make_closure_patcher(self, **changes):
        """A function that makes the changes and gives the one that takes them back."""
        def change():
            made = _Patch(self, changes)
            made.__enter__()
            return lambda: made.__exit__(None, None, None)

        return change


class ContextDecorator(contextlib.ContextDecorator):
    """A context that decorates classes of tests, too: it is entered for all of their tests."""

    def __call__(self, func):
        import unittest
        if not isinstance(func, type) or not issubclass(func, unittest.TestCase):
            return super().__call__(func)
        context = self

        class _TestCase(func):
            @classmethod
            def setUpClass(cls):
                context.__enter__()
                try:
                    super().setUpClass()
                except Exception:
                    context.__exit__(None, None, None)
                    raise

            @classmethod
            def tearDownClass(cls):
                try:
                    super().tearDownClass()
                finally:
                    context.__exit__(None, None, None)

        _TestCase.__name__, _TestCase.__qualname__, _TestCase.__module__ = func.__name__, func.__qualname__, func.__module__
        return _TestCase


class _Patch(ContextDecorator):
    def __init__(self, config, changes):
        self._settings, self._changes, self._before = config, changes, []

    def __enter__(self):
        before = {}
        for name in self._changes:
            self._settings._known(name)
            before[name] = getattr(self._settings, name)
        self._before.append(before)
        for name, value in self._changes.items():
            setattr(self._settings, name, value)

    def __exit__(self, *error):
        for name, value in self._before.pop().items():
            setattr(self._settings, name, value)


def patch_object(obj, name, value):
    """mock.patch.object, for settings as well."""
    return obj.patch(name, value) if isinstance(obj, ConfigModule) else mock.patch.object(obj, name, value)
