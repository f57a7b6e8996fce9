"""Behaviour: torch/nn/utils/stateless.py."""
import warnings

import torch


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """The older name of torch.func.functional_call."""
    warnings.warn("This API is deprecated as of PyTorch 2.0 and will be removed in a future version of PyTorch. Please use "
                  "torch.func.functional_call instead which is a drop-in replacement.", FutureWarning, stacklevel=2)
    return torch.func.functional_call(module, parameters_and_buffers, () if args is None else args, kwargs,
                                      tie_weights=tie_weights, strict=strict)
