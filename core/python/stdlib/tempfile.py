"""Files for a while: there are none; each is refused by its name."""


def __getattr__(name):
    if name not in ("NamedTemporaryFile", "SpooledTemporaryFile", "TemporaryDirectory", "TemporaryFile", "gettempdir",
                    "gettempdirb", "gettempprefix", "mkdtemp", "mkstemp", "mktemp"):
        raise AttributeError(f"module 'tempfile' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise PermissionError(f"nnscope gives programs no tempfile.{name}()")

    return refuse
