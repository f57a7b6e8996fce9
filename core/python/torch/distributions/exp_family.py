"""Exponential families. Behaviour: torch/distributions/exp_family.py."""
from torch.distributions.distribution import Distribution


class ExponentialFamily(Distribution):
    """Distributions whose density is exp(<natural parameters, statistics> - log normaliser). Differs: entropy() by Bregman
    divergences is not here; each family says its own."""
