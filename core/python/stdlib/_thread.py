"""What module threading stands on, for programs that ask it. Behaviour: CPython Modules/_threadmodule.c."""
from threading import RLock, TIMEOUT_MAX, get_ident, get_native_id, lock, local as _local, stack_size

LockType = lock
error = RuntimeError


def allocate_lock():
    return lock()


allocate = allocate_lock


def start_new_thread(function, args, kwargs={}, /):
    """Runs function(*args, **kwargs) in a thread; gives its number."""
    from threading import Thread
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")
    made = Thread(target=function, args=args, kwargs=dict(kwargs), daemon=True)
    made.start()
    return made.ident


start_new = start_new_thread


def exit():
    raise SystemExit


exit_thread = exit
