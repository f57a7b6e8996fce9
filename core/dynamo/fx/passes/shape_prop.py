"""What each value of a graph is like, found by running it. Behaviour: torch/fx/passes/shape_prop.py."""
import traceback
from typing import Any, Dict, NamedTuple, Optional, Tuple

import torch
from torch.fx.interpreter import Interpreter
from torch.fx.node import map_aggregate

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    shape: torch.Size
    dtype: torch.dtype
    requires_grad: bool
    stride: Tuple[int, ...]
    memory_format: Optional[torch.memory_format]
    is_quantized: bool
    qparams: Dict[str, Any]


_FORMATS = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)
_DIMENSIONS = {torch.channels_last: 4, torch.channels_last_3d: 5}


def _extract_tensor_metadata(result, include_contiguity=True):
    """What a tensor is like, without its values."""
    found = None
    if include_contiguity:
        found = next((one for one in _FORMATS if _DIMENSIONS.get(one, result.dim()) == result.dim()
                      and result.is_contiguous(memory_format=one)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), found, False, {})


class ShapeProp(Interpreter):
    """Runs a graph and notes in meta["tensor_meta"] of each node what its tensors are like, in meta["type"] of what type they are."""

    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)
        self.fake_mode, self.real_module = fake_mode, self.module

    def run_node(self, n):
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        has_tensor = False

        def note(one):
            nonlocal has_tensor
            if not isinstance(one, torch.Tensor):
                return one
            has_tensor = True
            return _extract_tensor_metadata(one)

        noted = map_aggregate(result, note)
        if has_tensor:
            n.meta["tensor_meta"] = noted
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Runs the graph on these arguments. Gives what it gives."""
        return super().run(*args)
