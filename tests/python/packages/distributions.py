"""torch.distributions: closed forms, shapes, order of draws, texts of errors."""
import math

import torch
from torch import distributions as D
from torch.distributions import constraints, transforms


def near(a, b, tolerance=1e-5):
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    return bool(((a - b).abs() <= tolerance * (1 + b.abs())).all())


def fails(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.tensor([0.3, 0.9])
print("densities", near(D.Normal(1.0, 2.0).log_prob(torch.tensor(2.0)), -0.125 - math.log(2 * math.sqrt(2 * math.pi))),
      near(D.LogNormal(0.0, 1.0).log_prob(x), D.Normal(0.0, 1.0).log_prob(x.log()) - x.log()), near(D.Uniform(0.0, 4.0).log_prob(x), -math.log(4)),
      near(D.Bernoulli(0.25).log_prob(torch.tensor([1.0, 0.0])), torch.tensor([math.log(0.25), math.log(0.75)])),
      near(D.Bernoulli(logits=0.5).log_prob(torch.tensor(1.0)), math.log(1 / (1 + math.exp(-0.5)))),
      near(D.Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor([0, 1])), torch.tensor([math.log(0.25), math.log(0.75)])),
      near(D.OneHotCategorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor([0.0, 1.0])), math.log(0.8)),
      near(D.Beta(2.0, 3.0).log_prob(x), torch.log(12 * x * (1 - x) ** 2)), near(D.Gamma(3.0, 2.0).log_prob(x), torch.log(4 * x ** 2 * torch.exp(-2 * x))),
      near(D.Exponential(3.0).log_prob(x), math.log(3) - 3 * x), near(D.Laplace(0.5, 2.0).log_prob(x), -math.log(4) - (x - 0.5).abs() / 2),
      near(D.Poisson(2.0).log_prob(torch.tensor([0.0, 3.0])), torch.tensor([-2.0, math.log(8 / 6) - 2])), near(D.Geometric(0.25).log_prob(torch.tensor(2.0)), math.log(0.75 ** 2 * 0.25)),
      near(D.Dirichlet(torch.tensor([2.0, 1.0, 1.0])).log_prob(torch.tensor([0.5, 0.25, 0.25])), math.log(6 * 0.5)), near(D.Gumbel(0.0, 1.0).log_prob(x), -x - torch.exp(-x)),
      near(D.HalfNormal(1.0).log_prob(x), D.Normal(0.0, 1.0).log_prob(x) + math.log(2)), near(D.Chi2(torch.tensor(4.0)).log_prob(x), D.Gamma(2.0, 0.5).log_prob(x)))
cov = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
mvn = D.MultivariateNormal(torch.tensor([1.0, -1.0]), cov)
v = torch.tensor([0.5, 0.5])
d = v - mvn.loc
inverse = torch.tensor([[1.0, -0.5], [-0.5, 2.0]]) / 1.75
print("vectors", near(mvn.log_prob(v), -0.5 * (d @ inverse @ d) - math.log(2 * math.pi) - 0.5 * math.log(1.75)), near(mvn.scale_tril @ mvn.scale_tril.T, cov),
      near(mvn.precision_matrix, inverse), near(D.MultivariateNormal(mvn.loc, precision_matrix=inverse).covariance_matrix, cov), near(mvn.variance, [2.0, 1.0]),
      near(mvn.entropy(), 1 + math.log(2 * math.pi) + 0.5 * math.log(1.75)), near(D.MultivariateNormal(mvn.loc, scale_tril=mvn.scale_tril).log_prob(v), mvn.log_prob(v)),
      mvn.sample((3,)).shape, D.MultivariateNormal(torch.zeros(4, 2), cov).batch_shape, mvn.expand((5,)).sample().shape)
print("entropies", near(D.Normal(0.0, 2.0).entropy(), 0.5 * math.log(2 * math.pi * math.e * 4)), near(D.Uniform(0.0, 3.0).entropy(), math.log(3)), near(D.Categorical(torch.ones(4)).entropy(), math.log(4)),
      near(D.Bernoulli(0.5).entropy(), math.log(2)), near(D.Exponential(2.0).entropy(), 1 - math.log(2)), near(D.Laplace(0.0, 1.0).entropy(), 1 + math.log(2)), near(D.Beta(1.0, 1.0).entropy(), 0.0, 1e-4),
      near(D.Gamma(1.0, 2.0).entropy(), 1 - math.log(2)), near(D.LogNormal(1.0, 1.0).entropy(), 1 + 0.5 * math.log(2 * math.pi * math.e)), near(D.Categorical(torch.ones(4)).perplexity(), 4.0))
print("moments", D.Normal(1.0, 2.0).variance, D.Uniform(0.0, 6.0).variance, D.Bernoulli(0.25).variance, D.Beta(2.0, 2.0).mean, D.Gamma(4.0, 2.0).variance, D.Exponential(4.0).stddev, D.Laplace(1.0, 2.0).mean,
      D.LogNormal(0.0, 1.0).mode, D.Poisson(3.5).mode, D.Categorical(torch.tensor([0.1, 0.9])).mode, D.Bernoulli(torch.tensor([0.2, 0.7])).mode, D.OneHotCategorical(torch.tensor([0.1, 0.9])).mode,
      D.Dirichlet(torch.tensor([1.0, 3.0])).mean, D.Normal(0.0, 1.0).mode, D.Beta(3.0, 2.0).mode, D.Geometric(0.5).mean)
print("cdfs", near(D.Normal(0.0, 1.0).cdf(torch.tensor(1.959964)), 0.975), near(D.Normal(0.0, 1.0).icdf(torch.tensor(0.975)), 1.959964), near(D.Exponential(1.0).icdf(D.Exponential(1.0).cdf(x)), x),
      near(D.Laplace(0.0, 1.0).icdf(D.Laplace(0.0, 1.0).cdf(x)), x), near(D.LogNormal(0.0, 1.0).cdf(torch.tensor(1.0)), 0.5), near(D.Gumbel(0.0, 1.0).cdf(torch.tensor(0.0)), math.exp(-1)))

pairs = [(D.Normal(0.0, 1.0), D.Normal(1.0, 2.0)), (D.Bernoulli(0.3), D.Bernoulli(0.6)), (D.Categorical(torch.tensor([0.3, 0.7])), D.Categorical(torch.tensor([0.6, 0.4]))),
         (D.Exponential(1.0), D.Exponential(3.0)), (D.Gamma(2.0, 1.0), D.Gamma(1.0, 3.0)), (D.Beta(2.0, 2.0), D.Beta(1.0, 3.0)), (D.Laplace(0.0, 1.0), D.Laplace(1.0, 2.0)),
         (D.Uniform(0.0, 1.0), D.Uniform(-1.0, 3.0)), (D.Uniform(0.0, 1.0), D.Normal(0.0, 1.0)), (D.Normal(0.0, 1.0), D.Laplace(0.5, 1.0)), (D.Laplace(0.0, 1.0), D.Normal(0.5, 1.0)),
         (D.Exponential(1.0), D.Gamma(2.0, 1.0)), (D.Exponential(1.0), D.Normal(0.0, 2.0)), (D.Gamma(2.0, 1.0), D.Normal(0.0, 2.0)), (D.Beta(2.0, 3.0), D.Normal(0.0, 1.0)), (D.LogNormal(0.0, 1.0), D.LogNormal(1.0, 2.0))]
for p, q in pairs:
    # By the integral of p (log p - log q) over a fine grid, or by the sum over the support.
    kl = D.kl_divergence(p, q)
    if p.has_enumerate_support:
        support = p.enumerate_support()
        expected = (p.log_prob(support).exp() * (p.log_prob(support) - q.log_prob(support))).sum(0)
    else:
        grid = torch.linspace(-16, 16, 320001, dtype=torch.float64) + 1e-5
        if isinstance(p, D.LogNormal):
            grid = torch.logspace(-8, 8, 200001, dtype=torch.float64)
        grid = grid[p.support.check(grid)]
        for one in (p, q):
            one._validate_args = False
        log_p, log_q = p.log_prob(grid), q.log_prob(grid)
        inside = log_p > -80
        expected = torch.where(inside, log_p.exp() * (log_p - log_q), 0.0)
        expected = ((expected[1:] + expected[:-1]) / 2 * (grid[1:] - grid[:-1])).sum()
    print(type(p).__name__, type(q).__name__, near(kl, expected, 2e-3))
print(D.kl_divergence(mvn, mvn), near(D.kl_divergence(mvn, D.MultivariateNormal(torch.zeros(2), torch.eye(2))), 0.5 * (3 + 2 - 2 - math.log(1.75))), D.kl_divergence(D.Normal(0.0, 1.0), D.Uniform(0.0, 1.0)))
independent = D.Independent(D.Normal(torch.zeros(3, 2), torch.ones(3, 2)), 1)
print(independent, independent.batch_shape, independent.event_shape, independent.log_prob(torch.zeros(3, 2)).shape, D.kl_divergence(independent, independent), independent.support)

torch.manual_seed(0)
a = D.Normal(torch.zeros(3), torch.ones(3)).sample()
torch.manual_seed(0)
print("draws", torch.equal(a, torch.normal(torch.zeros(3), torch.ones(3))), D.Normal(0.0, 1.0).sample((2, 3)).shape)
for make, same in [(lambda: D.Uniform(0.0, 2.0).sample((4,)), lambda: torch.rand(4) * 2), (lambda: D.Exponential(2.0).sample((4,)), lambda: torch.empty(4).exponential_() / 2),
                   (lambda: D.Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).sample((3,)), lambda: torch.multinomial(torch.tensor([[0.2, 0.8], [0.5, 0.5]]), 3, True).T),
                   (lambda: D.Bernoulli(torch.tensor([0.2, 0.8])).sample(), lambda: torch.bernoulli(torch.tensor([0.2, 0.8]))), (lambda: D.Normal(1.0, 2.0).rsample((5,)), lambda: 1 + torch.randn(5) * 2)]:
    torch.manual_seed(1)
    first = make()
    torch.manual_seed(1)
    print(torch.equal(first, same()), end=" ")
print()
torch.manual_seed(2)
big = [D.Gamma(torch.full((4000,), 2.5), 2.0), D.Gamma(torch.full((4000,), 0.4), 1.0), D.Beta(torch.full((3000,), 2.0), 3.0), D.Poisson(torch.full((4000,), 3.0)), D.Poisson(torch.full((4000,), 40.0)), D.Laplace(torch.zeros(4000), 1.0), D.Gumbel(torch.zeros(4000), 1.0), D.Geometric(torch.full((4000,), 0.3)), D.HalfNormal(torch.ones(4000))]
for one in big:
    sample = one.sample()
    spread = one.variance[0].sqrt().item()
    print(type(one).__name__, abs(sample.mean().item() - one.mean[0].item()) < 5 * spread / math.sqrt(sample.numel()), abs(sample.std().item() / spread - 1) < 0.12, bool(one.support.check(sample).all()))
loc = torch.tensor(0.5, requires_grad=True)
scale = torch.tensor(1.5, requires_grad=True)
torch.manual_seed(3)
D.Normal(loc, scale).rsample((8,)).sum().backward()
print("gradients", loc.grad, scale.grad is not None, D.Normal(loc, scale).sample().requires_grad, D.OneHotCategoricalStraightThrough(logits=torch.zeros(3, requires_grad=True)).rsample().requires_grad)
tril = torch.tensor([[1.5, 0.0], [0.3, 0.7]], requires_grad=True)
D.MultivariateNormal(torch.zeros(2), scale_tril=tril).log_prob(torch.tensor([1.0, 2.0])).backward()
cov2 = (tril @ tril.T).detach().requires_grad_()
D.MultivariateNormal(torch.zeros(2), cov2).log_prob(torch.tensor([1.0, 2.0])).backward()
print(tril.grad[0, 1] == 0, near(cov2.grad + cov2.grad.T, (cov2.grad + cov2.grad.T).T), near(((cov2.grad + cov2.grad.T) @ tril).tril(), tril.grad, 1e-4))

z = torch.tensor([-0.5, 0.2, 1.0])
for t in [transforms.ExpTransform(), transforms.SigmoidTransform(), transforms.TanhTransform(), transforms.SoftplusTransform(), transforms.AffineTransform(1.0, -2.0), transforms.ExpTransform().inv,
          transforms.ComposeTransform([transforms.AffineTransform(0.0, 0.5), transforms.SigmoidTransform()])]:
    z = z.abs() if isinstance(t, type(transforms.ExpTransform().inv)) else z
    w = z.clone().requires_grad_()
    y = t(w)
    slope, = torch.autograd.grad(y.sum(), w)
    print(type(t).__name__, near(t.inv(y), z), near(t.log_abs_det_jacobian(w, y), slope.abs().log()), t.bijective, t.sign)
stick = transforms.StickBreakingTransform()
print(stick(z), near(stick.inv(stick(z)), z), stick(z).sum(), transforms.ReshapeTransform((3,), (3, 1))(z).shape, transforms.ComposeTransform([transforms.ExpTransform(), transforms.TanhTransform()]))
flow = D.TransformedDistribution(D.Normal(torch.zeros(2), torch.ones(2)), [transforms.AffineTransform(1.0, 2.0), transforms.ExpTransform()])
print(flow, flow.batch_shape, near(flow.log_prob(torch.tensor([1.0, 3.0])), D.LogNormal(torch.ones(2), torch.full((2,), 2.0)).log_prob(torch.tensor([1.0, 3.0]))), flow.expand((4, 2)).sample().shape)
print(D.Normal(0.0, 1.0), D.Normal(torch.zeros(2), 1.0), D.Categorical(torch.ones(3)), D.Bernoulli(logits=torch.zeros(2, 2)), mvn, D.Uniform(0.0, 1.0), D.Gamma(1.0, 2.0), D.Beta(1.0, 2.0), D.OneHotCategorical(torch.ones(3)), D.LogNormal(0.0, 1.0))
print(D.Categorical(torch.ones(2, 3)).expand((4, 2)).sample().shape, D.Categorical(torch.ones(3)).enumerate_support(), D.Bernoulli(torch.ones(2) / 2).enumerate_support(), D.Normal(torch.zeros(2), torch.ones(2)).expand((3, 2)).batch_shape)
print(constraints.positive, constraints.unit_interval, constraints.simplex, constraints.integer_interval(0, 2), constraints.real_vector, constraints.real, constraints.positive_definite.check(torch.stack([torch.eye(2), -torch.eye(2)])), D.Categorical(torch.ones(3)).support)
fails(lambda: D.Normal(0.0, -1.0))
fails(lambda: D.Normal(torch.zeros(2), torch.tensor([1.0, float("nan")])))
fails(lambda: D.Categorical(torch.tensor([-1.0, 2.0])))
fails(lambda: D.Categorical())
fails(lambda: D.Categorical(torch.tensor(1.0)))
fails(lambda: D.Uniform(1.0, 0.0))
fails(lambda: D.Bernoulli(1.5))
fails(lambda: D.Exponential(1.0).log_prob(torch.tensor(-1.0)))
fails(lambda: D.Normal(0.0, 1.0).log_prob(1.0))
fails(lambda: D.Normal(torch.zeros(3), 1.0).log_prob(torch.zeros(2)))
fails(lambda: mvn.log_prob(torch.zeros(3)))
fails(lambda: D.MultivariateNormal(torch.zeros(2), -torch.eye(2)))
fails(lambda: D.MultivariateNormal(torch.zeros(2)))
fails(lambda: D.Categorical(torch.ones(3)).log_prob(torch.tensor(3)))
fails(lambda: D.Independent(D.Normal(0.0, 1.0), 1))
fails(lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Bernoulli(0.5)))
fails(lambda: D.Normal("a", 1.0))
fails(lambda: torch.linalg.cholesky(-torch.eye(2)))
print(D.Normal(0.0, -1.0, validate_args=False).scale)
