"""More of torch.autograd.graph. Behaviour: torch/autograd/graph.py."""
import contextlib
from collections import namedtuple

import torch

GradientEdge = namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"])
GradientEdge.__new__.__defaults__ = (None,)


def get_gradient_edge(tensor):
    """Where the gradient of a tensor is kept or goes on."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor.grad_fn if tensor.grad_fn is not None else tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr if tensor.grad_fn is not None else 0)


class saved_tensors_hooks:
    """Refused when it is entered: what is kept for backward passes no hook here."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        raise NotImplementedError("torch.autograd.graph.saved_tensors_hooks: what nnscope keeps for backward passes no hook")

    def __exit__(self, *given):
        pass


class save_on_cpu:
    """Results are the same inside; what is kept for backward stays where it is."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *given):
        pass


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """saved_tensors_hooks raise inside; they do so here anyway."""
    yield


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    raise NotImplementedError("torch.autograd.graph.allow_mutation_on_saved_tensors: nnscope copies nothing that is kept for "
                              "backward")
    yield


class _Handles:
    """Removes several hooks."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Calls fn once a backward: with the gradients of all tensors once they are there, or with the first ("any")."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = list(tensors)
    came = {"grads": [None] * len(tensors), "count": 0, "is_called": False}
    watched = [at for at, tensor in enumerate(tensors) if tensor.requires_grad]

    def make(at):
        def hook(grad):
            if mode == "any":
                if not came["is_called"]:
                    came["is_called"] = True
                    fn(grad)
                return
            came["grads"][at] = grad
            came["count"] += 1
            if came["count"] == len(watched):
                grads = came["grads"]
                came["grads"], came["count"] = [None] * len(tensors), 0
                fn(grads)

        return hook

    return _Handles(tensors[at].register_hook(make(at)) for at in watched)


def increment_version(tensor):
    """Says that what a tensor holds has changed."""
    for one in [tensor] if isinstance(tensor, torch.Tensor) else tensor:
        with torch.no_grad():
            one.detach().add_(0)


def _node_class():
    """What all nodes of graphs are."""
    leaf = torch.ones((), requires_grad=True)
    return type((leaf * 1).grad_fn).__mro__[-2]


with torch.enable_grad():
    Node = _node_class()
