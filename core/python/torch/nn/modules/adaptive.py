"""Behaviour: torch/nn/modules/adaptive.py."""
from torch.nn._more import AdaptiveLogSoftmaxWithLoss, _ASMoutput
