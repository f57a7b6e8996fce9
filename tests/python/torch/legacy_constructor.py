# torch.Tensor(...): sizes, data, or another tensor.
import torch

print(torch.Tensor(), torch.Tensor(2, 3).shape, torch.Tensor(torch.Size([2, 1])).shape)
print(torch.Tensor([1., 2.]), torch.Tensor((1, 2)), torch.Tensor([[1, 2], [3, 4]]), torch.Tensor([]).shape)
print(torch.Tensor([1., 2., 3.]).view(-1, 1, 1).shape, torch.Tensor([True, False]).dtype, torch.Tensor(range(3)))
a = torch.ones(2, requires_grad=True)
b = torch.Tensor(a)
print(b.requires_grad, b.data_ptr() == a.data_ptr(), torch.Tensor(torch.ones(2).long()).dtype)
for wrong in (lambda: torch.Tensor(1.5), lambda: torch.Tensor([1], dtype=torch.int)):
    try:
        wrong()
    except TypeError as error:
        print(str(error).splitlines()[0])
torch.set_default_dtype(torch.float64)
print(torch.Tensor([1, 2]).dtype, torch.Tensor(1).dtype)
