"""Parameters as one vector. Behaviour: torch/nn/utils/convert_parameters.py."""
from torch.nn.utils import parameters_to_vector, vector_to_parameters

__all__ = ["parameters_to_vector", "vector_to_parameters"]
