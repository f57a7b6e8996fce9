"""Discrete Fourier transforms, by torch.fft. Behaviour: numpy/fft/_pocketfft.py, _helper.py."""
import operator

import torch

from numpy._array import asarray, ndarray
from numpy._dtypes import FLOAT16, FLOAT32, dtype, no_attribute
from numpy._functions import arange, roll
from numpy._scalars import integer
from numpy._shapes import normal_axis
from numpy._ufunc import UFUNCS, wrap

_NORMS = (None, "backward", "ortho", "forward")


def _check(norm):
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return norm


def _tensor(a):
    """Items as torch transforms them: whole numbers in double precision, halves in single."""
    a = asarray(a)
    return (a if a.dtype.kind in "fc" and a.dtype is not FLOAT16 else a.astype(FLOAT32 if a.dtype is FLOAT16 else float))._t


def _array(tensor, out):
    made = ndarray._of(tensor, dtype._of_torch[tensor.dtype])
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError("output array has wrong shape.")
    out._write(made.astype(out.dtype)._t)
    return out


def _size(n):
    n = None if n is None else operator.index(n)
    if n is not None and n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return n


def _along(name):
    """A transform along one axis."""
    function = getattr(torch.fft, name)
    is_real = name in ("rfft", "ihfft")

    def transform(a, n=None, axis=-1, norm=None, out=None):
        x = _tensor(a)
        if x.ndim == 0:
            raise IndexError("tuple index out of range")
        axis = normal_axis(axis, x.ndim)
        if is_real and x.is_complex():
            raise TypeError(f"ufunc '{_LOOPS[name]}' did not contain a loop with signature matching types "
                            f"{asarray(a).dtype.type!r} -> None")
        if name in ("fft", "ifft") and not x.is_complex():
            x = torch.complex(x, torch.zeros_like(x))  # torch's transform of real numbers has other signs of zeros
        n = _size(n)
        if n is None and name not in ("irfft", "hfft"):
            _size(x.shape[axis])
        elif n is None:
            _size(2 * (x.shape[axis] - 1))
        return _array(function(x, n, axis, _check(norm)), out)

    transform.__name__ = transform.__qualname__ = name
    return transform


_LOOPS = {"rfft": "rfft_n_even", "ihfft": "rfft_n_even"}
fft, ifft, rfft, irfft, hfft, ihfft = (_along(_name) for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))


def _sizes(a, s, axes, is_inverse_real=False):
    """A size for each axis, and the axes. Errors: ValueError."""
    a = asarray(a)
    if s is None:
        axes = list(range(a.ndim)) if axes is None else list(axes)
        sizes = [a.shape[one] for one in axes]
        if is_inverse_real:
            sizes[-1] = 2 * (a.shape[axes[-1]] - 1)
    else:
        sizes = list(s)
        axes = list(range(-len(sizes), 0)) if axes is None else list(axes)
        if len(sizes) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        sizes = [a.shape[axis] if size == -1 else size for size, axis in zip(sizes, axes)]
    return sizes, axes


def _over(step, a, s, axes, norm, out, initial=None, final=None):
    """One transform an axis; another one for the last axis, `initial` before all others or `final` after them."""
    sizes, axes = _sizes(a, s, axes, is_inverse_real=final is not None)
    a = asarray(a)
    pairs = list(zip(sizes, axes))
    if initial is not None:
        size, axis = pairs.pop()
        a = initial(a, size, axis, norm)
    ending = pairs.pop() if final is not None else None
    for size, axis in pairs if final is not None else reversed(pairs):
        a = step(a, size, axis, norm)
    if ending is not None:
        a = final(a, ending[0], ending[1], norm)
    if out is not None:
        out[...] = a
        return out
    return a


def fftn(a, s=None, axes=None, norm=None, out=None):
    return _over(fft, a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    return _over(ifft, a, s, axes, norm, out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return _over(fft, a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return _over(ifft, a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    return _over(fft, a, s, axes, norm, out, initial=rfft)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    return _over(ifft, a, s, axes, norm, out, final=irfft)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm, out)


# Frequencies.

def _count(n):
    if not isinstance(n, (int, integer)):
        raise ValueError("n should be an integer")
    return int(n)


def fftfreq(n, d=1.0, device=None):
    n = _count(n)
    half = (n - 1) // 2 + 1
    places = torch.cat([torch.arange(half), torch.arange(-(n // 2), 0)])
    return UFUNCS["multiply"](wrap(places, arange(1).dtype), 1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    n = _count(n)
    return UFUNCS["multiply"](arange(n // 2 + 1), 1.0 / (n * d))


def _shift(x, axes, turn):
    x = asarray(x)
    axes = tuple(range(x.ndim)) if axes is None else (axes,) if not isinstance(axes, (tuple, list)) else tuple(axes)
    return roll(x, tuple(turn(x.shape[one]) for one in axes), axes)


def fftshift(x, axes=None):
    return _shift(x, axes, lambda size: size // 2)


def ifftshift(x, axes=None):
    return _shift(x, axes, lambda size: -(size // 2))


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.fft' has no attribute {name!r}")
    raise no_attribute("module 'numpy.fft'", name)
