"""How draws of gamma and beta distributions move with their parameters: -(dF/da) / (dF/dx) of the cumulative function F.

Behaviour: aten/src/ATen/native/Distributions.h, standard_gamma_grad_one and dirichlet_grad_one. Differs: the power series of
the incomplete functions are summed in double, which is closer than the approximations there."""
import torch
from torch.autograd import Function

# From here on a gamma is taken as a cubed normal (Wilson and Hilferty 1931).
_LARGE = 1000
_MOST_TERMS = 20000


def _summed(first, following):
    """The series of s(0) = first, s(n + 1) = s(n) * factor, with weights h(n): sums of s and of s h.

    `following(n)` gives the factor of the next term and what its weight grows by."""
    term = total = first
    factor, weight = following(0)
    weighted = term * weight
    for n in range(1, _MOST_TERMS):
        term = term * factor
        factor, step = following(n)
        weight = weight + step
        total, weighted = total + term, weighted + term * weight
        if n % 16 == 0 and bool(((term <= 1e-17 * total) & (factor < 1)).all()):
            break
    return total, weighted


def standard_gamma_grad(alpha, x):
    """dx / dalpha of a draw x of Gamma(alpha, 1)."""
    dtype = torch.promote_types(alpha.dtype, x.dtype)
    a, x = torch.broadcast_tensors(alpha.detach().double(), x.detach().double())
    x = x.clamp(min=torch.finfo(torch.float64).tiny)
    root = (x / a) ** (1 / 3)
    z = (root - 1 + 1 / (9 * a)) * 3 * a.sqrt()
    made = root ** 3 + 3 * a * root ** 2 * (1 / (9 * a ** 2) - z / (6 * a ** 1.5))
    near = a < _LARGE
    if bool(near.any()):
        a, x = a[near], x[near]
        total, weighted = _summed(1 / a, lambda n: (x / (a + n + 1), 1 / (a + n)))
        made[near] = x * (weighted - total * (x.log() - torch.digamma(a)))
    return made.to(dtype)


def _beta_slope(x, a, b):
    """dx / da of a draw x of Beta(a, b), where x is below the mean."""
    total, weighted = _summed(1 / a, lambda n: (x * (a + b + n) / (a + n + 1),
                                                1 / (a + n) - (1 / (a + b + n - 1) if n else 0)))
    return x * (1 - x) * (weighted - total * (x.log() - torch.digamma(a) + torch.digamma(a + b)))


def _beta_slope_above(x, a, b):
    """The same where x is above the mean: 1 - x is a draw of Beta(b, a)."""
    y = 1 - x
    total, weighted = _summed(1 / b, lambda n: (y * (a + b + n) / (b + n + 1),
                                                1 / (a + b + n - 1) if n else torch.zeros_like(a)))
    return x * y * (weighted + total * (x.log() - torch.digamma(a) + torch.digamma(a + b)))


def dirichlet_grad(x, alpha, total):
    """-(d/dalpha F(x)) / (dF/dx) / (1 - x) of Beta(alpha, total - alpha)."""
    dtype = x.dtype
    x, a, total = torch.broadcast_tensors(x.detach().double(), alpha.detach().double(), total.detach().double())
    b = total - a
    tiny = torch.finfo(torch.float64).eps
    x = x.clamp(min=torch.finfo(torch.float64).tiny, max=1 - tiny)
    below = x <= a / total
    made = torch.zeros_like(x)
    if bool(below.any()):
        made[below] = _beta_slope(x[below], a[below], b[below])
    if not bool(below.all()):
        made[~below] = _beta_slope_above(x[~below], a[~below], b[~below])
    return (made / (1 - x)).to(dtype)


class StandardGamma(Function):
    @staticmethod
    def forward(ctx, alpha, draw):
        drawn = draw(alpha)
        ctx.save_for_backward(alpha, drawn)
        return drawn

    @staticmethod
    def backward(ctx, grad):
        alpha, drawn = ctx.saved_tensors
        return grad * standard_gamma_grad(alpha, drawn), None


def _Dirichlet_backward(x, concentration, grad_output):
    total = concentration.sum(-1, True).expand_as(concentration)
    return dirichlet_grad(x, concentration, total) * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx, concentration, draw):
        x = draw(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, concentration = ctx.saved_tensors
        return _Dirichlet_backward(x, concentration, grad_output), None
