"""What goes wrong with addresses. Behaviour: CPython Lib/urllib/error.py."""


class URLError(OSError):
    """What an address names cannot be had."""

    def __init__(self, reason, filename=None):
        super().__init__(reason)
        self.reason = reason
        if filename is not None:
            self.filename = filename

    def __str__(self):
        return f"<urlopen error {self.reason}>"


class HTTPError(URLError):
    """A server said no."""

    def __init__(self, url, code, msg, hdrs, fp):
        OSError.__init__(self)
        self.url = self.filename = url
        self.code, self.msg, self.hdrs, self.fp = code, msg, hdrs, fp

    reason = property(lambda self: self.msg)
    status = property(lambda self: self.code)
    headers = property(lambda self: self.hdrs)

    def __str__(self):
        return f"HTTP Error {self.code}: {self.msg}"

    def __repr__(self):
        return f"<HTTPError {self.code}: {self.msg!r}>"


class ContentTooShortError(URLError):
    """There was less than the server had said."""

    def __init__(self, message, content):
        super().__init__(message)
        self.content = content
