"""What nodes are told while they are made. Behaviour: torch/fx/traceback.py."""
import contextlib
import functools

current_meta = {}
_is_preserved = False


def has_preserved_node_meta():
    return _is_preserved


@contextlib.contextmanager
def preserve_node_meta(enable=True):
    """Nodes that are made inside get current_meta."""
    global _is_preserved, current_meta
    before = _is_preserved, current_meta
    _is_preserved, current_meta = enable or before[0], dict(before[1])
    try:
        yield
    finally:
        _is_preserved, current_meta = before


@contextlib.contextmanager
def annotate(annotation_dict):
    """Nodes that are made inside have these entries in meta["custom"]."""
    global current_meta
    with preserve_node_meta():
        current_meta["custom"] = {**current_meta.get("custom", {}), **annotation_dict}
        yield


def annotate_fn(annotation_dict):
    """The same for all that a function does."""
    def decorate(function):
        @functools.wraps(function)
        def annotated(*args, **kwargs):
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


@contextlib.contextmanager
def set_current_meta(node, pass_name=""):
    """Nodes that are made inside get the meta of another one, while metas are preserved."""
    global current_meta
    before = current_meta
    if _is_preserved:
        current_meta = dict(node.meta)
    try:
        yield
    finally:
        current_meta = before


def get_current_meta():
    return current_meta
