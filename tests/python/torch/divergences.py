import torch
from torch.distributions import (Beta, Binomial, Cauchy, ContinuousBernoulli, Exponential, Gamma, Gumbel, LowRankMultivariateNormal,
                                 MultivariateNormal, Normal, Pareto, Uniform, constraints, kl_divergence, transform_to)
from torch.distributions.transforms import (AffineTransform, CatTransform, CorrCholeskyTransform, CumulativeDistributionTransform,
                                            ExpTransform, StackTransform)

torch.set_default_dtype(torch.float64)


def expected(p, q, low, high, count=400001):
    """KL(p || q) as the sum over a fine grid."""
    x = torch.linspace(low, high, count)
    inner = x[1:-1]
    log_p, log_q = p.log_prob(inner), q.log_prob(inner)
    return (log_p.exp() * (log_p - log_q)).sum() * (high - low) / (count - 1)


t = torch.tensor
pairs = [
    (Gumbel(t(0.5), t(1.5)), Gumbel(t(1.0), t(2.0)), -15, 60),
    (Cauchy(t(0.0), t(1.0)), Cauchy(t(1.0), t(2.0)), -4000, 4000),
    (ContinuousBernoulli(t(0.3)), ContinuousBernoulli(t(0.6)), 0, 1),
    (Beta(t(2.0), t(3.0)), Gamma(t(2.0), t(1.5)), 0, 1),
    (Beta(t(2.0), t(3.0)), Exponential(t(1.5)), 0, 1),
    (Beta(t(2.0), t(3.0)), ContinuousBernoulli(t(0.4)), 0, 1),
    (Beta(t(2.0), t(3.0)), Uniform(t(-1.0), t(2.0)), 0, 1),
    (ContinuousBernoulli(t(0.3)), Normal(t(0.5), t(1.5)), 0, 1),
    (ContinuousBernoulli(t(0.3)), Exponential(t(2.0)), 0, 1),
    (ContinuousBernoulli(t(0.3)), Uniform(t(-1.0), t(2.0)), 0, 1),
    (Exponential(t(1.5)), Gumbel(t(0.5), t(2.0)), 0, 40),
    (Gamma(t(2.0), t(1.5)), Exponential(t(2.0)), 0, 40),
    (Gamma(t(2.0), t(1.5)), Gumbel(t(0.5), t(2.0)), 0, 40),
    (Gumbel(t(0.5), t(1.5)), Normal(t(1.0), t(2.0)), -15, 80),
    (Normal(t(1.0), t(1.5)), Gumbel(t(0.5), t(2.0)), -15, 17),
    (Uniform(t(0.2), t(0.7)), Beta(t(2.0), t(3.0)), 0.2, 0.7),
    (Uniform(t(0.2), t(0.7)), ContinuousBernoulli(t(0.4)), 0.2, 0.7),
    (Uniform(t(0.2), t(0.7)), Exponential(t(2.0)), 0.2, 0.7),
    (Uniform(t(0.2), t(0.7)), Gamma(t(2.0), t(1.5)), 0.2, 0.7),
    (Uniform(t(0.2), t(0.7)), Gumbel(t(0.5), t(2.0)), 0.2, 0.7),
    (Uniform(t(0.5), t(0.7)), Pareto(t(0.3), t(2.0)), 0.5, 0.7),
    (Pareto(t(1.0), t(9.0)), Pareto(t(0.5), t(4.0)), 1, 60),
    (Pareto(t(1.0), t(9.0)), Exponential(t(1.5)), 1, 60),
    (Pareto(t(1.0), t(9.0)), Gamma(t(2.0), t(1.5)), 1, 60),
    (Pareto(t(1.0), t(9.0)), Normal(t(1.0), t(1.5)), 1, 60),
]
for p, q, low, high in pairs:
    found, wanted = kl_divergence(p, q), expected(p, q, low, high)
    if abs(found - wanted) > 2e-3 * max(1, abs(wanted)):
        print(type(p).__name__, type(q).__name__, found, wanted)
print(kl_divergence(Gumbel(t(0.0), t(1.0)), Beta(t(1.0), t(1.0))), kl_divergence(Pareto(t(1.0), t(0.5)), Exponential(t(1.0))))
p, q = Binomial(4, t(0.3)), Binomial(4, t(0.6))
support = p.enumerate_support()
print(torch.allclose(kl_divergence(p, q), (p.log_prob(support).exp() * (p.log_prob(support) - q.log_prob(support))).sum()))
low = LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3))
full = MultivariateNormal(torch.ones(3), covariance_matrix=torch.eye(3) * 2)
same = MultivariateNormal(torch.zeros(3), covariance_matrix=low.covariance_matrix)
print(torch.allclose(kl_divergence(low, full), kl_divergence(same, full)), torch.allclose(kl_divergence(full, low), kl_divergence(full, same)))

# The slope of a binomial at logits of 0 is that of both sides.
x = torch.tensor(0.0, requires_grad=True)
print(torch.autograd.grad(Binomial(1, logits=x).log_prob(t(0.0)), x)[0])

# Transforms of parts, of correlations, by a distribution.
cat = CatTransform([ExpTransform(), AffineTransform(1, 2)], dim=0, lengths=[1, 2])
x = torch.tensor([0.5, 1.0, 2.0])
y = cat(x)
print(y, cat.inv(y), cat.log_abs_det_jacobian(x, y), cat.domain.check(x))
stack = StackTransform([ExpTransform(), AffineTransform(1, 2)], dim=1)
x = torch.tensor([[0.5, 1.0], [0.0, 2.0]])
print(stack(x), torch.allclose(stack.inv(stack(x)), x), stack.log_abs_det_jacobian(x, stack(x)))
corr = CorrCholeskyTransform()
x = torch.tensor([0.3, -0.2, 0.5])
y = corr(x)
print(torch.allclose(corr.inv(y), x), corr.codomain.check(y), corr.forward_shape((3,)), corr.inverse_shape((3, 3)))
jacobian = torch.autograd.functional.jacobian(lambda v: corr(v)[[1, 2, 2], [0, 0, 1]], x)
print(torch.allclose(jacobian.det().abs().log(), corr.log_abs_det_jacobian(x, y)))
print(type(transform_to(constraints.corr_cholesky)).__name__, CumulativeDistributionTransform(Normal(0.0, 1.0))(torch.zeros(1)))
