"""torch.cuda.amp: torch.amp's for CUDA, under their old names. Behaviour: torch/cuda/amp/."""
from torch.cuda.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from torch.cuda.amp.common import amp_definitely_not_available
from torch.cuda.amp.grad_scaler import GradScaler
