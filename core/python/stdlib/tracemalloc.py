"""Where memory was allocated, which nnscope does not trace. Behaviour: CPython Lib/tracemalloc.py where nothing is traced."""


def is_tracing():
    return False


def start(nframe=1, /):
    raise NotImplementedError("tracemalloc.start: nnscope does not trace allocations")


def stop():
    """Nothing is traced."""


def clear_traces():
    """There are none."""


def reset_peak():
    """There is none."""


def get_traced_memory():
    """(now, most at once) of what is traced, which is nothing."""
    return 0, 0


def get_tracemalloc_memory():
    return 0


def get_traceback_limit():
    return 1


def get_object_traceback(obj, /):
    return None


def take_snapshot():
    raise RuntimeError("the tracemalloc module must be tracing memory allocations to take a snapshot")


def __getattr__(name):
    if name in ("Snapshot", "Filter", "DomainFilter", "Trace", "Traceback", "Frame", "Statistic", "StatisticDiff"):
        raise NotImplementedError(f"tracemalloc.{name}: nnscope does not trace allocations")
    raise AttributeError(f"module 'tracemalloc' has no attribute {name!r}")
