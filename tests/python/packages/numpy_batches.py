"""Batches of arrays and scalars by torch.utils.data, and the dtypes of tensors made of scalars."""
import numpy as np
import torch
from torch.utils.data import DataLoader, default_collate, default_convert

for x in (np.array([1.]), np.float32(1), np.int64(2), np.array([1j]), np.float64(2), np.bool(True), {"a": np.zeros(2, "f"), "b": (np.int64(1), 2)}):
    print(default_collate([x, x]), default_convert(x))


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return np.full(2, i * i, dtype=np.float32), np.int64(i)


for batch in DataLoader(Squares(), batch_size=2):
    print(batch)
for name in "bool int8 uint8 int16 int32 int64 float16 float32 float64 complex64 complex128".split():
    x = getattr(np, name)(1)
    print(name, torch.tensor(x).dtype, torch.as_tensor(x).dtype, torch.tensor([x]).dtype)
