"""Keys and values that ranks share.

Behaviour: torch/csrc/distributed/c10d/{Store,TCPStore,FileStore,HashStore,PrefixStore}.hpp."""
from datetime import timedelta

from torch._C import _distributed_c10d as _c10d

__all__ = ["Store", "TCPStore", "FileStore", "HashStore", "PrefixStore"]

_DEFAULT_TIMEOUT = timedelta(seconds=300)


class Store:
    """What all stores can do; values are bytes."""

    def _name(self, key):
        return key

    @property
    def timeout(self):
        return timedelta(seconds=self._native._timeout())

    def set_timeout(self, timeout):
        self._native._set_timeout(timeout.total_seconds())

    def set(self, key, value):
        self._native.set(self._name(key), value)

    def get(self, key):
        return self._native.get(self._name(key))

    def add(self, key, amount):
        return self._native.add(self._name(key), amount)

    def compare_set(self, key, expected_value, desired_value):
        return self._native.compare_set(self._name(key), expected_value, desired_value)

    def wait(self, keys, timeout=None):
        self._native._wait([self._name(key) for key in keys], None if timeout is None else timeout.total_seconds())

    def check(self, keys):
        return self._native.check([self._name(key) for key in keys])

    def delete_key(self, key):
        return self._native.delete_key(self._name(key))

    def num_keys(self):
        return self._native.num_keys()

    def multi_set(self, keys, values):
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def multi_get(self, keys):
        return [self.get(key) for key in keys]

    def append(self, key, value):
        before = self._native.get(self._name(key)) if self.check([key]) else b""
        self.set(key, before + (value.encode() if isinstance(value, str) else value))


class TCPStore(Store):
    """The store that one process keeps and others reach at its address."""

    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=_DEFAULT_TIMEOUT,
                 wait_for_workers=True, multi_tenant=False, master_listen_fd=None, use_libuv=True):
        self._host, self._port = host_name, port
        size = max(world_size or 2, 2)
        self._native = _c10d._open_store("tcp", host_name, port, "", 0 if is_master else 1, size,
                                         timeout.total_seconds())
        if wait_for_workers and world_size is not None and world_size > 0:
            arrived = self._native.add("init/workers", 1)
            if arrived == world_size:
                self._native.set("init/all", b"1")
            self._native._wait(["init/all"], timeout.total_seconds())

    @property
    def host(self):
        return self._host

    @property
    def port(self):
        return self._port


class FileStore(Store):
    """The store that lies in a file which all processes see."""

    def __init__(self, file_name, world_size=-1):
        self._path = file_name
        self._native = _c10d._open_store("file", "", 0, file_name, 0, max(world_size, 2),
                                         _DEFAULT_TIMEOUT.total_seconds())

    @property
    def path(self):
        return self._path


class HashStore(Store):
    """The store of one process."""

    def __init__(self):
        self._native = _c10d._open_store("hash", "", 0, "", 0, 1, _DEFAULT_TIMEOUT.total_seconds())


class PrefixStore(Store):
    """Another store, with something in front of every key."""

    def __init__(self, prefix, store):
        self._prefix, self._store = prefix, store
        self._native = store._native

    def _name(self, key):
        return self._store._name(f"{self._prefix}/{key}")

    @property
    def underlying_store(self):
        return self._store
