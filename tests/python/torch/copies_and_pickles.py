import copy
import io
import pickle

import torch


def attempt(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# What is one of a kind stays so in copies.
for one in (torch.float32, torch.device("cpu"), torch.strided, torch.channels_last):
    print(copy.deepcopy(one), copy.copy(one), copy.deepcopy([one])[0])
print(copy.deepcopy(torch.float32) is torch.float32)
print(attempt(torch.dtype), attempt(torch.memory_format))

# Functions of torch are pickled by their names.
for function in (torch.tanh, torch.relu, torch.linspace):
    print(pickle.loads(pickle.dumps(function)) is function)
file = io.BytesIO()
torch.save({"activation": torch.sigmoid}, file)
file.seek(0)
print(torch.load(file, weights_only=False)["activation"] is torch.sigmoid)

# Tensors take their gradients along, parameters do not; results are not copied.
x = torch.ones(2, requires_grad=True)
x.sum().backward()
print(copy.deepcopy(x).grad)
p = torch.nn.Parameter(torch.ones(2))
p.sum().backward()
print(copy.deepcopy(p).grad)
print(attempt(copy.deepcopy, x * 2)[:102])

# Numbers of tensors.
print(attempt(float, torch.ones(2)), attempt(int, torch.tensor(float("nan"))), attempt(int, torch.tensor(1j)))
print(bool(torch.tensor(1j)), attempt([1, 2].__getitem__, torch.tensor(1.0)))
c = torch.zeros(2, dtype=torch.complex64)
c.real = 3
c.imag = torch.tensor([1.0, 2.0])
print(c, reversed(torch.arange(3)))
print(torch.allclose(torch.tensor([True]), torch.tensor([True])))

# Seeds of 64 bits.
torch.manual_seed(2**64 - 1)
print(torch.initial_seed(), torch.manual_seed(-1).initial_seed(), attempt(torch.manual_seed, 2**64))

# einsum by lists, spaces of complex numbers, formats of what is empty.
a, b = torch.arange(6.0).view(2, 3), torch.arange(3.0)
print(torch.einsum(a, [0, 1], b, [1], [0]), torch.einsum(a, [..., 0], b, [0]))
print(attempt(torch.einsum, a, [0, 52]))
print(torch.linspace(0, 1j, 3), torch.linspace(torch.tensor(1.0), torch.tensor(2.0), 3))
print(attempt(torch.linspace, 0, 1j, 3, dtype=torch.float32))
print(torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).stride())
print(attempt(torch.randperm, 3000, dtype=torch.half))

# Checks.
torch._check(True)
print(attempt(torch._check_index, False, lambda: "no such place"), attempt(torch._check, 1))
print(attempt(torch._check_tensor_all, torch.tensor([True, False]), lambda: "not all"))
