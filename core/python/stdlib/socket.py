"""The network, which programs do not reach. Behaviour: CPython Lib/socket.py.

A socket is made and refuses to connect; names of other machines are not known (gaierror), as without a network."""
import enum as _enum
import platform as _platform

SOL_SOCKET, SO_REUSEADDR, SO_REUSEPORT, SO_KEEPALIVE, SO_BROADCAST, SO_RCVBUF, SO_SNDBUF = 1, 2, 15, 9, 6, 8, 7
IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IP, IPPROTO_IPV6, TCP_NODELAY, SOMAXCONN = 6, 17, 0, 41, 1, 4096
INADDR_ANY, AI_PASSIVE, SHUT_RD, SHUT_WR, SHUT_RDWR, EAI_NONAME, EAI_AGAIN = 0, 1, 0, 1, 2, -2, -3
has_ipv6 = True
error = OSError
timeout = TimeoutError
_default_timeout = None


class herror(OSError):
    """A name has no address."""


class gaierror(OSError):
    """An address cannot be found out."""


class AddressFamily(_enum.IntEnum):
    AF_UNSPEC = 0
    AF_UNIX = 1
    AF_INET = 2
    AF_INET6 = 10


class SocketKind(_enum.IntEnum):
    SOCK_STREAM = 1
    SOCK_DGRAM = 2
    SOCK_RAW = 3


AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = AddressFamily
SOCK_STREAM, SOCK_DGRAM, SOCK_RAW = SocketKind


def _refused():
    return PermissionError(13, "nnscope opens no network")


def gethostname():
    return _platform.node() or "localhost"


def getfqdn(name=""):
    name = name.strip()
    return gethostname() if name in ("", "0.0.0.0", "::") else name


def gethostbyname(hostname):
    if hostname in ("localhost", "", gethostname()):
        return "127.0.0.1"
    parts = hostname.split(".")
    if len(parts) == 4 and all(part.isdecimal() and int(part) < 256 for part in parts):
        return hostname
    raise gaierror(EAI_AGAIN, "Temporary failure in name resolution")


def gethostbyname_ex(hostname):
    return hostname, [], [gethostbyname(hostname)]


def gethostbyaddr(ip_address):
    if ip_address in ("127.0.0.1", "localhost"):
        return "localhost", [], ["127.0.0.1"]
    raise herror(2, "Host name lookup failure")


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    address = gethostbyname("0.0.0.0" if host is None and flags & AI_PASSIVE else host or "localhost")
    kinds = [(SOCK_STREAM, IPPROTO_TCP), (SOCK_DGRAM, IPPROTO_UDP)]
    return [(AF_INET, kind, protocol, "", (address, int(port or 0))) for kind, protocol in kinds if type in (0, kind)]


def inet_aton(ip_string):
    parts = ip_string.split(".")
    if len(parts) != 4 or not all(part.isdecimal() and int(part) < 256 for part in parts):
        raise OSError("illegal IP address string passed to inet_aton")
    return bytes(map(int, parts))


def inet_ntoa(packed_ip):
    if len(packed_ip) != 4:
        raise OSError("packed IP wrong length")
    return ".".join(map(str, packed_ip))


def htons(x):
    return (x & 0xFF) << 8 | x >> 8 & 0xFF


def htonl(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


ntohs, ntohl = htons, htonl


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(timeout):
    global _default_timeout
    _default_timeout = timeout


class socket:
    """A socket that reaches nobody: what would use the network raises PermissionError."""

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is not None:
            raise _refused()
        self.family = AF_INET if family == -1 else AddressFamily(family)
        self.type = SOCK_STREAM if type == -1 else SocketKind(type)
        self.proto = 0 if proto == -1 else proto
        self._timeout, self._options, self._is_closed = _default_timeout, {}, False

    def setsockopt(self, level, optname, value, optlen=None):
        self._options[level, optname] = value

    def getsockopt(self, level, optname, buflen=0):
        return self._options.get((level, optname), 0)

    def settimeout(self, value):
        self._timeout = value

    def gettimeout(self):
        return self._timeout

    def setblocking(self, flag):
        self._timeout = None if flag else 0.0

    def fileno(self):
        return -1

    def close(self):
        self._is_closed = True

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.close()

    def _refuse(self, *args, **kwargs):
        raise _refused()

    bind = connect = listen = accept = send = sendall = sendto = recv = recvfrom = recv_into = makefile = _refuse
    getsockname = getpeername = shutdown = connect_ex = _refuse

    def __repr__(self):
        return (f"<socket.socket{' [closed]' if self._is_closed else ''} fd=-1, family={int(self.family)}, "
                f"type={int(self.type)}, proto={self.proto}>")


SocketType = socket


def create_connection(address, timeout=None, source_address=None, *, all_errors=False):
    gethostbyname(address[0])
    raise _refused()


def create_server(address, **options):
    raise _refused()


def socketpair(*given):
    raise _refused()
