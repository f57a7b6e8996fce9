"""torch.autograd.profiler.record_function. Behaviour: torch/autograd/profiler.py."""
import functools


class record_function:
    """Names what runs inside, for a profiler that runs; as a decorator what a function does."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        pass

    def __call__(self, function):
        @functools.wraps(function)
        def named(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return named
