"""Wrappers that compute activations again. Behaviour: torch/distributed/algorithms/_checkpoint."""
