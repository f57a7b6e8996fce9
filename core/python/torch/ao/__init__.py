"""The package of torch.ao.quantization."""
from torch.ao import quantization
