# What NumPy calls an argument will do as a keyword of torch's own functions, in C++ only: dim, keepdim, input, other.
import torch

x = torch.arange(6.0).reshape(2, 3)


def show(call):
    try:
        print(call())
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, str(error).split("\n")[0])


show(lambda: x.sum(axis=0))
show(lambda: torch.mean(x, axis=1, keepdims=True))
show(lambda: x.max(axis=0).indices)
show(lambda: torch.cat([x, x], axis=1).shape)
show(lambda: torch.stack([x, x], axis=-1).shape)
show(lambda: torch.softmax(x, axis=0).sum())
show(lambda: x.unsqueeze(axis=0).shape)
show(lambda: torch.add(x1=x, x2=x)[1, 2])
show(lambda: torch.abs(a=-x)[1, 2])
show(lambda: torch.argmax(x, axis=1))
show(lambda: torch.linalg.norm(x, axis=0))
show(lambda: torch.var(x, axis=0, keepdims=True))
show(lambda: torch.sort(x, axis=0, descending=True).values)
show(lambda: torch.cumsum(x, axis=1))
# Of functions that are Python there.
show(lambda: torch.nn.functional.softmax(x, axis=0))
# A name and NumPy's name at once, or twice.
show(lambda: torch.sum(x, 0, axis=1))
show(lambda: torch.cumsum(x, 0, axis=1))

# Two numbers where tensors stand.
show(lambda: torch.mul(5, 5))
show(lambda: torch.add(1.5, 2))
show(lambda: torch.sub(1, x))
show(lambda: torch.div(7, 2))
show(lambda: torch.add(1, 2, alpha=3))
show(lambda: torch.floor_divide(7, 2))
show(lambda: torch.mul(True, 2.5))
show(lambda: torch.exp(1))

# where() as a method keeps the items of its tensor.
show(lambda: x.where(x > 2, -x))
show(lambda: x.where(x > 2, 0))
show(lambda: (x > 2).where(x, x))
print(torch.torch is torch)
