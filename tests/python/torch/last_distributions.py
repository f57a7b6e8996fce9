# Distributions beside what is known of them: densities that integrate to 1, moments, limits that are other distributions.
import math

import torch
from torch.distributions import (ContinuousBernoulli, GeneralizedPareto, LKJCholesky, LowRankMultivariateNormal,
                                 MultivariateNormal, Normal, VonMises, Wishart)


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", str(error).splitlines()[0])


def whole(distribution, low, high, count=200001):
    points = torch.linspace(low, high, count, dtype=torch.float64)
    density = distribution.log_prob(points).exp()
    return [round(float(torch.trapezoid(density * points ** k, points)), 4) for k in range(2)]


d = lambda number: torch.tensor(number, dtype=torch.float64)  # noqa: E731
torch.manual_seed(0)
circle = VonMises(d(0.5), d(3.0))
print(whole(circle, -math.pi, math.pi)[0], circle.mean, circle.variance.round(decimals=4), circle)
drawn = circle.sample((4000,))
print(drawn.shape, abs(float(drawn.mean()) - 0.5) < 0.05, bool((drawn >= -math.pi).all() and (drawn < math.pi).all()), VonMises(0.0, 1e-7).sample().shape)
for probs in (0.2, 0.4999, 0.5, 0.9):
    one = ContinuousBernoulli(d(probs))
    print(probs, whole(one, 0, 1), one.mean.round(decimals=4), one.variance.round(decimals=4), one.cdf(one.icdf(d(0.3))).round(decimals=6), one.entropy().round(decimals=4) + 0.0)
print(ContinuousBernoulli(logits=torch.zeros(2)).rsample((3,)).shape, ContinuousBernoulli(0.3).expand((2,)).batch_shape)
pareto = GeneralizedPareto(d(1.0), d(2.0), d(0.1))
print(whole(pareto, 1, 2000, 1000001), pareto.mean.round(decimals=4), pareto.variance.round(decimals=4), pareto.cdf(pareto.icdf(d(0.7))).round(decimals=6))
print(GeneralizedPareto(0.0, 2.0, 0.0).log_prob(torch.tensor(3.0)), torch.distributions.Exponential(0.5).log_prob(torch.tensor(3.0)), GeneralizedPareto(0.0, 1.0, 1.5).mean)
print(GeneralizedPareto(d(0.0), d(1.0), d(-0.5)).support, GeneralizedPareto(0.0, 1.0, 0.5).support, GeneralizedPareto(0.0, 1.0, 0.2).entropy())
loc, factor, diagonal = torch.tensor([1.0, -1.0, 0.5]).double(), torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 0.3]]).double(), torch.tensor([0.5, 1.0, 2.0]).double()
low = LowRankMultivariateNormal(loc, factor, diagonal)
full = MultivariateNormal(loc, low.covariance_matrix)
points = torch.randn(4, 3).double()
print(torch.allclose(low.log_prob(points), full.log_prob(points)), torch.allclose(low.entropy(), full.entropy()), torch.allclose(low.scale_tril, full.scale_tril), torch.allclose(low.precision_matrix, full.precision_matrix), torch.allclose(low.variance, full.variance))
print(low.rsample((2, 5)).shape, low.expand((4,)).sample().shape, low)
# Of dimension 2 the entry below the diagonal has the density that the concentration says, 1 for concentration 1: uniform.
angles = torch.linspace(-0.9999, 0.9999, 4001).double()
triangles = torch.stack([torch.stack([torch.ones_like(angles), torch.zeros_like(angles)], -1), torch.stack([angles, (1 - angles ** 2).sqrt()], -1)], -2)
print(LKJCholesky(2, d(1.0)).log_prob(triangles[::1000]).exp(), round(float(torch.trapezoid(LKJCholesky(2, d(3.0)).log_prob(triangles).exp(), angles)), 3))
triangle = LKJCholesky(4, torch.tensor([0.5, 2.0])).sample((3,))
print(triangle.shape, torch.allclose((triangle @ triangle.mT).diagonal(dim1=-2, dim2=-1), torch.ones(3, 2, 4), atol=1e-5), LKJCholesky(3, 1.0))
# Of one dimension Wishart is chi-squared with a scale.
wishart = Wishart(d(5.0), torch.eye(1).double() * 2)
print(wishart.log_prob(d([[3.0]])).round(decimals=6), (torch.distributions.Chi2(d(5.0)).log_prob(d(1.5)) - math.log(2)).round(decimals=6))
matrix = torch.tensor([[2.0, 0.5], [0.5, 1.0]]).double()
wishart = Wishart(d(4.0), matrix)
print(wishart.mean, wishart.variance, wishart.mode, torch.allclose(wishart.precision_matrix, matrix.inverse()))
with torch.no_grad():
    drawn = wishart.sample((3000,))
print(drawn.shape, bool(((drawn.mean(0) - wishart.mean).abs() < 0.4).all()), wishart.entropy().shape, wishart.expand((2,)).batch_shape)
problem(ContinuousBernoulli, torch.tensor(1.5))
problem(GeneralizedPareto, 0.0, -1.0, 0.5)
problem(LKJCholesky, 1)
problem(LowRankMultivariateNormal, torch.zeros(3), torch.zeros(2, 1), torch.ones(3))
problem(Wishart, 0.5, torch.eye(3))
problem(Wishart, 4.0)
problem(VonMises, 0.0, -1.0)
