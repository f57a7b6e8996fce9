"""Process groups: which there are, who is in them.

Behaviour: torch/distributed/distributed_c10d.py, class _World and what makes groups."""
import enum
import os
from datetime import timedelta

from torch._C import _distributed_c10d as _c10d
from torch._C._distributed_c10d import ProcessGroup
from torch.distributed import rendezvous as _rendezvous

default_pg_timeout = timedelta(minutes=30)


class Backend(str):
    """The name of a backend, in small letters."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        value = getattr(Backend, name.upper(), Backend.UNDEFINED)
        return name.lower() if value == Backend.UNDEFINED else value


class RedOpType(enum.Enum):
    """How items of several ranks become one."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM, UNUSED = range(10)


class ReduceOp:
    """torch.distributed.ReduceOp: an operation, or the names of all."""

    RedOpType = RedOpType

    def __init__(self, op):
        self.op = op

    def __eq__(self, other):
        return self.op == getattr(other, "op", other)

    def __hash__(self):
        return hash(self.op)


for _one in RedOpType:
    setattr(ReduceOp, _one.name, _one)


class _Registry:
    """What one interpreter has joined."""

    def __init__(self):
        self.world = None
        self.default = None
        self.store = None
        self.times_joined = 0
        self.count = 0
        # group -> its ranks in the world, in order
        self.ranks = {}


_registry = _Registry()


class _WORLDMeta(type):
    @property
    def WORLD(cls):
        return _registry.default

    @WORLD.setter
    def WORLD(cls, group):
        _registry.default = group


class group(metaclass=_WORLDMeta):
    """torch.distributed.group.WORLD."""


class GroupMember(metaclass=_WORLDMeta):
    """What new_group() gives to ranks that are not in the group."""

    NON_GROUP_MEMBER = -100


def is_initialized():
    return _registry.default is not None


def _get_default_group():
    if not is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _registry.default


def _get_default_store():
    _get_default_group()
    return _registry.store


def _rank_not_in_group(group):
    return group is not None and group == GroupMember.NON_GROUP_MEMBER


def _resolve(group):
    """The group that is meant; None is that of all."""
    if group is None:
        return _get_default_group()
    if not isinstance(group, ProcessGroup) or group not in _registry.ranks:
        raise ValueError("Invalid process group specified")
    return group


def get_process_group_ranks(group):
    return list(_registry.ranks[_resolve(group)])


def get_rank(group=None):
    """The own number in the group, or -1."""
    if _rank_not_in_group(group):
        return -1
    return _resolve(group).rank()


def get_world_size(group=None):
    """How many are in the group, or -1."""
    if _rank_not_in_group(group):
        return -1
    return _resolve(group).size()


def get_backend(group=None):
    if _rank_not_in_group(group):
        raise ValueError("Invalid process group specified")
    return Backend.GLOO if _resolve(group)._takes_cpu else Backend.NCCL


def get_backend_config(group=None):
    get_backend(group)
    group = _resolve(group)
    return ",".join(["cpu:gloo"] * group._takes_cpu + ["cuda:nccl"] * group._joins_gpus)


def get_group_rank(group, global_rank):
    """The number in the group of a rank of the world."""
    ranks = get_process_group_ranks(group)
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def get_global_rank(group, group_rank):
    """The rank in the world of a number in the group."""
    ranks = get_process_group_ranks(group)
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_node_local_rank(fallback_rank=None):
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
                       "`get_node_local_rank` to work in a single process environment.")


def is_gloo_available():
    return True


def is_nccl_available():
    """Whether there are GPUs, and NCCL joins them."""
    return _c10d._has_gpu_groups()


def is_mpi_available():
    return False


def is_ucc_available():
    return False


def is_xccl_available():
    return False


def is_torchelastic_launched():
    return "TORCHELASTIC_RUN_ID" in os.environ


def is_backend_available(backend):
    return backend.lower() == Backend.GLOO or (backend.lower() == Backend.NCCL and is_nccl_available())


def _check_backend(backend):
    """(whether tensors on the CPU are taken, whether NCCL joins the GPUs). A name for each device may be given."""
    if backend is None or backend == Backend.UNDEFINED:
        return True, is_nccl_available()
    takes_cpu = joins_gpus = False
    for one in Backend(backend).split(","):
        name = one.rpartition(":")[2]
        joins_gpus = joins_gpus or name == Backend.NCCL
        takes_cpu = takes_cpu or name != Backend.NCCL
        if name == Backend.NCCL and not is_nccl_available():
            raise RuntimeError("Distributed package doesn't have NCCL built in")
        if name == Backend.MPI:
            raise RuntimeError("Distributed package doesn't have MPI built in. MPI is only included if you build "
                               "PyTorch from source on a host that has MPI installed.")
        if name not in (Backend.GLOO, Backend.NCCL, Backend.UNDEFINED):
            raise ValueError(f"Invalid backend: '{name}'")
    return takes_cpu, joins_gpus


def _seconds(timeout):
    if timeout is None:
        return default_pg_timeout.total_seconds()
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout.total_seconds()


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None, _ranks=None):
    """Joins the other ranks; returns when all have."""
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    backends = _check_backend(backend)
    seconds = _seconds(timeout)
    if store is not None:
        if not world_size > 0:
            raise AssertionError("world_size must be positive if using store")
        if not rank >= 0:
            raise AssertionError("rank must be non-negative if using store")
    else:
        store, rank, world_size = _rendezvous._open(init_method or "env://", rank, world_size, seconds)
    _registry.times_joined += 1
    prefix = store._name(f"world/{_registry.times_joined}")
    host = os.environ.get("MASTER_ADDR", "")
    _registry.world = _c10d._join(store._native, "", host, 0, prefix, rank, world_size, seconds)
    _registry.store = store
    _registry.count = 0
    _registry.default = _make(list(range(world_size)), seconds, backends)
    _registry.default.group_desc = "default_pg"


def _make(ranks, seconds, backends):
    name = str(_registry.count)
    _registry.count += 1
    made = _c10d._make_group(_registry.world, name, ranks, seconds, backends[1])
    made._takes_cpu, made._joins_gpus = backends
    _registry.ranks[made] = ranks
    return made


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    """A group of some ranks. All ranks call it, those that are not in it too."""
    default = _get_default_group()
    # Without a name: as the group of all.
    backends = (default._takes_cpu, default._joins_gpus) if backend is None else _check_backend(backend)
    ranks = list(range(default.size())) if ranks is None else sorted(ranks)
    if len(ranks) > default.size():
        raise ValueError("the new group's world size should be less or equal to the world size set by "
                         "init_process_group")
    for rank in ranks:
        if not 0 <= rank < default.size():
            raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    if default.rank() not in ranks:
        _registry.count += 1
        return GroupMember.NON_GROUP_MEMBER
    made = _make(ranks, _seconds(timeout), backends)
    made.group_desc = group_desc or "undefined"
    return made


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of `group_size` ranks each; the own one and all."""
    size = get_world_size()
    if group_size is None or group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size != 0:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    return new_subgroups_by_enumeration([list(range(first, first + group_size)) for first in range(0, size, group_size)],
                                        timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    if ranks_per_subgroup_list is None or len(ranks_per_subgroup_list) == 0:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made, seen = None, [], set()
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroups")
            seen.add(rank)
        one = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        made.append(one)
        if get_rank() in ranks:
            own = one
    return own, made


def destroy_process_group(group=None):
    """Leaves a group; without an argument, or with that of all, every one."""
    if _rank_not_in_group(group):
        return
    if group is None and not is_initialized():
        raise AssertionError("Invalid process group specified or has been destroyed")
    if group is not None and group not in _registry.ranks:
        raise AssertionError("Invalid process group specified or has been destroyed")
    if group is None or group is _registry.default:
        _registry.ranks.clear()
        _registry.default = _registry.world = _registry.store = None
    else:
        del _registry.ranks[group]
