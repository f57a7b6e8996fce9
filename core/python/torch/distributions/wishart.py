"""Positive matrices. Behaviour: torch/distributions/wishart.py; drawn by Bartlett's decomposition. Differs: rsample() has no
gradient with respect to df, and raises where one is asked for (as Gamma's)."""
import math
import warnings
from numbers import Number

import torch
from torch.distributions import constraints
from torch.distributions._draws import multigamma_log
from torch.distributions.chi2 import Chi2
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.multivariate_normal import _precision_to_scale_tril
from torch.distributions.utils import lazy_property


class Wishart(ExponentialFamily):
    support = constraints.positive_definite
    has_rsample = True

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self._dimensions - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = {"scale_tril": scale_tril, "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        (name, matrix), = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        event_shape = matrix.shape[-2:]
        self._dimensions = event_shape[-1]
        if isinstance(df, Number):
            batch_shape = torch.Size(matrix.shape[:-2])
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        if self.df.le(self._dimensions - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {self._dimensions - 1}.")
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        if self.df.lt(self._dimensions).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                          stacklevel=2)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = scale_tril
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(precision_matrix)
        self._dist_chi2 = self._chi2()

    def _chi2(self):
        steps = torch.arange(self._dimensions, dtype=self._unbroadcasted_scale_tril.dtype,
                             device=self._unbroadcasted_scale_tril.device)
        return Chi2(df=self.df.unsqueeze(-1) - steps.expand(self._batch_shape + (-1,)))

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = torch.Size(batch_shape)
        new._dimensions = self._dimensions
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(batch_shape + self.event_shape)
        new.df = self.df.expand(batch_shape)
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand(batch_shape + self.event_shape))
        super(Wishart, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._dist_chi2 = new._chi2()
        new._validate_args = self._validate_args
        return new

    def _spread(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        return self._spread(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        return self._spread(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        L = self._unbroadcasted_scale_tril
        identity = torch.eye(self._dimensions, dtype=L.dtype, device=L.device)
        inverse = torch.linalg.solve_triangular(L, identity, upper=False)
        return self._spread(inverse.mT @ inverse)

    @property
    def mean(self):
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self._dimensions - 1
        factor = torch.where(factor <= 0, torch.full_like(factor, torch.nan), factor)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        V = self.covariance_matrix
        diagonal = V.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(self._batch_shape + (1, 1)) * (V.pow(2) + products)

    def _bartlett_sampling(self, sample_shape=torch.Size()):
        p = self._dimensions
        noise = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(p, p, offset=-1)
        below = torch.randn(torch.Size(sample_shape) + self._batch_shape + (p * (p - 1) // 2,), dtype=noise.dtype,
                            device=noise.device)
        noise[..., i, j] = below
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape=torch.Size(), max_try_correction=None):
        """Samples that are singular are drawn again, up to `max_try_correction` times."""
        tries = 10 if max_try_correction is None else max_try_correction
        sample_shape = torch.Size(sample_shape)
        made = self._bartlett_sampling(sample_shape)
        is_singular = ~self.support.check(made)
        for _ in range(tries):
            if not is_singular.any():
                return made
            warnings.warn("Singular sample detected.", stacklevel=2)
            again = self._bartlett_sampling(sample_shape)
            made = torch.where(is_singular.unsqueeze(-1).unsqueeze(-1), again, made)
            is_singular = ~self.support.check(made)
        return made

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._dimensions
        half = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        solved = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        return (-nu * (p * math.log(2) / 2 + half) - multigamma_log(nu / 2, p)
                + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - solved.diagonal(dim1=-2, dim2=-1).sum(-1) / 2)

    def entropy(self):
        nu, p = self.df, self._dimensions
        half = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        steps = torch.arange(p, dtype=nu.dtype, device=nu.device) / 2
        digammas = torch.digamma((nu / 2).unsqueeze(-1) - steps).sum(-1)
        return ((p + 1) * (p * math.log(2) / 2 + half) + multigamma_log(nu / 2, p) - (nu - p - 1) / 2 * digammas + nu * p / 2)
