"""torch.backends.cudnn. Behaviour: torch/backends/cudnn/__init__.py.

Convolutions on a GPU are computed by cuDNN where it is found. The switches are read at each of them; the first call of
each kind and shape chooses a way, and with `benchmark` it does so by the clock."""
import sys
import warnings
from contextlib import contextmanager

import torch

CUDNN_TENSOR_DTYPES = {torch.half, torch.float, torch.double}


def version():
    """91900 of cuDNN 9.19.0; None where there is none, or no GPU."""
    return torch._C._cudnn_version() or None


def is_available():
    return version() is not None


def is_acceptable(tensor):
    if not torch._C._get_cudnn_enabled() or tensor.device.type != "cuda" or tensor.dtype not in CUDNN_TENSOR_DTYPES:
        return False
    if not is_available():
        warnings.warn("PyTorch was compiled without cuDNN/MIOpen support. To use cuDNN/MIOpen, rebuild PyTorch making "
                      "sure the library is visible to the build system.", stacklevel=2)
        return False
    return True


class _Precision:
    """fp32_precision: "tf32" and "ieee" are another way to say allow_tf32."""

    _value = "none"

    @property
    def fp32_precision(self):
        return self._value

    @fp32_precision.setter
    def fp32_precision(self, value):
        self._value = value
        if value in ("ieee", "tf32"):
            torch._C._set_cudnn_allow_tf32(value == "tf32")


_all, conv = _Precision(), _Precision()


def set_flags(_enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, _allow_tf32=None,
              _fp32_precision="none"):
    """Sets what is not None; gives what was before."""
    before = (torch._C._get_cudnn_enabled(), torch._C._get_cudnn_benchmark(),
              torch._C._cuda_get_cudnn_benchmark_limit() if is_available() else None,
              torch._C._get_cudnn_deterministic(), torch._C._get_cudnn_allow_tf32(), _all.fp32_precision)
    if _enabled is not None:
        torch._C._set_cudnn_enabled(_enabled)
    if _benchmark is not None:
        torch._C._set_cudnn_benchmark(_benchmark)
    if _benchmark_limit is not None and is_available():
        torch._C._cuda_set_cudnn_benchmark_limit(_benchmark_limit)
    if _deterministic is not None:
        torch._C._set_cudnn_deterministic(_deterministic)
    if _allow_tf32 is not None:
        torch._C._set_cudnn_allow_tf32(_allow_tf32)
    if _fp32_precision is not None:
        _all.fp32_precision = _fp32_precision
    return before


@contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none"):
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)


class CudnnModule:
    """In the place of this module: what a program writes to its switches reaches what computes."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)

    def __dir__(self):
        return sorted({*dir(self._module), *dir(type(self))})

    enabled = property(lambda self: torch._C._get_cudnn_enabled(), lambda self, value: torch._C._set_cudnn_enabled(value))
    benchmark = property(lambda self: torch._C._get_cudnn_benchmark(),
                         lambda self, value: torch._C._set_cudnn_benchmark(value))
    deterministic = property(lambda self: torch._C._get_cudnn_deterministic(),
                             lambda self, value: torch._C._set_cudnn_deterministic(value))
    allow_tf32 = property(lambda self: torch._C._get_cudnn_allow_tf32(),
                          lambda self, value: torch._C._set_cudnn_allow_tf32(value))
    benchmark_limit = property(lambda self: torch._C._cuda_get_cudnn_benchmark_limit() if is_available() else None,
                               lambda self, value: torch._C._cuda_set_cudnn_benchmark_limit(value))
    fp32_precision = property(lambda self: _all.fp32_precision,
                              lambda self, value: setattr(_all, "fp32_precision", value))


sys.modules[__name__] = CudnnModule(sys.modules[__name__])
