"""torch.version: what this behaves as. Behaviour: torch/version.py as the build writes it."""
import torch

__version__ = str(torch.__version__)
debug = False
cuda = None
git_version = "Unknown"
hip = None
rocm = None
xpu = None
