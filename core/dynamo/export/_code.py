"""Graphs of ATen's ops. Behaviour: torch/fx/graph.py."""
from torch.fx.graph import CodeGen, Graph, _PyTreeCodeGen


class ExportedGraph(Graph):
    """`pytree_info`: of a module that is called with what its user gives; else None."""

    @property
    def pytree_info(self):
        return getattr(self._codegen, "pytree_info", None)

    @pytree_info.setter
    def pytree_info(self, info):
        self.set_codegen(CodeGen() if info is None else _PyTreeCodeGen(info))
