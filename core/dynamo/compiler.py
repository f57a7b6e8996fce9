"""torch.compiler. Behaviour: torch/compiler/__init__.py."""
import torch._dynamo as _dynamo
from torch._dynamo import allow_in_graph, assume_constant_result, disable, list_backends, reset, substitute_in_graph


def compile(*args, **kwargs):
    return _dynamo._compile(*args, **kwargs)


def is_compiling():
    return False


def is_dynamo_compiling():
    return False


def is_exporting():
    return False


class set_stance:
    """How compiled functions behave from now on, or inside of `with`."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        self.stance = stance
        self.before = _dynamo._native.set_stance(stance)

    def __enter__(self):
        return None

    def __exit__(self, *args):
        _dynamo._native.set_stance(self.before)

    def __call__(self, fn):
        stance = self.stance
        _dynamo._native.set_stance(self.before)

        def wrapped(*args, **kwargs):
            with set_stance(stance):
                return fn(*args, **kwargs)

        return wrapped


def cudagraph_mark_step_begin():
    pass
