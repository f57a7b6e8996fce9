"""How long small pieces of programs take."""

from time import perf_counter as default_timer

__all__ = ["Timer", "timeit", "repeat", "default_timer"]

default_number, default_repeat = 1000000, 5


class Timer:
    """Runs a text or a function many times."""

    def __init__(self, stmt="pass", setup="pass", timer=default_timer, globals=None):
        self.timer = timer
        self._names = {} if globals is None else globals
        for given, name in ((stmt, "stmt"), (setup, "setup")):
            if not isinstance(given, str) and not callable(given):
                raise ValueError(f"{name} is neither a string nor callable")
        self._setup, self._stmt = setup, stmt

    def _runner(self, given, names):
        if callable(given):
            return given
        code = compile(given, "<timeit-src>", "exec")
        return lambda: exec(code, names)

    def timeit(self, number=default_number):
        """Seconds of `number` runs."""
        names = dict(self._names)
        self._runner(self._setup, names)()
        run = self._runner(self._stmt, names)
        start = self.timer()
        for _ in range(number):
            run()
        return self.timer() - start

    def repeat(self, repeat=default_repeat, number=default_number):
        """The same several times."""
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        """(number, seconds) of so many runs that they take a fifth of a second."""
        scale = 1
        while True:
            for digit in (1, 2, 5):
                number = scale * digit
                taken = self.timeit(number)
                if callback:
                    callback(number, taken)
                if taken >= 0.2:
                    return number, taken
            scale *= 10


def timeit(stmt="pass", setup="pass", timer=default_timer, number=default_number, globals=None):
    """Seconds of `number` runs."""
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt="pass", setup="pass", timer=default_timer, repeat=default_repeat, number=default_number, globals=None):
    """The same several times."""
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
