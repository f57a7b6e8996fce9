"""Where pickles find the functions of torch. Behaviour: torch/csrc/autograd/python_torch_functions_manual.cpp."""
import torch


class _Functions(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return getattr(torch, name)


class _VariableFunctionsClass(metaclass=_Functions):
    """The class whose static methods torch.add and its like are for C++."""


_VariableFunctionsClass.__module__ = "torch._C"
