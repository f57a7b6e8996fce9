"""Arrays of numpy in compiled functions: they are tensors in the graph, and arrays again behind it."""
import numpy as np
import torch

from_here = []


def backend(gm, inputs):
    from_here.append([getattr(node.target, "__name__", node.target) for node in gm.graph.nodes if node.op.startswith("call")])
    return gm


def check(function, *args, **options):
    plain = function(*args)
    from_here.clear()
    compiled = torch.compile(function, backend=backend, **options)(*args)
    print(function.__name__, type(compiled).__name__, repr(plain) == repr(compiled), from_here)


def back(x):
    a = (x + 1).numpy()
    return torch.from_numpy(a) * 2


def forced(x):
    return (x * 2).numpy(force=True)


def given(x):
    a = x.sin().numpy()
    return a, torch.as_tensor(a) + 1


def kinds(x):
    a = (x + 1).numpy()
    return isinstance(a, np.ndarray), isinstance(a, torch.Tensor), type(a).__name__, torch.as_tensor(a) - 1


def computed(x):
    a = (x + 1).numpy()
    return torch.from_numpy(a + a) * 2


check(back, torch.ones(2), fullgraph=True)
check(forced, torch.ones(2, requires_grad=True), fullgraph=True)
check(given, torch.ones(2), fullgraph=True)
check(kinds, torch.ones(2), fullgraph=True)
check(computed, torch.ones(2))
