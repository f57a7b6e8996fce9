"""torch._check and its like: conditions that programs state. Behaviour: torch/__init__.py."""
import torch

__all__ = ["_check", "_check_index", "_check_is_size", "_check_not_implemented", "_check_tensor_all", "_check_tensor_all_with",
           "_check_type", "_check_value", "_check_with"]


def _check_with(error_type, cond, message):
    if not isinstance(cond, (bool, torch.SymBool)):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        text = ("Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
                "enhancement request to PyTorch.)")
    elif callable(message):
        text = str(message())
    elif isinstance(message, str):
        text = message
    else:
        raise TypeError("message must be a callable")
    raise error_type(text)


def _check(cond, message=None):
    """Errors: RuntimeError with the text that `message()` gives, where the condition does not hold."""
    _check_with(RuntimeError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    """That a number may be a size."""
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond, message=None):
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type, cond, message=None):
    if not torch.is_tensor(cond):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != torch.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all().item()), message)


def _check_tensor_all(cond, message=None):
    """That all items of a tensor are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


for _name in __all__:
    globals()[_name].__module__ = "torch"
