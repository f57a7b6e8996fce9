"""Signals. Behaviour: CPython Lib/signal.py.

Handlers are kept and given back; only raise_signal() calls them: a process of nnscope hears of no signal but Ctrl+C,
which raises KeyboardInterrupt."""
import enum as _enum


class Signals(_enum.IntEnum):
    SIGHUP = 1
    SIGINT = 2
    SIGQUIT = 3
    SIGILL = 4
    SIGTRAP = 5
    SIGABRT = 6
    SIGBUS = 7
    SIGFPE = 8
    SIGKILL = 9
    SIGUSR1 = 10
    SIGSEGV = 11
    SIGUSR2 = 12
    SIGPIPE = 13
    SIGALRM = 14
    SIGTERM = 15
    SIGCHLD = 17
    SIGCONT = 18
    SIGSTOP = 19
    SIGTSTP = 20
    SIGTTIN = 21
    SIGTTOU = 22
    SIGWINCH = 28


class Handlers(_enum.IntEnum):
    SIG_DFL = 0
    SIG_IGN = 1


globals().update({one.name: one for one in (*Signals, *Handlers)})
NSIG = 65
ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF = 0, 1, 2


def default_int_handler(signalnum, frame, /):
    raise KeyboardInterrupt


_handlers = {one: Handlers.SIG_DFL for one in Signals}
_handlers[Signals.SIGINT] = default_int_handler
_handlers[Signals.SIGPIPE] = Handlers.SIG_IGN


def _known(signalnum):
    if not isinstance(signalnum, int):
        raise TypeError(f"'{type(signalnum).__name__}' object cannot be interpreted as an integer")
    if not 1 <= signalnum < NSIG:
        raise ValueError("signal number out of range")
    try:
        return Signals(signalnum)
    except ValueError:
        return int(signalnum)


def signal(signalnum, handler, /):
    """Keeps what to do; gives what was kept before."""
    one = _known(signalnum)
    if not callable(handler) and handler not in (Handlers.SIG_DFL, Handlers.SIG_IGN):
        raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object")
    if one in (Signals.SIGKILL, Signals.SIGSTOP):
        raise OSError(22, "Invalid argument")
    before = _handlers.get(one, Handlers.SIG_DFL)
    _handlers[one] = handler if callable(handler) else Handlers(handler)
    return before


def getsignal(signalnum, /):
    return _handlers.get(_known(signalnum), Handlers.SIG_DFL)


def raise_signal(signalnum, /):
    one = _known(signalnum)
    handler = _handlers.get(one, Handlers.SIG_DFL)
    if callable(handler):
        handler(int(one), None)
    elif handler == Handlers.SIG_DFL and one not in (Signals.SIGCHLD, Signals.SIGCONT, Signals.SIGWINCH):
        raise SystemExit(128 + int(one))


def strsignal(signalnum, /):
    texts = {1: "Hangup", 2: "Interrupt", 3: "Quit", 4: "Illegal instruction", 5: "Trace/breakpoint trap", 6: "Aborted",
             7: "Bus error", 8: "Floating point exception", 9: "Killed", 10: "User defined signal 1",
             11: "Segmentation fault", 12: "User defined signal 2", 13: "Broken pipe", 14: "Alarm clock",
             15: "Terminated", 17: "Child exited", 18: "Continued", 19: "Stopped (signal)", 20: "Stopped"}
    return texts.get(int(_known(signalnum)))


def valid_signals():
    return set(Signals)


def _refuse(name):
    def refuse(*args):
        raise NotImplementedError(f"signal.{name}: nnscope sends no signals")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


alarm, setitimer, pause, sigwait, pthread_kill, set_wakeup_fd, siginterrupt = map(
    _refuse, ("alarm", "setitimer", "pause", "sigwait", "pthread_kill", "set_wakeup_fd", "siginterrupt"))
