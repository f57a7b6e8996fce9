"""torch.cpu.amp: torch.amp's for the CPU, under their old names. Behaviour: torch/cpu/amp/."""
from torch.cpu.amp.autocast_mode import autocast
from torch.cpu.amp.grad_scaler import GradScaler
