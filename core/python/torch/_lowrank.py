"""Singular values of large matrices that have few, from products with random ones.

Behaviour: torch/_lowrank.py.
"""
import torch


def _basis(A, q, niter):
    """Orthogonal columns whose span is near that of the matrix."""
    Q = torch.linalg.qr(A @ torch.randn(A.shape[-1], q, dtype=A.dtype, device=A.device)).Q
    for _ in range(niter):
        Q = torch.linalg.qr(A.mH @ Q).Q
        Q = torch.linalg.qr(A @ Q).Q
    return Q


def svd_lowrank(A, q=6, niter=2, M=None):
    """(U, S, V) of `q` singular values of A, or of A - M."""
    if M is not None:
        A = A - M
    is_wide = A.shape[-2] < A.shape[-1]
    if is_wide:
        A = A.mH
    Q = _basis(A, 6 if q is None else q, 2 if niter is None else niter)
    U, S, Vh = torch.linalg.svd(Q.mH @ A, full_matrices=False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if is_wide else (U, S, V)


def pca_lowrank(A, q=None, center=True, niter=2):
    """The same of a matrix whose columns have, where `center`, the mean zero."""
    least = min(A.shape[-2:])
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True) if center else A, q, niter=niter)
