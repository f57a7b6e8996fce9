"""Random numbers; the streams of numpy for the same seeds. Behaviour: numpy/random/mtrand.pyx, _generator.pyx."""
from numpy._dtypes import no_attribute
from numpy.random._generator import Generator, default_rng
from numpy.random._legacy import RandomState
from numpy.random._pcg import PCG64, SeedSequence

_state = RandomState()
seed, random, random_sample, rand, randn = _state.seed, _state.random, _state.random_sample, _state.rand, _state.randn
ranf = sample = _state.random_sample
uniform, normal, standard_normal, lognormal = _state.uniform, _state.normal, _state.standard_normal, _state.lognormal
exponential, standard_exponential = _state.exponential, _state.standard_exponential
randint, random_integers, choice = _state.randint, _state.random_integers, _state.choice
permutation, shuffle = _state.permutation, _state.shuffle
beta, binomial, bytes, chisquare, dirichlet = _state.beta, _state.binomial, _state.bytes, _state.chisquare, _state.dirichlet
f, gamma, geometric, gumbel, laplace = _state.f, _state.gamma, _state.geometric, _state.gumbel, _state.laplace
logistic, multinomial, multivariate_normal = _state.logistic, _state.multinomial, _state.multivariate_normal
negative_binomial, pareto, poisson, power = _state.negative_binomial, _state.pareto, _state.poisson, _state.power
rayleigh, standard_cauchy, standard_gamma = _state.rayleigh, _state.standard_cauchy, _state.standard_gamma
standard_t, triangular, vonmises, wald, weibull = (
    _state.standard_t, _state.triangular, _state.vonmises, _state.wald, _state.weibull)
logseries, noncentral_chisquare, noncentral_f = _state.logseries, _state.noncentral_chisquare, _state.noncentral_f
get_state, set_state = _state.get_state, _state.set_state


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.random' has no attribute {name!r}")
    raise no_attribute("module 'numpy.random'", name)
