"""torch.random: the generator that all draw from. Behaviour: torch/random.py."""
import contextlib

import torch
from torch import default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """What is drawn inside does not move the generators outside."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    # There is one GPU a process. No devices: only that of the CPU.
    gpu = None if devices is not None and not list(devices) else torch._C._cuda_default_generator
    on_gpu = gpu.get_state() if gpu else None
    try:
        yield
    finally:
        set_rng_state(state)
        if gpu:
            gpu.set_state(on_gpu)
