"""Addresses and networks of the Internet protocols. Behaviour: CPython 3.14, Lib/ipaddress.py."""
from ipaddress._addresses import AddressValueError, IPv4Address, IPv6Address, NetmaskValueError
from ipaddress._networks import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network

IPV4LENGTH, IPV6LENGTH = 32, 128


def _either(four, six, what, *given):
    try:
        return four(*given)
    except (AddressValueError, NetmaskValueError):
        pass
    try:
        return six(*given)
    except (AddressValueError, NetmaskValueError):
        pass
    raise ValueError(f"{given[0]!r} does not appear to be an IPv4 or IPv6 {what}")


def ip_address(address):
    """An address of either version. Errors: ValueError."""
    return _either(IPv4Address, IPv6Address, "address", address)


def ip_network(address, strict=True):
    return _either(IPv4Network, IPv6Network, "network", address, strict)


def ip_interface(address):
    return _either(IPv4Interface, IPv6Interface, "interface", address)


def _packed(address, length, version):
    try:
        return address.to_bytes(length, "big")
    except OverflowError:
        raise ValueError(f"Address negative or too large for IPv{version}") from None


def v4_int_to_packed(address):
    return _packed(address, 4, 4)


def v6_int_to_packed(address):
    return _packed(address, 16, 6)


def summarize_address_range(first, last):
    """The fewest networks from one address to another. Errors: TypeError, ValueError."""
    if not (isinstance(first, (IPv4Address, IPv6Address)) and isinstance(last, (IPv4Address, IPv6Address))):
        raise TypeError("first and last must be IP addresses, not networks")
    if first.version != last.version:
        raise TypeError("%s and %s are not of the same version" % (first, last))
    if first > last:
        raise ValueError("last IP address must be greater than first")
    network = IPv4Network if first.version == 4 else IPv6Network
    at, end, bits = int(first), int(last), first.max_prefixlen
    while at <= end:
        zeros = (at & -at).bit_length() - 1 if at else bits
        count = min(zeros, (end - at + 1).bit_length() - 1)
        yield network((at, bits - count))
        at += 1 << count


def collapse_addresses(addresses):
    """Networks and addresses as the fewest networks, in order. Errors: TypeError."""
    spans, version = [], None
    for one in addresses:
        is_address = isinstance(one, (IPv4Address, IPv6Address)) and not hasattr(one, "network")
        one = one if is_address or not hasattr(one, "ip") else one.ip
        if version is not None and one.version != version.version:
            raise TypeError("%s and %s are not of the same version" % (one, version))
        version = one
        if isinstance(one, (IPv4Address, IPv6Address)):
            spans.append((int(one), int(one)))
        else:
            spans.append((int(one.network_address), int(one.broadcast_address)))
    joined = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    address = IPv4Address if version is not None and version.version == 4 else IPv6Address
    return (network for begin, end in joined for network in summarize_address_range(address(begin), address(end)))


def get_mixed_type_key(obj):
    """A key by which addresses and networks can be sorted together."""
    if isinstance(obj, (IPv4Network, IPv6Network)):
        return obj.version, obj.network_address, obj.netmask
    if isinstance(obj, (IPv4Address, IPv6Address)):
        return obj.version, obj
    return NotImplemented
