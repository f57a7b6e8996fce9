"""Names of torch.autograd.function that programs import. Behaviour: torch/autograd/function.py."""
import torch

FunctionCtx = torch.autograd.function.BackwardCFunction


class InplaceFunction(torch.autograd.Function):
    """A function that may write into its input."""


InplaceFunction.__module__ = "torch.autograd.function"
