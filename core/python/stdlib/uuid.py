"""Identifiers of 128 bits. Behaviour: RFC 9562; CPython Lib/uuid.py."""
import os
import time
from enum import Enum
from hashlib import md5, sha1

RESERVED_NCS, RFC_4122, RESERVED_MICROSOFT, RESERVED_FUTURE = (
    "reserved for NCS compatibility", "specified in RFC 4122", "reserved for Microsoft compatibility",
    "reserved for future definition")


class SafeUUID(Enum):
    """Whether an identifier was made safely for several processes."""

    safe = 0
    unsafe = -1
    unknown = None


class UUID:
    """One identifier, which does not change."""

    __slots__ = ("int", "is_safe", "__weakref__")

    def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None, *,
                 is_safe=SafeUUID.unknown):
        given = [hex, bytes, bytes_le, fields, int]
        if given.count(None) != 4:
            raise TypeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given")
        if hex is not None:
            hex = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
            if len(hex) != 32:
                raise ValueError("badly formed hexadecimal UUID string")
            int = _integer(hex, 16)
        elif bytes_le is not None:
            if len(bytes_le) != 16:
                raise ValueError("bytes_le is not a 16-char string")
            bytes = bytes_le[3::-1] + bytes_le[5:3:-1] + bytes_le[7:5:-1] + bytes_le[8:]
            int = _integer.from_bytes(bytes, "big")
        elif bytes is not None:
            if len(bytes) != 16:
                raise ValueError("bytes is not a 16-char string")
            int = _integer.from_bytes(bytes, "big")
        elif fields is not None:
            if len(fields) != 6:
                raise ValueError("fields is not a 6-tuple")
            int = 0
            for value, bits, shown in zip(fields, (32, 16, 16, 8, 8, 48), range(1, 7)):
                if not 0 <= value < 1 << bits:
                    raise ValueError(f"field {shown} out of range (need a {bits}-bit value)")
                int = int << bits | value
        if not 0 <= int < 1 << 128:
            raise ValueError("int is out of range (need a 128-bit value)")
        if version is not None:
            if not 1 <= version <= 8:
                raise ValueError("illegal version number")
            int = int & ~(0xF000 << 64) & ~(0xC000 << 48) | 0x8000 << 48 | version << 76
        object.__setattr__(self, "int", int)
        object.__setattr__(self, "is_safe", is_safe)

    def __setattr__(self, name, value):
        raise TypeError("UUID objects are immutable")

    def __getstate__(self):
        return {"int": self.int}

    def __setstate__(self, state):
        object.__setattr__(self, "int", state["int"])
        object.__setattr__(self, "is_safe", SafeUUID.unknown)

    def __eq__(self, other):
        return self.int == other.int if isinstance(other, UUID) else NotImplemented

    def __lt__(self, other):
        return self.int < other.int if isinstance(other, UUID) else NotImplemented

    def __gt__(self, other):
        return self.int > other.int if isinstance(other, UUID) else NotImplemented

    def __le__(self, other):
        return self.int <= other.int if isinstance(other, UUID) else NotImplemented

    def __ge__(self, other):
        return self.int >= other.int if isinstance(other, UUID) else NotImplemented

    def __hash__(self):
        return hash(self.int)

    def __int__(self):
        return self.int

    def __str__(self):
        text = f"{self.int:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    hex = property(lambda self: f"{self.int:032x}")
    bytes = property(lambda self: self.int.to_bytes(16, "big"))
    urn = property(lambda self: f"urn:uuid:{self}")
    time_low = property(lambda self: self.int >> 96)
    time_mid = property(lambda self: self.int >> 80 & 0xFFFF)
    time_hi_version = property(lambda self: self.int >> 64 & 0xFFFF)
    clock_seq_hi_variant = property(lambda self: self.int >> 56 & 0xFF)
    clock_seq_low = property(lambda self: self.int >> 48 & 0xFF)
    clock_seq = property(lambda self: (self.clock_seq_hi_variant & 0x3F) << 8 | self.clock_seq_low)
    node = property(lambda self: self.int & 0xFFFFFFFFFFFF)
    fields = property(lambda self: (self.time_low, self.time_mid, self.time_hi_version, self.clock_seq_hi_variant,
                                    self.clock_seq_low, self.node))

    @property
    def bytes_le(self):
        all_of_it = self.bytes
        return all_of_it[3::-1] + all_of_it[5:3:-1] + all_of_it[7:5:-1] + all_of_it[8:]

    @property
    def time(self):
        if self.version == 6:
            return (self.time_low << 28) + (self.time_mid << 12) + (self.time_hi_version & 0x0FFF)
        if self.version == 7:
            return self.int >> 80
        return ((self.time_hi_version & 0x0FFF) << 48) + (self.time_mid << 32) + self.time_low

    @property
    def variant(self):
        if not self.int & 0x8000 << 48:
            return RESERVED_NCS
        if not self.int & 0x4000 << 48:
            return RFC_4122
        return RESERVED_FUTURE if self.int & 0x2000 << 48 else RESERVED_MICROSOFT

    @property
    def version(self):
        return self.int >> 76 & 0xF if self.variant == RFC_4122 else None


_integer = int
_node = None


def getnode():
    """A number for this machine: drawn once for each program, since nnscope asks no hardware."""
    global _node
    if _node is None:
        _node = int.from_bytes(os.urandom(6), "big") | 1 << 40
    return _node


def uuid1(node=None, clock_seq=None):
    moment = time.time_ns() // 100 + 0x01B21DD213814000
    if clock_seq is None:
        clock_seq = int.from_bytes(os.urandom(2), "big") & 0x3FFF
    return UUID(fields=(moment & 0xFFFFFFFF, moment >> 32 & 0xFFFF, moment >> 48 & 0x0FFF, clock_seq >> 8 & 0x3F,
                        clock_seq & 0xFF, getnode() if node is None else node), version=1)


def uuid3(namespace, name):
    if isinstance(name, str):
        name = name.encode()
    return UUID(bytes=md5(namespace.bytes + name, usedforsecurity=False).digest(), version=3)


def uuid4():
    return UUID(bytes=os.urandom(16), version=4)


def uuid5(namespace, name):
    if isinstance(name, str):
        name = name.encode()
    return UUID(bytes=sha1(namespace.bytes + name).digest()[:16], version=5)


def uuid6(node=None, clock_seq=None):
    moment = time.time_ns() // 100 + 0x01B21DD213814000
    if clock_seq is None:
        clock_seq = int.from_bytes(os.urandom(2), "big") & 0x3FFF
    made = (moment >> 28 & 0xFFFFFFFF) << 96 | (moment >> 12 & 0xFFFF) << 80 | (moment & 0xFFF) << 64
    return UUID(int=made | (clock_seq & 0x3FFF) << 48 | (getnode() if node is None else node) & 0xFFFFFFFFFFFF,
                version=6)


def uuid7():
    return UUID(int=(time.time_ns() // 10**6 & 0xFFFFFFFFFFFF) << 80 | int.from_bytes(os.urandom(10), "big"), version=7)


def uuid8(a=None, b=None, c=None):
    parts = [int.from_bytes(os.urandom(8), "big") & (1 << bits) - 1 if given is None else given & (1 << bits) - 1
             for given, bits in ((a, 48), (b, 12), (c, 62))]
    return UUID(int=parts[0] << 80 | parts[1] << 64 | parts[2], version=8)


NAMESPACE_DNS = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_URL = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_OID = UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_X500 = UUID("6ba7b814-9dad-11d1-80b4-00c04fd430c8")
NIL = UUID("00000000-0000-0000-0000-000000000000")
MAX = UUID("ffffffff-ffff-ffff-ffff-ffffffffffff")
