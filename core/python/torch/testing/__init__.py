"""torch.testing. Behaviour: torch/testing/__init__.py."""
from torch.testing._comparison import assert_allclose, assert_close
from torch.testing._creation import make_tensor
from torch.testing._file_check import FileCheck
