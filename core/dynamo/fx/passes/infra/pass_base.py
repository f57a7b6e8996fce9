"""What a pass is. Behaviour: torch/fx/passes/infra/pass_base.py."""
import abc
from collections import namedtuple

__all__ = ["PassResult", "PassBase"]


class PassResult(namedtuple("PassResult", ["graph_module", "modified"])):
    """The module, and whether the pass changed it."""


class PassBase(abc.ABC):
    """Called with a module it gives a PassResult; `requires` and `ensures` look at the module before and after."""

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """What the pass does."""

    def requires(self, graph_module):
        pass

    def ensures(self, graph_module):
        pass
