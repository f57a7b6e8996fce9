"""Classes as methods of all pipes. Behaviour: torch/utils/data/datapipes/_decorator.py."""
from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["argument_validation", "functional_datapipe", "non_deterministic", "runtime_validation"]


class functional_datapipe:
    """`pipe.name(...)` makes the class. Errors: TypeError, Exception  the name is taken."""

    def __init__(self, name, enable_df_api_tracing=False):
        self.name = name

    def __call__(self, cls):
        if not isinstance(cls, type):
            raise TypeError("`functional_datapipe` can only decorate a class")
        for base in (IterDataPipe, MapDataPipe):
            if issubclass(cls, base):
                base.register_datapipe_as_function(self.name, cls)
                return cls
        raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")


class non_deterministic:
    """Says that a pipe does not give the same each time."""

    def __init__(self, arg):
        self.cls = arg if isinstance(arg, type) else None

    def __call__(self, *args, **kwargs):
        if self.cls is not None:
            return self.cls(*args, **kwargs)
        return args[0]


def argument_validation(f):
    return f


def runtime_validation(f):
    return f
