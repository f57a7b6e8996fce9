# Python's complex numbers beside tensors: operators, arguments that are numbers, writing, gradients.
import torch


def fails(call):
    try:
        call()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("no error")


z = torch.tensor([1 + 1j, 2 - 3j])
x = torch.tensor([1.0, 2.0])

# Operators, both ways; a real tensor becomes complex, in its precision.
print(z * 1j, z + 1j, z - 1j, z / 2j)
print(1j * z, 1j + z, 1j - z, 2j / z)
print(x * 1j, (x.double() + 1j).dtype, (x.long() * 1j).dtype)
print(z ** (2 + 0j), torch.allclose(z ** 2j, (2j * z.log()).exp()), torch.allclose(2j ** x, torch.tensor([2j, -4 + 0j])))
print(z == 2 - 3j, z != 2 - 3j)
print(torch.add(z, z, alpha=1j), torch.add(z, 2, alpha=1j), torch.sub(z, z, alpha=1 + 1j))
print(torch.addcmul(z, z, z, value=1j), torch.addcdiv(z, z, z, value=2j))
m = torch.tensor([[1j, 0], [0, 2]])
print(torch.addmm(m, m, m, beta=1j, alpha=1 + 1j))

# New tensors and writing.
print(torch.full((2,), 1j), torch.full((2,), 1j, dtype=torch.complex128), torch.full_like(z, 2j), z.new_full((1,), 3j))
print(torch.zeros(2, dtype=torch.complex64).fill_(1 - 1j))
w = z.clone()
w[0] = 5j
w.mul_(1j)
print(w)
print(z.masked_fill(torch.tensor([True, False]), 7j), torch.where(z == 2 - 3j, 1j, z))
print(z.index_fill(0, torch.tensor([1]), 9j), z.scatter(0, torch.tensor([0]), 4j))

# Gradients are conjugate.
for function in (lambda t: t * (2 + 1j), lambda t: t / (2 + 1j), lambda t: torch.add(t, t, alpha=1j), lambda t: t ** (1 + 1j),
                 lambda t: torch.addcmul(t, t, t, value=1j), lambda t: 1j / t):
    t = torch.tensor([0.5 + 1j, 2 - 1j], dtype=torch.complex128, requires_grad=True)
    print(torch.autograd.gradcheck(function, (t,)))
t = torch.tensor([2.0, 3.0], requires_grad=True)
(t * 1j).imag.sum().backward()
print(t.grad)
t = torch.tensor([1 + 2j], requires_grad=True)
(t * 1j).abs().sum().backward()
print(t.grad)

# Where there is no room for one.
fails(lambda: torch.zeros(2).fill_(1j))
fails(lambda: torch.full((2,), 1j, dtype=torch.float64))
fails(lambda: torch.zeros(2, dtype=torch.int64).masked_fill_(torch.tensor([True, False]), 1j))


def write(into):
    into[0] = 1j


fails(lambda: write(torch.zeros(2)))
fails(lambda: x.add_(1j))
fails(lambda: torch.add(x, x, alpha=1j))
fails(lambda: x.clamp(1j))
