"""How ranks find each other: env://, tcp://, file://.

Behaviour: torch/distributed/rendezvous.py."""
import os

from torch._C import _distributed_c10d as _c10d
from torch.distributed.stores import Store

__all__ = ["register_rendezvous_handler", "rendezvous"]

_handlers = {}


def register_rendezvous_handler(scheme, handler):
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def _error(url, what):
    return ValueError(f"Error initializing torch.distributed using {url} rendezvous: {what}")


def _query(url):
    """What stands before the question mark, and what behind it as a dict."""
    address, _, query = url.partition("?")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return address, {name: value for name, _, value in pairs}


def _store_at(scheme, host, port, path, rank, size, seconds):
    store = Store()
    store._native = _c10d._open_store(scheme, host, port, path, rank, size, seconds)
    return store


def _from_environment(name, given, query):
    if given != -1:
        return int(given)
    if name.lower() in query:
        return int(query[name.lower()])
    if name not in os.environ:
        raise _error("env://", f"environment variable {name} expected, but not set")
    return int(os.environ[name])


def _environment(query, rank, size, seconds):
    rank = _from_environment("RANK", rank, query)
    size = _from_environment("WORLD_SIZE", size, query)
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in os.environ:
            raise _error("env://", f"environment variable {name} expected, but not set")
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return _store_at("tcp", host, port, "", rank, size, seconds), rank, size


def _tcp(address, query, rank, size, seconds):
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    if not host or not port.isdigit():
        raise _error("tcp://", "port number missing")
    for name, given in (("rank", rank), ("world_size", size)):
        if given == -1 and name not in query:
            raise _error("tcp://", ("rank" if name == "rank" else "world size") + " parameter missing")
    rank = int(query["rank"]) if rank == -1 else rank
    size = int(query["world_size"]) if size == -1 else size
    return _store_at("tcp", host.strip("[]"), int(port), "", rank, size, seconds), rank, size


def _file(address, query, rank, size, seconds):
    path = address.removeprefix("file://")
    if not path:
        raise _error("file://", "path missing")
    for name, given in (("rank", rank), ("world_size", size)):
        if given == -1 and name not in query:
            raise _error("file://", ("rank" if name == "rank" else "world size") + " parameter missing")
    rank = int(query["rank"]) if rank == -1 else rank
    size = int(query["world_size"]) if size == -1 else size
    return _store_at("file", "", 0, path, rank, size, seconds), rank, size


def _open(url, rank, size, seconds):
    """The store, the rank, the number of ranks."""
    address, query = _query(url)
    scheme = address.partition("://")[0]
    if scheme == "env":
        return _environment(query, rank, size, seconds)
    if scheme == "tcp":
        return _tcp(address, query, rank, size, seconds)
    if scheme == "file":
        return _file(address, query, rank, size, seconds)
    if scheme in _handlers:
        return next(iter(_handlers[scheme](url)))
    raise RuntimeError(f"No rendezvous handler for {scheme}://")


def rendezvous(url, rank=-1, world_size=-1, **kwargs):
    """Yields (store, rank, world_size)."""
    if not isinstance(url, str):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    timeout = kwargs.get("timeout")
    yield _open(url, rank, world_size, 300.0 if timeout is None else timeout.total_seconds())
