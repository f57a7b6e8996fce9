"""Behaviour: torch/distributions/half_cauchy.py."""
from torch.distributions.cauchy import HalfCauchy
