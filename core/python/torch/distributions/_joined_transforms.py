"""Transforms of parts, of correlations, and by a distribution's own curve. Behaviour: torch/distributions/transforms.py."""
import math

import torch
import torch.nn.functional as F
from torch.distributions import constraints
from torch.distributions.transforms import Transform
from torch.distributions.utils import _sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix


class CorrCholeskyTransform(Transform):
    """Vectors of D (D - 1) / 2 numbers and the Cholesky factors of correlation matrices."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = torch.tanh(x)
        eps = torch.finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        # What is left of each row's length of 1 behind the items before.
        left = (1 - r ** 2).sqrt().cumprod(-1)
        r = r + torch.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = F.pad((1 - torch.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        of_tanh = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return 0.5 * left.log().sum(-1) + of_tanh

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape):
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class CumulativeDistributionTransform(Transform):
    """y = distribution.cdf(x)."""

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else CumulativeDistributionTransform(self.distribution,
                                                                                           cache_size=cache_size)


class _Joined(Transform):
    """One transform for each part along a dimension."""

    def __init__(self, tseq, dim, cache_size):
        assert all(isinstance(t, Transform) for t in tseq)
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim

    @property
    def bijective(self):
        return all(t.bijective for t in self.transforms)


class CatTransform(_Joined):
    """Parts of `lengths` items each, which are concatenated."""

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        assert len(self.lengths) == len(self.transforms)

    @property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self):
        return sum(self.lengths)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, value):
        assert -value.dim() <= self.dim < value.dim()
        assert value.size(self.dim) == self.length
        start = 0
        for length in self.lengths:
            yield value.narrow(self.dim, start, length)
            start += length

    def _call(self, x):
        return torch.cat([t(part) for t, part in zip(self.transforms, self._parts(x))], dim=self.dim)

    def _inverse(self, y):
        return torch.cat([t.inv(part) for t, part in zip(self.transforms, self._parts(y))], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        made = []
        for t, x_part, y_part in zip(self.transforms, self._parts(x), self._parts(y)):
            one = t.log_abs_det_jacobian(x_part, y_part)
            made.append(_sum_rightmost(one, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else one)
        # Within an event the parts add up.
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return torch.cat(made, dim=dim) if dim < 0 else sum(made)

    @property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """A transform for each place of a dimension."""

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, value):
        assert -value.dim() <= self.dim < value.dim()
        assert value.size(self.dim) == len(self.transforms)
        return value.unbind(self.dim)

    def _call(self, x):
        return torch.stack([t(part) for t, part in zip(self.transforms, self._parts(x))], dim=self.dim)

    def _inverse(self, y):
        return torch.stack([t.inv(part) for t, part in zip(self.transforms, self._parts(y))], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        parts = zip(self.transforms, self._parts(x), self._parts(y))
        return torch.stack([t.log_abs_det_jacobian(x_part, y_part) for t, x_part, y_part in parts], dim=self.dim)

    @property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)


for _cls in (CorrCholeskyTransform, CumulativeDistributionTransform, CatTransform, StackTransform):
    _cls.__module__ = "torch.distributions.transforms"
