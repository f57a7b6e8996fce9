"""Names of types in annotations. Behaviour: torch/jit/annotations.py."""
from typing import Any, Dict, List, Optional, Tuple, Union

from torch import Tensor
