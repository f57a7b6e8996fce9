import torch
from torch.distributions import Beta, Dirichlet, Gamma

torch.set_default_dtype(torch.float64)


def cdf(log_density, low, x, count=200001):
    """The cumulative function by Simpson's rule."""
    grid = torch.linspace(low, x, count)
    weights = torch.ones(count)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return (log_density(grid).exp() * weights).sum() * (x - low) / (count - 1) / 3


def slope(density, a, x, low=1e-12, step=1e-4):
    """-(dF/da) / (dF/dx), by differences."""
    rise = (cdf(density(a + step).log_prob, low, x) - cdf(density(a - step).log_prob, low, x)) / (2 * step)
    return -rise / density(a).log_prob(torch.tensor(x)).exp()


# How draws move with their parameters.
for a, x in ((2.5, 0.7), (2.5, 4.0), (8.0, 3.0), (30.0, 41.0)):
    found = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x))
    print(torch.allclose(found, slope(lambda a: Gamma(torch.tensor(a), torch.tensor(1.0), validate_args=False), a, x), rtol=1e-4))
for a, b, x in ((2.5, 3.0, 0.2), (2.5, 3.0, 0.8), (6.0, 2.0, 0.9), (2.0, 9.0, 0.05)):
    found = torch._dirichlet_grad(torch.tensor(x), torch.tensor(a), torch.tensor(a + b)) * (1 - x)
    wanted = slope(lambda a: Beta(torch.tensor(a), torch.tensor(b), validate_args=False), a, x)
    print(torch.allclose(found, wanted, rtol=1e-4))
# An exponential draw is -log(1 - u): with alpha 1 and a large one the slopes are known to first order.
print(torch._standard_gamma_grad(torch.tensor(4000.0), torch.tensor(4000.0)).item() > 0.999)

# Gradients of means of many draws are those of the means.
torch.manual_seed(0)
alpha, rate = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
Gamma(alpha, rate).rsample((4000,)).mean().backward()
print(abs(alpha.grad - 1 / 3) < 0.02, abs(rate.grad + 2 / 9) < 0.02)
a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
Beta(a, b).rsample((4000,)).mean().backward()
print(abs(a.grad - 3 / 25) < 0.01, abs(b.grad + 2 / 25) < 0.01)
c = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(Dirichlet(c).rsample((4000,)).mean(0) * torch.tensor([1.0, 0.0, 0.0])).sum().backward()
print((c.grad - torch.tensor([5 / 36, -1 / 36, -1 / 36])).abs().max() < 0.01)
