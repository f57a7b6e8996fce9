"""Networks and interfaces. Behaviour: CPython 3.14, Lib/ipaddress.py."""
import functools as _functools

from ipaddress._addresses import AddressValueError, IPv4Address, IPv6Address, NetmaskValueError, parsed_v4


def _length_of_mask(mask, bits):
    """The length of a prefix from a mask of ones, or None."""
    zeros = (mask ^ (1 << bits) - 1).bit_length()
    return bits - zeros if mask == (1 << bits) - (1 << zeros) else None


def _prefix_length(given, version):
    """From a number, a text of digits or, for IPv4, a mask. Errors: NetmaskValueError."""
    bits = 32 if version == 4 else 128
    refused = NetmaskValueError("%r is not a valid netmask" % given)
    if isinstance(given, int) or given.isascii() and given.isdigit():
        length = int(given)
        if not 0 <= length <= bits:
            raise refused
        return length
    if version == 6:
        raise refused
    try:
        mask = parsed_v4(given)
    except AddressValueError:
        raise refused from None
    length = _length_of_mask(mask, bits)
    if length is None:
        length = _length_of_mask(mask ^ 0xFFFFFFFF, bits)  # the mask of the hosts
    if length is None:
        raise refused
    return length


def _split(address, version):
    """(address, length of its prefix) of what a network is made of."""
    bits = 32 if version == 4 else 128
    if isinstance(address, (bytes, int)):
        return address, bits
    if isinstance(address, tuple):
        return address[0], _prefix_length(address[1], version) if len(address) > 1 else bits
    parts = str(address).split("/")
    if len(parts) > 2:
        raise AddressValueError(f"Only one '/' permitted in {address!r}")
    return parts[0], _prefix_length(parts[1], version) if len(parts) == 2 else bits


@_functools.total_ordering
class _Network:
    """All addresses that begin with the same bits."""

    def __init__(self, address, strict=True):
        one, self._prefixlen = _split(address, self.version)
        self.network_address = self._address_class(one)
        self.netmask = self._address_class(self._mask())
        first = int(self.network_address) & self._mask()
        if first != int(self.network_address):
            if strict:
                raise ValueError("%s has host bits set" % self)
            self.network_address = self._address_class(first)

    version = property(lambda self: self._address_class.version)
    max_prefixlen = property(lambda self: self._address_class.max_prefixlen)
    prefixlen = property(lambda self: self._prefixlen)
    num_addresses = property(lambda self: 1 << self.max_prefixlen - self._prefixlen)
    hostmask = property(lambda self: self._address_class(self.num_addresses - 1))
    broadcast_address = property(lambda self: self._address_class(int(self.network_address) | self.num_addresses - 1))
    with_prefixlen = property(lambda self: str(self))
    with_netmask = property(lambda self: "%s/%s" % (self.network_address, self.netmask))
    with_hostmask = property(lambda self: "%s/%s" % (self.network_address, self.hostmask))
    compressed = property(lambda self: str(self))
    exploded = property(lambda self: "%s/%d" % (self.network_address.exploded, self._prefixlen))

    def _mask(self):
        return self._address_class._ALL_ONES ^ (1 << self.max_prefixlen - self._prefixlen) - 1

    def __str__(self):
        return "%s/%d" % (self.network_address, self._prefixlen)

    def __repr__(self):
        return "%s(%r)" % (self.__class__.__name__, str(self))

    def __reduce__(self):
        return (self.__class__, (str(self),))

    def __iter__(self):
        first = int(self.network_address)
        for at in range(first, first + self.num_addresses):
            yield self._address_class(at)

    def hosts(self):
        """The addresses without the first and, of IPv4, the last; small networks have all."""
        first, count = int(self.network_address), self.num_addresses
        if self._prefixlen >= self.max_prefixlen - 1:
            return [self._address_class(first + at) for at in range(count)]
        skipped = 1 if self.version == 4 else 0
        return (self._address_class(at) for at in range(first + 1, first + count - skipped))

    def __getitem__(self, n):
        if not -self.num_addresses <= n < self.num_addresses:
            raise IndexError("address out of range")
        return self._address_class(int(self.network_address) + n % self.num_addresses)

    def _check(self, other):
        if self.version != other.version:
            raise TypeError("%s and %s are not of the same version" % (self, other))

    def __eq__(self, other):
        if not isinstance(other, _Network):
            return NotImplemented
        return (self.version == other.version and self.network_address == other.network_address
                and self._prefixlen == other._prefixlen)

    def __lt__(self, other):
        if not isinstance(other, _Network):
            return NotImplemented
        self._check(other)
        return (int(self.network_address), self._prefixlen) < (int(other.network_address), other._prefixlen)

    def __hash__(self):
        return hash((int(self.network_address), int(self.netmask)))

    def __contains__(self, other):
        if self.version != other.version or isinstance(other, _Network):
            return False
        return int(other) & self._mask() == int(self.network_address)

    def overlaps(self, other):
        return (other.network_address in self or other.broadcast_address in self or self.network_address in other
                or self.broadcast_address in other)

    def subnet_of(self, other):
        self._check(other)
        return other.network_address <= self.network_address and other.broadcast_address >= self.broadcast_address

    def supernet_of(self, other):
        return other.subnet_of(self)

    def compare_networks(self, other):
        self._check(other)
        return (self > other) - (self < other)

    def subnets(self, prefixlen_diff=1, new_prefix=None):
        """The parts of equal size. Errors: ValueError."""
        if self._prefixlen == self.max_prefixlen:
            yield self
            return
        if new_prefix is not None:
            if new_prefix < self._prefixlen:
                raise ValueError("new prefix must be longer")
            if prefixlen_diff != 1:
                raise ValueError("cannot set prefixlen_diff and new_prefix")
            prefixlen_diff = new_prefix - self._prefixlen
        if prefixlen_diff < 0:
            raise ValueError("prefix length diff must be > 0")
        length = self._prefixlen + prefixlen_diff
        if length > self.max_prefixlen:
            raise ValueError("prefix length diff %d is invalid for netblock %s" % (length, self))
        first = int(self.network_address)
        for at in range(first, first + self.num_addresses, 1 << self.max_prefixlen - length):
            yield self.__class__((at, length))

    def supernet(self, prefixlen_diff=1, new_prefix=None):
        """What this is a part of. Errors: ValueError."""
        if self._prefixlen == 0:
            return self
        if new_prefix is not None:
            if new_prefix > self._prefixlen:
                raise ValueError("new prefix must be shorter")
            if prefixlen_diff != 1:
                raise ValueError("cannot set prefixlen_diff and new_prefix")
            prefixlen_diff = self._prefixlen - new_prefix
        length = self._prefixlen - prefixlen_diff
        if length < 0:
            raise ValueError("current prefixlen is %d, cannot have a prefixlen_diff of %d" % (self._prefixlen, prefixlen_diff))
        return self.__class__((int(self.network_address), length), strict=False)

    def address_exclude(self, other):
        """This network without a part of it, as networks. Errors: ValueError."""
        self._check(other)
        if not other.subnet_of(self):
            raise ValueError("%s not contained in %s" % (other, self))
        rest = self
        while rest != other:
            one, two = rest.subnets()
            rest, apart = (one, two) if other.subnet_of(one) else (two, one)
            yield apart

    def _both(name):
        return property(lambda self: getattr(self.network_address, name) and getattr(self.broadcast_address, name))

    is_multicast, is_reserved, is_link_local = _both("is_multicast"), _both("is_reserved"), _both("is_link_local")
    is_loopback, is_unspecified, is_private = _both("is_loopback"), _both("is_unspecified"), _both("is_private")
    is_global = _both("is_global")


class IPv4Network(_Network):
    __module__ = "ipaddress"
    _address_class = IPv4Address


class IPv6Network(_Network):
    __module__ = "ipaddress"
    _address_class = IPv6Address


def _interface(address_class, network_class):
    class Interface(address_class):
        """An address with the network that it is in."""

        __module__ = "ipaddress"

        def __init__(self, address):
            one, length = _split(address, self.version)
            address_class.__init__(self, one)
            self.network = network_class((int(self), length), strict=False)

        ip = property(lambda self: address_class(self._ip))
        netmask = property(lambda self: self.network.netmask)
        hostmask = property(lambda self: self.network.hostmask)
        with_prefixlen = property(lambda self: str(self))
        with_netmask = property(lambda self: "%s/%s" % (address_class.__str__(self), self.netmask))
        with_hostmask = property(lambda self: "%s/%s" % (address_class.__str__(self), self.hostmask))

        def __str__(self):
            return "%s/%d" % (address_class.__str__(self), self.network.prefixlen)

        def __eq__(self, other):
            found = address_class.__eq__(self, other)
            if found is not True:
                return found
            return self.network == other.network if hasattr(other, "network") else False

        def __lt__(self, other):
            found = address_class.__lt__(self, other)
            if found is NotImplemented or not hasattr(other, "network"):
                return found
            return self.network < other.network or self.network == other.network and found

        def __hash__(self):
            return hash((self._ip, self.network.prefixlen, int(self.network.network_address)))

    Interface.__name__ = Interface.__qualname__ = address_class.__name__.replace("Address", "Interface")
    return Interface


IPv4Interface, IPv6Interface = _interface(IPv4Address, IPv4Network), _interface(IPv6Address, IPv6Network)
