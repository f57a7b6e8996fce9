"""torch.nn.attention: which kernel scaled_dot_product_attention may take. Behaviour: torch/nn/attention/__init__.py.

There is one kernel here, which never holds the whole matrix of weights; the choice is kept and changes no result."""
import contextlib
import enum

from torch.backends import cuda as _cuda

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """A kernel of scaled_dot_product_attention."""

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = range(-1, 5)

    def __int__(self):
        return self.value

    def __index__(self):
        return self.value


_SWITCHES = {SDPBackend.MATH: "math", SDPBackend.FLASH_ATTENTION: "flash", SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
             SDPBackend.CUDNN_ATTENTION: "cudnn"}


def _cur_sdpa_kernel_backends(with_priority=False):
    return [one for one, switch in _SWITCHES.items() if _cuda._sdp[switch]]


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Only these kernels may be taken inside."""
    assert isinstance(backends, (list, SDPBackend)), \
        "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    before = dict(_cuda._sdp)
    try:
        for one, switch in _SWITCHES.items():
            _cuda._sdp[switch] = one in chosen
        yield {}
    finally:
        _cuda._sdp.update(before)


def activate_flash_attention_impl(impl):
    """Errors: NotImplementedError  always: there is one kernel."""
    raise NotImplementedError(f"activate_flash_attention_impl({impl!r}): nnscope has one kernel of attention, its own")


def register_flash_attention_impl(impl, *, register_fn):
    raise NotImplementedError(f"register_flash_attention_impl({impl!r}): nnscope has one kernel of attention, its own")


def restore_flash_attention_impl(_raise_warn=True):
    """Back to the kernel that there is: it never went."""


def current_flash_attention_impl():
    """None: no other kernel was activated."""
    return None


def list_flash_attention_impls():
    return []
