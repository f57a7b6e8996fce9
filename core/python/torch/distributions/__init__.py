"""Probability distributions. Behaviour: torch/distributions/__init__.py. What is not here raises by name."""
from torch.distributions import constraints, transforms
from torch.distributions._choices import (
    Bernoulli, Categorical, Geometric, OneHotCategorical, OneHotCategoricalStraightThrough,
)
from torch.distributions._positive import Beta, Chi2, Dirichlet, Exponential, Gamma, Laplace, Poisson
from torch.distributions._transformed import Gumbel, HalfNormal, LogNormal
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.independent import Independent
from torch.distributions.kl import _kl_independent_independent, kl_divergence, register_kl
from torch.distributions.multivariate_normal import MultivariateNormal
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import *  # noqa: F403
from torch.distributions.uniform import Uniform

_ABSENT = ("Binomial", "Cauchy", "ContinuousBernoulli", "FisherSnedecor", "GeneralizedPareto", "HalfCauchy", "InverseGamma",
           "Kumaraswamy", "LKJCholesky", "LogisticNormal", "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial",
           "NegativeBinomial", "Pareto", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT", "VonMises", "Weibull",
           "Wishart", "biject_to", "transform_to")


def __getattr__(name):
    if name in _ABSENT:
        raise NotImplementedError(f"torch.distributions.{name} is not in nnscope")
    raise AttributeError(f"module 'torch.distributions' has no attribute {name!r}")
