"""Lower triangles whose products are matrices of correlations. Behaviour: torch/distributions/lkj_cholesky.py; Lewandowski,
Kurowicka and Joe: Generating random correlation matrices, Journal of Multivariate Analysis 100 (2009), the onion method."""
import math

import torch
from torch.distributions import constraints
from torch.distributions._draws import multigamma_log
from torch.distributions.beta import Beta
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all


class LKJCholesky(Distribution):
    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self.concentration, = broadcast_all(concentration)
        offset = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        marginal = self.concentration + 0.5 * (dim - 2)
        # The squared length of each row before its diagonal.
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = torch.Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand(batch_shape + (self.dim,))
        super(LKJCholesky, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        lengths = self._beta.sample(sample_shape).unsqueeze(-1)
        directions = torch.randn(self._extended_shape(sample_shape), dtype=lengths.dtype, device=lengths.device).tril(-1)
        directions = directions / directions.norm(dim=-1, keepdim=True)
        directions[..., 0, :] = 0.0  # the first row has nothing before its diagonal
        rows = torch.sqrt(lengths) * directions
        rest = torch.clamp(1 - torch.sum(rows ** 2, dim=-1), min=torch.finfo(rows.dtype).tiny).sqrt()
        return rows + torch.diag_embed(rest)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalised = torch.sum(order * diagonal.log(), dim=-1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        normaliser = 0.5 * less * math.log(math.pi) + multigamma_log(alpha - 0.5, less) - torch.lgamma(alpha) * less
        return unnormalised - normaliser
