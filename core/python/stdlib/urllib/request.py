"""What addresses name: files (file:) and texts (data:). Behaviour: CPython Lib/urllib/request.py.

Nothing comes over the network: urlopen() and urlretrieve() raise URLError for other addresses."""
import base64
import io
from urllib.error import ContentTooShortError, HTTPError, URLError
from urllib.parse import quote, unquote, unquote_to_bytes, urlparse

_opener = None


def pathname2url(pathname):
    return quote(pathname)


def url2pathname(url):
    return unquote(url)


def getproxies():
    return {}


class Request:
    """An address with what goes along."""

    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url, self.data, self.method = url, data, method
        if ":" not in url:
            raise ValueError(f"unknown url type: {url!r}")
        self.type = url.partition(":")[0]
        self.host = urlparse(url).netloc
        self.selector = urlparse(url).path
        self.headers, self.unredirected_hdrs = {}, {}
        for key, value in headers.items():
            self.add_header(key, value)

    def add_header(self, key, val):
        self.headers[key.capitalize()] = val

    def has_header(self, header_name):
        return header_name in self.headers

    def get_header(self, header_name, default=None):
        return self.headers.get(header_name, default)

    def get_full_url(self):
        return self.full_url

    def get_method(self):
        return self.method or ("GET" if self.data is None else "POST")


class _Response(io.BytesIO):
    """What an address gives."""

    def __init__(self, data, url, headers):
        super().__init__(data)
        self.url, self.headers, self.status, self.code, self.length = url, headers, None, None, len(data)

    def geturl(self):
        return self.url

    def info(self):
        return self.headers

    def getcode(self):
        return self.code


def urlopen(url, data=None, timeout=None, *, context=None):
    address = url.full_url if isinstance(url, Request) else url
    if not isinstance(address, str):
        raise AttributeError(f"'{type(address).__name__}' object has no attribute 'timeout'")
    scheme, colon, rest = address.partition(":")
    if not colon:
        raise ValueError(f"unknown url type: {address!r}")
    if scheme == "file":
        try:
            with open(url2pathname(urlparse(address).path), "rb") as file:
                contents = file.read()
        except OSError as problem:
            raise URLError(problem) from None
        return _Response(contents, address, {"Content-length": str(len(contents))})
    if scheme == "data":
        kind, comma, text = rest.partition(",")
        if not comma:
            raise ValueError("not enough values to unpack (expected 2, got 1)")
        contents = unquote_to_bytes(text)
        if kind.endswith(";base64"):
            contents, kind = base64.decodebytes(contents), kind[:-7]
        return _Response(contents, address, {"Content-type": kind or "text/plain;charset=US-ASCII",
                                             "Content-length": str(len(contents))})
    if scheme not in ("http", "https", "ftp"):
        raise URLError(f"unknown url type: {scheme}")
    raise URLError("nnscope opens no network")


def urlretrieve(url, filename=None, reporthook=None, data=None):
    with urlopen(url, data) as response:
        contents = response.read()
    if filename is None:
        if url.startswith("file:"):
            return url2pathname(urlparse(url).path), response.info()
        import tempfile
        file = tempfile.NamedTemporaryFile(delete=False)
        filename = file.name
    else:
        file = open(filename, "wb")
    with file:
        if reporthook:
            reporthook(0, 8192, len(contents))
        file.write(contents)
        if reporthook:
            reporthook(-(-len(contents) // 8192), 8192, len(contents))
    return filename, response.info()


def urlcleanup():
    pass


class OpenerDirector:
    """What opens addresses, with headers of its own."""

    def __init__(self):
        self.addheaders = [("User-agent", "Python-urllib/3.14")]
        self.handlers = []

    def add_handler(self, handler):
        self.handlers.append(handler)

    def open(self, fullurl, data=None, timeout=None):
        return urlopen(fullurl, data, timeout)


def build_opener(*handlers):
    made = OpenerDirector()
    for one in handlers:
        made.add_handler(one)
    return made


def install_opener(opener):
    global _opener
    _opener = opener


class BaseHandler:
    """One of what an opener goes by."""

    def __init__(self, *args, **kwargs):
        pass


class ProxyHandler(BaseHandler):
    """Proxies, which nobody asks."""


class HTTPHandler(BaseHandler):
    """Pages, which are not reached."""


class HTTPSHandler(BaseHandler):
    """Pages, which are not reached."""
