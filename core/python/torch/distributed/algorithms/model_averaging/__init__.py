"""Averages of models over the ranks. Behaviour: torch/distributed/algorithms/model_averaging."""
