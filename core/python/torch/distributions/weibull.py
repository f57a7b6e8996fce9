"""Behaviour: torch/distributions/weibull.py."""
from torch.distributions.pareto import Weibull
