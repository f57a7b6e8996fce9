"""Between numpy and torch: shared bytes, numbers in each other's calls, errors. Expected from knowledge of both."""
import numpy as np
import torch


def fails(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


t = torch.arange(6.0).reshape(2, 3)
a = t.numpy()
a[0, 0] = 42
print(repr(a), t[0, 0], a.dtype)
t[1, 2] = -1
print(a[1, 2], np.asarray(t) is not None, repr(np.array(t)), np.sum(t.numpy()))
b = np.arange(4)
u = torch.from_numpy(b)
u += 1
b[3] = 9
print(u, b, u.dtype, torch.from_numpy(b.astype(np.float32)).dtype, torch.from_numpy(np.eye(2)))
print(torch.tensor(b), torch.tensor(np.array([1.5, 2])), torch.as_tensor(b), torch.tensor(np.float32(2.5)), torch.tensor([np.float64(1), 2.0]),
      torch.tensor([np.array([1, 2]), np.array([3, 4])]), torch.tensor(np.bool_(True)), torch.tensor(np.array([True, False])))
c = torch.as_tensor(b)
c[0] = 77
d = torch.tensor(b)
d[1] = 55
print(b, torch.as_tensor(b, dtype=torch.float32))
print(torch.ones(2) * np.float64(2.5), torch.ones(2) + np.float32(1), torch.ones(2, dtype=torch.int64) * np.int64(3), np.float64(2) * torch.ones(2),
      torch.ones(2) / np.float64(4), np.int64(8) - torch.ones(2), torch.ones(2) < np.float64(2), torch.full((2,), np.float64(7)), torch.zeros(2).fill_(-np.inf))
print(torch.ones(3)[np.int64(1)], torch.arange(5)[np.array([0, 4])], torch.arange(5)[np.array([True, False, True, False, True])], torch.zeros(np.int64(2), 3).shape,
      torch.arange(np.int64(3)), torch.randn(2, 3).sum(np.int64(1)).shape, torch.nn.Linear(np.prod([2, 3]), 4).weight.shape, torch.clamp(torch.arange(4.0), max=np.float32(2)))
x = torch.zeros(3)
x[1] = np.float32(0.5)
x[np.int64(2)] = np.int64(4)
print(x, torch.nn.functional.dropout(x, np.float64(0.5), False), float(np.float32(1.5)) + x)
print(torch.ones(2) + np.array([1.0, 2.0]), torch.arange(3).numpy() + torch.ones(3).numpy(), np.exp(torch.zeros(2)), np.stack([torch.ones(2), torch.zeros(2)]),
      np.mean([torch.tensor(1.0).item(), 3]), np.array([torch.tensor(1), torch.tensor(2)]), np.concatenate([torch.ones(1), torch.zeros(1)]))
fails(lambda: torch.ones(2, requires_grad=True).numpy())
fails(lambda: torch.ones(2, dtype=torch.bfloat16).numpy())
fails(lambda: torch.from_numpy([1, 2]))
fails(lambda: torch.from_numpy(np.arange(3)[::-1]))
fails(lambda: torch.ones(2, device="meta").numpy())
print(torch.ones(2, requires_grad=True).numpy(force=True), torch.ones(2, requires_grad=True).detach().numpy(), torch.from_numpy(np.arange(3)[::-1].copy()))
print([p.numpy().shape for p in [torch.ones(()), torch.ones(0), torch.ones(2, 1)]], torch.ones(()).numpy(), torch.tensor([2**60 + 1]).numpy(), torch.tensor(np.array([2**60 + 1])))
print(torch.frombuffer(b"\x00\x00\x80?\x00\x00\x00@", dtype=torch.float32))
loader = torch.from_numpy(np.random.RandomState(0).randn(4, 2).astype("float32"))
print(loader, torch.nn.Linear(2, 1)(loader).detach().numpy().shape)
view = memoryview(np.arange(4))
shared = torch.frombuffer(view, dtype=torch.int64, offset=8)
view.obj[2] = 70
print(shared, np.frombuffer(view, dtype=np.int64), np.frombuffer(memoryview(b"\x01\x00\x02\x00"), dtype=np.int16))
for wrong in (lambda: torch.frombuffer(view, dtype=torch.int64, offset=3), lambda: torch.frombuffer(b"", dtype=torch.int8),
              lambda: torch.frombuffer(view, dtype=torch.int64, count=5), lambda: torch.frombuffer(view, dtype=torch.int64, offset=32),
              lambda: torch.frombuffer(3, dtype=torch.int8), lambda: torch.frombuffer(view[1:], dtype=torch.int64)):
    try:
        wrong()
    except (ValueError, NotImplementedError) as error:
        print(type(error).__name__, error)
