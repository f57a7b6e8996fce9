"""Random numbers drawn on a GPU, as a few items and a sum of all bits: what nnscope and PyTorch print must be alike.

Usage: nnscope run gpu_random_numbers.py, and python3 gpu_random_numbers.py with PyTorch."""
import torch
from torch.nn import functional as F

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
LAWS = {"uniform": lambda t: t.uniform_(-1, 3), "normal": lambda t: t.normal_(1, 2), "exponential": lambda t: t.exponential_(2),
        "bernoulli": lambda t: t.bernoulli_(0.3)}


def told(*what, of):
    bits = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[of.element_size()]
    whole = of.to(torch.int8) if of.dtype == torch.bool else of.contiguous().view(bits)
    print(*what, of.flatten()[:4].tolist(), whole.long().sum().item())


def ones(count, dtype=torch.float32):
    return torch.ones(count, device="cuda", dtype=dtype)


torch.manual_seed(0)
print(torch.rand(5, device="cuda"), torch.randn(5, device="cuda"))
for count in (7, 1000, 3000001):
    for dtype in FLOATS:
        for name, law in LAWS.items():
            told(count, dtype, name, of=law(torch.empty(count, device="cuda", dtype=dtype)))
        told(count, dtype, "dropout", of=F.dropout(ones(count, dtype), 0.1))
    for dtype in (torch.int8, torch.int32, torch.int64, torch.uint8, torch.bool, torch.float32, torch.float16):
        drawn = torch.empty(count, device="cuda", dtype=dtype)
        told(count, dtype, "random_", of=drawn.random_())
        if dtype != torch.bool:
            told(count, dtype, "random_(5, 100)", of=drawn.random_(5, 100))
    told(count, "wide range", of=torch.randint(-2**40, 2**40, (count,), device="cuda"))
    told(count, "range of 2^29", of=torch.randint(0, 2**29, (count,), device="cuda"))
    told(count, "permutation", of=torch.randperm(count, device="cuda"))
    # Of millions PyTorch's threads draw the same numbers again; ours do not.
    told(count, "bernoulli of each", of=torch.bernoulli(torch.full((count,), 0.4, device="cuda")))
for count in (1000, 1004, 1002, 1001, 40000, 5000000):
    for dtype in FLOATS:
        told(count, dtype, "dropout", of=F.dropout(ones(count, dtype), 0.1))
print(torch.randn(3, dtype=torch.complex64, device="cuda"))
told("columns", of=torch.empty(30, 20, device="cuda").t().uniform_().t())
told("gaps", of=torch.empty(30, 40, device="cuda")[:, ::2].uniform_())
told("views", of=F.dropout(ones(41)[1:], 0.5))
told("views", of=F.dropout(ones(42)[:2], 0.5))
told("channels", of=F.dropout2d(torch.ones(2, 5, 3, 3, device="cuda"), 0.5))
print(torch.multinomial(torch.arange(1., 9., device="cuda"), 3).tolist(), torch.cuda.get_rng_state().tolist())
