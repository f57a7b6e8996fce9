"""Classes of tensors from before there were dtypes, views as another dtype, large ints, complex numbers."""
import torch

print(torch.FloatTensor([1, 2, 3]), torch.LongTensor([1, 2]), torch.IntTensor([1]), torch.DoubleTensor([1.5]))
print(torch.ByteTensor([1, 255]), torch.BoolTensor([True, False]), torch.HalfTensor([1.0]), torch.LongTensor(3).shape)
print(torch.FloatTensor(2, 3).shape, torch.FloatTensor().shape, torch.FloatTensor(torch.Size([2, 1])).shape)
print(torch.FloatTensor, torch.FloatTensor.dtype, isinstance(torch.zeros(1), torch.FloatTensor))
print(isinstance(torch.zeros(1).long(), torch.FloatTensor), isinstance(torch.zeros(1).long(), torch.LongTensor))
print(torch.zeros(1).type(torch.LongTensor), torch.zeros(1).type("torch.DoubleTensor"), torch.zeros(1).type())
print(torch.ones(2).new([1, 2]), torch.ones(2).new(2, 3).shape, torch.ones(2).long().new([3]))
torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.zeros(1).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.zeros(1).dtype)
try:
    torch.FloatTensor([1, 2], dtype=torch.int)
except TypeError as error:
    print(error)

print(torch.tensor([1.0, 2.0]).view(torch.int32), torch.tensor([1.0, 2.0]).view(torch.uint8))
print(torch.tensor([1, 2], dtype=torch.int32).view(torch.float32), torch.tensor([1.0, 2.0]).view(torch.float64))
whole = torch.zeros(2, 4)
part = whole.view(torch.float64)
part[0, 0] = 1.5
print(whole, part.shape, part.dtype)
for wrong in (lambda: torch.zeros(2, 3).view(torch.float64), lambda: torch.zeros(()).view(torch.float64),
              lambda: torch.zeros(4, 4).t().view(torch.float64)):
    try:
        wrong()
    except RuntimeError as error:
        print(error)

print(torch.tensor([2**62 + 1, -2**63, 2**53 + 1]))
print(torch.tensor(2**62 + 1), torch.tensor([[2**60 + 3, 5]]), torch.arange(2**53, 2**53 + 3))
print(torch.full((2,), 2**60 + 1), torch.tensor([3]).fill_(2**60 + 1), torch.tensor(2**60 + 1).item())
print(torch.tensor([2**62 + 1]).sum(), torch.tensor([True, False]), torch.tensor([1, -200], dtype=torch.int16))

print(torch.tensor([1 + 2j, 3.5 - 1j]), torch.tensor(1j), torch.tensor([[1j, 2], [3.0, True]]))
print(torch.tensor([1j]).dtype, torch.tensor([1j]).item(), torch.tensor([1j, 2]).tolist())
print(torch.tensor([1, 1j], dtype=torch.complex128))
for dtype in (torch.float32, torch.int64):
    try:
        torch.tensor([1j], dtype=dtype)
    except TypeError as error:
        print(error)
meta = torch.zeros(2, device="meta")
for wrong in (lambda: meta.tolist(), lambda: bool(meta[0]), lambda: meta[0].item(), lambda: float(meta[0])):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
