"""torch.cuda.FloatTensor, torch.cuda.FloatStorage and their like. Behaviour: torch/cuda/__init__.py."""
from torch import _legacy_tensors, storage

globals().update(_legacy_tensors._cuda_classes)
globals().update(storage._cuda_classes)
