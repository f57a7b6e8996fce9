"""Matrices with some property, for tests: what torch.testing._internal.common_utils makes of random numbers."""
import torch


def random_matrix(rows, columns, *batch_dims, **kwargs):
    return torch.randn(*batch_dims, rows, columns, dtype=kwargs.get("dtype", torch.double))


def random_square_matrix_of_rank(l, rank, dtype=torch.double, device="cpu"):
    u, s, vh = torch.linalg.svd(torch.randn(l, l, dtype=dtype), full_matrices=False)
    for at in range(l):
        if at >= rank:
            s[at] = 0
        elif s[at] == 0:
            s[at] = 1
    return (u * s.to(dtype).unsqueeze(-2)) @ vh


def random_symmetric_matrix(l, *batches, **kwargs):
    a = torch.randn(*batches, l, l, dtype=kwargs.get("dtype", torch.double))
    return (a + a.mT).div_(2)


def random_symmetric_psd_matrix(l, *batches, **kwargs):
    a = torch.randn(*batches, l, l, dtype=kwargs.get("dtype", torch.double))
    return a @ a.mT


def random_symmetric_pd_matrix(l, *batches, **kwargs):
    dtype = kwargs.get("dtype", torch.double)
    a = torch.randn(*batches, l, l, dtype=dtype)
    return a @ a.mT + torch.eye(l, dtype=dtype) * 1e-3


def random_hermitian_matrix(l, *batches, **kwargs):
    a = torch.randn(*batches, l, l, dtype=kwargs.get("dtype", torch.double))
    return (a + a.mH).div_(2)


def random_hermitian_psd_matrix(l, *batches, **kwargs):
    a = torch.randn(*batches, l, l, dtype=kwargs.get("dtype", torch.double))
    return a @ a.mH


def random_hermitian_pd_matrix(matrix_size, *batch_dims, dtype=torch.double, device="cpu"):
    a = torch.randn(*batch_dims, matrix_size, matrix_size, dtype=dtype)
    return a @ a.mH + torch.eye(matrix_size, dtype=dtype)


def make_fullrank_matrices_with_distinct_singular_values(*shape, device="cpu", dtype=torch.double, requires_grad=False):
    m, n = shape[-2:]
    k = min(m, n)
    u, _, vh = torch.linalg.svd(torch.randn(*shape, dtype=dtype), full_matrices=False)
    real = dtype.to_real() if dtype.is_complex else dtype
    s = torch.arange(2, k + 2, dtype=real)
    s[1::2] *= -1.0
    s.reciprocal_().add_(1.0)
    x = (u * s.to(u.dtype)) @ vh
    return x.requires_grad_(requires_grad)


def random_well_conditioned_matrix(*shape, dtype, device="cpu", mean=1.0, sigma=0.001):
    x = torch.randn(shape, dtype=dtype)
    u, _, vh = torch.linalg.svd(x, full_matrices=False)
    s = torch.randn(*shape[:-2], min(shape[-2:]), dtype=torch.double) * sigma + mean
    return (u * s.to(dtype).unsqueeze(-2)) @ vh
