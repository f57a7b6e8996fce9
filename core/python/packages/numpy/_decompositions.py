"""Equations and decompositions of numpy.linalg, by torch.linalg. Behaviour: numpy/linalg/_linalg.py."""
import collections

import torch

from numpy._array import asarray
from numpy._dtypes import absent
from numpy._dtypes import dtype as make_dtype
from numpy._ufunc import wrap


class LinAlgError(ValueError):
    """What has no solution."""


LinAlgError.__module__ = "numpy.linalg"

EigResult = collections.namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = collections.namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
QRResult = collections.namedtuple("QRResult", ["Q", "R"])
SlogdetResult = collections.namedtuple("SlogdetResult", ["sign", "logabsdet"])
SVDResult = collections.namedtuple("SVDResult", ["U", "S", "Vh"])


def _fractions(array):
    """The tensor of an array, whole numbers as float64."""
    return (array if array.dtype.kind in "fc" else array.astype(float))._t


def _numbers(a, square=True):
    """The tensor of an array of matrices, whole numbers as float64."""
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return _fractions(a)


def _array(tensor):
    return wrap(tensor, make_dtype(str(tensor.dtype).removeprefix("torch.")))


def _solved(message, function, *args, **kwargs):
    """What torch.linalg raises, as NumPy says it."""
    try:
        return function(*args, **kwargs)
    except torch.linalg.LinAlgError:
        raise LinAlgError(message) from None


def solve(a, b):
    left, right = _numbers(a), _fractions(asarray(b))
    dtype = torch.promote_types(left.dtype, right.dtype)
    left, right = left.to(dtype), right.to(dtype)
    # One dimension is a vector, all others are matrices.
    if right.dim() == 1:
        right = right.unsqueeze(-1)
        return _array(_solved("Singular matrix", torch.linalg.solve, left, right).squeeze(-1))
    return _array(_solved("Singular matrix", torch.linalg.solve, left, right))


def inv(a):
    return _array(_solved("Singular matrix", torch.linalg.inv, _numbers(a)))


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    if rcond is not None and rtol is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    cut = 1e-15 if rcond is None and rtol is None else float(rtol if rcond is None else rcond)
    return _array(torch.linalg.pinv(_numbers(a, square=False), rtol=cut, hermitian=hermitian))


def det(a):
    return _array(torch.linalg.det(_numbers(a)))


def slogdet(a):
    sign, logarithm = torch.linalg.slogdet(_numbers(a))
    return SlogdetResult(_array(sign), _array(logarithm))


def cholesky(a, /, *, upper=False):
    return _array(_solved("Matrix is not positive definite", torch.linalg.cholesky, _numbers(a), upper=upper))


def qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        raise absent(f"linalg.qr(mode={mode!r})")
    q, r = torch.linalg.qr(_numbers(a, square=False), mode)
    return _array(r) if mode == "r" else QRResult(_array(q), _array(r))


def eigh(a, UPLO="L"):
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    values, vectors = torch.linalg.eigh(_numbers(a), UPLO.upper())
    return EighResult(_array(values), _array(vectors))


def eigvalsh(a, UPLO="L"):
    return eigh(a, UPLO).eigenvalues


def eig(a):
    given = _numbers(a)
    values, vectors = torch.linalg.eig(given)
    # Real where all of them are.
    if not given.is_complex() and bool((values.imag == 0).all()):
        values, vectors = values.real.contiguous(), vectors.real.contiguous()
    return EigResult(_array(values), _array(vectors))


def eigvals(a):
    return eig(a).eigenvalues


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    given = _numbers(a, square=False)
    if not compute_uv:
        return _array(torch.linalg.svdvals(given))
    u, s, vh = torch.linalg.svd(given, full_matrices=full_matrices)
    return SVDResult(_array(u), _array(s), _array(vh))


def svdvals(x, /):
    return svd(x, compute_uv=False)


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    array = asarray(A)
    if array.ndim < 2:
        return int(not bool((array == 0).all()))
    sizes = torch.linalg.svdvals(_numbers(array, square=False))
    if tol is None:
        share = max(array.shape[-2:]) * torch.finfo(sizes.dtype).eps if rtol is None else rtol
        tol = sizes.amax(-1, keepdim=True) * share
    return _array((sizes > tol).sum(-1))


def cond(x, p=None):
    given = _numbers(x, square=False)
    return _array(torch.linalg.cond(given, p))


def lstsq(a, b, rcond=None):
    """The shortest of the vectors for which |b - a x| is smallest; sums of squares of what is left; rank; singular values."""
    left, right = _numbers(a, square=False), asarray(b)
    is_vector = right.ndim == 1
    right = _fractions(right)
    right = right.unsqueeze(-1) if is_vector else right
    if left.shape[0] != right.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    rows, columns = left.shape
    u, s, vh = torch.linalg.svd(left, full_matrices=False)
    share = max(rows, columns) * torch.finfo(s.dtype).eps if rcond is None else (
        torch.finfo(s.dtype).eps if rcond < 0 else rcond)
    kept = s > share * (s[0] if s.numel() else 0)
    rank = int(kept.sum())
    inverse = torch.where(kept, 1 / s, torch.zeros_like(s))
    x = vh.mH @ (inverse.unsqueeze(-1) * (u.mH @ right))
    left_over = ((right - left @ x).abs() ** 2).sum(0) if rank == columns and rows > columns else right.new_zeros(0).real
    return _array(x.squeeze(-1) if is_vector else x), _array(left_over), rank, _array(s)
