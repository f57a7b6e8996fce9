"""Arguments of graphs that take containers apart. Behaviour: torch/fx/_pytree.py."""


def tree_flatten_spec(pytree, spec):
    """The leaves of a container that is built as `spec` says. Errors: ValueError  it is not."""
    return spec.flatten_up_to(tuple(pytree) if spec.type is tuple else pytree)
