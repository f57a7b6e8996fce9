"""Student's t distribution, and Fisher's and Snedecor's. Behaviour: torch/distributions/studentT.py, fishersnedecor.py."""
import math

import torch
from torch.distributions import constraints
from torch.distributions.chi2 import Chi2
from torch.distributions.distribution import Distribution
from torch.distributions.gamma import Gamma
from torch.distributions.utils import _standard_normal, all_numbers, broadcast_all


class StudentT(Distribution):
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        made = self.loc.clone(memory_format=torch.contiguous_format)
        made[self.df <= 1] = torch.nan
        return made

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        made = self.df.clone(memory_format=torch.contiguous_format)
        wide = self.df > 2
        made[wide] = self.scale[wide].pow(2) * self.df[wide] / (self.df[wide] - 2)
        made[(self.df <= 2) & (self.df > 1)] = torch.inf
        made[self.df <= 1] = torch.nan
        return made

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(StudentT, _instance, batch_shape, ["df", "loc", "scale"])
        new._chi2 = self._chi2.expand(torch.Size(batch_shape))
        return new

    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(z / self.df))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df) - \
            torch.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * torch.log1p(y ** 2.0 / self.df) - norm

    def entropy(self):
        half = 0.5 * self.df
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(0.5 * (self.df + 1))
        return self.scale.log() + 0.5 * (self.df + 1) * (torch.digamma(0.5 * (self.df + 1)) - torch.digamma(half)) + \
            0.5 * self.df.log() + log_beta


class FisherSnedecor(Distribution):
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(torch.Size() if all_numbers(df1, df2) else self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(FisherSnedecor, _instance, batch_shape, ["df1", "df2"])
        new._gamma1, new._gamma2 = self._gamma1.expand(torch.Size(batch_shape)), self._gamma2.expand(torch.Size(batch_shape))
        return new

    @property
    def mean(self):
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= 2] = torch.nan
        return df2 / (df2 - 2)

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = torch.nan
        return mode

    @property
    def variance(self):
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= 4] = torch.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=torch.Size()):
        shape = torch.Size(sample_shape)
        x1, x2 = self._gamma1.rsample(shape).view(self._extended_shape(shape)), self._gamma2.rsample(shape)
        tiny = torch.finfo(x2.dtype).tiny
        return (x1 / x2.view(self._extended_shape(shape)).clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        ways = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        return ways + half1 * ratio.log() + (half1 - 1) * torch.log(value) - (half1 + half2) * torch.log1p(ratio * value)
