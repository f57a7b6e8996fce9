"""Digests with a key: RFC 2104. Behaviour: CPython Lib/hmac.py."""
import hashlib as _hashlib


def compare_digest(a, b, /):
    """Whether two texts or bytes are equal."""
    if isinstance(a, str) and isinstance(b, str):
        if not (a.isascii() and b.isascii()):
            raise TypeError("comparing strings with non-ASCII characters is not supported")
        return a == b
    if not isinstance(a, (bytes, bytearray)) or not isinstance(b, (bytes, bytearray)):
        raise TypeError(f"unsupported operand types(s) or combination of types: '{type(a).__name__}' and "
                        f"'{type(b).__name__}'")
    return bytes(a) == bytes(b)


class HMAC:
    """A digest that grows."""

    def __init__(self, key, msg=None, digestmod=""):
        if not isinstance(key, (bytes, bytearray)):
            raise TypeError(f"key: expected bytes or bytearray, but got {type(key).__name__!r}")
        if not digestmod:
            raise TypeError("Missing required argument 'digestmod'.")
        if callable(digestmod):
            self._make = digestmod
        elif isinstance(digestmod, str):
            self._make = lambda data=b"": _hashlib.new(digestmod, data)
        else:
            self._make = lambda data=b"": digestmod.new(data)
        inner = self._make()
        self.digest_size, self.block_size = inner.digest_size, inner.block_size
        self.name = f"hmac-{inner.name}"
        key = bytes(key)
        if len(key) > self.block_size:
            key = self._make(key).digest()
        key = key.ljust(self.block_size, b"\x00")
        self._outer_key = bytes(code ^ 0x5C for code in key)
        self._inner = self._make(bytes(code ^ 0x36 for code in key))
        if msg is not None:
            self.update(msg)

    def update(self, msg):
        self._inner.update(msg)

    def copy(self):
        made = HMAC.__new__(HMAC)
        made.__dict__.update(self.__dict__)
        made._inner = self._inner.copy()
        return made

    def digest(self):
        return self._make(self._outer_key + self._inner.digest()).digest()

    def hexdigest(self):
        return self.digest().hex()


def new(key, msg=None, digestmod=""):
    return HMAC(key, msg, digestmod)


def digest(key, msg, digest):
    return HMAC(key, msg, digest).digest()
