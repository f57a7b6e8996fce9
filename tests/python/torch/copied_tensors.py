# Behaviour: torch/_tensor.py, Tensor.__deepcopy__; torch/nn/parameter.py; torch/storage.py, UntypedStorage.__deepcopy__.
import copy

import torch
from torch import nn

# Tensors on one storage stay on one.
base = torch.arange(6.0)
row, rest = base[:2], base.view(2, 3)[1]
first, second, third = copy.deepcopy([base, row, rest])
print(first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr() == third.untyped_storage().data_ptr())
third[0] = 70
print(first, base, third.storage_offset(), third.stride())
print(first is not base, second._base is None, first._version >= 0)

# A part takes the whole storage along.
part = copy.deepcopy(torch.arange(10)[3:5])
print(part, part.untyped_storage().nbytes(), part.storage_offset())
wide = copy.deepcopy(torch.zeros(1).expand(3))
print(wide.stride(), wide.untyped_storage().nbytes())

# Gradients and attributes are copied by the same memo; those of parameters are left behind.
x = torch.ones(2, requires_grad=True)
x.grad = torch.tensor([1.0, 2.0])
x.note = [x.grad]
y, grad = copy.deepcopy((x, x.grad))
print(y.grad is grad, y.note[0] is grad, y.requires_grad, y.grad is x.grad)
p = nn.Parameter(torch.ones(2))
p.grad = torch.ones(2)
p.note = "not copied"
q = copy.deepcopy(p)
print(q.grad, hasattr(q, "note"), type(q).__name__, q.requires_grad)

# A memo of the program's.
memo = {}
z = x.__deepcopy__(memo)
print(memo[id(x)] is z, x.__deepcopy__(memo) is z)
shared = torch.zeros(4)
memo = {}
a, b = shared[:2].__deepcopy__(memo), shared[2:].__deepcopy__(memo)
a.untyped_storage().fill_(0)
print(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(), list(memo)[0] if "torch" in memo else None)
print(copy.deepcopy([shared.untyped_storage(), shared])[0].data_ptr() != shared.data_ptr())


class Holder:
    def __init__(self, tensor):
        self.tensor = tensor

    def __deepcopy__(self, memo):
        return Holder(copy.deepcopy(self.tensor, memo))


held, twin = copy.deepcopy([Holder(base), row])
print(held.tensor.untyped_storage().data_ptr() == twin.untyped_storage().data_ptr())


# Modules whose buffers are parts of one tensor, as flattened weights are.
class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        flat = torch.zeros(6)
        self.register_buffer("flat", flat)
        self.register_buffer("left", flat[:3])
        self.register_buffer("right", flat[3:])


twin = copy.deepcopy(Flat())
twin.right.fill_(5)
print(twin.flat, twin.left.untyped_storage().data_ptr() == twin.flat.untyped_storage().data_ptr())
try:
    copy.deepcopy(x * 2)
except RuntimeError as error:
    print(str(error).partition(".")[0])
