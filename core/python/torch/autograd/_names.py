"""More of torch.autograd. Behaviour: torch/autograd/__init__.py."""
from torch._C import _is_multithreading_enabled as is_multithreading_enabled
from torch.autograd.grad_mode import (_unsafe_preserve_version_counter, inference_mode, set_multithreading_enabled)
from torch._C._autograd import SavedTensor, _profiler_enabled
from torch.autograd.profiler import kineto_available
