"""Exported graphs as modules. Behaviour: torch/export/exported_program.py, ExportedProgram.graph_module."""
from torch.fx.graph_module import GraphModule


class ExportedGraphModule(GraphModule):
    """A GraphModule that keeps what its root noted."""

    def __init__(self, root, graph, class_name="GraphModule"):
        noted = getattr(root, "meta", None)
        super().__init__(root, graph, class_name)
        if isinstance(noted, dict):
            self.meta.update(noted)
