"""What training scripts set and ask before they begin, on a machine without a GPU."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


# The generator that all draw from.
print(torch.manual_seed(3) is torch.default_generator, torch.default_generator.device)
first = torch.rand(2)
torch.default_generator.manual_seed(3)
print(torch.equal(first, torch.rand(2)))
with torch.random.fork_rng():
    torch.rand(5)
second = torch.rand(2)
torch.manual_seed(3)
torch.rand(2)
print(torch.equal(second, torch.rand(2)))
print(torch.seed() == torch.initial_seed(), torch.Generator().seed() >= 0)

# Devices that are not there.
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.is_initialized(), torch.cuda.is_bf16_supported())
torch.cuda.manual_seed(1)
torch.cuda.manual_seed_all(1)
torch.cuda.empty_cache()
print(torch.cuda.memory_allocated(), torch.cuda.max_memory_reserved(), torch.cuda.get_rng_state_all())
refused(torch.cuda.synchronize)
refused(torch.cuda.current_device)
refused(lambda: torch.cuda.set_device(0))
refused(lambda: torch.cuda.get_device_name(0))
refused(torch.cuda.Stream)
refused(lambda: torch.zeros(1).pin_memory())
print(torch.accelerator.is_available(), torch.accelerator.current_accelerator(), torch.accelerator.device_count())
refused(torch.accelerator.synchronize)
print(torch.backends.mps.is_available(), torch.xpu.is_available(), torch.mps.device_count(), torch.mtia.is_available())
print(torch.get_device_module().__name__, torch.get_device_module("cuda").__name__)
refused(lambda: torch.get_device_module(1.5))

# Switches keep what they are set to.
print(torch.backends.cudnn.is_available(), torch.backends.cudnn.version(), torch.backends.cudnn.enabled)
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = True
with torch.backends.cudnn.flags(enabled=False):
    print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
print(torch._C._get_cudnn_benchmark(), torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark_limit)
import torch.backends.cudnn as cudnn
from torch.backends.cudnn import flags, is_acceptable
with flags(enabled=True, allow_tf32=False):
    print(cudnn.benchmark, torch._C._get_cudnn_allow_tf32(), cudnn.is_available(), is_acceptable(torch.ones(1)))
print(cudnn.benchmark, cudnn.allow_tf32, "benchmark" in dir(cudnn), cudnn.__name__)
refused(lambda: setattr(cudnn, "enabled", 1))
refused(lambda: setattr(cudnn, "benchmark", None))
refused(lambda: torch._C._set_cudnn_allow_tf32("no"))
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.allow_tf32)
torch.set_float32_matmul_precision("high")
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.allow_tf32)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.get_float32_matmul_precision())
refused(lambda: setattr(torch.backends.cuda.matmul, "speed", 1))
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.are_deterministic_algorithms_enabled(), torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode("error")
print(torch.is_deterministic_algorithms_warn_only_enabled(), torch.get_deterministic_debug_mode())
refused(lambda: torch.set_deterministic_debug_mode("never"))
with sdpa_kernel([SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION]):
    print(torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled(), repr(SDPBackend.MATH))
print(torch.backends.cuda.flash_sdp_enabled())
refused(lambda: sdpa_kernel("math").__enter__())

# What is compiled elsewhere runs as Python here.
@torch.jit.script
def twice(x):
    return 2 * x


class Net(torch.nn.Module):
    @torch.jit.export
    def other(self, x):
        return x

    @torch.jit.ignore
    def forward(self, x):
        return twice(x)


print(torch.jit.trace(Net(), torch.ones(2))(torch.ones(2)), torch.jit.is_scripting(), torch.jit.annotate(int, 3))
with torch.profiler.record_function("part"):
    print(torch.jit.wait(torch.jit.fork(twice, 4)))
print(torch.OutOfMemoryError, torch.OutOfMemoryError is torch.cuda.OutOfMemoryError, torch.version.cuda)
