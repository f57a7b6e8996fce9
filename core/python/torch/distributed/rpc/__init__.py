"""Calls of functions on other ranks. Behaviour: torch/distributed/rpc: refused by name, ranks exchange tensors only."""


def is_available():
    """Whether calls of other ranks are built in."""
    return False


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.distributed.rpc' has no attribute {name!r}")
    raise NotImplementedError(f"torch.distributed.rpc.{name}: nnscope calls no functions on other ranks; collectives and "
                              "send/recv exchange tensors")
