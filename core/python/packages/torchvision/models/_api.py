"""Descriptions of pretrained weights and the register of builders. Behaviour: torchvision/models/_api.py."""
import fnmatch
import inspect
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Mapping

from _stand_in import part_of
from torch.hub import load_state_dict_from_url

__getattr__ = part_of(__name__)


@dataclass
class Weights:
    url: str
    transforms: Callable
    meta: Mapping[str, Any]


class WeightsEnum(Enum):
    """Base class of the weights of one model, one member each."""

    @classmethod
    def verify(cls, obj):
        """The member that `obj` means: a member, its name (also as "Class.NAME") or None. Errors: TypeError."""
        if obj is None or isinstance(obj, cls):
            return obj
        if isinstance(obj, str):
            return cls[obj.replace(cls.__name__ + ".", "")]
        raise TypeError(
            f"Invalid Weight class provided; expected {cls.__name__} but received {obj.__class__.__name__}.")

    def get_state_dict(self, *args, **kwargs):
        """Errors: RuntimeError where the file was not put into the folder of torch.hub: nothing is downloaded."""
        return load_state_dict_from_url(self.url, *args, **kwargs)

    def __repr__(self):
        return f"{self.__class__.__name__}.{self._name_}"

    @property
    def url(self):
        return self.value.url

    @property
    def transforms(self):
        return self.value.transforms

    @property
    def meta(self):
        return self.value.meta


BUILTIN_MODELS = {}


def register_model(name=None):
    """Decorator: makes a builder known under `name`, else under its own. Errors: ValueError if the name is taken.

    Differs: a module that is run again, as torchvision's own file in the place of ours, registers its builders anew.
    """
    def register(builder):
        key = builder.__name__ if name is None else name
        if key in BUILTIN_MODELS and BUILTIN_MODELS[key].__module__ != builder.__module__:
            raise ValueError(f"An entry is already registered under the name '{key}'.")
        BUILTIN_MODELS[key] = builder
        return builder

    return register


def get_model_builder(name):
    try:
        return BUILTIN_MODELS[name.lower()]
    except KeyError:
        raise ValueError(f"Unknown model {name.lower()}") from None


def get_model(name, **config):
    return get_model_builder(name)(**config)


def _parameters_of(builder):
    """The enumeration of a builder's weights: of its module, by its name without marks."""
    wanted = builder.__name__.replace("_", "").lower() + "weights"
    for name, value in vars(sys.modules[builder.__module__]).items():
        if name.replace("_", "").lower() == wanted and inspect.isclass(value) and issubclass(value, WeightsEnum):
            return value
    raise ValueError("The weights class for the specific method couldn't be retrieved. Make sure the typing info is correct.")


def get_model_weights(name):
    return _parameters_of(get_model_builder(name) if isinstance(name, str) else name)


def get_weight(name):
    """The member that "Class.MEMBER" means. Errors: ValueError."""
    try:
        cls, member = name.split(".")
    except ValueError:
        raise ValueError(f"Invalid weight name provided: '{name}'.") from None
    for builder in BUILTIN_MODELS.values():
        found = getattr(sys.modules[builder.__module__], cls, None)
        if inspect.isclass(found) and issubclass(found, WeightsEnum):
            return found[member]
    raise ValueError(f"The weight enum '{cls}' for the specific method couldn't be retrieved.")


def list_models(module=None, include=None, exclude=None):
    """The names of the builders of a module, or of all, in order; include and exclude: patterns, or lists of them."""
    names = {name for name, builder in BUILTIN_MODELS.items()
             if module is None or builder.__module__.rsplit(".", 1)[0] == module.__name__}
    if include:
        patterns = [include] if isinstance(include, str) else include
        names = {name for name in names if any(fnmatch.fnmatch(name, one) for one in patterns)}
    if exclude:
        patterns = [exclude] if isinstance(exclude, str) else exclude
        names = {name for name in names if not any(fnmatch.fnmatch(name, one) for one in patterns)}
    return sorted(names)
