import warnings

import torch


def attempt(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# What dtypes tell.
print([d.is_signed for d in (torch.float32, torch.complex64, torch.int8, torch.uint8, torch.bool)])
print(torch.float64.to_complex(), torch.complex64.to_real(), torch.int32.to_real(), torch.bfloat16.to_complex())
print(torch.finfo(torch.float16) == torch.finfo(torch.float16), torch.iinfo(torch.int8) == torch.iinfo(torch.int16))
print(torch.finfo(torch.float8_e4m3fn).max, torch.finfo(torch.float8_e5m2).tiny, torch.finfo(torch.float8_e4m3fn).bits, torch.finfo(torch.complex32).max)

# Ints of any size where the dtype holds them.
print(torch.tensor(2**64, dtype=torch.float32), torch.tensor([2**63], dtype=torch.uint64), torch.tensor(2**70, dtype=torch.bool))
print(attempt(torch.tensor, 2**63))
print(attempt(torch.tensor, [[1, 2], 3]), attempt(torch.tensor, [1, [2]]), attempt(torch.tensor, [1.5, [2.0]]))
z = [0]
z.append(z)
print(attempt(torch.tensor, z))

# Complex numbers.
c = torch.tensor([complex("nan"), 1 + 1j, complex("inf")])
print(torch.isnan(c), torch.isinf(c), torch.isfinite(c))
print(torch.allclose(c[1:2], c[1:2].clone(), equal_nan=True), complex(torch.tensor(1.5j)))
print(torch.real(torch.ones(2)), torch.conj_physical(torch.ones(2)))
v = torch.tensor([1 + 1j, 2 - 1j, 4j])
print(v.var(), v.std(), torch.linalg.vector_norm(v), torch.norm(v, 1))
v.requires_grad_()
v.var().backward()
print(v.grad)
print(torch.corrcoef(torch.tensor([[1j, 2, 3 + 1j], [2, 1j, 1]])))

# Spreads of too few items.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(torch.tensor([1.0]).std(), torch.ones(2, 1).var(1))
    for one in caught:
        print(one.message)

# All of nothing.
x = torch.tensor([[True, False], [True, True]])
print(torch.all(x, dim=()), torch.any(x, dim=[], keepdim=True))
print(attempt(lambda: torch.ones([1] * 65).sum(0)))

# Random numbers that a dtype cannot hold are not drawn.
print(attempt(torch.empty(2, dtype=torch.uint8).random_, -1, 5))
print(attempt(torch.empty(2, dtype=torch.uint8).random_, 0, 257))
print(attempt(torch.empty(2, dtype=torch.float16).uniform_, 0, 1e6))
print(attempt(torch.normal, torch.zeros(2), torch.tensor([1.0, -1.0])))
print(torch.normal(0.0, torch.zeros(2)), torch.normal(torch.zeros(3, 1), torch.zeros(2)).shape)

# Arrays of others.
t = torch.arange(3.0)
print(torch.asarray(t) is t, torch.asarray(t, copy=True) is t, torch.asarray([1, 2], dtype=torch.float32, requires_grad=True))
print(attempt(torch.asarray, [1, 2], copy=False), attempt(torch.asarray, t, dtype=torch.float64, copy=False))
capsule = torch.utils.dlpack.to_dlpack(t)
shared = torch.from_dlpack(capsule)
shared[0] = 7
print(t, t.__dlpack_device__())
print(attempt(torch.from_dlpack, torch.ones(1, requires_grad=True)))
print(torch.masked.mean(t, mask=torch.tensor([True, False, True])), torch.masked.argmax(t, 0, mask=torch.tensor([False, True, True])))
print(torch._segment_reduce(t, "max", lengths=torch.tensor([1, 2])))
print(attempt(torch.cdist, t.view(3, 1), t.view(3, 1), compute_mode="fast"))
