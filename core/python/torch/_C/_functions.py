"""Nodes that torch._C shows as functions. Behaviour: torch/csrc/autograd/functions/init.cpp, utils.cpp, basic_ops.cpp."""
import torch


def _leaf_node():
    with torch.enable_grad():
        return torch.ones((), requires_grad=True).expand(1).grad_fn.next_functions[0][0]


AccumulateGrad = type(_leaf_node())


class _UndefinedGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.set_materialize_grads(False)
        made = tuple(one.view_as(one) for one in tensors)
        return made[0] if len(made) == 1 else made

    @staticmethod
    def backward(ctx, *grads):
        return tuple(None for _ in grads)


class _DelayedError(torch.autograd.Function):
    @staticmethod
    def forward(ctx, message, *tensors):
        ctx.message = message
        made = tuple(one.view_as(one) for one in tensors)
        return made[0] if len(made) == 1 else made

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(ctx.message)


class UndefinedGrad:
    """The tensors as they are; nothing flows back through them."""

    def __call__(self, *tensors):
        return _UndefinedGrad.apply(*tensors)


class DelayedError:
    """The tensors as they are; a backward that comes through them raises a RuntimeError."""

    def __init__(self, msg, num_inputs):
        self.message, self.count = msg, num_inputs

    def __call__(self, *tensors):
        return _DelayedError.apply(self.message, *tensors)
