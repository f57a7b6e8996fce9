"""More Kullback-Leibler divergences: of more families with themselves, and of one family from another.

Behaviour: torch/distributions/kl.py. Where p lies outside of where q does, the divergence is infinite."""
import math

import torch
from torch.distributions.beta import Beta
from torch.distributions.binomial import Binomial
from torch.distributions.cauchy import Cauchy
from torch.distributions.continuous_bernoulli import ContinuousBernoulli
from torch.distributions.exponential import Exponential
from torch.distributions.gamma import Gamma
from torch.distributions.gumbel import Gumbel
from torch.distributions.kl import _infinite_like, kl_divergence, register_kl
from torch.distributions.laplace import Laplace
from torch.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from torch.distributions.multivariate_normal import MultivariateNormal
from torch.distributions.normal import Normal
from torch.distributions.pareto import Pareto
from torch.distributions.poisson import Poisson
from torch.distributions.uniform import Uniform
from torch.distributions.utils import euler_constant

for _p, _q, _shown in ([(Beta, Pareto, "concentration1"), (ContinuousBernoulli, Pareto, "probs"), (Poisson, Binomial, "rate")]
                       + [(Exponential, one, "rate") for one in (ContinuousBernoulli, Pareto)]
                       + [(Gamma, one, "concentration") for one in (ContinuousBernoulli, Pareto)]
                       + [(one, other, "loc") for one in (Laplace, Normal) for other in (ContinuousBernoulli, Pareto)]
                       + [(Gumbel, one, "loc") for one in (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)]
                       + [(Pareto, one, "scale") for one in (Beta, ContinuousBernoulli, Uniform)]):
    register_kl(_p, _q)(lambda p, q, _shown=_shown: _infinite_like(getattr(p, _shown)))


def _infinite_where(outside, result):
    return torch.where(outside, torch.full_like(result, torch.inf), result)


def _x_log_x(x):
    return x * x.log()


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return _infinite_where(p.total_count > q.total_count, kl)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + torch.log1p(-p.probs)
            - q._cont_bern_log_norm() - torch.log1p(-q.probs))


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p, q):
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = torch.exp(q_loc + (1 + ratio).lgamma() - p_loc)
    return -ratio.log() - q_loc + p_loc + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrank_normals(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be "
                         "computed")
    dense = [MultivariateNormal(one.loc, covariance_matrix=one.covariance_matrix, validate_args=False) for one in (p, q)]
    return kl_divergence(*dense)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p, q):
    ratio = q.alpha / p.alpha
    kl = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite_where(p.support.lower_bound < q.support.lower_bound, kl)


@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _kl_to_continuous_bernoulli(p, q):
    kl = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()
    if isinstance(p, Beta):
        return kl
    return _infinite_where((p.high >= q.support.upper_bound) | (p.low <= q.support.lower_bound), kl)


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
def _kl_to_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p, q):
    total = p.concentration1 + p.concentration0
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    logs = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + norm - logs + q.rate * p.concentration1 / total


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p, q):
    kl = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), kl)


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p, q):
    kl = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low >= p.support.lower_bound) | (q.high <= p.support.upper_bound), kl)


@register_kl(ContinuousBernoulli, Normal)
def _kl_continuous_bernoulli_normal(p, q):
    norm = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    return -p.entropy() + norm + (p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * torch.square(q.scale))


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p, q):
    product, place = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - place + torch.exp(place) * product / (product + 1) + product.reciprocal()


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p, q):
    product, place = p.rate * q.scale, q.loc / q.scale
    own = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    tail = torch.exp(place) * (1 + product.reciprocal()).pow(-p.concentration) - place
    return own + product.log() + p.concentration / product + tail


@register_kl(Gumbel, Normal)
def _kl_gumbel_normal(p, q):
    ratio = p.scale / q.scale
    distance = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3 + distance - (euler_constant + 1)


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p, q):
    mean, spread, place = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = torch.exp(-mean + 0.5 * spread + place)
    return -spread.log() * 0.5 + mean - place + tail - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p, q):
    product = p.scale * q.rate
    kl = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return _infinite_where(p.alpha <= 1, kl)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p, q):
    common = p.scale.log() + p.alpha.reciprocal()
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    kl = p.alpha.log() - common + norm + (1 - q.concentration) * common + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    return _infinite_where(p.alpha <= 1, kl)


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p, q):
    common = p.scale / (p.alpha - 1)
    spread = p.alpha * common.pow(2) / (p.alpha - 2) + (p.alpha * common - q.loc).pow(2)
    kl = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal() + spread / (2 * q.scale.pow(2)) - 1
    return _infinite_where(p.alpha <= 2, kl)


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p, q):
    width = p.high - p.low
    ones = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    zeros = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    norm = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    kl = zeros + norm - torch.log(width) - ones
    return _infinite_where((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), kl)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p, q):
    kl = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _infinite_where(p.low < q.support.lower_bound, kl)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p, q):
    width = p.high - p.low
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    logs = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    return _infinite_where(p.low < q.support.lower_bound, -width.log() + norm + logs + q.rate * (p.high + p.low) / 2)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p, q):
    common = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return common.log() + 0.5 * (high + low) - common * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p, q):
    width = p.high - p.low
    logs = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    kl = logs * (q.alpha + 1) - (q.alpha * q.scale.pow(q.alpha) * width).log()
    return _infinite_where(p.low < q.support.lower_bound, kl)
