"""torch.special: the Bessel functions J, Y and K, and airy_ai. Behaviour: aten/src/ATen/native/Math.h (bessel_j0_forward and so on).

Without gradients, as in PyTorch. All is computed in double precision and right to some 1e-13 of the larger of the value and the
amplitude of its waves (airy_ai around -7 to 1e-11); how:
  J   below 25 by the recurrence backward from J_72 = 0, scaled by J_0 + 2 J_2 + 2 J_4 + ... = 1 (Miller), beyond by Hankel's
      expansion (Abramowitz and Stegun 9.2.5);
  Y   below 25 by Neumann's series over the same J (9.1.88) and its derivative, beyond like J;
  K   below 1 by its power series (9.6.13), beyond as the integral of exp(-x cosh t) cosh(v t) (9.6.24), whose sum over equal
      steps converges faster than any power;
  Ai  by its Maclaurin series (10.4.2) from -7 to 1.5, on the left as waves (10.4.60), on the right from K of order 1/3."""
import math

import torch
from torch._outputs import write as _write

_EULER = 0.57721566490153286061
_MOST, _NEAR, _FAR = 72, 0.05, 25.0


def _backward(x):
    """[J_0, J_1, ..., J_72] of x in (0.05, 25]."""
    after, now = torch.zeros_like(x), torch.full_like(x, 1e-280)
    made = [now]
    for k in range(_MOST, 0, -1):
        after, now = now, (2 * k / x) * now - after
        made.append(now)
    made.reverse()
    total = made[0]
    for k in range(2, _MOST + 1, 2):
        total = total + 2 * made[k]
    return [one / total for one in made]


def _near_j(x, order):
    """The first terms of the power series, for x up to 0.05."""
    square = x * x / 4
    if order == 0:
        return 1 - square * (1 - square / 4 * (1 - square / 9 * (1 - square / 16)))
    return x / 2 * (1 - square / 2 * (1 - square / 6 * (1 - square / 12)))


def _waves(x, order):
    """(P, Q) of Hankel's expansion: J is sqrt(2 / (pi x)) (P cos(x - phase) - Q sin(x - phase))."""
    fourfold, inverse = 4.0 * order * order, 1 / (8 * x)
    term, p, q = torch.ones_like(x), torch.ones_like(x), torch.zeros_like(x)
    for k in range(1, 25):
        term = term * inverse * ((fourfold - (2 * k - 1) ** 2) / k)
        sign = -1.0 if k & 2 else 1.0
        if k & 1:
            q = q + sign * term
        else:
            p = p + sign * term
    return p, q


def _far(x, order, is_second):
    """J, or Y, beyond 25."""
    p, q = _waves(x, order)
    sine, cosine = torch.sin(x), torch.cos(x)
    root = math.sqrt(0.5)
    # cos and sin of x - pi / 4, and for order 1 of x - 3 pi / 4.
    c, s = (cosine + sine) * root, (sine - cosine) * root
    if order == 1:
        c, s = s, -c
    wave = p * s + q * c if is_second else p * c - q * s
    return torch.sqrt(2 / (math.pi * x)) * wave


def _j(x, order):
    size = torch.abs(x)
    inner = torch.clamp(size, _NEAR, _FAR)
    middle = _backward(inner)[order]
    outer = torch.clamp(size, _FAR, 1e300)
    made = torch.where(size <= _NEAR, _near_j(torch.clamp(size, 0.0, _NEAR), order),
                       torch.where(size <= _FAR, middle, _far(outer, order, False)))
    made = torch.where(size == math.inf, torch.zeros_like(made), made)
    if order == 1:
        made = torch.where(x < 0, -made, made)
    return torch.where(x != x, x, made)


def _middle_y(x, order):
    j = _backward(x)
    logarithm = torch.log(x / 2) + _EULER
    total = torch.zeros_like(x)
    if order == 0:
        for k in range(1, _MOST // 2 + 1):
            total = total + j[2 * k] * ((-1.0) ** k / k)
        return (logarithm * j[0] - 2 * total) * (2 / math.pi)
    for k in range(1, _MOST // 2):
        total = total + (j[2 * k - 1] - j[2 * k + 1]) * ((-1.0) ** k / k)
    return (logarithm * j[1] - j[0] / x + total) * (2 / math.pi)


def _near_y(x, order):
    square = x * x / 4
    logarithm = torch.log(x / 2) + _EULER
    if order == 0:
        return (logarithm * _near_j(x, 0) + square * (1 - square * (3 / 8) * (1 - square * (11 / 81)))) * (2 / math.pi)
    series = 1 - square * (5 / 4) * (1 - square * (2 / 9))
    return (logarithm * _near_j(x, 1) - 1 / x - x / 4 * series) * (2 / math.pi)


def _y(x, order):
    inner = torch.clamp(x, _NEAR, _FAR)
    outer = torch.clamp(x, _FAR, 1e300)
    made = torch.where(x <= _NEAR, _near_y(torch.clamp(x, 0.0, _NEAR), order),
                       torch.where(x <= _FAR, _middle_y(inner, order), _far(outer, order, True)))
    made = torch.where(x == math.inf, torch.zeros_like(made), made)
    made = torch.where(x == 0, torch.full_like(made, -math.inf), made)
    return torch.where((x < 0) | (x != x), torch.full_like(made, math.nan), made)


def _scaled_k(x, order):
    """exp(x) K of x from 1 on, of any order, as an integral."""
    step = torch.acosh(1 + 40 / x) / 64
    total = torch.full_like(x, 0.5)
    for k in range(1, 65):
        t = step * k
        rise = torch.sinh(t / 2)
        term = torch.exp(-2 * x * rise * rise)
        total = total + (term * torch.cosh(order * t) if order else term)
    return total * step


def _near_k(x, order):
    """K of x up to 1 by its power series."""
    square = x * x / 4
    logarithm = torch.log(x / 2) + _EULER
    if order == 0:
        term, i, total, harmonic = torch.ones_like(x), torch.ones_like(x), torch.zeros_like(x), 0.0
        for k in range(1, 13):
            term = term * square / (k * k)
            harmonic += 1 / k
            i, total = i + term, total + term * harmonic
        return total - logarithm * i
    term = x / 2
    i, total, before, after = term, -0.5 * term, 0.0, 1.0
    # (H_k + H_(k+1)) / 2 beside each term of I_1.
    for k in range(1, 13):
        term = term * square / (k * (k + 1))
        before += 1 / k
        after += 1 / (k + 1)
        i, total = i + term, total - term * ((before + after) / 2)
    return 1 / x + logarithm * i + total


def _k(x, order, is_scaled):
    near = torch.clamp(x, 0.0, 1.0)
    far = torch.clamp(x, 1.0, 1e300)
    low, high = _near_k(near, order), _scaled_k(far, order)
    if is_scaled:
        low = low * torch.exp(near)
    else:
        high = high * torch.exp(-far)
    made = torch.where(x <= 1, low, high)
    made = torch.where(x == math.inf, torch.zeros_like(made), made)
    made = torch.where(x == 0, torch.full_like(made, math.inf), made)
    return torch.where((x < 0) | (x != x), torch.full_like(made, math.nan), made)


def _airy(x):
    cube = torch.clamp(x, -7.0, 1.5)
    cube, first = cube * cube * cube, cube
    f, g, one, two = torch.ones_like(x), first, torch.ones_like(x), first
    for k in range(1, 60):
        one = one * cube / ((3 * k) * (3 * k - 1))
        two = two * cube / ((3 * k) * (3 * k + 1))
        f, g = f + one, g + two
    middle = 0.355028053887817239 * f - 0.258819403792806798 * g
    right = torch.clamp(x, 1.5, 1e100)
    zeta = right * torch.sqrt(right) * (2 / 3)
    right_value = torch.sqrt(right / 3) / math.pi * _scaled_k(zeta, 1 / 3) * torch.exp(-zeta)
    left = torch.clamp(-x, 7.0, 1e100)
    zeta = left * torch.sqrt(left) * (2 / 3)
    p, q, term = torch.ones_like(x), torch.zeros_like(x), torch.ones_like(x)
    for k in range(1, 19):
        term = term * ((6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))) / zeta
        sign = -1.0 if k & 2 else 1.0
        if k & 1:
            q = q + sign * term
        else:
            p = p + sign * term
    root = math.sqrt(0.5)
    sine, cosine = torch.sin(zeta), torch.cos(zeta)
    left_value = ((cosine + sine) * p + (sine - cosine) * q) * root / (math.sqrt(math.pi) * torch.sqrt(torch.sqrt(left)))
    made = torch.where(x > 1.5, right_value, torch.where(x < -7, left_value, middle))
    made = torch.where(x == math.inf, torch.zeros_like(made), made)
    return torch.where((x != x) | (x == -math.inf), torch.full_like(made, math.nan), made)


def _function(name, compute, *given):
    def function(input, *, out=None):
        if not isinstance(input, torch.Tensor):
            raise TypeError(f"special_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        if input.is_complex():
            named = "ComplexDouble" if input.dtype == torch.complex128 else "ComplexFloat"
            raise RuntimeError(f"\"{name}_cpu\" not implemented for '{named}'")
        dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
        with torch.no_grad():
            made = compute(input.detach().to(torch.float64), *given).to(dtype)
        return _write(made, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"torch.special.{name}."
    return function


bessel_j0, bessel_j1 = _function("bessel_j0", _j, 0), _function("bessel_j1", _j, 1)
bessel_y0, bessel_y1 = _function("bessel_y0", _y, 0), _function("bessel_y1", _y, 1)
modified_bessel_k0, modified_bessel_k1 = (_function("modified_bessel_k0", _k, 0, False),
                                          _function("modified_bessel_k1", _k, 1, False))
scaled_modified_bessel_k0, scaled_modified_bessel_k1 = (_function("scaled_modified_bessel_k0", _k, 0, True),
                                                        _function("scaled_modified_bessel_k1", _k, 1, True))
airy_ai = _function("airy_ai", _airy)
