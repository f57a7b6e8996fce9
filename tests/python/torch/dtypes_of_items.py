# torch.tensor() promotes the dtypes of its items: those of tensors and of numpy's numbers are their own.
import numpy as np
import torch

d, h = torch.float64, torch.float16
for items in ([0.0, torch.tensor(2.0, dtype=d)], [torch.tensor(2.0, dtype=d), 1], [1, torch.tensor(2.5)],
              [torch.tensor(1), 2.5], [[torch.tensor(1, dtype=torch.int8)]], [True, torch.tensor(3, dtype=torch.int16)],
              [1.0, torch.tensor(2.0, dtype=h)], [torch.tensor(2.0, dtype=h)], [torch.tensor(2.0, dtype=h), True],
              [1, 2j], [torch.tensor(1.0, dtype=d), 2j], [np.float64(1.0), 2.0], [np.float32(1.0)], [np.int32(1), 2],
              [np.float32(1), np.int64(2)], [np.array([1.0, 2.0])], [], [[]], [True, 1], [True], [1, 1.0]):
    print(items, torch.tensor(items).dtype)

# Norms are computed in the tensor's own precision.
print(torch.tensor([1e20, 0.0]).norm(), torch.tensor([1e20, 0.0], dtype=d).norm(), torch.tensor([1e-30, 0.0]).norm())
print(torch.linalg.vector_norm(torch.tensor([3.0, 4.0])), torch.tensor([3.0, 4.0], dtype=torch.bfloat16).norm())

a, b = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([9.0, 8.0])
print(np.round(np.linalg.solve(a, b), 6), np.round(np.linalg.inv(a) @ a, 6), np.round(np.linalg.det(a), 6))
print(np.round(np.linalg.eigh(a).eigenvalues, 6), np.linalg.matrix_rank(np.ones((3, 3))), np.round(np.linalg.slogdet(a).logabsdet, 6))
x, left, rank, sizes = np.linalg.lstsq(np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([1.0, 3, 5]), rcond=None)
print(np.round(x, 6), left.shape, rank, sizes.shape)
q, r = np.linalg.qr(a)
print(np.allclose(q @ r, a), np.allclose(np.linalg.pinv(a), np.linalg.inv(a)), np.linalg.norm(a, 2) > 3)
try:
    np.linalg.solve(np.zeros((2, 2)), b)
except np.linalg.LinAlgError as error:
    print(error)
