"""What distributions of one probability share: probs and logits, of which one is given."""
from numbers import Number

import torch
from torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def _one_of(probs, logits):
    """Errors: ValueError  both or none."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class _Binary:
    """probs and logits of which one was given and the other follows."""

    def _set(self, probs, logits):
        _one_of(probs, logits)
        given = probs if logits is None else logits
        made, = broadcast_all(given)
        setattr(self, "probs" if logits is None else "logits", made)
        self._param = made
        return torch.Size() if isinstance(given, Number) else made.size()

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        return self._param.size()
