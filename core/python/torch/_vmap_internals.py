"""The older names of torch.func.vmap. Behaviour: torch/_vmap_internals.py."""
import warnings

from torch._functorch.vmap import vmap as _whole


def vmap(func, in_dims=0, out_dims=0):
    """torch.func.vmap with a warning."""
    warnings.warn("Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    return _whole(func, in_dims, out_dims, randomness="different")
