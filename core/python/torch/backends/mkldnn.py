"""torch.backends.mkldnn. Behaviour: torch/backends/mkldnn/__init__.py, of a PyTorch without that library."""
import contextlib


def is_available():
    return False


enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2


@contextlib.contextmanager
def flags(enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none"):
    """The switches, inside."""
    here = globals()
    wanted = {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32, "fp32_precision": fp32_precision}
    before = {name: here[name] for name in wanted}
    here.update(wanted)
    try:
        yield
    finally:
        here.update(before)
