import warnings

import torch


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# Any sequence names places; a slice takes whole numbers.
x = torch.arange(12.0).view(3, 4)
print(x[range(2), range(2)])
print(attempt(lambda: x["a"]))
print(attempt(lambda: x["0":"1"]))

# Masks of bytes work, with a warning for each.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(x[torch.tensor([1, 0, 0], dtype=torch.uint8)])
    print(len(caught), caught[0].message)

# What is written may have sizes of 1 in front; it is not converted where tensors name the places.
y = torch.zeros(4, 4)
y[range(4), range(4)] = torch.ones(1, 4)
print(y.trace())
y[True] = torch.full((1, 1, 4, 4), 2.0)
print(y.sum())
print(attempt(y.__setitem__, (slice(None), [0]), torch.ones(4, 1, dtype=torch.int64)))
y[y > 1] = torch.tensor(3)
y[0] = torch.tensor([1, 2, 3, 4])
print(y[:2])

# Items that lie in one place are not written to one by one.
wide = torch.zeros(1).expand(3)
print(attempt(wide.add_, 1))
print(attempt(wide.copy_, torch.ones(3)))
print(attempt(lambda: torch.add(torch.ones(3), 1, out=torch.zeros(1).expand(3))))
print(wide.fill_(2))
line = torch.arange(4.0)
print(attempt(line[1:].add_, line[:-1]))
print(line[:2].add_(line[2:]))

# New dimensions lie as unsqueeze() has them; what is empty is contiguous.
print(torch.ones(5).expand(1, 1, 5).stride(), torch.ones(5).expand(2, 1, 5).stride())
print(torch.randn(2, 3, 4, 5)[:, :, :, 1][:, 1:1].is_contiguous())
print(torch.ones(24).resize_((1, 2, 3, 4), memory_format=torch.channels_last).stride())

# Grids, flips and turns.
a, b = torch.meshgrid(torch.tensor([1, 2, 3]), torch.tensor([4, 5]), indexing="xy")
print(a, b)
print(attempt(lambda: torch.meshgrid(torch.ones(1), torch.ones(1, dtype=torch.int64), indexing="ij")))
print(x.flip(()).equal(x), torch.tensor(1).flip(0))
print(attempt(torch.fliplr, torch.ones(3)), attempt(torch.flipud, torch.tensor(1)))
print(attempt(x.rot90, 1, [0, -3]))

# Gathering and scattering.
print(torch.take_along_dim(torch.ones(3, 4, 1), torch.ones(1, 2, 5, dtype=torch.int64), 1).shape)
print(torch.gather(torch.ones(2), 0, torch.tensor([], dtype=torch.uint8)))
base, index = torch.ones(4), torch.tensor([0, 0, 2])
print(base.scatter(0, index, torch.tensor([2.0, 3.0, 4.0]), reduce="add"), base.scatter(0, index, 2.0, reduce="multiply"))
print(attempt(lambda: base.scatter(0, index, 2.0, reduce="mean")))
print(torch.tensor([1, 4]).diff(prepend=torch.tensor([0]), append=torch.tensor([9])))
print(torch.ones(3).masked_scatter(torch.tensor([[True, False, True], [False, True, False]]), torch.arange(3.0)))
