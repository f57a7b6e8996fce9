"""torch.types: names for annotations. Behaviour: torch/types.py."""
import os
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import IO, TypeAlias, Union

import torch
from torch import (Size, SymBool, SymFloat, SymInt, Tensor, device as _device, dtype as _dtype, layout as _layout,
                   qscheme as _qscheme)

_TensorOrTensors: TypeAlias = Union[Tensor, Sequence[Tensor]]
_TensorOrTensorsOrGradEdge: TypeAlias = Union[Tensor, Sequence[Tensor], "torch.autograd.graph.GradientEdge",
                                              Sequence["torch.autograd.graph.GradientEdge"]]
Number: TypeAlias = Union[_int, _float, _bool]
_Number = (_int, _float, _bool)
FileLike: TypeAlias = Union[_str, os.PathLike, IO[bytes]]
Device: TypeAlias = Union[_device, _str, _int, None]
_size: TypeAlias = Union[Size, list[_int], tuple[_int, ...]]
_symsize: TypeAlias = Union[Size, Sequence[Union[_int, SymInt]]]
_dispatchkey: TypeAlias = _str
IntLikeType: TypeAlias = Union[_int, SymInt]
FloatLikeType: TypeAlias = Union[_float, SymFloat]
BoolLikeType: TypeAlias = Union[_bool, SymBool]
PySymType: TypeAlias = Union[SymInt, SymFloat, SymBool]
py_sym_types = (SymInt, SymFloat, SymBool)
Storage = torch.UntypedStorage
