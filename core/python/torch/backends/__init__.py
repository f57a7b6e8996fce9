"""torch.backends: what the libraries below torch are asked and told. Behaviour: torch/backends/__init__.py.

Libraries that are no part of this program say that they are not available; switches keep what they are set to."""
from torch.backends import cpu, cuda, cudnn, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum, quantized

fp32_precision = "none"
