"""Behaviour: torch/fx/experimental."""
