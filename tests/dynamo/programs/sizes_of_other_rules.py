"""Shapes that follow another rule for some sizes than for those that a frame was compiled with: each call is right."""
import torch
import torch.nn.functional as F
from torch._dynamo.testing import CompileCounter


def check(name, function, sizes, **options):
    torch._dynamo.reset()
    counter = CompileCounter()
    compiled = torch.compile(function, backend=counter, dynamic=True, fullgraph=True)
    wrong = []
    for size in sizes:
        x = torch.arange(float(size))
        if str(function(x)) != str(compiled(x)):
            wrong.append(size)
    print(name, "frames:", counter.frame_count, f"WRONG at {wrong}" if wrong else "")


def whole_rows(x):
    return torch.empty((x.size(0) // 13) * 13)


check("numel", lambda x: whole_rows(x).numel() == 0, (8, 13, 26, 5, 8))
check("tensor of it", lambda x: torch.tensor([whole_rows(x).numel(), 3]), (8, 13, 26, 8))
check("branch", lambda x: x + 1 if whole_rows(x).numel() else x - 1, (8, 13, 26))
check("slice from behind", lambda x: x[-10:].shape, (26, 39, 6, 130))
check("how many chunks", lambda x: len(x.chunk(5)), (26, 3, 2, 30))
check("convolution", lambda x: F.conv1d(x.view(1, 1, -1), torch.ones(1, 1, 3), stride=13).shape, (26, 39, 6, 130))
check("divided", lambda x: torch.zeros(x.shape[0] // 100 + 1).shape, (26, 39, 130, 250))
check("diagonal", lambda x: torch.ones(10, x.shape[0]).diagonal().shape, (26, 39, 6, 130))
check("squeezed", lambda x: x[: x.shape[0] // 10].sum(0).shape, (26, 39, 15, 130))
check("one rule", lambda x: torch.cat([x, x]).reshape(2, -1).shape, (26, 39, 6, 130))
check("not asked", lambda x: x[-10:] * 2, (26, 39, 6, 130))

# A size that mark_dynamic() names and that is 1 is a constant all the same.
x = torch.ones(1)
torch._dynamo.mark_dynamic(x, 0)
print(torch.compile(lambda x: x * 2, backend="eager")(x).tolist())
