"""The older name of torch.ao.quantization."""
from torch.ao.quantization import *  # noqa: F403
from torch.ao.quantization import DeQuantStub, QuantStub
