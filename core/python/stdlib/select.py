"""Waiting for files and sockets, which programs do not do here. Behaviour: CPython Modules/selectmodule.c; refused by name."""
error = OSError
POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL = 1, 2, 4, 8, 16, 32
EPOLLIN, EPOLLPRI, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLET = 1, 2, 4, 8, 16, 1 << 31


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"select.{name}: nnscope opens no network")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


select, poll, epoll = map(_refused, ("select", "poll", "epoll"))
