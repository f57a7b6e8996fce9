"""torch.linalg: factors, systems, norms, what they are called and refuse, and gradients. What LAPACK decides is printed; of what no two
libraries share (signs of singular vectors and eigenvectors) the products are."""
import torch
from torch import linalg

torch.set_printoptions(precision=4, sci_mode=False)


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


A = torch.tensor([[4.0, 3.0], [6.0, 3.0]])
B = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(linalg.det(A), torch.det(A), A.det(), linalg.inv(A), torch.inverse(A) is A.inverse())
print(linalg.slogdet(A))
print(torch.slogdet(-A[:1, :1]), torch.logdet(A), torch.logdet(-A[:, [1, 0]]))
print(linalg.inv_ex(B))
print(linalg.solve(A, B), linalg.solve(A, B[0]), linalg.solve(A, B, left=False))
print(linalg.solve_ex(A, B).info, linalg.solve(A.expand(2, 2, 2), B[0]))
print(linalg.lu_factor(A))
P, L, U = linalg.lu(A)
print(P, L, U, torch.equal(P @ L @ U, A))
LU, pivots, info = linalg.lu_factor_ex(A)
print(info, linalg.lu_solve(LU, pivots, B), linalg.lu_solve(LU, pivots, B, adjoint=True))
print(torch.lu_unpack(LU, pivots)[1], torch.lu_solve(B, LU, pivots))

S = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
print(linalg.cholesky(S), linalg.cholesky(S, upper=True), linalg.cholesky_ex(S))
print(torch.cholesky_solve(B, linalg.cholesky(S)), torch.cholesky_inverse(linalg.cholesky(S)))
print(linalg.solve_triangular(torch.tensor([[2.0, 0.0], [1.0, 4.0]]), B, upper=False), linalg.solve_triangular(S.tril(), S.tril(), upper=False))

Q, R = linalg.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
print(Q, R)
print([tuple(part.shape) for mode in ("reduced", "complete", "r") for part in linalg.qr(torch.ones(3, 2), mode)])
a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
print(torch.allclose(linalg.householder_product(a, tau), Q), torch.allclose(torch.ormqr(a, tau, R), Q @ R), tau)

M = torch.tensor([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
U, values, Vh = linalg.svd(M)
print(linalg.eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]])))
print(U.shape, values, Vh.shape, torch.allclose(U[:, :2] * values @ Vh, M), type(linalg.svd(M)))
print(linalg.svdvals(M), [tuple(part.shape) for part in torch.svd(M, some=False)], torch.svd(M).V.shape)
print(linalg.eigvalsh(torch.tensor([[2.0, 1.0], [1.0, 2.0]])), type(linalg.eigh(S)).__name__)
values, vectors = linalg.eigh(S)
print(torch.allclose(vectors * values @ vectors.T, S))
print(linalg.eig(torch.tensor([[0.0, -1.0], [1.0, 0.0]])).eigenvalues.imag)
print(linalg.eigvals(torch.tensor([[2.0, 0.0], [1.0, 3.0]])))

print(linalg.pinv(M), linalg.matrix_rank(M), linalg.matrix_rank(torch.ones(3, 3)), torch.pinverse(M).shape)
print(linalg.matrix_rank(torch.diag(torch.tensor([1.0, 0.01])), tol=0.1), linalg.cond(M), linalg.cond(S, 1), linalg.cond(torch.ones(2, 2), 1))
print(linalg.lstsq(M, torch.tensor([[3.0], [8.0], [2.0]]), driver="gelsd"))
print(linalg.lstsq(M.T, torch.tensor([[3.0], [8.0]])).solution.T)
print(linalg.norm(A, 2) > linalg.norm(A, -2), linalg.matrix_norm(M, 2), linalg.matrix_norm(M, "nuc"), linalg.norm(M, -2), torch.norm(M, p="nuc"))
print(torch.norm(A, p="fro"), A.norm(), A.norm(dim=1, dtype=torch.float64), linalg.vector_norm(torch.tensor([3 + 4j, 0])))

print(linalg.matrix_power(A, 3), torch.matrix_power(A, -1), linalg.matrix_power(A, 0))
print(linalg.matrix_exp(torch.zeros(2, 2)), torch.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]])))
print(linalg.multi_dot([B[0], B, B, B[0]]), linalg.cross(torch.tensor([1.0, 0, 0]), torch.tensor([0.0, 1, 0])))
print(linalg.vander(torch.tensor([1, 2, 3])), linalg.vecdot(B, B), linalg.diagonal(B), linalg.matmul(B, B))
T = torch.eye(4).reshape(2, 2, 4)
print(linalg.tensorinv(T).shape, linalg.tensorsolve(torch.eye(4).reshape(4, 2, 2), torch.arange(4.0)))

W = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
linalg.det(W).backward()
print(linalg.det(W), W.grad)
for name, function in (("inv", linalg.inv), ("logdet", torch.logdet), ("eigvalsh", lambda x: linalg.eigvalsh(x).prod()),
                       ("svdvals", lambda x: linalg.svdvals(x).prod()), ("cholesky", lambda x: linalg.cholesky(x).diagonal().prod() ** 2),
                       ("pinv", linalg.pinv)):
    W.grad = None
    function(W).sum().backward()
    print(name, (W.grad * 1e4).round() / 1e4)
W.grad = None
linalg.matrix_norm(W, "nuc").backward()
print(torch.allclose(W.grad, torch.eye(2), atol=1e-6), linalg.inv(W), linalg.solve(W, B))
for made in (linalg.eigh(W).eigenvalues, linalg.eig(W)[0], linalg.svdvals(W), linalg.lu(W).L, linalg.qr(W).R, linalg.slogdet(W)[1],
             linalg.cholesky(W), linalg.norm(W), linalg.matrix_exp(W), linalg.lstsq(W, B)[0], linalg.pinv(W)):
    print(made.grad_fn.name(), end=" ")
print()

Z = torch.tensor([[2, 1j], [-1j, 3]])
print(linalg.det(Z), linalg.inv(Z), linalg.eigvalsh(Z), linalg.cholesky(Z).imag)

torch.manual_seed(0)
low = torch.randn(8, 2) @ torch.randn(2, 6)
for U, values, V in (torch.svd_lowrank(low, q=2), torch.pca_lowrank(low, q=3, center=False)):
    print(U.shape, V.shape, torch.allclose(U * values @ V.T, low, atol=1e-5))
packed, order = torch.lu(A)
print(packed.shape, order, len(A.lu(get_infos=True)))

singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
refused(lambda: linalg.inv(singular))
refused(lambda: linalg.inv(torch.stack([A, singular])))
refused(lambda: linalg.solve(singular, B))
refused(lambda: linalg.cholesky(-S))
refused(lambda: linalg.lu_factor(singular))
refused(lambda: linalg.inv(torch.ones(2, 3)))
refused(lambda: linalg.inv(torch.ones(2)))
refused(lambda: linalg.inv(torch.ones(2, 2, dtype=torch.long)))
refused(lambda: linalg.det(torch.ones(2, 2, dtype=torch.half)))
refused(lambda: linalg.solve(A, torch.ones(3, 1)))
refused(lambda: linalg.solve(A, B.double()))
refused(lambda: linalg.inv(3))
refused(lambda: linalg.qr(A, "thin"))
refused(lambda: linalg.eigh(S, UPLO="X"))
refused(lambda: linalg.svd(A, driver="gesvd"))
refused(lambda: linalg.eigvals(torch.tensor([[float("nan")]])))
refused(lambda: linalg.matrix_norm(A, 3))
refused(lambda: linalg.cond(A, 4))
refused(lambda: linalg.multi_dot([A]))
refused(lambda: linalg.lstsq(A, B, driver="qr"))
refused(lambda: linalg.vander(torch.ones(1)))
print(issubclass(linalg.LinAlgError, RuntimeError), linalg.LinAlgError, torch._C._LinAlgError is linalg.LinAlgError)
