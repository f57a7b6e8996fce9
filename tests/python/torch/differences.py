"""torch.gradient and torch.diff: steps, coordinates, edges, dtypes and what is refused."""
import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


line = torch.tensor([1.0, 2.0, 4.0, 7.0, 11.0])
print(torch.gradient(line))
print(torch.gradient(line, spacing=2.0, edge_order=2))
print(torch.gradient(line, spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0, 6.0]),)))
print(torch.gradient(line, spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0, 6.0]),), edge_order=2))
plane = torch.arange(12.0).reshape(3, 4) ** 2
for part in torch.gradient(plane, spacing=(1.0, 2.0)):
    print(part)
print(torch.gradient(plane, dim=1)[0].tolist())
print(torch.gradient(torch.tensor([1, 2, 4])), torch.gradient(torch.tensor([1 + 1j, 2j, 4.0])))
attempt(lambda: torch.gradient(plane, spacing=(1.0,)))
attempt(lambda: torch.gradient(plane, spacing=(1.0,), dim=(0, 1)))
attempt(lambda: torch.gradient(plane, edge_order=3))
attempt(lambda: torch.gradient(plane, dim=(1, 1)))
attempt(lambda: torch.gradient(torch.ones(1)))
attempt(lambda: torch.gradient(torch.ones(2), edge_order=2))
attempt(lambda: torch.gradient(torch.ones(3, dtype=torch.uint8)))
attempt(lambda: torch.gradient(plane, dim=2))
x = line.clone().requires_grad_()
torch.gradient(x)[0].square().sum().backward()
print(x.grad)
print(torch.diff(line), torch.diff(line, n=2), torch.diff(line, prepend=torch.tensor([0.0])), torch.diff(line, n=0))
out = torch.empty(4)
print(torch.diff(line, out=out) is out, out)
attempt(lambda: torch.diff(plane, prepend=torch.ones(3)))
attempt(lambda: torch.diff(plane, append=torch.ones(2, 1)))
attempt(lambda: torch.diff(torch.tensor(1.0)))
attempt(lambda: torch.diff(line, n=-1))
