"""Arguments of graphs that take containers apart. Behaviour: torch/fx/_pytree.py."""
from collections import OrderedDict, namedtuple

__all__ = ["SUPPORTED_NODES", "SUPPORTED_NODES_EXACT_MATCH", "register_pytree_flatten_spec", "tree_flatten_spec"]

# How the children of a container are taken that is built as a spec says, by its class; whether it is built so exactly.
SUPPORTED_NODES, SUPPORTED_NODES_EXACT_MATCH = {}, {}


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """The children of instances of a class: flatten_fn_spec(instance, spec)."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree, spec):
    """The leaves of a container that is built as `spec` says; it may be a Proxy, that is only asked for its items."""
    if spec.is_leaf():
        return [pytree]
    if spec.type not in SUPPORTED_NODES:
        raise RuntimeError(f"{type(pytree)} does not have a flatten_fn_spec associated with it. Please register one with "
                           "torch.fx._pytree.register_pytree_flatten_spec.  If you have serialized your model, make sure that any "
                           "custom pytrees have been registered before loading it.")
    children = SUPPORTED_NODES[spec.type](pytree, spec)
    return [leaf for child, inner in zip(children, spec.children()) for leaf in tree_flatten_spec(child, inner)]


def _by_key(container, spec):
    return [container[key] for key in spec.context]


def _by_place(container, spec):
    return [container[index] for index in range(spec.num_children)]


def _has_keys(container, spec):
    return len(container) == spec.num_children


register_pytree_flatten_spec(dict, _by_key, _has_keys)
register_pytree_flatten_spec(OrderedDict, _by_key, _has_keys)
for _cls in (list, tuple, namedtuple):
    register_pytree_flatten_spec(_cls, _by_place, _has_keys)
