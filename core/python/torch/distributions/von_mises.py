"""Normal numbers on a circle. Behaviour: torch/distributions/von_mises.py; Best and Fisher: Efficient simulation of the von Mises
distribution, Applied Statistics 28 (1979). Differs: the Bessel functions are exact to the last digits, PyTorch's to 1e-7."""
import math

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, lazy_property


def _log_bessel(x, order):
    """log I of x > 0."""
    return (torch.special.i0e(x) if order == 0 else torch.special.i1e(x)).log() + x


class VonMises(Distribution):
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    @lazy_property
    def _proposal_r(self):
        """Of the wrapped Cauchy distribution that candidates are drawn from, in double precision."""
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho ** 2) / (2 * rho))

    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        loc, kappa, r = (one.double().expand(shape) for one in (self.loc, self.concentration, self._proposal_r))
        made = torch.zeros(shape, dtype=torch.float64, device=loc.device)
        is_done = torch.zeros(shape, dtype=torch.bool, device=loc.device)
        while not bool(is_done.all()):
            u1, u2, u3 = torch.rand((3, *shape), dtype=torch.float64, device=loc.device).unbind()
            z = torch.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            made = torch.where(accepted, (u3 - 0.5).sign() * f.acos(), made)
            is_done = is_done | accepted
        return ((made + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(VonMises, _instance, batch_shape, ["loc", "concentration"])

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        """The circular one: 1 minus the length of the mean of unit vectors."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()
