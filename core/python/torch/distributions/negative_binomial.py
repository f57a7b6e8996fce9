"""Behaviour: torch/distributions/negative_binomial.py."""
from torch.distributions.binomial import NegativeBinomial
