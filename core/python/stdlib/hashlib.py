"""Digests: there are none; each is refused by its name."""

algorithms_guaranteed = set()
algorithms_available = set()


def new(name, data=b"", **kwargs):
    """Refused."""
    raise NotImplementedError(f"nnscope has no hashlib.new({name!r})")


def __getattr__(name):
    if name not in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
                    "shake_128", "shake_256", "blake2b", "blake2s", "pbkdf2_hmac", "scrypt", "file_digest"):
        raise AttributeError(f"module 'hashlib' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise NotImplementedError(f"nnscope has no hashlib.{name}()")

    return refuse
