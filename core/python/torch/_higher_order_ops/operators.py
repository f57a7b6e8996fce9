"""Operators that run functions and graphs: torch.ops.higher_order. Behaviour: torch/_ops.py, class HigherOrderOperator."""
#: By name.
known = {}


class HigherOrderOperator:
    """An operator that is called with functions, or with the graphs that a compiler made of them."""

    def __init__(self, name):
        self._name = self.__name__ = name
        self.__module__ = "torch.ops.higher_order"
        self.namespace = "higher_order"
        known[name] = self

    def name(self):
        return self._name

    def __call__(self, /, *args, **kwargs):
        raise NotImplementedError(f"torch.ops.higher_order.{self._name} has no implementation")

    def __str__(self):
        return self._name

