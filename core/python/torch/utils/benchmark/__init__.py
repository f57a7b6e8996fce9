"""Times of statements. Behaviour: torch/utils/benchmark/utils/timer.py and common.py."""
import math
import statistics
import textwrap
import timeit
from timeit import default_timer as timer

import torch


def select_unit(t):
    """The unit in which that many seconds are shown, and its length."""
    size = {-3: ("ns", 1e-9), -2: ("us", 1e-6), -1: ("ms", 1e-3)}
    return size.get(int(math.log10(t) // 3) if t > 0 else 0, ("s", 1))


def unit_to_english(u):
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


class TaskSpec:
    """What is timed."""

    def __init__(self, stmt, setup, global_setup="", label=None, sub_label=None, description=None, env=None, num_threads=1):
        self.stmt, self.setup, self.global_setup, self.label = stmt, setup, global_setup, label
        self.sub_label, self.description, self.env, self.num_threads = sub_label, description, env, num_threads

    @property
    def title(self):
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return f"stmt:\n{textwrap.indent(self.stmt, '  ')}" if "\n" in self.stmt else self.stmt


class Measurement:
    """Times of one statement: `times` are seconds a run."""

    def __init__(self, number_per_run, raw_times, task_spec, metadata=None):
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = number_per_run, raw_times, task_spec, metadata

    @property
    def times(self):
        return [one / self.number_per_run for one in self.raw_times]

    @property
    def mean(self):
        return statistics.fmean(self.times)

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def iqr(self):
        times = sorted(self.times)

        def at(share):
            place = share * (len(times) - 1)
            low = int(place)
            high = min(low + 1, len(times) - 1)
            return times[low] + (times[high] - times[low]) * (place - low)

        return at(0.75) - at(0.25)

    @property
    def significant_figures(self):
        if len(self.raw_times) < 2 or self.iqr == 0:
            return 4
        spread = 2.7 * self.iqr / math.sqrt(len(self.raw_times))
        return max(1, min(4, int(math.log10(self.median / spread)) + 1)) if spread < self.median else 1

    @property
    def has_warnings(self):
        return False

    @property
    def title(self):
        return self.task_spec.title

    def __getattr__(self, name):
        if name in ("stmt", "setup", "label", "sub_label", "description", "env", "num_threads"):
            return getattr(self.task_spec, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self):
        unit, size = select_unit(self.median)
        lines = [f"{type(self).__module__}.{type(self).__name__} object at {id(self):#x}", self.title]
        if self.task_spec.description:
            lines.append(self.task_spec.description)
        if self.task_spec.setup and self.task_spec.setup != "pass":
            lines.append(f"setup: {self.task_spec.setup}")
        if len(self.raw_times) == 1:
            lines.append(f"  {self.median / size:.2f} {unit}")
        else:
            lines.append(f"  Median: {self.median / size:.2f} {unit}")
            lines.append(f"  IQR:    {self.iqr / size:.2f} {unit}")
        runs = len(self.raw_times)
        lines.append(f"  {runs} measurement{'s' if runs > 1 else ''}, {self.number_per_run} "
                     f"run{'s' if self.number_per_run > 1 else ''} per measurement, {self.task_spec.num_threads} "
                     f"thread{'s' if self.task_spec.num_threads > 1 else ''}")
        return "<" + "\n".join(lines) + ">"

    @staticmethod
    def merge(measurements):
        groups = {}
        for one in measurements:
            spec = one.task_spec
            key = spec.stmt, spec.setup, spec.label, spec.sub_label, spec.description, spec.env, spec.num_threads
            groups.setdefault(key, []).append(one)
        return [Measurement(1, [time for one in group for time in one.times], group[0].task_spec) for group in groups.values()]


class Timer:
    """Times a statement of Python, with the threads that it is given."""

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language="python"):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if str(language).lower() not in ("python", "py", "language.python"):
            raise NotImplementedError("torch.utils.benchmark.Timer: nnscope times statements of Python, not of C++")
        self._globals = dict(globals or {})
        self._globals.setdefault("torch", torch)
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip()
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        self._timer = timeit.Timer(stmt, setup, timer, self._globals)

    def _run(self, number):
        before = torch.get_num_threads()
        torch.set_num_threads(self._task_spec.num_threads)
        try:
            return max(self._timer.timeit(number), 1e-9)
        finally:
            torch.set_num_threads(before)

    def timeit(self, number=1000000):
        self._run(max(int(number // 100), 2))
        return Measurement(number, [self._run(number)], self._task_spec)

    def repeat(self, repeat=-1, number=-1):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _estimate(self, min_run_time):
        number = 1
        while True:
            time = self._run(number)
            if time > min_run_time / 1000 or time > min_run_time:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        number = self._estimate(min_run_time)
        times, total = [], 0.0
        while total < min_run_time:
            times.append(self._run(number))
            total += times[-1]
            if callback:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        number = self._estimate(0.05)
        times, total = [], 0.0
        while True:
            times.append(self._run(number))
            total += times[-1]
            if callback:
                callback(number, times[-1])
            made = Measurement(number, times, self._task_spec)
            if total >= max_run_time or (total >= min_run_time and len(times) > 2 and made.iqr / made.median < threshold):
                return made

    def collect_callgrind(self, number=100, **kwargs):
        raise NotImplementedError("torch.utils.benchmark.Timer.collect_callgrind: nnscope starts no processes")


class Compare:
    """A table of measurements: a row for each statement, a column for each description."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)

    def extend_results(self, results):
        for one in results:
            if not isinstance(one, Measurement):
                raise ValueError("Expected an instance of `Measurement`, " f"got {type(one)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        pass

    def colorize(self, rowwise=False):
        pass

    def highlight_warnings(self):
        pass

    def __str__(self):
        merged = Measurement.merge(self._results)
        tables = []
        for label in dict.fromkeys(one.task_spec.label for one in merged):
            group = [one for one in merged if one.task_spec.label == label]
            unit, size = select_unit(min(one.median for one in group))
            columns = list(dict.fromkeys(one.task_spec.description or "" for one in group))
            rows = list(dict.fromkeys((one.task_spec.num_threads, one.task_spec.sub_label or one.task_spec.stmt)
                                      for one in group))
            cells = {((one.task_spec.num_threads, one.task_spec.sub_label or one.task_spec.stmt),
                      one.task_spec.description or ""): f"{one.median / size:.1f}" for one in group}
            width = max(len(name) for _, name in rows)
            widths = [max(len(column), *(len(cells.get((row, column), "")) for row in rows)) for column in columns]
            head = " " * (width + 6) + "  |  " + "  |  ".join(column.center(w) for column, w in zip(columns, widths))
            lines = [f"[{(' ' + (label or '') + ' ').center(len(head), '-')}]", head]
            threads = None
            for row in rows:
                if row[0] != threads:
                    threads = row[0]
                    lines.append(f"{threads} threads: ".ljust(len(head) + 2, "-"))
                lines.append(" " * 6 + row[1].ljust(width) + "  |  " +
                             "  |  ".join(cells.get((row, column), "").rjust(w) for column, w in zip(columns, widths)))
            shown = {"s": "seconds (s)", "ms": "milliseconds (ms)", "us": "microseconds (us)", "ns": "nanoseconds (ns)"}
            tables.append("\n".join([*lines, "", f"Times are in {shown[unit]}."]))
        return "\n\n".join(tables)

    def print(self):
        print(str(self))
