"""Cholesky factors and triangular systems of real matrices, column by column with ops that have gradients.

Behaviour: torch/linalg/__init__.py; the last bits may differ from those of LAPACK, which works in blocks.
"""
from collections import namedtuple

import torch

cholesky_ex_result = namedtuple("linalg_cholesky_ex", ["L", "info"])


def _factor(A):
    """The columns of the factor, and for each matrix the order of the first minor that is not positive, or 0."""
    n = A.shape[-1]
    info = torch.zeros(A.shape[:-2], dtype=torch.int32)
    columns = []
    for j in range(n):
        column = A[..., j:, j]
        for k, earlier in enumerate(columns):
            column = column - earlier[..., j - k:] * earlier[..., j - k:j - k + 1]
        pivot = column[..., 0]
        fails = ~(pivot > 0) & (info == 0)
        info = torch.where(fails, torch.full_like(info, j + 1), info)
        root = pivot.sqrt().unsqueeze(-1)
        columns.append(torch.cat([root, column[..., 1:] / root], dim=-1))
    return columns, info


def _square(A, name):
    if A.dim() < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
                           "matrices")


def cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """(L, info) with A = L @ L.mT; info is 0 or the order of the first leading minor that is not positive."""
    _square(A, "cholesky_ex")
    columns, info = _factor(A)
    n = A.shape[-1]
    padded = [torch.cat([column.new_zeros(column.shape[:-1] + (j,)), column], dim=-1) for j, column in enumerate(columns)]
    L = torch.stack(padded, dim=-1) if n else A.clone()
    return cholesky_ex_result(L.mT if upper else L, info)


def cholesky(A, *, upper=False, out=None):
    """torch.linalg.cholesky. Errors: RuntimeError  a matrix is not positive-definite."""
    _square(A, "cholesky")
    L, info = cholesky_ex(A, upper=upper)
    if bool((info != 0).any()):
        order = int(info.reshape(-1)[(info.reshape(-1) != 0).nonzero()[0, 0]])
        batch = "" if A.dim() == 2 else f"(Batch element {int((info.reshape(-1) != 0).nonzero()[0, 0])}): "
        raise torch.linalg.LinAlgError(f"linalg.cholesky: {batch}The factorization could not be completed because the input is "
                                       f"not positive-definite (the leading minor of order {order} is not positive-definite).")
    return L


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """X with A @ X = B, or X @ A = B, for a triangular A."""
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    n = A.shape[-1]
    rows = [None] * n
    for i in (range(n - 1, -1, -1) if upper else range(n)):
        row = B[..., i, :]
        for k in (range(i + 1, n) if upper else range(i)):
            row = row - A[..., i, k].unsqueeze(-1) * rows[k]
        rows[i] = row if unitriangular else row / A[..., i, i].unsqueeze(-1)
    shape = torch.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return torch.stack([row.expand(shape + row.shape[-1:]) for row in rows], dim=-2)


class LinAlgError(RuntimeError):
    pass


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"
