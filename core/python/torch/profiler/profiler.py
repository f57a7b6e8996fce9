"""torch.profiler.profile and its schedules."""
import json
import os
import platform
import time
from enum import Enum
from warnings import warn

import torch
from torch.autograd.profiler import events_of, record_function


class ProfilerActivity(Enum):
    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


def supported_activities():
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if torch.cuda.is_available() else {ProfilerActivity.CPU}


class ProfilerAction(Enum):
    """What a schedule says of a step."""
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function from the number of a step to a ProfilerAction: after `skip_first` steps cycles of wait, warmup and active
    ones, `repeat` of them (0: without end). skip_first_wait=1: the first cycle does not wait."""
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler schedule arguments")
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        length = wait + warmup + active
        if repeat > 0 and step / length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """For on_trace_ready: writes each trace to a file of its own in the folder."""
    def write(prof):
        nonlocal worker_name
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        if not worker_name:
            worker_name = f"{platform.node()}_{os.getpid()}"
        name = f"{worker_name}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write


def _always_record(step):
    return ProfilerAction.RECORD


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """Records ops, walks backward, optimisers' steps and named ranges, step by step as `schedule` says; on_trace_ready is
    called with this object when a cycle ends. What runs on a GPU is not timed."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
                 execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None,
                 post_processing_timeout_s=None):
        self.activities = set(activities) if activities else supported_activities()
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes, self.profile_memory = record_shapes or with_flops, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.record_steps = schedule is not None
        self.schedule = schedule or _always_record
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._events, self._running, self._step, self._metadata = None, False, None, {}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.stop()

    def start(self):
        self._go(None, self.current_action)
        self._begin_step()

    def stop(self):
        self._end_step()
        self._go(self.current_action, None)

    def step(self):
        """The next step of the program begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        self._begin_step()

    def _begin_step(self):
        if self.record_steps:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _end_step(self):
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _go(self, before, after):
        """From one action to the next; None stands before the first and after the last."""
        ends_cycle = before is ProfilerAction.RECORD_AND_SAVE or (before in _RECORDING and after not in _RECORDING)
        if ends_cycle:
            if before is ProfilerAction.RECORD and after is not None:
                warn("Incorrect schedule: RECORD followed by NONE" if after is ProfilerAction.NONE
                     else "Incorrect schedule: RECORD followed by WARMUP")
            self._events = events_of(torch._C._profiler_stop(), with_flops=self.with_flops, profile_memory=self.profile_memory)
            self._running = False
            if self.on_trace_ready:
                self.on_trace_ready(self)
        if after in _RECORDING and not self._running:
            torch._C._profiler_start(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops,
                                     self.with_modules or self.with_stack)
            self._running = True

    def _found(self):
        if self._events is None:
            raise AssertionError("Profiler must be initialized before getting key averages" if not self._running
                                 else "Profiler didn't finish running")
        return self._events

    def events(self):
        return self._found()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The events added up by name, and by shapes or lines of the stack if asked; ProfilerStep* stands for all steps."""
        found = self._found()
        averages = found.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)
        steps = [one for one in averages if one.key.startswith("ProfilerStep#")]
        for one in steps[1:]:
            steps[0].add(one)
            averages.remove(one)
        if steps:
            steps[0].key = "ProfilerStep*"
        return averages

    def export_chrome_trace(self, path):
        """Writes the events as chrome://tracing and Perfetto read them."""
        if str(path).endswith(".gz"):
            raise ValueError(f"{path}: traces are written as they are, not packed; take a name that ends in .json")
        self._found().export_chrome_trace(path, self._metadata.items())

    def export_stacks(self, path, metric="self_cpu_time_total"):
        return self._found().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable, activities):
        """Nothing is switched while it is recorded."""

    def add_metadata(self, key, value):
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json
