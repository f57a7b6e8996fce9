"""More of torch.utils.checkpoint. Behaviour: torch/utils/checkpoint.py."""
import contextlib
import enum

import torch
from torch.utils.checkpoint import checkpoint as _checkpoint


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs modules one after another, in segments whose insides are computed again in backward; the last one is kept."""
    if isinstance(functions, torch.nn.Sequential):
        functions = list(functions.children())
    if use_reentrant is None:
        import warnings
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly.",
                      stacklevel=2)
        use_reentrant = True

    def run(start, end):
        def forward(given):
            for at in range(start, end + 1):
                given = functions[at](given)
            return given

        return forward

    size = len(functions) // segments
    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = _checkpoint(run(start, end), input, use_reentrant=use_reentrant, **kwargs)
    return run(end + 1, len(functions) - 1)(input)


def noop_context_fn():
    return contextlib.nullcontext(), contextlib.nullcontext()


class CheckpointPolicy(enum.Enum):
    """What selective checkpoints keep."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


class SelectiveCheckpointContext:
    """What a policy is told."""

    def __init__(self, *, is_recompute):
        self.is_recompute = is_recompute


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Contexts for checkpoint(): all ops are computed again here, which gives the same results for more time."""
    return noop_context_fn()


def set_checkpoint_early_stop(enable):
    """Recomputing ends early, or not: results are the same."""
    return contextlib.nullcontext()


def set_checkpoint_debug_enabled(enabled):
    return contextlib.nullcontext()


def get_device_states(*args):
    return [], []


def set_device_states(devices, states, *, device_type=None):
    pass
