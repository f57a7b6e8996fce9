"""torch.types: names for annotations. Behaviour: torch/types.py."""
import os
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str

import torch
from torch import Size, Tensor, device as _device, dtype as _dtype, layout as _layout

Number = (_int, _float, _bool)
FileLike = (_str, os.PathLike)
Device = (_device, _str, _int, type(None))
_size = (Size, list, tuple)
_symsize = _size
_dispatchkey = _str
IntLikeType, FloatLikeType, BoolLikeType = _int, _float, _bool
PySymType = ()
py_sym_types = ()
Storage = torch.UntypedStorage
