import ipaddress
from ipaddress import *

for text in ("192.168.0.1", "127.0.0.1", "8.8.8.8", "224.0.0.1", "::1", "2001:db8::1", "fe80::1", "1:0:0:2:0:0:0:3", "fc00::", "100.64.0.1", "2001:4860:4860::8888"):
    one = ip_address(text)
    print(one, repr(one), one.version, one.is_private, one.is_global, one.is_loopback, one.is_multicast, one.is_link_local, one.is_unspecified, one.exploded)
print(ip_address("10.0.0.1") + 5, ip_address("10.0.0.1") < ip_address("10.0.0.2"), int(ip_address("1.2.3.4")), ip_address(16909060), IPv4Address(b"\x01\x02\x03\x04"))
print(ip_address("1.2.3.4").reverse_pointer, ip_address("2001:db8::1").reverse_pointer, f"{ip_address('1.2.3.4'):#_b} {ip_address('1.2.3.4'):x} {ip_address('1.2.3.4'):>10s}")
net = ip_network("192.168.4.0/22")
print(net, repr(net), net.netmask, net.hostmask, net.broadcast_address, net.num_addresses, net.with_netmask, net.prefixlen, net[5], net[-1])
print(list(net.subnets()), list(net.subnets(new_prefix=24)), net.supernet(), net.supernet(new_prefix=16), ip_address("192.168.5.9") in net, net.overlaps(ip_network("192.168.7.0/24")))
print(list(ip_network("10.0.0.0/29").hosts()), list(ip_network("10.0.0.0/31").hosts()), list(ip_network("::/126").hosts()), list(ip_network("10.0.0.0/30")))
print(list(ip_network("10.0.0.0/28").address_exclude(ip_network("10.0.0.4/30"))), ip_network("10.0.0.0/24").subnet_of(ip_network("10.0.0.0/8")))
print(list(summarize_address_range(IPv4Address("192.0.2.0"), IPv4Address("192.0.2.130"))), list(collapse_addresses([ip_network("10.0.0.0/25"), ip_network("10.0.0.128/25"), ip_address("10.0.1.0")])))
face = ip_interface("192.168.1.5/255.255.255.0")
print(face, repr(face), face.network, face.ip, face.with_netmask, ip_network("10.1.2.3/16", strict=False), ip_network(("10.0.0.0", 8)))
print(sorted([ip_network("10.0.0.0/8"), ip_network("9.0.0.0/8"), ip_network("10.0.0.0/16")]), len({ip_address("::1"), ip_address("0::1")}))
for wrong in (lambda: ip_address("1.2.3"), lambda: IPv4Address("1.2.3"), lambda: IPv4Address("1.2.3.256"), lambda: IPv4Address("01.2.3.4"), lambda: IPv4Address("1.2.3.a"), lambda: IPv4Address("1..3.4"),
              lambda: IPv4Address(-1), lambda: IPv4Address(2 ** 32), lambda: IPv4Address("1.2.3.4/5"), lambda: IPv6Address("1"), lambda: IPv6Address("1::2::3"), lambda: IPv6Address(":1::2"), lambda: IPv6Address("1:2:3:4:5:6:7"), lambda: IPv6Address("12345::"), lambda: IPv6Address("g::"),
              lambda: ip_network("10.0.0.1/8"), lambda: IPv4Network("10.0.0.0/33"), lambda: ip_network("x"), lambda: ip_interface("x"), lambda: ip_address("1.2.3.4") < ip_address("::1"), lambda: list(net.subnets(new_prefix=8)), lambda: net[2000], lambda: list(net.address_exclude(ip_network("1.0.0.0/8"))), lambda: IPv4Address(b"1")):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
