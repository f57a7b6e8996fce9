"""What tests of compiled programs use. Behaviour: torch/_dynamo/testing.py."""
from torch._dynamo.backends.registry import lookup_backend
from torch._dynamo.utils import same

__all__ = ["CompileCounter", "CompileCounterWithBackend", "EagerAndRecordGraphs", "same"]


def _calls(gm):
    return sum("call" in node.op for node in gm.graph.nodes)


class CompileCounter:
    """A backend that counts: graphs (frame_count) and the calls in them (op_count)."""

    def __init__(self):
        self.frame_count, self.op_count = 0, 0

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count += _calls(gm)
        return gm.forward

    def clear(self):
        self.frame_count, self.op_count = 0, 0


class CompileCounterWithBackend:
    """The same around another backend; keeps the graphs, too."""

    def __init__(self, backend):
        self.frame_count, self.op_count, self.backend, self.graphs = 0, 0, backend, []

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count += _calls(gm)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs)

    def clear(self):
        self.frame_count, self.op_count, self.graphs = 0, 0, []


class EagerAndRecordGraphs:
    """A backend that keeps the graphs and their inputs."""

    def __init__(self):
        self.graphs, self.example_inputs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        self.example_inputs.append(example_inputs)
        return gm.forward
