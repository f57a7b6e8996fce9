"""Random numbers and texts, of os.urandom(). Behaviour: CPython Lib/secrets.py."""
import base64
import os
from hmac import compare_digest

DEFAULT_ENTROPY = 32


def randbits(k):
    """A number of k bits."""
    if k < 0:
        raise ValueError("number of bits must be non-negative")
    return int.from_bytes(os.urandom((k + 7) // 8), "big") >> -k % 8


def randbelow(exclusive_upper_bound):
    if exclusive_upper_bound <= 0:
        raise ValueError("Upper bound must be positive.")
    bits = exclusive_upper_bound.bit_length()
    drawn = randbits(bits)
    while drawn >= exclusive_upper_bound:
        drawn = randbits(bits)
    return drawn


def choice(seq):
    if not len(seq):
        raise IndexError("Cannot choose from an empty sequence")
    return seq[randbelow(len(seq))]


def token_bytes(nbytes=None):
    return os.urandom(DEFAULT_ENTROPY if nbytes is None else nbytes)


def token_hex(nbytes=None):
    return token_bytes(nbytes).hex()


def token_urlsafe(nbytes=None):
    return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")
