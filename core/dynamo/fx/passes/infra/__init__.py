"""How passes are written and put in order. Behaviour: torch/fx/passes/infra."""
