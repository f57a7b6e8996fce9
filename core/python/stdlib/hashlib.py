"""Digests: hashlib.sha256(b"...").hexdigest(). Behaviour: CPython Lib/hashlib.py.

The bytes are kept until they are asked about; scrypt is refused by its name."""
import _digests

# name: (digest size, block size)
_sizes = {"md5": (16, 64), "sha1": (20, 64), "sha224": (28, 64), "sha256": (32, 64), "sha384": (48, 128),
          "sha512": (64, 128), "sha3_224": (28, 144), "sha3_256": (32, 136), "sha3_384": (48, 104),
          "sha3_512": (64, 72), "shake_128": (0, 168), "shake_256": (0, 136), "blake2b": (64, 128),
          "blake2s": (32, 64)}
algorithms_guaranteed = set(_sizes)
algorithms_available = set(_sizes)


def _as_bytes(data):
    if isinstance(data, str):
        raise TypeError("Strings must be encoded before hashing")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("object supporting the buffer API required")
    return bytes(data)


class HASH:
    """One digest that grows by update()."""

    def __init__(self, name, data=b"", key=b"", size=None):
        self.name = name
        self.digest_size, self.block_size = _sizes[name]
        if size is not None:
            self.digest_size = size
        self._parts = []
        self._key = key
        self.update(data)

    def update(self, obj, /):
        self._parts.append(_as_bytes(obj))

    def _joined(self):
        if len(self._parts) > 1:
            self._parts = [b"".join(self._parts)]
        return self._parts[0]

    def digest(self):
        return _digests.digest(self.name, self._joined(), self.digest_size, self._key)

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        made = type(self)(self.name, self._joined(), self._key, self.digest_size)
        return made

    def __repr__(self):
        return f"<{self.name} _hashlib.HASH object @ {id(self):#x}>"


class HASHXOF(HASH):
    """One whose length its user says."""

    def digest(self, length):
        if length < 0:
            raise ValueError("value must be positive")
        return _digests.digest(self.name, self._joined(), length, b"")

    def hexdigest(self, length):
        return self.digest(length).hex()


HASH.__module__ = HASHXOF.__module__ = "_hashlib"


def _make(name):
    cls = HASHXOF if name.startswith("shake") else HASH

    def construct(data=b"", *, usedforsecurity=True, string=None):
        return cls(name, data if string is None else string)

    construct.__name__ = construct.__qualname__ = f"openssl_{name}"
    return construct


def _make_blake(name):
    most = _sizes[name][0]

    def construct(data=b"", /, *, digest_size=most, key=b"", salt=b"", person=b"", fanout=1, depth=1, leaf_size=0,
                  node_offset=0, node_depth=0, inner_size=0, last_node=False, usedforsecurity=True):
        if not 1 <= digest_size <= most:
            raise ValueError(f"digest_size for {name.capitalize()} must be between 1 and {most} bytes, here it is "
                             f"{digest_size}")
        if len(key) > most:
            raise ValueError(f"maximum key length is {most} bytes")
        if salt or person or last_node or (fanout, depth, leaf_size, node_offset, node_depth, inner_size) != (1, 1, 0, 0, 0, 0):
            raise NotImplementedError(f"nnscope has no hashlib.{name}() with salt, person or a tree")
        return HASH(name, data, _as_bytes(key), digest_size)

    construct.__name__ = construct.__qualname__ = name
    return construct


for _name in _sizes:
    globals()[_name] = _make_blake(_name) if _name.startswith("blake") else _make(_name)


def new(name, data=b"", *, usedforsecurity=True, string=None, **kwargs):
    """hashlib.new("sha256", data)."""
    found = name.lower().replace("-", "_") if isinstance(name, str) else name
    found = {"sha_1": "sha1", "sha_224": "sha224", "sha_256": "sha256", "sha_384": "sha384",
             "sha_512": "sha512"}.get(found, found)
    if found not in _sizes:
        raise ValueError(f"unsupported hash type {name}")
    return globals()[found](data if string is None else string, **kwargs)


def file_digest(fileobj, digest, /, *, _bufsize=2**18):
    """The digest of what a binary file holds from where it stands."""
    made = new(digest) if isinstance(digest, str) else digest()
    while part := fileobj.read(_bufsize):
        made.update(part)
    return made


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """A key of a password. Behaviour: RFC 8018."""
    size, block = _sizes[new(hash_name).name]
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    dklen = size if dklen is None else dklen
    if dklen < 1:
        raise ValueError("key length must be greater than 0.")
    key = _as_bytes(password)
    if len(key) > block:
        key = new(hash_name, key).digest()
    key += bytes(block - len(key))
    inner, outer = bytes(one ^ 0x36 for one in key), bytes(one ^ 0x5C for one in key)

    def mac(text):
        return new(hash_name, outer + new(hash_name, inner + text).digest()).digest()

    out, number = b"", 1
    while len(out) < dklen:
        last = mac(_as_bytes(salt) + number.to_bytes(4, "big"))
        total = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            last = mac(last)
            total ^= int.from_bytes(last, "big")
        out += total.to_bytes(size, "big")
        number += 1
    return out[:dklen]


def __getattr__(name):
    if name == "scrypt":
        raise NotImplementedError("nnscope has no hashlib.scrypt()")
    raise AttributeError(f"module 'hashlib' has no attribute {name!r}")
