"""Functions that are called when the program has ended. Behaviour: CPython Modules/atexitmodule.c."""
import sys as _sys

_functions = []


def register(func, /, *args, **kwargs):
    """Keeps a call; the newest is made first. Gives the function, so that it decorates."""
    if not callable(func):
        raise TypeError("the first argument must be callable")
    _functions.append((func, args, kwargs))
    return func


def unregister(func, /):
    _functions[:] = [one for one in _functions if not one[0] == func]


def _clear():
    _functions.clear()


def _ncallbacks():
    return len(_functions)


def _run_exitfuncs():
    while _functions:
        func, args, kwargs = _functions.pop()
        try:
            func(*args, **kwargs)
        except SystemExit:
            continue
        except BaseException as problem:
            import traceback
            print(f"Exception ignored in atexit callback {func!r}:", file=_sys.stderr)
            traceback.print_exception(problem, file=_sys.stderr)
