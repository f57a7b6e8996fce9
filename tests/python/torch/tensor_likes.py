# Objects that stand for tensors (__torch_function__), and names that are imported or refused.
import torch
import torch.nn.functional as F


class Diagonal:
    """The matrix of torch's guide: a number on the diagonal."""

    def __init__(self, size, value):
        self.size, self.value = size, value

    def __repr__(self):
        return f"Diagonal(size={self.size}, value={self.value})"

    def tensor(self):
        return self.value * torch.eye(self.size)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.mean:
            return args[0].value / args[0].size
        if func not in (torch.add, torch.matmul, torch.stack) or not all(issubclass(one, (torch.Tensor, Diagonal)) for one in types):
            return NotImplemented
        return func(*[convert(one) for one in args], **kwargs)


def convert(given):
    if isinstance(given, (list, tuple)):
        return [convert(one) for one in given]
    return given.tensor() if isinstance(given, Diagonal) else given


class Named(Diagonal):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [one.__name__ for one in types], len(args), sorted(kwargs or {})


one = Diagonal(2, 3.0)
print(torch.mean(one), torch.add(one, torch.ones(2, 2)), torch.add(torch.ones(2, 2), one), torch.matmul(one, one))
print(torch.stack([one, torch.zeros(2, 2)]).shape, torch.add(one, Named(1, 1.0), alpha=2), torch.cat([Named(1, 1)], dim=0))
try:
    torch.mul(one, 2)
except TypeError as error:
    print(error)
try:
    torch.add(object(), 2)
except TypeError as error:
    print(str(error).splitlines()[0])

from torch.autograd.function import FunctionCtx, InplaceFunction
from torch.autograd.graph import Node
from torch.nn.utils.rnn import PackedSequence, pack_sequence
from torch.nn.utils.stateless import functional_call


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x):
        print(isinstance(ctx, FunctionCtx))
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


made = Double.apply(torch.ones(1, requires_grad=True))
print(isinstance(made.grad_fn, Node), isinstance(pack_sequence([torch.ones(2)]), PackedSequence), issubclass(InplaceFunction, torch.autograd.Function))
layer = torch.nn.Linear(1, 1)
print(functional_call(layer, {"weight": torch.tensor([[2.0]]), "bias": torch.tensor([1.0])}, (torch.tensor([3.0]),)))
values, places = F.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
print(values, places, F.has_torch_function((1,)))
for refused in (lambda: torch.nested.nested_tensor([]), lambda: torch.ao.quantization.prepare(layer),
                lambda: torch.quantization.convert(layer), lambda: torch.package.PackageExporter("x"), lambda: torch.masked.masked_tensor(1, 2)):
    try:
        refused()
    except NotImplementedError as error:
        print(error)
print(torch.ao.quantization.QuantStub()(torch.ones(1)))
import torch.multiprocessing as mp

queue = mp.Queue()
queue.put(torch.ones(1))
print(queue.get(), mp.get_context("spawn").Event().is_set(), mp.cpu_count() >= 1, mp.Value("i", 3).value)
try:
    mp.Process(target=print).start()
except NotImplementedError as error:
    print(str(error).partition(":")[0])
