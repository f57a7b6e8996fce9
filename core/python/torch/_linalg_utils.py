"""Functions of linear algebra that torch has no more and that tell what took their place. Behaviour: torch/_linalg_utils.py."""

_SINCE = "This function was deprecated since version 1.9 and is now removed. "


def _instead(old, new):
    return f"{old} should be replaced with:\n{new}"


def matrix_rank(input, tol=None, symmetric=False, *, out=None):
    raise RuntimeError(_SINCE.rstrip() + "\nPlease use the `torch.linalg.matrix_rank` function instead. "
                       "The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'.")


def solve(input, A, *, out=None):
    raise RuntimeError(_SINCE + "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its "
                       "arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization see "
                       "`torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
                       + _instead("X = torch.solve(B, A).solution", "X = torch.linalg.solve(A, B)"))


def lstsq(input, A, *, out=None):
    raise RuntimeError(_SINCE + "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed "
                       "arguments and does not return the QR decomposition in the returned tuple (although it returns other "
                       "information about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\n"
                       "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of "
                       "the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of "
                       "the returned named tuple.\n\nThe unpacking of the solution, as in\n"
                       "X, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n"
                       "X = torch.linalg.lstsq(A, B).solution")


def _symeig(input, eigenvectors=False, upper=True, *, out=None):
    raise RuntimeError(_SINCE + "The default behavior has changed from using the upper triangular portion of the matrix by default "
                       "to using the lower triangular portion.\n\n"
                       + _instead("L, _ = torch.symeig(A, upper=upper)", "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')")
                       + "\n\nand\n\n" + _instead("L, V = torch.symeig(A, eigenvectors=True)",
                                                  "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"))


def eig(self, eigenvectors=False, *, e=None, v=None):
    raise RuntimeError(_SINCE + "`torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
                       "mimicking complex tensors.\n\n"
                       + _instead("L, _ = torch.eig(A)", "L_complex = torch.linalg.eigvals(A)")
                       + "\n\nand\n\n" + _instead("L, V = torch.eig(A, eigenvectors=True)",
                                                  "L_complex, V_complex = torch.linalg.eig(A)"))
