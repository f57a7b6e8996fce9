"""Probability distributions. Behaviour: torch/distributions/__init__.py. What is not here raises by name."""
from torch.distributions import constraints, transforms
from torch.distributions.bernoulli import Bernoulli
from torch.distributions.categorical import Categorical
from torch.distributions.geometric import Geometric
from torch.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from torch.distributions.beta import Beta
from torch.distributions.chi2 import Chi2
from torch.distributions.dirichlet import Dirichlet
from torch.distributions.exponential import Exponential
from torch.distributions.gamma import Gamma
from torch.distributions.laplace import Laplace
from torch.distributions.poisson import Poisson
from torch.distributions.gumbel import Gumbel
from torch.distributions.half_normal import HalfNormal
from torch.distributions.log_normal import LogNormal
from torch.distributions.distribution import Distribution
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.independent import Independent
from torch.distributions.kl import _kl_independent_independent, kl_divergence, register_kl
from torch.distributions import _more_kl
from torch.distributions.multivariate_normal import MultivariateNormal
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import *  # noqa: F403
from torch.distributions.uniform import Uniform
from torch.distributions.binomial import Binomial, NegativeBinomial
from torch.distributions.cauchy import Cauchy, HalfCauchy
from torch.distributions.constraint_registry import biject_to, transform_to
from torch.distributions.mixture_same_family import MixtureSameFamily
from torch.distributions.multinomial import Multinomial
from torch.distributions.pareto import InverseGamma, Kumaraswamy, Pareto, Weibull
from torch.distributions.relaxed import LogisticNormal, RelaxedBernoulli, RelaxedOneHotCategorical
from torch.distributions.studentT import FisherSnedecor, StudentT
from torch.distributions.continuous_bernoulli import ContinuousBernoulli
from torch.distributions.generalized_pareto import GeneralizedPareto
from torch.distributions.lkj_cholesky import LKJCholesky
from torch.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from torch.distributions.von_mises import VonMises
from torch.distributions.wishart import Wishart
