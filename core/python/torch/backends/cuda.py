"""torch.backends.cuda. Behaviour: torch/backends/cuda/__init__.py."""
import contextlib
import warnings

import torch
from torch import _settings

_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built():
    return torch.cuda.is_available()


class cuBLASModule:
    """torch.backends.cuda.matmul. allow_tf32 and torch.set_float32_matmul_precision are two views of one switch."""

    _flags = {"allow_fp16_reduced_precision_reduction": True, "allow_bf16_reduced_precision_reduction": True,
              "allow_fp16_accumulation": False, "fp32_precision": "none"}

    def __getattr__(self, name):
        if name == "allow_tf32":
            return _settings._precision != "highest"
        if name in cuBLASModule._flags:
            return cuBLASModule._flags[name]
        raise AttributeError("Unknown attribute " + name)

    def __setattr__(self, name, value):
        if name == "allow_tf32":
            _settings._precision = "high" if value else "highest"
        elif name in cuBLASModule._flags:
            cuBLASModule._flags[name] = value
        else:
            raise AttributeError("Unknown attribute " + name)


matmul = cuBLASModule()


def flash_sdp_enabled():
    return _sdp["flash"]


def enable_flash_sdp(enabled):
    _sdp["flash"] = bool(enabled)


def mem_efficient_sdp_enabled():
    return _sdp["mem_efficient"]


def enable_mem_efficient_sdp(enabled):
    _sdp["mem_efficient"] = bool(enabled)


def math_sdp_enabled():
    return _sdp["math"]


def enable_math_sdp(enabled):
    _sdp["math"] = bool(enabled)


def cudnn_sdp_enabled():
    return _sdp["cudnn"]


def enable_cudnn_sdp(enabled):
    _sdp["cudnn"] = bool(enabled)


def is_flash_attention_available():
    return False


def can_use_flash_attention(params, debug=False):
    return False


def can_use_efficient_attention(params, debug=False):
    return False


def can_use_cudnn_attention(params, debug=False):
    return False


@contextlib.contextmanager
def _sdp_kernel(enable_flash, enable_math, enable_mem_efficient, enable_cudnn):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    chosen = []
    if enable_flash:
        chosen.append(SDPBackend.FLASH_ATTENTION)
    if enable_mem_efficient:
        chosen.append(SDPBackend.EFFICIENT_ATTENTION)
    if enable_math:
        chosen.append(SDPBackend.MATH)
    if enable_cudnn:
        chosen.append(SDPBackend.CUDNN_ATTENTION)
    with sdpa_kernel(chosen) as context:
        yield context


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    warnings.warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
                  "Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
                  FutureWarning, stacklevel=2)
    return _sdp_kernel(enable_flash, enable_math, enable_mem_efficient, enable_cudnn)


def preferred_linalg_library(backend=None):
    """Only a GPU has several; the one of the CPU is always the default."""
    if backend is not None and backend not in ("default", "cusolver", "magma"):
        raise RuntimeError("Unknown input value. Choose from: default, cusolver, magma.")
    return "default"
