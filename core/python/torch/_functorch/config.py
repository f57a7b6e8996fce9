"""Settings of AOTAutograd. Behaviour: torch/_functorch/config.py.

They decide how much memory and time a compiled backward takes in PyTorch; here they are kept and change nothing."""
import sys

from torch.utils._config_module import install_config_module

activation_memory_budget = 1.0
activation_memory_budget_solver = "dp"
activation_memory_budget_runtime_estimator = "flops"
aggressive_recomputation = False
ban_recompute_used_far_apart = True
bundled_autograd_cache = False
debug_assert = False
donated_buffer = True
enable_autograd_cache = True
functionalize_rng_ops = False
recompute_views = False
strict_autograd_cache = False
treat_parameters_as_free_to_save = True
view_replay_for_aliased_outputs = True

install_config_module(sys.modules[__name__])
