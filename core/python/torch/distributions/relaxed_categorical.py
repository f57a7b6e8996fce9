"""Behaviour: torch/distributions/relaxed_categorical.py."""
from torch.distributions.relaxed import ExpRelaxedCategorical, RelaxedOneHotCategorical
