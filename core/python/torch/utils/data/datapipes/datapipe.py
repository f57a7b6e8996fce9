"""What all pipes are. Behaviour: torch/utils/data/datapipes/datapipe.py."""
from typing import TypeVar

from torch.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe"]
_T_co = TypeVar("_T_co", covariant=True)


class _Functional:
    """Methods that are classes of pipes, for each kind of pipes its own."""

    @classmethod
    def register_function(cls, function_name, function):
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, enable_df_api_tracing=False):
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")

        def make(source, *args, **kwargs):
            return cls_to_register(source, *args, **kwargs)

        make.__doc__ = cls_to_register.__doc__
        cls.functions[function_name] = make

    def __getattr__(self, name):
        if name in type(self).functions:
            make = type(self).functions[name]
            return lambda *args, **kwargs: make(self, *args, **kwargs)
        raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{name}'")

    def __repr__(self):
        return str(self.__class__.__qualname__)

    __str__ = __repr__


class IterDataPipe(_Functional, IterableDataset):
    """Samples in an order: a class of a program defines __iter__. A newer iterator ends the older ones."""

    functions = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__iter__" in cls.__dict__:
            cls.__iter__ = _only_newest(cls.__dict__["__iter__"])

    def reset(self):
        """Before a new iterator begins."""


def _only_newest(make):
    """An __iter__ of which only the newest iterator of a pipe goes on."""
    def __iter__(self):
        number = self.__dict__["_iterator_number"] = self.__dict__.get("_iterator_number", 0) + 1
        self.reset()
        for one in make(self):
            if self.__dict__["_iterator_number"] != number:
                raise RuntimeError("This iterator has been invalidated because another iterator has been created from the same "
                                   f"IterDataPipe: {self!r}\nThis may be caused multiple references to the same IterDataPipe. We "
                                   "recommend using `.fork()` if that is necessary.\nFor feedback regarding this single iterator "
                                   "per IterDataPipe constraint, feel free to comment on this issue: "
                                   "https://github.com/pytorch/data/issues/45.")
            yield one

    return __iter__


class MapDataPipe(_Functional, Dataset):
    """Samples by a key: a class of a program defines __getitem__."""

    functions = {}


class DataChunk(list):
    """A batch that knows that it is one."""

    def __init__(self, items):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent=""):
        return indent + "[" + ", ".join(str(i) for i in iter(self)) + "]"

    def raw_iterator(self):
        yield from self.items
