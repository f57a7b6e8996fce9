"""A torch.autograd.Function of two graphs. Behaviour: torch/_functorch/autograd_function.py, AutogradFunctionApply."""
import torch
from torch._ops import HigherOrderOperator


class AutogradFunctionApply(HigherOrderOperator):
    """What the apply() of a torch.autograd.Function is in a graph. `fwd` takes `fwd_args` and gives what the function gives and a list
    of what `bwd` takes behind the gradients of that; `bwd` gives a gradient for each of the first arguments, as many as
    `args_tensor_mask` holds True. What `non_differentiable_idx` names has none."""

    def __init__(self):
        super().__init__("autograd_function_apply")

    def __call__(self, fwd, bwd, *fwd_args, args_tensor_mask, non_differentiable_idx):
        saved, places = (), ()

        class ApplyTemplate(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *args):
                nonlocal saved, places
                output, saved = fwd(*args, *fwd_args[len(args):])
                all_of_it = output if isinstance(output, tuple) else (output,)
                # What is None has no gradient, and `bwd` no place for one.
                places = [i for i, one in enumerate(all_of_it) if one is not None]
                if non_differentiable_idx:
                    ctx.mark_non_differentiable(*(all_of_it[i] for i in non_differentiable_idx))
                return output

            @staticmethod
            def backward(ctx, *grads):
                return bwd(*(grads[i] for i in places), *saved)

        return ApplyTemplate.apply(*fwd_args[:sum(args_tensor_mask)])


autograd_function_apply = AutogradFunctionApply()
