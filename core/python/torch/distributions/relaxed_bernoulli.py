"""Behaviour: torch/distributions/relaxed_bernoulli.py."""
from torch.distributions.relaxed import LogitRelaxedBernoulli, RelaxedBernoulli
