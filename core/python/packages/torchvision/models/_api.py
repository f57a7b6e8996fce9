"""Descriptions of pretrained weights and the register of builders. Behaviour: torchvision/models/_api.py."""
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Mapping

from _stand_in import StandIn, part_of

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
        return StandIn("torch.hub.load_state_dict_from_url")(self.url, *args, **kwargs)

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
    """Decorator: makes a builder known under `name`, else under its own. Errors: ValueError if the name is taken."""
    def register(builder):
        key = builder.__name__ if name is None else name
        if key in BUILTIN_MODELS:
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
