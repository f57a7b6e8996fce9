"""What is beyond a threshold. Behaviour: torch/distributions/generalized_pareto.py."""
import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import all_numbers, broadcast_all


class GeneralizedPareto(Distribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        batch_shape = torch.Size() if all_numbers(loc, scale, concentration) else self.loc.size()
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(GeneralizedPareto, _instance, batch_shape, ["loc", "scale", "concentration"])

    def _by_concentration(self):
        """(where it is 0, the concentration with another number there)."""
        is_zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return is_zero, torch.where(is_zero, torch.ones_like(self.concentration), self.concentration)

    def _z(self, value):
        return (value - self.loc) / self.scale

    def rsample(self, sample_shape=torch.Size()):
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, safe = self._by_concentration()
        y = 1 / safe + torch.ones_like(z)
        other = torch.where(y == 0, y, y * torch.log1p(safe * z))
        return -self.scale.log() - torch.where(is_zero, z, other)

    def log_survival_function(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, safe = self._by_concentration()
        return torch.where(is_zero, -z, -torch.log1p(safe * z) / safe)

    def log_cdf(self, value):
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        is_zero, safe = self._by_concentration()
        far = -torch.log1p(-value)
        return self.loc + self.scale * torch.where(is_zero, far, torch.expm1(self.concentration * far) / safe)

    def _moment(self, limit, stand_in, formula):
        is_finite = self.concentration < limit
        made = formula(torch.where(is_finite, self.concentration, torch.full_like(self.concentration, stand_in)))
        return torch.where(is_finite, made, torch.full_like(made, torch.nan))

    @property
    def mean(self):
        return self._moment(1.0, 0.5, lambda k: self.loc + self.scale / (1 - k))

    @property
    def variance(self):
        return self._moment(0.5, 0.25, lambda k: self.scale ** 2 / ((1 - k) ** 2 * (1 - 2 * k)))

    def entropy(self):
        return torch.log(self.scale) + self.concentration + 1

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        if (self.concentration < 0).any():
            return constraints.interval(self.loc, self.loc + self.scale / self.concentration.abs())
        return constraints.greater_than_eq(self.loc)
