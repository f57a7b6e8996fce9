"""Functions as operators of a graph. Behaviour: torch/_higher_order_ops/wrap.py."""
from torch._ops import HigherOrderOperator


class TagActivationCheckpoint(HigherOrderOperator):
    """What torch.utils.checkpoint is in a graph. A backend that plans what is kept for backward reads from its arguments which part is
    to be computed again; run as it stands it only calls the graph. With contexts, which a `context_fn` makes, it is the checkpoint."""

    def __init__(self):
        super().__init__("tag_activation_checkpoint")

    @staticmethod
    def divide_kwargs(kwargs):
        """Those of checkpoint(), and those of the function."""
        own = ("use_reentrant", "context_fn", "determinism_check", "debug", "early_stop", "preserve_rng_state")
        return ({name: value for name, value in kwargs.items() if name in own},
                {name: value for name, value in kwargs.items() if name not in own})

    def __call__(self, gmod, *args, **kwargs):
        context_fn = gmod.meta.get("_checkpoint_context_fn") if hasattr(gmod, "meta") else None
        if context_fn is None:
            return gmod(*args)
        from torch.utils.checkpoint import checkpoint
        kwargs.update(use_reentrant=False, preserve_rng_state=False, context_fn=context_fn)
        return checkpoint(gmod, *args, **kwargs)


tag_activation_checkpoint = TagActivationCheckpoint()
