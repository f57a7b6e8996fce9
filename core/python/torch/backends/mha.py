"""torch.backends.mha. Behaviour: torch/backends/mha/__init__.py."""
_fastpath = True


def get_fastpath_enabled():
    return _fastpath


def set_fastpath_enabled(value):
    global _fastpath
    _fastpath = value
