"""Addresses in parts. Behaviour: RFC 3986; CPython Lib/urllib/parse.py. Texts only, no bytes."""
import re
from collections import namedtuple

uses_relative = ["", "ftp", "http", "gopher", "nntp", "imap", "wais", "file", "https", "shttp", "mms", "prospero",
                 "rtsp", "rtsps", "rtspu", "sftp", "svn", "svn+ssh", "ws", "wss"]
uses_netloc = ["", "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews",
               "prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh", "ws",
               "wss", "itms-services"]
uses_params = ["", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtsps", "rtspu", "sip", "sips",
               "mms", "sftp", "tel"]
scheme_chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."
_ALWAYS_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
_HEX_PAIR = re.compile(r"((?:%[0-9A-Fa-f]{2})+)")
_TRIMMED = "".join(map(chr, range(33)))


class _Location:
    """What both kinds of result know of the place."""

    def geturl(self):
        return urlunparse(self) if len(self) == 6 else urlunsplit(self)

    def _userinfo(self):
        before, at, _ = self.netloc.rpartition("@")
        if not at:
            return None, None
        user, colon, password = before.partition(":")
        return user, password if colon else None

    def _hostinfo(self):
        place = self.netloc.rpartition("@")[2]
        _, bracket, in_brackets = place.partition("[")
        if bracket:
            host, _, port = in_brackets.partition("]")
            _, _, port = port.partition(":")
        else:
            host, _, port = place.partition(":")
        return host or None, port or None

    username = property(lambda self: self._userinfo()[0])
    password = property(lambda self: self._userinfo()[1])

    @property
    def hostname(self):
        host = self._hostinfo()[0]
        if not host:
            return None
        host, percent, zone = host.partition("%")
        return host.lower() + percent + zone

    @property
    def port(self):
        port = self._hostinfo()[1]
        if port is None:
            return None
        if not (port.isdigit() and port.isascii()):
            raise ValueError(f"Port could not be cast to integer value as {port!r}")
        if not 0 <= int(port) <= 65535:
            raise ValueError("Port out of range 0-65535")
        return int(port)


class SplitResult(_Location, namedtuple("SplitResult", "scheme netloc path query fragment")):
    """scheme://netloc/path?query#fragment"""


class ParseResult(_Location, namedtuple("ParseResult", "scheme netloc path params query fragment")):
    """The same with the parameters behind the last part of the path."""


class DefragResult(namedtuple("DefragResult", "url fragment")):
    """An address and its fragment."""

    def geturl(self):
        return f"{self.url}#{self.fragment}" if self.fragment else self.url


def _text(*given):
    for one in given:
        if isinstance(one, (bytes, bytearray)):
            raise NotImplementedError("urllib.parse: nnscope takes addresses as str, not as bytes")
        if one is not None and not isinstance(one, str):
            raise AttributeError(f"'{type(one).__name__}' object has no attribute 'decode'")


def urlsplit(url, scheme="", allow_fragments=True):
    _text(url, scheme)
    url = url.lstrip(_TRIMMED)
    for char in "\t\r\n":
        url = url.replace(char, "")
    scheme = scheme.strip(_TRIMMED)
    netloc = query = fragment = ""
    colon = url.find(":")
    if colon > 0 and url[0].isascii() and url[0].isalpha() and all(char in scheme_chars for char in url[:colon]):
        scheme, url = url[:colon].lower(), url[colon + 1:]
    if url[:2] == "//":
        end = min((at for at in (url.find(char, 2) for char in "/?#") if at >= 0), default=len(url))
        netloc, url = url[2:end], url[end:]
        if ("[" in netloc) != ("]" in netloc):
            raise ValueError("Invalid IPv6 URL")
    if allow_fragments and "#" in url:
        url, fragment = url.split("#", 1)
    if "?" in url:
        url, query = url.split("?", 1)
    return SplitResult(scheme, netloc, url, query, fragment)


def urlparse(url, scheme="", allow_fragments=True):
    scheme, netloc, path, query, fragment = urlsplit(url, scheme, allow_fragments)
    params = ""
    if scheme in uses_params and ";" in path:
        at = path.find(";", path.rfind("/")) if "/" in path else path.find(";")
        if at >= 0:
            path, params = path[:at], path[at + 1:]
    return ParseResult(scheme, netloc, path, params, query, fragment)


def urlunparse(components):
    scheme, netloc, path, params, query, fragment = components
    return urlunsplit((scheme, netloc, f"{path};{params}" if params else path, query, fragment))


def urlunsplit(components):
    scheme, netloc, path, query, fragment = components
    url = path
    if netloc or (scheme in uses_netloc and scheme and path[:2] == "//"):
        if path and path[:1] != "/":
            path = "/" + path
        url = "//" + (netloc or "") + path
    elif path[:2] == "//":
        url = "//" + path
    if scheme:
        url = scheme + ":" + url
    if query:
        url += "?" + query
    return f"{url}#{fragment}" if fragment else url


def urldefrag(url):
    if "#" not in url:
        return DefragResult(url, "")
    scheme, netloc, path, params, query, fragment = urlparse(url)
    return DefragResult(urlunparse((scheme, netloc, path, params, query, "")), fragment)


def urljoin(base, url, allow_fragments=True):
    """The address that `url` means in a page at `base`."""
    if not base or not url:
        return url or base
    old = urlparse(base, "", allow_fragments)
    scheme, netloc, path, params, query, fragment = urlparse(url, old.scheme, allow_fragments)
    if scheme != old.scheme or scheme not in uses_relative:
        return url
    if scheme in uses_netloc:
        if netloc:
            return urlunparse((scheme, netloc, path, params, query, fragment))
        netloc = old.netloc
    if not path and not params:
        return urlunparse((scheme, netloc, old.path, old.params, query or old.query, fragment))
    parts = old.path.split("/")
    if parts[-1] != "":
        del parts[-1]
    if path[:1] == "/":
        whole = path.split("/")
    else:
        whole = parts + path.split("/")
        whole[1:-1] = [part for part in whole[1:-1] if part]
    kept = []
    for part in whole:
        if part == "..":
            if kept:
                kept.pop()
        elif part != ".":
            kept.append(part)
    if whole[-1] in (".", ".."):
        kept.append("")
    return urlunparse((scheme, netloc, "/".join(kept) or "/", params, query, fragment))


def unquote_to_bytes(string):
    data = string.encode() if isinstance(string, str) else bytes(string)
    parts = data.split(b"%")
    made = [parts[0]]
    for part in parts[1:]:
        try:
            made.append(bytes([int(part[:2].decode("ascii"), 16)]) + part[2:] if len(part) >= 2 and
                        all(code in b"0123456789abcdefABCDEF" for code in part[:2]) else b"%" + part)
        except ValueError:
            made.append(b"%" + part)
    return b"".join(made)


def unquote(string, encoding="utf-8", errors="replace"):
    if isinstance(string, bytes):
        return unquote_to_bytes(string).decode(encoding, errors)
    if "%" not in string:
        return string
    return _HEX_PAIR.sub(lambda found: unquote_to_bytes(found.group()).decode(encoding, errors), string)


def unquote_plus(string, encoding="utf-8", errors="replace"):
    return unquote(string.replace("+", " "), encoding, errors)


def quote_from_bytes(bs, safe="/"):
    if not isinstance(bs, (bytes, bytearray)):
        raise TypeError("quote_from_bytes() expected bytes")
    kept = _ALWAYS_SAFE | set(safe.encode("ascii", "ignore") if isinstance(safe, str) else safe)
    return "".join(chr(code) if code in kept else f"%{code:02X}" for code in bs)


def quote(string, safe="/", encoding=None, errors=None):
    if isinstance(string, str):
        return quote_from_bytes(string.encode(encoding or "utf-8", errors or "strict"), safe)
    if encoding is not None:
        raise TypeError("quote() doesn't support 'encoding' for bytes")
    if errors is not None:
        raise TypeError("quote() doesn't support 'errors' for bytes")
    return quote_from_bytes(string, safe)


def quote_plus(string, safe="", encoding=None, errors=None):
    if " " not in string:
        return quote(string, safe, encoding, errors)
    return quote(string, safe + " ", encoding, errors).replace(" ", "+")


def urlencode(query, doseq=False, safe="", encoding=None, errors=None, quote_via=quote_plus):
    if hasattr(query, "items"):
        query = query.items()
    elif isinstance(query, str) or not hasattr(query, "__iter__"):
        raise TypeError("not a valid non-string sequence or mapping object")

    def shown(value):
        if isinstance(value, bytes):
            return quote_via(value, safe)
        return quote_via(str(value), safe, encoding, errors)

    pairs = []
    for key, value in query:
        if doseq and not isinstance(value, (str, bytes)) and hasattr(value, "__len__"):
            pairs += (f"{shown(key)}={shown(one)}" for one in value)
        else:
            pairs.append(f"{shown(key)}={shown(value)}")
    return "&".join(pairs)


def parse_qsl(qs, keep_blank_values=False, strict_parsing=False, encoding="utf-8", errors="replace",
              max_num_fields=None, separator="&"):
    if not separator or not isinstance(separator, str):
        raise ValueError("Separator must be of type string or bytes.")
    if not qs:
        return []
    if max_num_fields is not None and max_num_fields < 1 + qs.count(separator):
        raise ValueError("Max number of fields exceeded")
    pairs = []
    for field in qs.split(separator):
        if not field and not strict_parsing:
            continue
        name, equals, value = field.partition("=")
        if not equals and strict_parsing:
            raise ValueError(f"bad query field: {field!r}")
        if value or keep_blank_values:
            pairs.append((unquote_plus(name, encoding, errors), unquote_plus(value, encoding, errors)))
    return pairs


def parse_qs(qs, keep_blank_values=False, strict_parsing=False, encoding="utf-8", errors="replace",
             max_num_fields=None, separator="&"):
    made = {}
    for name, value in parse_qsl(qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator):
        made.setdefault(name, []).append(value)
    return made
