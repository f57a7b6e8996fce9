"""What a profile found: events, their averages by name, and these as a table.

Behaviour: torch/autograd/profiler_util.py."""
import json
import math
from collections import defaultdict, namedtuple
from enum import Enum

DEFAULT_WIDTH = 12
GAP = "  "


class DeviceType(Enum):
    CPU = 0
    CUDA = 1


class Interval:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        return self.end - self.start


Kernel = namedtuple("Kernel", ["name", "device", "duration"])


def _format_time(us):
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def _format_time_in(us, unit):
    if unit == "s":
        return f"{us / 1e6:.3f}s"
    if unit == "ms":
        return f"{us / 1e3:.3f}ms"
    return f"{us:.3f}us" if unit == "us" else _format_time(us)


def _format_time_share(us, total):
    return "NaN" if total == 0 else f"{us * 100.0 / total:.2f}%"


def _format_memory(count):
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def _formatted(name):
    return property(lambda self: _format_time(getattr(self, name)))


class FormattedTimesMixin:
    cpu_time_str = _formatted("cpu_time")
    device_time_str = _formatted("device_time")
    cpu_time_total_str = _formatted("cpu_time_total")
    device_time_total_str = _formatted("device_time_total")
    self_cpu_time_total_str = _formatted("self_cpu_time_total")
    self_device_time_total_str = _formatted("self_device_time_total")

    @property
    def cpu_time(self):
        return 0.0 if self.count == 0 else self.cpu_time_total / self.count

    @property
    def device_time(self):
        return 0.0 if self.count == 0 else self.device_time_total / self.count

    cuda_time = device_time
    cuda_time_total = property(lambda self: self.device_time_total)
    self_cuda_time_total = property(lambda self: self.self_device_time_total)
    cuda_memory_usage = property(lambda self: self.device_memory_usage)


class FunctionEvent(FormattedTimesMixin):
    """One run of an op or one named range. Times in microseconds; what runs on a GPU is not measured: 0."""

    device_time_total = self_device_time_total = self_device_memory_usage = 0
    count = 1

    def __init__(self, id, name, thread, start_us, end_us, overload_name=None, fwd_thread=None, input_shapes=None, stack=None,
                 scope=0, use_device=None, cpu_memory_usage=0, device_memory_usage=0, is_async=False, is_remote=False,
                 sequence_nr=-1, node_id=-1, device_type=DeviceType.CPU, device_index=0, device_resource_id=None,
                 is_legacy=False, flops=None, trace_name=None, concrete_inputs=None, kwinputs=None, is_user_annotation=False):
        self.id, self.name, self.thread = id, name, thread
        self.overload_name = "" if overload_name is None else overload_name
        self.trace_name = name if trace_name is None else trace_name
        self.fwd_thread, self.scope, self.use_device = fwd_thread, scope, use_device
        self.is_async, self.is_remote, self.is_legacy, self.sequence_nr = is_async, is_remote, is_legacy, sequence_nr
        self.node_id, self.device_type, self.device_index = node_id, device_type, device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.device_memory_usage = device_memory_usage
        self.concrete_inputs = [] if concrete_inputs is None else concrete_inputs
        self.kwinputs = {} if kwinputs is None else kwinputs
        self.time_range = Interval(start_us, end_us)
        self.input_shapes, self.stack, self.flops = input_shapes, stack, flops
        self.own_memory_usage = cpu_memory_usage
        self.is_user_annotation = is_user_annotation
        self.cpu_children, self.cpu_parent, self.kernels = [], None, []

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def cpu_memory_usage(self):
        return self.own_memory_usage + sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        return self.own_memory_usage

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
                f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start} end_us={self.time_range.end} "
                f"cpu_children={[child.id for child in self.cpu_children]} {self.use_device}_time={self.device_time_str} "
                f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
                f"cpu_memory_usage={self.cpu_memory_usage} {self.use_device}_memory_usage={self.device_memory_usage} "
                f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>")


class FunctionEventAvg(FormattedTimesMixin):
    """The sums over events of one name."""

    _ADDED = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
              "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count")
    _COPIED = ("node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack",
               "scope", "device_type", "is_legacy", "use_device", "is_user_annotation")

    def __init__(self):
        self.key, self.flops = None, 0
        for name in self._ADDED:
            setattr(self, name, 0)
        for name in self._COPIED:
            setattr(self, name, None)
        self.node_id, self.is_async, self.is_remote, self.is_legacy = 0, False, False, False
        self.device_type = DeviceType.CPU

    def add(self, other):
        if self.key is None:
            self.key = other.key
            for name in self._COPIED:
                setattr(self, name, getattr(other, name))
        for name in self._ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.flops is not None:
            self.flops += other.flops
        return self

    __iadd__ = add

    def __repr__(self):
        device = self.use_device or "cuda"
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
                f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
                f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
                f"{device}_memory_usage={self.device_memory_usage}>")


class EventList(list):
    """Events or averages."""

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False):
        super().__init__(*args)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False, time_unit=None):
        """The list as text. sort_by: an attribute, largest first. row_limit -1: all of them."""
        return _build_table(self, sort_by, header, row_limit, max_src_column_width, max_name_column_width,
                            max_shapes_column_width, self._with_flops, self._profile_memory, top_level_events_only, time_unit)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """One average a name, and a shape of the inputs or the innermost lines of the stack if asked."""
        found = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shapes else None,
                   tuple((event.stack or [])[:group_by_stack_n]) if group_by_stack_n > 0 else None)
            found.setdefault(key, FunctionEventAvg()).add(event)
        for average in found.values():
            average.stack = (average.stack or [])[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
        return EventList(found.values(), use_device=self._use_device, profile_memory=self._profile_memory,
                         with_flops=self._with_flops)

    def total_average(self):
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
            total.key = None
        total.key = "Total"
        return total

    @property
    def supported_export_stacks_metrics(self):
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path, metric):
        """Lines "outermost;...;innermost number" for flame graphs."""
        if metric not in self.supported_export_stacks_metrics:
            raise ValueError("metric should be one of: " + str(self.supported_export_stacks_metrics))
        with open(path, "w") as file:
            for event in self:
                value = int(getattr(event, metric.replace("cuda", "device").replace("xpu", "device")
                                    .replace("privateuse1", "device")))
                if event.stack and value > 0:
                    line = ";".join(one.translate(str.maketrans(" ;\t\n", "____")) for one in reversed(event.stack))
                    file.write(f"{line} {value}\n")

    def export_chrome_trace(self, path, metadata=()):
        """The events as chrome://tracing and Perfetto read them, beside pairs of `metadata`."""
        with open(path, "w") as file:
            json.dump(_trace_of(self, path, metadata), file)


def _trace_of(events, name, metadata):
    """Format: Trace Event Format, complete events ("X"), times in microseconds."""
    rows = []
    for event in events:
        args = {"External id": event.id}
        if event.input_shapes:
            args["Input Dims"] = event.input_shapes
        if event.stack:
            args["Call stack"] = ";".join(event.stack)
        rows.append({"ph": "X", "cat": "user_annotation" if event.is_user_annotation else "cpu_op", "name": event.name,
                     "pid": event.thread, "tid": event.thread, "ts": event.time_range.start,
                     "dur": event.time_range.elapsed_us(), "args": args})
    return {"schemaVersion": 1, "deviceProperties": [], **dict(metadata), "traceEvents": rows, "traceName": str(name)}


def _trimmed(path, width):
    if len(path) > width:
        path = path[len(path) - width:]
        if len(path) > 3:
            path = "..." + path[3:]
    return path


def _flops_unit(flops):
    names = ["FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"]
    power = max(0, min(math.log10(flops) / 3, float(len(names) - 1)))
    return 10 ** (math.floor(power) * -3.0), names[int(power)]


def _build_table(events, sort_by, header, row_limit, max_src_width, max_name_width, max_shapes_width, with_flops, with_memory,
                 only_top, unit):
    if len(events) == 0:
        return ""
    if sort_by is not None:
        by = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda event: getattr(event, by), reverse=True)

    def width_of(texts, most):
        width = max(len(text) for text in texts) + 4
        return width if most is None else min(width, most)

    name_width = width_of([event.key for event in events], max_name_width)
    columns = [("Name", name_width, ">")]
    columns += [(title, DEFAULT_WIDTH, ">") for title in ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg")]
    if with_memory:
        columns += [(title, DEFAULT_WIDTH, ">") for title in ("CPU Mem", "Self CPU Mem")]
    columns.append(("# of Calls", DEFAULT_WIDTH, ">"))
    has_node = any(event.node_id != -1 for event in events)
    if has_node:
        columns.append(("Node ID", DEFAULT_WIDTH, ">"))
    has_shapes = any(event.input_shapes for event in events)
    shapes_width = width_of([str(event.input_shapes) for event in events], max_shapes_width)
    if has_shapes:
        columns.append(("Input Shapes", shapes_width, ">"))
    stacks = [event.stack for event in events if event.stack]
    source_width = 0
    if stacks:
        source_width = width_of([line for stack in stacks for line in stack], max_src_width)
        columns.append(("Source Location", source_width, "<"))
    counted = [event.flops for event in events if event.flops] if with_flops else []
    scale = None
    if counted:
        scale, title = _flops_unit(min(counted))
        columns.append((f"Total {title}", DEFAULT_WIDTH, ">"))

    row_format = "".join(f"{{: {side}{width}}}" + GAP for _, width, side in columns)
    rule = "".join("-" * width + GAP for _, width, _ in columns)
    whole = sum(width + len(GAP) for _, width, _ in columns) - len(GAP)
    lines = []
    if header is not None:
        lines += ["=" * whole, header]
    if only_top:
        lines += ["=" * whole, "This report only display top-level ops statistics"]
    lines += [rule, row_format.format(*(title for title, _, _ in columns)), rule]

    total = sum(event.self_cpu_time_total for event in events)
    shown = 0
    for event in events:
        if shown == row_limit:
            break
        if only_top and event.cpu_parent is not None:
            continue
        shown += 1
        name = event.key
        if max_name_width is not None and len(name) >= max_name_width - 3:
            name = name[:max_name_width - 3] + "..."
        event.self_cpu_percent = _format_time_share(event.self_cpu_time_total, total)
        event.total_cpu_percent = _format_time_share(event.cpu_time_total, total)
        values = [name, event.self_cpu_percent, _format_time_in(event.self_cpu_time_total, unit), event.total_cpu_percent,
                  _format_time_in(event.cpu_time_total, unit), _format_time_in(event.cpu_time, unit)]
        if with_memory:
            values += [_format_memory(event.cpu_memory_usage), _format_memory(event.self_cpu_memory_usage)]
        values.append(event.count)
        if has_node:
            values.append(event.node_id)
        if has_shapes:
            values.append(str(event.input_shapes)[:shapes_width])
        if stacks:
            values.append(_trimmed(event.stack[0], source_width) if event.stack else "")
        if scale is not None:
            values.append(f"{event.flops * scale:8.3f}" if event.flops else "--")
        lines.append(row_format.format(*values))
        if stacks:
            place = [title for title, _, _ in columns].index("Source Location")
            for line in (event.stack or [])[1:]:
                lines.append(row_format.format(*(_trimmed(line, source_width) if i == place else ""
                                                 for i in range(len(columns)))))
            lines.append(row_format.format(*[""] * len(columns)))
    lines += [rule, f"Self CPU time total: {_format_time_in(total, unit)}", ""]
    return "\n".join(lines)
