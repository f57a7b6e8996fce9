"""torch.linalg.ldl_factor, ldl_factor_ex and ldl_solve: symmetric and Hermitian matrices."""
import torch


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        print(type(error).__name__, error)


def parts_of(ld, pivots, hermitian):
    """P, L and D of what LAPACK packs in a lower triangle."""
    n = ld.size(-1)
    lower = torch.eye(n, dtype=ld.dtype)
    diagonal = torch.zeros_like(lower)
    exchanges = torch.eye(n, dtype=ld.dtype)
    k = 0
    while k < n:
        step = 1 if pivots[k] > 0 else 2
        other = int(pivots[k + step - 1].abs()) - 1
        at = k + step - 1
        block = torch.eye(n, dtype=ld.dtype)
        block[k + step:, k:k + step] = ld[k + step:, k:k + step]
        swap = torch.eye(n, dtype=ld.dtype)
        swap[[at, other]] = swap[[other, at]]
        exchanges = exchanges @ swap @ block
        diagonal[k, k] = ld[k, k]
        if step == 2:
            diagonal[k + 1, k + 1] = ld[k + 1, k + 1]
            diagonal[k + 1, k] = ld[k + 1, k]
            diagonal[k, k + 1] = ld[k + 1, k].conj() if hermitian else ld[k + 1, k]
        k += step
    return exchanges, diagonal


# By hand: no exchange, an exchange, a block of two.
for rows in ([[4.0, 2.0], [2.0, 3.0]], [[1.0, 4.0], [4.0, 9.0]], [[0.0, 1.0], [1.0, 0.0]],
             [[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 1.0]]):
    print(torch.linalg.ldl_factor(torch.tensor(rows)))
print(torch.linalg.ldl_factor_ex(torch.zeros(2, 2)))
refused(lambda: torch.linalg.ldl_factor(torch.zeros(2, 2)))
refused(lambda: torch.linalg.ldl_factor_ex(torch.zeros(3, 2, 2), check_errors=True))

torch.manual_seed(0)
for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
    for hermitian in (False, True):
        worst = solved = 0.0
        pairs = 0
        for n in (1, 2, 3, 5, 8, 20):
            for _ in range(4):
                a = torch.randn(n, n, dtype=dtype)
                a = a + (a.mH if hermitian else a.mT)
                a.diagonal().mul_(0.1)
                ld, pivots, info = torch.linalg.ldl_factor_ex(a, hermitian=hermitian)
                left, middle = parts_of(ld, pivots, hermitian)
                back = left @ middle @ (left.mH if hermitian else left.mT)
                worst = max(worst, (back - a).abs().max().item() / a.abs().max().item())
                b = torch.randn(n, 3, dtype=dtype)
                x = torch.linalg.ldl_solve(ld, pivots, b, hermitian=hermitian)
                solved = max(solved, ((a @ x - b).abs().max() / (a.abs().max() * x.abs().max() + 1)).item())
                pairs += int((pivots < 0).sum()) // 2
        exact = 1e-4 if dtype in (torch.float32, torch.complex64) else 1e-12
        print(dtype, hermitian, worst < exact, solved < exact, pairs > 0, info.dtype, pivots.dtype, ld.dtype)

# Batches, and only the lower triangle is read.
a = torch.randn(2, 3, 4, 4)
a = a + a.mT
ld, pivots = torch.linalg.ldl_factor(a)
print(ld.shape, ld.stride(), pivots.shape, torch.linalg.ldl_factor_ex(a).info.shape)
again = torch.linalg.ldl_factor(a.tril())
print(torch.equal(again.LD, ld), torch.equal(again.pivots, pivots), ld.triu(1).abs().max().item())
b = torch.randn(3, 4, 2)
x = torch.linalg.ldl_solve(ld, pivots, b)
print(x.shape, torch.allclose(a @ x, b.expand(2, 3, 4, 2), atol=1e-3))
print(torch.linalg.ldl_factor(torch.ones(0, 3, 3)).LD.shape, torch.linalg.ldl_factor(torch.ones(0, 0)).pivots.shape)
print(torch.linalg.ldl_factor(torch.ones(2, 2, device="meta")).LD.shape)

refused(lambda: torch.linalg.ldl_factor(torch.ones(2, 3)))
refused(lambda: torch.linalg.ldl_factor(torch.ones(2)))
refused(lambda: torch.linalg.ldl_factor(torch.ones(2, 2, dtype=torch.int64)))
refused(lambda: torch.linalg.ldl_solve(ld, pivots, torch.ones(5, 2)))
refused(lambda: torch.linalg.ldl_solve(ld, pivots, torch.ones(4)))
refused(lambda: torch.linalg.ldl_solve(ld, pivots[0], torch.ones(4, 1)))
refused(lambda: torch.linalg.ldl_solve(ld, pivots.float(), torch.ones(4, 1)))
refused(lambda: torch.linalg.ldl_solve(ld, pivots, torch.ones(4, 1, dtype=torch.float64)))
