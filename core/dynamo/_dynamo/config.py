"""Settings of torch._dynamo. What decides how frames are traced is told to the tracer when it changes; the others stand for
parts of PyTorch that are not here (guards in C++, bytecode, Inductor): they are kept as programs set them and change nothing.

Behaviour: torch/_dynamo/config.py.
"""
import os
import sys

from torch._C import _dynamo as _native
from torch.utils._config_module import install_config_module

recompile_limit = 8
inline_inbuilt_nn_modules = _native.get_config("inline_inbuilt_nn_modules")
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
skip_nnmodule_hook_guards = True
guard_nn_modules = True
skip_fsdp_guards = True
error_on_recompile = False
suppress_errors = False
verbose = os.environ.get("TORCHDYNAMO_VERBOSE", "0") == "1"
assume_static_by_default = True
automatic_dynamic_shapes = True
allow_unspec_int_on_nn_module = False
force_parameter_static_shapes = True
nested_graph_breaks = False
compiled_autograd = False
specialize_int = False
specialize_float = True
dynamic_shapes = True
allow_rnn = False
fail_on_recompile_limit_hit = False
accumulated_recompile_limit = 256
trace_numpy = True
ignore_logging_functions = set()
reorderable_logging_functions = set()
allow_ignore_mark_dynamic = False
dead_code_elimination = True
disable = os.environ.get("TORCH_COMPILE_DISABLE", "0") == "1" or os.environ.get("TORCHDYNAMO_DISABLE", "") == "1"
do_not_emit_runtime_asserts = False
dont_skip_tracing = False
enable_cpp_framelocals_guard_eval = True
enable_cpp_symbolic_shape_guards = False
enable_faithful_generator_behavior = True
error_on_nested_fx_trace = True
error_on_nested_jit_trace = True
force_nn_module_property_static_shapes = True
force_unspec_int_unbacked_size_like_on_torchrec_kjt = False
graph_break_on_nn_param_ctor = True
guard_nn_modules_using_dict_tags = True
install_free_tensors = False
log_compilation_metrics = True
log_file_name = None
minimum_call_count = 1
numpy_default_complex = "complex128"
numpy_default_float = "float64"
numpy_default_int = "int64"
only_allow_pt2_compliant_ops = False
optimize_ddp = True
prefer_deferred_runtime_asserts_over_guards = False
prepare_freezing = False
raise_on_ctx_manager_usage = True
raise_on_unsafe_aot_autograd = False
replay_record_enabled = False
report_guard_failures = True
rewrite_assert_with_torch_assert = True
run_gc_after_compile = True
skip_code_recursive_on_recompile_limit_hit = True
skip_fsdp_hooks = True
skip_guards_on_constant_func_defaults = True
skip_no_tensor_aliasing_guards_on_parameters = True
skip_tensor_guards_with_matching_dict_tags = True
skipfiles_inline_module_allowlist = {}
trace_autograd_ops = False
trace_distributed = False
traceable_tensor_subclasses = set()
use_lazy_graph_module = True
use_numpy_random_stream = False
verify_correctness = False

# The tracer is told of what is set: of this one the environment may have told before.
_native.set_config("verbose", verbose)
install_config_module(sys.modules[__name__], _native.set_config,
                      {"cache_size_limit": "recompile_limit", "accumulated_cache_size_limit": "accumulated_recompile_limit",
                       "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit"})
