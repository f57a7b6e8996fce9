# Distributions beside what is known of them: densities that sum or integrate to 1, moments, and what they are made of.
import math

import torch
from torch.distributions import (Binomial, Cauchy, Categorical, FisherSnedecor, HalfCauchy, InverseGamma, Kumaraswamy, LogisticNormal,
                                 MixtureSameFamily, Multinomial, NegativeBinomial, Normal, Pareto, RelaxedBernoulli,
                                 RelaxedOneHotCategorical, StudentT, Weibull, biject_to, constraints, transform_to)


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", str(error).splitlines()[0])


def whole(distribution, low, high, count=200001):
    points = torch.linspace(low, high, count, dtype=torch.float64)
    return round(float(torch.trapezoid(distribution.log_prob(points).exp(), points)), 3)


d = lambda number: torch.tensor(number, dtype=torch.float64)  # noqa: E731
torch.manual_seed(0)
binomial = Binomial(10, d(0.3))
support = binomial.enumerate_support()
print(binomial.log_prob(support).exp().sum().round(decimals=6), binomial.mean, binomial.variance.round(decimals=6), binomial.mode)
print(binomial.log_prob(d(3.0)).exp().round(decimals=6), math.comb(10, 3) * 0.3 ** 3 * 0.7 ** 7, binomial)
print(binomial.sample((5,)).shape, Binomial(torch.tensor([4.0, 50.0]), torch.tensor([0.5, 0.2])).sample((400,)).mean(0).round())
negative = NegativeBinomial(3, d(0.4))
print(negative.log_prob(torch.arange(200.0, dtype=torch.float64)).exp().sum().round(decimals=6), negative.mean.round(decimals=6), negative.sample((3,)).shape)
multinomial = Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))
print(multinomial.sample((6,)).sum(-1), multinomial.log_prob(torch.tensor([1.0, 1.0, 2.0])).exp(), 12 * 0.2 * 0.3 * 0.25, multinomial.mean)
print(whole(Cauchy(d(0.0), d(1.0)), -2000, 2000), Cauchy(0.0, 2.0).cdf(torch.tensor(0.0)), Cauchy(0.0, 1.0).icdf(torch.tensor(0.75)).round(decimals=5))
print(whole(HalfCauchy(d(1.0)), 0, 2000), HalfCauchy(1.0).mean, Cauchy(0.0, 1.0).mean, Cauchy(0.0, 1.0).entropy())
print(whole(StudentT(d(5.0)), -100, 100), StudentT(5.0).variance, StudentT(torch.tensor([1.0, 2.0])).mean, StudentT(5.0).rsample((2,)).shape)
print(whole(FisherSnedecor(d(4.0), d(6.0)), 1e-6, 400), FisherSnedecor(4.0, 6.0).mean, FisherSnedecor(4.0, 6.0).sample((2,)).shape)
print(whole(Pareto(d(1.0), d(3.0)), 1, 200), Pareto(1.0, 3.0).mean, whole(Weibull(d(2.0), d(1.5)), 1e-6, 50), Weibull(2.0, 1.0).mean)
print(whole(Kumaraswamy(d(2.0), d(3.0)), 1e-6, 1 - 1e-6), Kumaraswamy(1.0, 1.0).mean, whole(InverseGamma(d(3.0), d(2.0)), 1e-4, 500), InverseGamma(3.0, 2.0).mean)
mixture = MixtureSameFamily(Categorical(torch.tensor([0.25, 0.75], dtype=torch.float64)), Normal(torch.tensor([-1.0, 1.0], dtype=torch.float64), d(0.5)))
print(whole(mixture, -10, 10), mixture.mean, mixture.variance, mixture.cdf(d(10.0)), mixture.sample((3, 2)).shape, mixture.batch_shape)
relaxed = RelaxedBernoulli(d(2.0), probs=d(0.3))
print(whole(relaxed, 1e-9, 1 - 1e-9), relaxed.rsample((2,)).shape, relaxed.temperature)
one_hot = RelaxedOneHotCategorical(torch.tensor(0.5), probs=torch.tensor([0.2, 0.8]))
print(one_hot.rsample((4,)).sum(-1), one_hot.event_shape, LogisticNormal(torch.zeros(2), torch.ones(2)).sample().sum().round(decimals=5))
logits = torch.zeros(3, requires_grad=True)
RelaxedOneHotCategorical(torch.tensor(1.0), logits=logits).rsample().max().backward()
print(logits.grad.shape, (logits.grad != 0).all())
for constraint in (constraints.positive, constraints.unit_interval, constraints.interval(-1.0, 2.0), constraints.greater_than(3.0),
                   constraints.less_than(-1.0), constraints.real, constraints.simplex):
    made = transform_to(constraint)(torch.tensor([0.3, -1.5]))
    print(type(constraint).__name__, bool(constraint.check(made).all()), end=" ")
print(biject_to(constraints.positive).inv(torch.tensor(1.0)), biject_to(constraints.simplex)(torch.zeros(2)))
problem(biject_to, constraints.boolean)
problem(Binomial, 3)
problem(Multinomial, torch.tensor([1, 2]), torch.ones(2))
problem(MixtureSameFamily, Normal(0.0, 1.0), Normal(0.0, 1.0))
problem(Binomial(2, torch.tensor(0.5)).log_prob, torch.tensor(3.0))
