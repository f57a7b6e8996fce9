"""Addresses of IPv4 and IPv6. Behaviour: CPython 3.14, Lib/ipaddress.py."""
import functools as _functools


class AddressValueError(ValueError):
    """No address."""


class NetmaskValueError(ValueError):
    """No net mask."""


AddressValueError.__module__ = NetmaskValueError.__module__ = "ipaddress"


def parsed_v4(text):
    """Errors: AddressValueError."""
    if not text:
        raise AddressValueError("Address cannot be empty")
    octets = text.split(".")
    if len(octets) != 4:
        raise AddressValueError("Expected 4 octets in %r" % text)
    made = 0
    for octet in octets:
        problem = None
        if not octet:
            problem = "Empty octet not permitted"
        elif not (octet.isascii() and octet.isdigit()):
            problem = "Only decimal digits permitted in %r" % octet
        elif len(octet) > 3:
            problem = "At most 3 characters permitted in %r" % octet
        elif octet != "0" and octet[0] == "0":
            problem = "Leading zeros are not permitted in %r" % octet
        elif int(octet) > 255:
            problem = "Octet %d (> 255) not permitted" % int(octet)
        if problem:
            raise AddressValueError("%s in %r" % (problem, text))
        made = made << 8 | int(octet)
    return made


def parsed_v6(text):
    """Errors: AddressValueError."""
    if not text:
        raise AddressValueError("Address cannot be empty")
    if len(text) > 45:
        shown = text if len(text) <= 90 else f"{text[:45]}({len(text) - 90} chars elided){text[-45:]}"
        raise AddressValueError(f"At most 45 characters expected in {shown!r}")
    parts = text.split(":")
    if len(parts) < 3:
        raise AddressValueError("At least %d parts expected in %r" % (3, text))
    if "." in parts[-1]:
        try:
            four = parsed_v4(parts.pop())
        except AddressValueError as error:
            raise AddressValueError("%s in %r" % (error, text)) from None
        parts += ["%x" % (four >> 16), "%x" % (four & 0xFFFF)]
    if len(parts) > 9:
        raise AddressValueError("At most %d colons permitted in %r" % (8, text))
    gaps = [at for at in range(1, len(parts) - 1) if not parts[at]]
    if len(gaps) > 1:
        raise AddressValueError("At most one '::' permitted in %r" % text)
    if gaps:
        before, after = gaps[0], len(parts) - gaps[0] - 1
        if not parts[0]:
            before -= 1
            if before:
                raise AddressValueError("Leading ':' only permitted as part of '::' in %r" % text)
        if not parts[-1]:
            after -= 1
            if after:
                raise AddressValueError("Trailing ':' only permitted as part of '::' in %r" % text)
        if before + after > 7:
            raise AddressValueError("Expected at most %d other parts with '::' in %r" % (7, text))
    else:
        if len(parts) != 8:
            raise AddressValueError("Exactly %d parts expected without '::' in %r" % (8, text))
        if not parts[0]:
            raise AddressValueError("Leading ':' only permitted as part of '::' in %r" % text)
        if not parts[-1]:
            raise AddressValueError("Trailing ':' only permitted as part of '::' in %r" % text)
        before, after = 8, 0
    groups = parts[:before] + ["0"] * (8 - before - after) + (parts[len(parts) - after:] if after else [])
    made = 0
    for group in groups:
        if group.strip("0123456789abcdefABCDEF"):
            raise AddressValueError("%s in %r" % ("Only hex digits permitted in %r" % group, text))
        if len(group) > 4:
            raise AddressValueError("%s in %r" % ("At most 4 characters permitted in %r" % group, text))
        made = made << 16 | int(group or "0", 16)
    return made


def text_v6(number):
    """The shortest form: the longest row of zeros (the first of several) is "::"."""
    groups = ["%x" % (number >> shift & 0xFFFF) for shift in range(112, -1, -16)]
    best, at = 1, None
    begin = 0
    while begin < 8:
        end = begin
        while end < 8 and groups[end] == "0":
            end += 1
        if end - begin > best:
            best, at = end - begin, begin
        begin = max(end, begin + 1)
    if at is None:
        return ":".join(groups)
    return ":".join(groups[:at]) + "::" + ":".join(groups[at + best:])


@_functools.total_ordering
class _Address:
    """A number of `max_prefixlen` bits."""

    __slots__ = ("_ip", "__weakref__")

    def _take(self, address):
        """Errors: AddressValueError."""
        if isinstance(address, int):
            if address < 0:
                raise AddressValueError("%d (< 0) is not permitted as an IPv%d address" % (address, self.version))
            if address > self._ALL_ONES:
                raise AddressValueError("%d (>= 2**%d) is not permitted as an IPv%d address"
                                        % (address, self.max_prefixlen, self.version))
            self._ip = int(address)
            return True
        if isinstance(address, bytes):
            if len(address) != self.max_prefixlen // 8:
                raise AddressValueError("%r (len %d != %d) is not permitted as an IPv%d address"
                                        % (address, len(address), self.max_prefixlen // 8, self.version))
            self._ip = int.from_bytes(address, "big")
            return True
        return False

    def __int__(self):
        return self._ip

    def __eq__(self, other):
        if not isinstance(other, _Address):
            return NotImplemented
        return self._ip == other._ip and self.version == other.version

    def __lt__(self, other):
        if not isinstance(other, _Address):
            return NotImplemented
        if self.version != other.version:
            raise TypeError("%s and %s are not of the same version" % (self, other))
        return self._ip < other._ip

    def __hash__(self):
        return hash(hex(self._ip))

    def __add__(self, other):
        return self.__class__(int(self) + other) if isinstance(other, int) else NotImplemented

    def __sub__(self, other):
        return self.__class__(int(self) - other) if isinstance(other, int) else NotImplemented

    def __repr__(self):
        return "%s(%r)" % (self.__class__.__name__, str(self))

    def __reduce__(self):
        return (self.__class__, (str(self),))

    def __format__(self, spec):
        """`b`, `x`, `X`, `n` are its bits (with `#` and `_`), `s` the text. Errors: TypeError."""
        if not spec or spec[-1] == "s":
            return format(str(self), spec)
        if spec.removeprefix("#").removeprefix("_") not in ("b", "x", "X", "n"):
            raise TypeError(f"unsupported format string passed to {type(self).__name__}.__format__")
        kind = spec[-1]
        if kind == "n":
            kind = "b" if self.version == 4 else "x"
        width = self.max_prefixlen // {"b": 1, "x": 4, "X": 4}[kind]
        marks = spec[:-1]
        width += (width // 4 - 1 if "_" in marks else 0) + (2 if "#" in marks else 0)
        return format(self._ip, f"{'#' if '#' in marks else ''}0{width}{'_' if '_' in marks else ''}{kind}")

    compressed = property(lambda self: str(self))
    packed = property(lambda self: self._ip.to_bytes(self.max_prefixlen // 8, "big"))

    def _among(self, networks):
        return any(self._ip & mask == first for first, mask in networks)


def _ranges(parse, bits, *texts):
    """[(first, mask)] of networks."""
    made = []
    for text in texts:
        first, _, length = text.partition("/")
        made.append((parse(first), (1 << bits) - (1 << bits - int(length))))
    return made


def _v4(*texts):
    return _ranges(parsed_v4, 32, *texts)


def _v6(*texts):
    return _ranges(parsed_v6, 128, *texts)


# The registries of special-purpose addresses of IANA.
_V4_PRIVATE = _v4("0.0.0.0/8", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
                  "192.0.0.170/31", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
                  "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32")
_V4_NOT_PRIVATE = _v4("192.0.0.9/32", "192.0.0.10/32")
_V4_SHARED = _v4("100.64.0.0/10")
_V6_PRIVATE = _v6("::1/128", "::/128", "::ffff:0:0/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
                  "2002::/16", "3fff::/20", "fc00::/7", "fe80::/10")
_V6_NOT_PRIVATE = _v6("2001:1::1/128", "2001:1::2/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28")
_V6_RESERVED = _v6("::/8", "100::/8", "200::/7", "400::/6", "800::/5", "1000::/4", "4000::/3", "6000::/3", "8000::/3",
                   "A000::/3", "C000::/3", "E000::/4", "F000::/5", "F800::/6", "FE00::/9")


class IPv4Address(_Address):
    __slots__ = ()
    __module__ = "ipaddress"
    version, max_prefixlen, _ALL_ONES = 4, 32, 2 ** 32 - 1

    def __init__(self, address):
        if self._take(address):
            return
        text = str(address)
        if "/" in text:
            raise AddressValueError(f"Unexpected '/' in {text!r}")
        self._ip = parsed_v4(text)

    def __str__(self):
        return ".".join(map(str, self.packed))

    exploded = property(lambda self: str(self))
    reverse_pointer = property(lambda self: ".".join(reversed(str(self).split("."))) + ".in-addr.arpa")
    is_private = property(lambda self: self._among(_V4_PRIVATE) and not self._among(_V4_NOT_PRIVATE))
    is_global = property(lambda self: not self._among(_V4_SHARED) and not self.is_private)
    is_multicast = property(lambda self: self._ip >> 28 == 0xE)
    is_reserved = property(lambda self: self._ip >> 28 == 0xF)
    is_unspecified = property(lambda self: self._ip == 0)
    is_loopback = property(lambda self: self._ip >> 24 == 127)
    is_link_local = property(lambda self: self._ip >> 16 == 0xA9FE)

    @property
    def ipv6_mapped(self):
        return IPv6Address(0xFFFF << 32 | self._ip)


class IPv6Address(_Address):
    __slots__ = ("_scope_id",)
    __module__ = "ipaddress"
    version, max_prefixlen, _ALL_ONES = 6, 128, 2 ** 128 - 1

    def __init__(self, address):
        self._scope_id = None
        if self._take(address):
            return
        text = str(address)
        if "/" in text:
            raise AddressValueError(f"Unexpected '/' in {text!r}")
        text, percent, scope = text.partition("%")
        if percent:
            if not scope or "%" in scope:
                raise AddressValueError('Invalid IPv6 address: "%r"' % str(address))
            self._scope_id = scope
        self._ip = parsed_v6(text)

    scope_id = property(lambda self: self._scope_id)

    def __str__(self):
        four = self.ipv4_mapped
        text = text_v6(self._ip) if four is None else f"::ffff:{four}"
        return f"{text}%{self._scope_id}" if self._scope_id else text

    def __eq__(self, other):
        found = super().__eq__(other)
        return found if found is not True else self._scope_id == getattr(other, "_scope_id", None)

    def __hash__(self):
        return hash((self._ip, self._scope_id))

    @property
    def exploded(self):
        return ":".join("%04x" % (self._ip >> shift & 0xFFFF) for shift in range(112, -1, -16))

    @property
    def reverse_pointer(self):
        return ".".join(reversed(self.exploded.replace(":", ""))) + ".ip6.arpa"

    @property
    def ipv4_mapped(self):
        return IPv4Address(self._ip & 0xFFFFFFFF) if self._ip >> 32 == 0xFFFF else None

    @property
    def teredo(self):
        if self._ip >> 96 != 0x20010000:
            return None
        return IPv4Address(self._ip >> 64 & 0xFFFFFFFF), IPv4Address(~self._ip & 0xFFFFFFFF)

    @property
    def sixtofour(self):
        return IPv4Address(self._ip >> 80 & 0xFFFFFFFF) if self._ip >> 112 == 0x2002 else None

    def _asked(self, name, own):
        four = self.ipv4_mapped
        return own if four is None else getattr(four, name)

    is_private = property(lambda self: self._asked(
        "is_private", self._among(_V6_PRIVATE) and not self._among(_V6_NOT_PRIVATE)))
    is_global = property(lambda self: self._asked("is_global", not self.is_private if self.ipv4_mapped is None else None))
    is_multicast = property(lambda self: self._asked("is_multicast", self._ip >> 120 == 0xFF))
    is_reserved = property(lambda self: self._asked("is_reserved", self._among(_V6_RESERVED)))
    is_link_local = property(lambda self: self._asked("is_link_local", self._ip >> 118 == 0xFE80 >> 6))
    is_site_local = property(lambda self: self._ip >> 118 == 0xFEC0 >> 6)
    is_unspecified = property(lambda self: self._asked("is_unspecified", self._ip == 0))
    is_loopback = property(lambda self: self._asked("is_loopback", self._ip == 1))
