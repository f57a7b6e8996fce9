"""torch.profiler: what runs in a part of a program, how often and how long. Behaviour: torch/profiler/profiler.py."""
from torch.profiler import itt
from torch.autograd.profiler import kineto_available, record_function
from torch.autograd.profiler_util import DeviceType
from torch.profiler.profiler import (ProfilerAction, ProfilerActivity, profile, schedule, supported_activities,
                                     tensorboard_trace_handler)

__all__ = ["profile", "schedule", "supported_activities", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity",
           "kineto_available", "DeviceType", "record_function", "itt"]
