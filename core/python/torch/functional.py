"""torch.functional: functions of torch that are Python there. Behaviour: torch/functional.py."""
from torch import (atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_shapes, broadcast_tensors, cartesian_prod,
                   cdist, chain_matmul, einsum, lu, meshgrid, norm, split, stft, tensordot, unique, unique_consecutive)

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
           "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm", "split", "stft", "tensordot", "unique",
           "unique_consecutive"]
