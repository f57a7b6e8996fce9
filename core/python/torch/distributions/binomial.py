"""How many of some trials succeed. Behaviour: torch/distributions/binomial.py."""
import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary, _one_of
from torch.distributions._draws import binomial
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all


def _set_with_count(self, total_count, probs, logits):
    """Sets the number of trials, and that one of probs and logits which was given. Gives their common shape."""
    _one_of(probs, logits)
    name, given = ("probs", probs) if probs is not None else ("logits", logits)
    total_count, made = broadcast_all(total_count, given)
    self.total_count = total_count.type_as(made)
    setattr(self, name, made)
    self._param = made
    return made.size()


class Binomial(_Binary, Distribution):
    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
                       "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(_set_with_count(self, total_count, probs, logits), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Binomial, _instance, batch_shape, ["total_count", "probs", "logits", "_param"])

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        ways = torch.lgamma(self.total_count + 1) - torch.lgamma(value + 1) - torch.lgamma(self.total_count - value + 1)
        # The part above zero, whose slope at zero is 0.5.
        high = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
        rest = self.total_count * high + self.total_count * torch.log1p(torch.exp(-torch.abs(self.logits)))
        return value * self.logits + ways - rest

    def entropy(self):
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = torch.arange(1 + total_count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values


class NegativeBinomial(_Binary, Distribution):
    """How many successes come before some failures. Behaviour: torch/distributions/negative_binomial.py."""

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(_set_with_count(self, total_count, probs, logits), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(NegativeBinomial, _instance, batch_shape, ["total_count", "probs", "logits", "_param"])

    @property
    def mean(self):
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / torch.sigmoid(-self.logits)

    def sample(self, sample_shape=torch.Size()):
        from torch.distributions._draws import poisson
        from torch.distributions.gamma import Gamma
        with torch.no_grad():
            rate = Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False).sample(sample_shape)
            return poisson(rate)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_probs = self.total_count * torch.nn.functional.logsigmoid(-self.logits) + \
            value * torch.nn.functional.logsigmoid(self.logits)
        ways = torch.lgamma(self.total_count + value) - torch.lgamma(1.0 + value) - torch.lgamma(self.total_count)
        return log_probs + ways.masked_fill(self.total_count + value == 0.0, 0.0)
