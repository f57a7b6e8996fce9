"""torch.autograd.profiler: profile, record_function. Behaviour: torch/autograd/profiler.py."""
import functools
import os

import torch
from torch.autograd.profiler_util import EventList, FunctionEvent

_enter, _leave, _start, _stop = (torch._C._profiler_enter, torch._C._profiler_leave, torch._C._profiler_start,
                                 torch._C._profiler_stop)


class record_function:
    """Names what runs inside, for a profiler that runs; as a decorator what a function does."""

    def __init__(self, name, args=None):
        self.name, self.args, self._range = name, args, None

    def __enter__(self):
        self._range = _enter(self.name)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _leave(self._range)
        self._range = None

    def __call__(self, function):
        @functools.wraps(function)
        def named(*args, **kwargs):
            with record_function(self.name, self.args):
                return function(*args, **kwargs)
        return named


def events_of(rows, *, with_flops, profile_memory):
    """What the recorder gave, as events with parents and children. Times begin with the first of them."""
    origin = rows[0][1] if rows else 0
    thread = os.getpid()
    events = EventList(profile_memory=profile_memory, with_flops=with_flops)
    for i, (name, begin, end, parent, shapes, flops, memory, stack, is_of_program, _) in enumerate(rows):
        event = FunctionEvent(i + 1, name, thread, (begin - origin) / 1000, (end - origin) / 1000, input_shapes=shapes, stack=stack,
                              cpu_memory_usage=memory, flops=flops if with_flops and flops else None,
                              is_user_annotation=is_of_program)
        if parent >= 0:
            event.cpu_parent = events[parent]
            event.cpu_parent.cpu_children.append(event)
        events.append(event)
    return events


class profile:
    """Records the ops that run inside; afterwards it is the list of them. What runs on a GPU is not timed."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None):
        self.enabled, self.entered = enabled, False
        self.record_shapes = record_shapes or with_flops
        self.with_flops, self.profile_memory = with_flops, profile_memory
        self.with_stack, self.with_modules = with_stack, with_modules
        self.function_events = None

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        _start(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops, self.with_modules or self.with_stack)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.enabled:
            self.function_events = events_of(_stop(), with_flops=self.with_flops, profile_memory=self.profile_memory)
        return False

    def _check_finish(self):
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")

    def __repr__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    def table(self, *args, **kwargs):
        self._check_finish()
        return self.function_events.table(*args, **kwargs)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        self._check_finish()
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        self._check_finish()
        return self.function_events.total_average()

    def export_chrome_trace(self, path):
        self._check_finish()
        return self.function_events.export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        self._check_finish()
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        return self.function_events.export_stacks(path, metric)

    @property
    def self_cpu_time_total(self):
        self._check_finish()
        return self.function_events.self_cpu_time_total


class emit_nvtx:
    """Names for a tool that watches a GPU, of which there is none here: does nothing."""

    def __init__(self, enabled=True, record_shapes=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return False


emit_itt = emit_nvtx


def kineto_available():
    return True
