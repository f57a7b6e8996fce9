import warnings

import torch


def attempt(function):
    try:
        return function()
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# Functions that make tensors take the dtype of what they write into, and resize it in silence.
print(torch.full((2, 2), 3.5, out=torch.empty(0, dtype=torch.float64)))
print(torch.arange(4, out=torch.empty(0, dtype=torch.int32)))
print(torch.linspace(0, 1, 3, out=torch.empty(7)))
print(torch.eye(2, 3, out=torch.empty(0, dtype=torch.int64)))
print(attempt(lambda: torch.ones(3, out=torch.empty(3), dtype=torch.double)))
torch.manual_seed(0)
fresh = torch.randn(4)
torch.manual_seed(0)
given = torch.empty(4)
print(torch.randn(4, out=given) is given, torch.equal(fresh, given))
torch.manual_seed(0)
print(torch.equal(torch.randperm(5), (torch.manual_seed(0), torch.randperm(5, out=torch.empty(0, dtype=torch.int64)))[1]))

# Functions of tensors warn where they resize what has items.
x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(torch.nonzero(x > 1.5, out=torch.empty(0, dtype=torch.int64)))
    print(torch.take(x, torch.tensor([0, 3]), out=torch.empty(5)))
    print(len(caught), str(caught[0].message)[:71])
print(attempt(lambda: torch.nonzero(x, as_tuple=True, out=torch.empty(0, dtype=torch.int64))))
values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
made = torch.sort(x, stable=True, dim=1, descending=True, out=(values, indices))
print(made.values is values, values.tolist(), indices.tolist())
print(torch.hstack((x, x), out=torch.empty(0)).shape, torch.vstack((x, x), out=torch.empty(0)).shape)
print(torch.clamp_min(x, 2, out=torch.empty(2, 2)))
print(torch.addmv(torch.ones(2), x, torch.ones(2), out=torch.empty(2)))
print(torch.inner(x, x, out=torch.empty(2, 2)))
print(torch.tensordot(x, x, 1, out=torch.empty(2, 2)))
print(torch.nn.functional.normalize(x, dim=1, out=x) is x)
print(attempt(lambda: torch.take(x.requires_grad_(), torch.tensor([0]), out=torch.empty(1))))

# Forms in place as functions.
y = torch.tensor([-1.5, 2.25])
print(torch.abs_(y) is y, torch.clamp_max_(y, 2), torch.fix_(y), y.div_(2, rounding_mode="floor"))
print(torch.tensor([1.256]).round_(decimals=1))

# Copies of what views show.
z = torch.arange(6.0).view(2, 3)
print(torch.diagonal_copy(z), torch.unfold_copy(z, 1, 2, 1).shape, [part.tolist() for part in torch.split_copy(z, 2, 1)])
print(torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,)))
