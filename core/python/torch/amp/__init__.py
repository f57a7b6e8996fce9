"""torch.amp: mixed precision. Behaviour: torch/amp/__init__.py."""
from torch.amp.autocast_mode import (_enter_autocast, _exit_autocast, autocast, autocast_decorator, custom_bwd,
                                     custom_fwd, is_autocast_available)
from torch.amp.grad_scaler import GradScaler
