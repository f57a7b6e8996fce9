"""More of torch.autograd.graph. Behaviour: torch/autograd/graph.py."""
import contextlib
import weakref
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
    """Inside, what an op keeps for backward goes through pack_hook; unpack_hook makes a tensor of it again.

    Of nested ones the innermost is asked. Errors: RuntimeError where disable_saved_tensors_hooks is in force, or where
    pack_hook writes to what it is given; TypeError where unpack_hook gives no tensor."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        torch._C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        torch._C._autograd._pop_saved_tensors_default_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Inside, what is kept for backward lies on the CPU, and goes back to its device when backward needs it."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        device_module = getattr(torch, device_type, torch.cuda)

        def pack_to_cpu(tensor):
            if not pin_memory:
                return (tensor.device, tensor.cpu())
            packed = torch.empty(tensor.size(), dtype=tensor.dtype, layout=tensor.layout,
                                 pin_memory=(device_module.is_available() and not tensor.is_sparse))
            packed.copy_(tensor)
            return (tensor.device, packed)

        def unpack_from_cpu(packed):
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack_to_cpu, unpack_from_cpu)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Inside, hooks of saved tensors raise a RuntimeError with this message; so does this where some are in force."""
    maybe_prev_message = torch._C._autograd._saved_tensors_hooks_get_disabled_error_message()
    try:
        torch._C._autograd._saved_tensors_hooks_disable(error_message)
        yield
    finally:
        if maybe_prev_message is None:
            torch._C._autograd._saved_tensors_hooks_enable()
        else:
            torch._C._autograd._saved_tensors_hooks_disable(maybe_prev_message)


class _Handle:
    """What a node keeps in place of a tensor."""


class _AllowMutationOnSavedContext:
    """Which tensors are kept, as they are or as copies from before they were written."""

    def __init__(self):
        self.cloned, self.original = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
        # By tensor and count of writes its handle; by bytes and count of writes the tensors that look at them.
        self.tid_to_weakhandle, self.sid_to_tid = weakref.WeakValueDictionary(), {}

    def clear(self):
        for one in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            one.clear()

    @staticmethod
    def _bytes_of(tensor):
        return (tensor.untyped_storage().data_ptr(), tensor._version)

    def pack(self, tensor):
        tid = (id(tensor), *self._bytes_of(tensor))
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None:
            handle = self.tid_to_weakhandle[tid] = _Handle()
            self.original[handle] = tensor
            self.sid_to_tid.setdefault(self._bytes_of(tensor), set()).add(tid)
        return handle

    def unpack(self, handle):
        for kept in (self.cloned, self.original):
            if handle in kept:
                return kept[handle]
        raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was "
                             "originally recorded.")

    def before_write(self, tensor):
        for tid in self.sid_to_tid.pop(self._bytes_of(tensor), ()):
            handle = self.tid_to_weakhandle.get(tid)
            if handle is not None and handle not in self.cloned:
                with torch.no_grad():
                    self.cloned[handle] = self.original.pop(handle).clone()


_is_mutation_allowed = False


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Inside, tensors that are kept for backward may be written: a copy is made before. Backward is to run inside, too."""
    global _is_mutation_allowed
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        if _is_mutation_allowed:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _is_mutation_allowed = True
        torch._C._autograd._set_before_write(context.before_write)
        try:
            yield context
        finally:
            torch._C._autograd._set_before_write(None)
            context.clear()
            _is_mutation_allowed = False


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
    torch._C._increment_version(tensor)


def _node_class():
    """What all nodes of graphs are."""
    leaf = torch.ones((), requires_grad=True)
    return type((leaf * 1).grad_fn).__mro__[-2]


with torch.enable_grad():
    Node = _node_class()
