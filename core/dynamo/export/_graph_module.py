"""Exported graphs as modules. Behaviour: torch/fx/graph_module.py, print_readable."""
from torch.fx.graph_module import GraphModule


class ExportedGraphModule(GraphModule):
    """A GraphModule whose text shows types and lines."""

    def __init__(self, root, graph, class_name="GraphModule"):
        self_meta = getattr(root, "meta", None)
        super().__init__(root, graph, class_name)
        self.__dict__["meta"] = dict(self_meta) if isinstance(self_meta, dict) else {}

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False, *, fast_sympy_print=False,
                       expanded_def=False, additional_meta=None):
        text = self.graph.readable(self.__class__.__name__)
        if print_output:
            print(text)
        return text

    def __str__(self):
        return f"{self.__class__.__name__}()\n\n\n{self.code}\n\n# To see more debug info, please use `graph_module.print_readable()`"
