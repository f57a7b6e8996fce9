"""Passes over graphs. Behaviour: torch/fx/passes."""
