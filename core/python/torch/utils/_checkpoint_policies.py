"""Selective checkpoints: a policy that says of each op whether its result is kept. Behaviour: torch/utils/checkpoint.py.

Differs: the policy is asked for each op of the first run, but all of them are computed again in backward."""
import contextlib
import enum

import torch


class CheckpointPolicy(enum.Enum):
    """What a selective checkpoint does with the result of an op. MUST_* also binds whoever plans the graph."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy is told."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute, self.op_output = is_recompute, op_output


SAC_IGNORED_OPS = {torch.ops.aten.detach.default}


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """The contexts of a checkpoint whose policy is policy(context, op, *args, **kwargs), or which keeps the ops of a list.
    Errors: ValueError  something in the list is no OpOverload. TypeError  neither a function nor a list."""
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if isinstance(op, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
                continue
            more = ""
            if isinstance(op, torch._ops.OpOverloadPacket):
                more = ("Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, change "
                        "it to `torch.ops.aten.mm.default`.")
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {more}")
        return contextlib.nullcontext(), contextlib.nullcontext()
    if not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    return _asking(policy_fn_or_list), contextlib.nullcontext()


@contextlib.contextmanager
def _asking(policy):
    from torch._aten.steps import NoOp, aten_call, taken

    is_asking = False

    def ask(place, name, is_in_place, names, values, result):
        nonlocal is_asking
        if is_asking:
            return
        is_asking = True
        with contextlib.suppress(NoOp):
            name, schema, args, kwargs = aten_call(place, name, is_in_place, names, values)
            op = getattr(getattr(torch.ops.aten, name), schema.overload or "default")
            if op not in SAC_IGNORED_OPS:
                policy(SelectiveCheckpointContext(is_recompute=False, op_output=result), op, *args, **kwargs)
        is_asking = False

    torch._C._record_ops(ask, taken())
    try:
        yield
    finally:
        torch._C._record_ops_end()
