# Modules called with other tensors: what they put in their places, names that are wrong, names given twice.
import warnings

import torch
import torch.nn as nn
from torch.func import functional_call
from torch.nn.utils import stateless


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor([0.0]))
        self.scale = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        self.count = self.count + 1
        return self.scale(x) + self.count


model = Counts()
given = {"count": torch.tensor([2.0]), "scale.weight": torch.tensor([[3.0]])}
before = given["count"]
print(functional_call(model, given, torch.ones(1)).item(), given["count"], before, model.count)
print(functional_call(model, (given, {"other": torch.ones(1)}), torch.ones(1)).item(), given["count"], hasattr(model, "other"))
for call in (lambda: functional_call(model, {"z": torch.ones(1), "a": torch.ones(1)}, torch.ones(1), strict=True),
             lambda: functional_call(model, (given, dict(given)), torch.ones(1)),
             lambda: functional_call(model, [given, 3], torch.ones(1)), lambda: functional_call(model, 3, torch.ones(1)),
             lambda: stateless._functional_call(nn.DataParallel(model), given, torch.ones(1))):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(stateless.functional_call(model, given, torch.ones(1)).item())
print([(one.category.__name__, str(one.message)) for one in caught], model.count)
