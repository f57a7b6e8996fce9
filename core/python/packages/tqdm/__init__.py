"""tqdm: how far a loop has come, on stderr. Behaviour: tqdm/std.py.

Differs: where the output is no terminal, and nobody can tell here, a bar is written once, when it is closed."""
import sys
import time

__version__ = "4.67.1"
__all__ = ["tqdm", "tqdm_gui", "trange", "tgrange", "tqdm_pandas", "tqdm_notebook", "tnrange", "main", "TMonitor",
           "TqdmTypeError", "TqdmKeyError", "TqdmWarning", "TqdmDeprecationWarning", "TqdmExperimentalWarning",
           "TqdmMonitorWarning", "TqdmSynchronisationWarning", "__version__"]


class TqdmTypeError(TypeError):
    pass


class TqdmKeyError(KeyError):
    pass


class TqdmWarning(Warning):
    pass


class TqdmDeprecationWarning(Exception):
    pass


class TqdmExperimentalWarning(TqdmWarning, FutureWarning):
    pass


class TqdmMonitorWarning(TqdmWarning, RuntimeWarning):
    pass


class TqdmSynchronisationWarning(TqdmWarning, RuntimeWarning):
    pass


class tqdm:
    """Gives the items of an iterable, and counts them."""

    monitor_interval = 10

    def __init__(self, iterable=None, desc=None, total=None, leave=True, file=None, ncols=None, mininterval=0.1, maxinterval=10.0,
                 miniters=None, ascii=None, disable=False, unit="it", unit_scale=False, dynamic_ncols=False, smoothing=0.3,
                 bar_format=None, initial=0, position=None, postfix=None, unit_divisor=1000, write_bytes=False, lock_args=None,
                 nrows=None, colour=None, delay=0.0, gui=False, **kwargs):
        if kwargs:
            raise TqdmKeyError(f"Unknown argument(s): {kwargs}")
        if total is None and iterable is not None:
            try:
                total = len(iterable)
            except (TypeError, AttributeError):
                total = None
        if total == float("inf"):
            total = None
        self.iterable, self.desc, self.total, self.leave, self.fp = iterable, desc or "", total, leave, file
        self.unit, self.unit_scale, self.unit_divisor, self.bar_format, self.ncols = unit, unit_scale, unit_divisor, bar_format, ncols
        self.initial, self.n, self.disable, self.pos, self.postfix = initial, initial, bool(disable), position or 0, None
        self.mininterval, self.maxinterval, self.miniters, self.smoothing, self.delay = mininterval, maxinterval, miniters or 0, smoothing, delay
        self.start_t, self.last_print_n, self.last_print_t = time.time(), initial, time.time()
        self._is_closed = False
        if isinstance(postfix, dict):
            self.set_postfix(postfix, refresh=False)
        else:
            self.postfix = postfix

    def __iter__(self):
        try:
            for item in self.iterable:
                yield item
                self.n += 1
        finally:
            self.close()

    def __len__(self):
        if self.total is not None:
            return self.total
        return self.iterable.shape[0] if hasattr(self.iterable, "shape") else len(self.iterable)

    def __bool__(self):
        if self.total is not None:
            return self.total > 0
        if self.iterable is None:
            raise TypeError("bool() undefined when iterable == total == None")
        return bool(self.iterable)

    def __contains__(self, item):
        return item in self.iterable

    def __reversed__(self):
        whole, self.iterable = self.iterable, reversed(self.iterable)
        try:
            yield from self
        finally:
            self.iterable = whole

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.close()

    def __repr__(self):
        return self.format_meter(**self.format_dict)

    def __hash__(self):
        return id(self)

    def update(self, n=1):
        if not self.disable:
            self.n += n

    def close(self):
        """The bar as it ended, on a line of its own."""
        if self._is_closed or self.disable:
            return
        self._is_closed = True
        if self.leave:
            (self.fp or sys.stderr).write(f"\r{self}\n")

    def refresh(self, nolock=False, lock_args=None):
        return True

    def display(self, msg=None, pos=None):
        return True

    def clear(self, nolock=False):
        pass

    def unpause(self):
        pass

    def reset(self, total=None):
        self.n, self.start_t, self._is_closed = 0, time.time(), False
        if total is not None:
            self.total = total

    def set_description(self, desc=None, refresh=True):
        self.desc = f"{desc}: " if desc else ""

    def set_description_str(self, desc=None, refresh=True):
        self.desc = desc or ""

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        found = dict(ordered_dict or {})
        found.update(sorted(kwargs.items()))
        shown = []
        for key, value in found.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                value = self.format_num(value)
            shown.append(f"{key}={str(value).strip()}")
        self.postfix = ", ".join(shown)

    def set_postfix_str(self, s="", refresh=True):
        self.postfix = str(s)

    @property
    def format_dict(self):
        return {"n": self.n, "total": self.total, "elapsed": time.time() - self.start_t, "prefix": self.desc, "unit": self.unit,
                "unit_scale": self.unit_scale, "rate": None, "bar_format": self.bar_format, "postfix": self.postfix,
                "unit_divisor": self.unit_divisor, "initial": self.initial, "ncols": self.ncols}

    @staticmethod
    def format_num(n):
        short, whole = f"{n:.3g}".replace("e+0", "e+").replace("e-0", "e-"), str(n)
        return short if len(short) < len(whole) else whole

    @staticmethod
    def format_sizeof(num, suffix="", divisor=1000):
        for unit in ("", "k", "M", "G", "T", "P", "E", "Z"):
            if abs(num) < 999.5:
                if abs(num) < 99.95:
                    return (f"{num:1.2f}" if abs(num) < 9.995 else f"{num:2.1f}") + unit + suffix
                return f"{num:3.0f}" + unit + suffix
            num /= divisor
        return f"{num:3.1f}Y{suffix}"

    @staticmethod
    def format_interval(t):
        minutes, seconds = divmod(int(t), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours:d}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"

    @staticmethod
    def format_meter(n, total, elapsed, ncols=None, prefix="", ascii=False, unit="it", unit_scale=False, rate=None, bar_format=None,
                     postfix=None, unit_divisor=1000, initial=0, colour=None, **extra_kwargs):
        """How far it is: "50%|#####     | 5/10 [00:01<00:01,  4.00it/s]"."""
        if rate is None and elapsed > 0:
            rate = (n - initial) / elapsed
        per_second = "?" if not rate else f"{rate:5.2f}" if not unit_scale else tqdm.format_sizeof(rate, divisor=unit_divisor)
        shown_rate = f"{per_second}{unit}/s" if not rate or rate >= 1 else f"{1 / rate:5.2f}s/{unit}"
        count = tqdm.format_sizeof(n, divisor=unit_divisor) if unit_scale else str(n)
        whole = "?" if total is None else tqdm.format_sizeof(total, divisor=unit_divisor) if unit_scale else str(total)
        took = tqdm.format_interval(elapsed)
        behind = f", {postfix}" if postfix else ""
        prefix = prefix if not prefix or prefix.endswith(": ") else prefix + ": "
        if total is None:
            return f"{prefix}{count}{unit} [{took}, {shown_rate}{behind}]"
        left = tqdm.format_interval((total - n) / rate) if rate else "?"
        share = n / total if total else 0
        filled, part = divmod(int(max(0, min(1, share)) * 100), 10)
        bar = ("#" * filled + (str(part) if part else "")).ljust(10)
        left_bar = f"{prefix}{share * 100:3.0f}%|"
        right_bar = f"| {count}/{whole} [{took}<{left}, {shown_rate}{behind}]"
        if bar_format:
            return bar_format.format(l_bar=left_bar, bar=bar, r_bar=right_bar, n=n, n_fmt=count, total=total, total_fmt=whole,
                                     percentage=share * 100, elapsed=took, elapsed_s=elapsed, remaining=left, rate=rate,
                                     rate_fmt=shown_rate, rate_noinv_fmt=shown_rate, postfix=behind, unit=unit, desc=prefix, ncols=ncols)
        return left_bar + bar + right_bar

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        """Prints a line that no bar is in the way of."""
        (file or sys.stdout).write(f"{s}{end}")

    @classmethod
    def external_write_mode(cls, file=None, nolock=False):
        import contextlib
        return contextlib.nullcontext()

    @classmethod
    def set_lock(cls, lock):
        cls._lock = lock

    @classmethod
    def get_lock(cls):
        import threading
        if not hasattr(cls, "_lock"):
            cls._lock = threading.RLock()
        return cls._lock

    @classmethod
    def pandas(cls, *targs, **tkwargs):
        raise NotImplementedError("tqdm.pandas: nnscope has no pandas")

    @classmethod
    def wrapattr(cls, stream, method, total=None, bytes=True, **tqdm_kwargs):
        raise NotImplementedError("tqdm.wrapattr is not in nnscope")


tqdm_notebook = tqdm_gui = tqdm


def trange(*args, **kwargs):
    """tqdm(range(...))"""
    return tqdm(range(*args), **kwargs)


tgrange = tnrange = trange
