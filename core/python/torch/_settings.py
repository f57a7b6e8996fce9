"""Switches of torch that programs set before they begin, and what they ask of the build.

Behaviour: torch/__init__.py, torch/csrc/Module.cpp. What is set here hardly changes what is computed: every op of this
program is deterministic and multiplies float32 as float32 already, and the switches keep what they are set to. Only
convolutions by cuDNN may be others: torch.backends.cudnn, and use_deterministic_algorithms."""
import warnings

import torch

_deterministic, _warn_only, _warns_always = False, False, False
_precision = "highest"
_interop_threads = None
_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def use_deterministic_algorithms(mode, *, warn_only=False):
    global _deterministic, _warn_only
    _deterministic, _warn_only = bool(mode), bool(warn_only)
    torch._C._set_deterministic_algorithms(_deterministic)


def are_deterministic_algorithms_enabled():
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled():
    return _warn_only


def set_deterministic_debug_mode(debug_mode):
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    number = debug_mode
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                               f"{debug_mode}")
        number = _DEBUG_MODES[debug_mode]
    if number not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def get_deterministic_debug_mode():
    if not _deterministic:
        return 0
    return 1 if _warn_only else 2


def set_float32_matmul_precision(precision):
    """How exactly products of float32 matrices are computed at least: here always as "highest"."""
    global _precision
    if not isinstance(precision, str):
        raise TypeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in ("highest", "high", "medium"):
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision "
                      "call has no effect.", stacklevel=2)
        return
    _precision = precision


def get_float32_matmul_precision():
    return _precision


def set_warn_always(b):
    global _warns_always
    if not isinstance(b, bool):
        raise TypeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _warns_always = torch._C._warns_always = b


def is_warn_always_enabled():
    return _warns_always


def set_flush_denormal(mode):
    """Whether denormal numbers become zero from now on: they do not here, which False says."""
    if not isinstance(mode, bool):
        raise TypeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


def set_num_interop_threads(number):
    global _interop_threads
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    if _interop_threads is not None:
        raise RuntimeError("Error: cannot set number of interop threads after parallel work has started or "
                           "set_num_interop_threads called")
    _interop_threads = number


def get_num_interop_threads():
    return torch.get_num_threads() if _interop_threads is None else _interop_threads


def get_device_module(device=None):
    """The module of a kind of device: torch.cuda for "cuda"."""
    if device is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    elif isinstance(device, torch.device):
        name = device.type
    elif isinstance(device, str):
        name = torch.device(device).type
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    module = getattr(torch, name, None)
    if module is None:
        raise RuntimeError(f"Device '{name}' does not have a corresponding module registered as 'torch.{name}'.")
    return module


def compiled_with_cxx11_abi():
    return True
