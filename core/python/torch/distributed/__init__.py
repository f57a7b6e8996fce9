"""Several processes that compute together.

Behaviour: torch/distributed/__init__.py."""
from torch._C import _distributed_c10d
from torch._C._distributed_c10d import (_DEFAULT_FIRST_BUCKET_BYTES, GradBucket, Reducer, _broadcast_coalesced,
                                        _compute_bucket_assignment_by_size, _verify_params_across_processes)
from torch.distributed.distributed_c10d import *
from torch.distributed.distributed_c10d import (_get_default_group, _get_default_store, _rank_not_in_group,
                                                _all_gather_base, _reduce_scatter_base)
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.rendezvous import register_rendezvous_handler, rendezvous
from torch.distributed.stores import FileStore, HashStore, PrefixStore, Store, TCPStore


def is_available():
    """Whether processes can be joined here at all."""
    return True


class DistError(RuntimeError):
    """What goes wrong in torch.distributed."""


class DistBackendError(DistError):
    """What goes wrong in a process group."""


class DistNetworkError(DistError):
    """What goes wrong in the network."""


class DistStoreError(DistError):
    """What goes wrong in a store."""


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing."""


# From here on SyncBatchNorm asks whether there are other processes.
from torch.nn.modules import _sync_batchnorm
