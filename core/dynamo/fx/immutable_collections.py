"""Lists and dicts that arguments of nodes are made of. Behaviour: torch/fx/immutable_collections.py."""
from torch.utils import _pytree as pytree

__all__ = ["immutable_list", "immutable_dict"]

_HELP = """\
If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args
"""


def _refuses(self, *args, **kwargs):
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list):
    """A list that stays as it was made. Errors: TypeError  it is changed."""

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dict that stays as it was made. Errors: TypeError  it is changed."""

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return immutable_dict, (tuple(self.items()),)


for _name in ("__delitem__", "__iadd__", "__imul__", "__setitem__", "append", "clear", "extend", "insert", "pop", "remove", "reverse",
              "sort"):
    setattr(immutable_list, _name, _refuses)
for _name in ("__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(immutable_dict, _name, _refuses)

for _cls, _alike, _made in ((immutable_list, list, lambda children, context: immutable_list(children)),
                            (immutable_dict, dict, lambda children, context: immutable_dict(zip(context, children)))):
    pytree.register_pytree_node(_cls, pytree.SUPPORTED_NODES[_alike].flatten_fn, _made,
                                serialized_type_name=f"torch.fx.immutable_collections.{_cls.__name__}",
                                flatten_with_keys_fn=pytree.SUPPORTED_NODES[_alike].flatten_with_keys_fn)
