"""torch.cuda beside what C++ has of it. Behaviour: torch/cuda/__init__.py, memory.py, random.py, streams.py, nvtx.py; where
there is no GPU, that of a PyTorch without CUDA."""
import collections
import contextlib

import torch
from torch import _C

OutOfMemoryError = torch.OutOfMemoryError
AcceleratorError = torch.AcceleratorError
has_half = has_magma = False


class DeferredCudaCallError(Exception):
    """A call that waited for the GPU failed."""


class CudaError(RuntimeError):
    """An error of CUDA's runtime."""


def _lazy_init():
    if not torch.cuda.is_available():
        raise AssertionError("Torch not compiled with CUDA enabled")
    torch.cuda.default_generators = (_C._cuda_default_generator,)


def init():
    _lazy_init()


def is_initialized():
    return _C._cuda_is_open()


def _index(device, optional=True):
    """The number of the GPU that is meant."""
    if device is None and optional:
        return current_device()
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {device}")
        return current_device() if device.index is None else device.index
    if isinstance(device, int):
        return device
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


def _checked(device):
    """The same, and there is such a GPU."""
    _lazy_init()
    number = _index(device)
    if number < 0 or number >= torch.cuda.device_count():
        raise AssertionError("Invalid device id")
    return number


def _own(device):
    """The same, and it is the GPU that this process uses: the first that is named."""
    _C._cuda_choose(_checked(device))


def current_device():
    _lazy_init()
    return _C._cuda_current()


def set_device(device):
    """Chooses the GPU of this process, before it uses one: nnscope uses one a process."""
    number = _index(device, optional=False)
    if number < 0:
        return
    if not torch.cuda.is_available():
        _C._cuda_setDevice(number)
    _C._cuda_choose(number)


class device:
    """Another GPU inside."""

    def __init__(self, device):
        self.idx = -1 if device is None else _index(device)
        self.prev_idx = -1

    def __enter__(self):
        if self.idx < 0:
            return
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch was compiled without CUDA support")
        self.prev_idx = current_device()
        _own(self.idx)

    def __exit__(self, type, value, traceback):
        return False


class device_of(device):
    """The GPU of a tensor inside; of one that lies elsewhere nothing changes."""

    def __init__(self, obj):
        super().__init__(obj.device.index if obj.is_cuda else None)


def synchronize(device=None):
    """Returns when all that was queued is done."""
    _own(device)
    _C._cuda_synchronize()


_CudaDeviceProperties = collections.namedtuple("_CudaDeviceProperties",
                                               "name major minor total_memory multi_processor_count L2_cache_size")
_CudaDeviceProperties.__repr__ = lambda self: (
    f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
    f"total_memory={self.total_memory // 2 ** 20}MB, multi_processor_count={self.multi_processor_count}, "
    f"L2_cache_size={self.L2_cache_size // 2 ** 20}MB)")


def get_device_properties(device=None):
    return _CudaDeviceProperties(*_C._cuda_properties(_checked(device)))


def get_device_name(device=None):
    return get_device_properties(device).name


def get_device_capability(device=None):
    properties = get_device_properties(device)
    return properties.major, properties.minor


def get_arch_list():
    return ["sm_80", "sm_90a"] if torch.cuda.is_available() else []


def can_device_access_peer(device, peer_device):
    """Whether another GPU's memory can be read: a process uses one."""
    _checked(device)
    _checked(peer_device)
    return False


def is_bf16_supported(including_emulation=True):
    return torch.cuda.is_available() and get_device_capability()[0] >= 8


def is_tf32_supported():
    return torch.cuda.is_available() and get_device_capability()[0] >= 8


def is_current_stream_capturing():
    return False


def ipc_collect():
    """Frees what other processes no longer share: nothing is shared."""
    _lazy_init()


# Memory.

_STATISTICS = {"allocated_bytes.all.current": 0, "allocated_bytes.all.peak": 1, "reserved_bytes.all.current": 2,
               "reserved_bytes.all.peak": 3, "allocation.all.allocated": 4, "segment.all.allocated": 5,
               "num_alloc_retries": 6, "num_ooms": 7}


def memory_stats(device=None):
    """What the allocator of the GPU counted; empty without one."""
    if not is_initialized():
        return collections.OrderedDict()
    _own(device)
    numbers = _C._cuda_memory()
    return collections.OrderedDict((name, numbers[at]) for name, at in sorted(_STATISTICS.items()))


def memory_allocated(device=None):
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device=None):
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device=None):
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device=None):
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def reset_peak_memory_stats(device=None):
    """The peaks begin anew with what is in use now."""
    if not torch.cuda.is_available():
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    _own(device)
    _C._cuda_reset_peaks()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def empty_cache():
    """Gives memory that is kept for reuse back to the GPU."""
    if is_initialized():
        _C._cuda_empty_cache()


def mem_get_info(device=None):
    """(free, total) bytes of the GPU."""
    _own(device)
    return _C._cuda_free_memory()


def memory_summary(device=None, abbreviated=False):
    """The statistics as lines."""
    return "\n".join(f"{name:32} {number:>20,}" for name, number in memory_stats(device).items())


# Random numbers: the GPU has a stream of its own, which counts (Philox), also before it is opened.

default_generators = ()


def _generator(device):
    """That of the GPU. There is one a process."""
    index = device if isinstance(device, int) else torch.device(device).index
    if index is not None:
        _own(index)
    return _C._cuda_default_generator


def manual_seed(seed):
    """Seeds the generator of the GPU."""
    _C._cuda_default_generator.manual_seed(int(seed))


def manual_seed_all(seed):
    """Seeds the generators of all GPUs, of which a process has one."""
    manual_seed(seed)


def seed():
    """As manual_seed(), with a number of its own."""
    _C._cuda_default_generator.seed()


seed_all = seed


def initial_seed():
    _lazy_init()
    return _C._cuda_default_generator.initial_seed()


def get_rng_state(device="cuda"):
    """Seed and offset of the GPU's generator: 16 bytes on the CPU."""
    _lazy_init()
    return _generator(device).get_state()


def set_rng_state(new_state, device="cuda"):
    if torch.cuda.is_available():
        _generator(device).set_state(new_state.clone())


def get_rng_state_all():
    return [get_rng_state(number) for number in range(torch.cuda.device_count())]


def set_rng_state_all(new_states):
    for number, state in enumerate(new_states):
        set_rng_state(state, number)


# Streams: there is one, in which all is queued.

class Stream:
    """A queue of the GPU."""

    def __new__(cls, device=None, priority=0, **keywords):
        if not torch.cuda.is_available():
            raise RuntimeError("Tried to instantiate dummy base class Stream")
        return super().__new__(cls)

    @property
    def device(self):
        return torch.device("cuda", current_device())

    def synchronize(self):
        _C._cuda_synchronize()

    def query(self):
        self.synchronize()
        return True

    def wait_event(self, event):
        """All is in one order already."""

    def wait_stream(self, stream):
        """All is in one order already."""

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __eq__(self, other):
        return isinstance(other, Stream)

    def __hash__(self):
        return hash(Stream)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        return False


class Event:
    """A moment in the queue of the GPU: what was queued before it is waited for where it is recorded."""

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
        if not torch.cuda.is_available():
            raise RuntimeError("Tried to instantiate dummy base class Event")
        made = super().__new__(cls)
        made._time = None
        made._timed = enable_timing
        return made

    def record(self, stream=None):
        import time
        _C._cuda_synchronize()
        self._time = time.perf_counter()

    def wait(self, stream=None):
        """All is in one order already."""

    def query(self):
        return True

    def synchronize(self):
        """It has passed."""

    def elapsed_time(self, end_event):
        """Milliseconds from this event to the other."""
        if not self._timed or not end_event._timed:
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return 1000 * (end_event._time - self._time)


def current_stream(device=None):
    _lazy_init()
    return Stream()


def default_stream(device=None):
    _lazy_init()
    return Stream()


def set_stream(stream):
    """There is one."""


@contextlib.contextmanager
def stream(stream):
    yield


class nvtx:
    """torch.cuda.nvtx: marks for NVIDIA's profilers, which this program does not set."""

    _TEXT = "NVTX functions not installed. Are you sure you have a CUDA build?"

    @staticmethod
    def range_push(msg):
        raise RuntimeError(nvtx._TEXT)

    @staticmethod
    def range_pop():
        raise RuntimeError(nvtx._TEXT)

    @staticmethod
    def mark(msg):
        raise RuntimeError(nvtx._TEXT)
