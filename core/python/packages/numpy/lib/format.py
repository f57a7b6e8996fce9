"""The npy format. Behaviour: numpy/lib/format.py."""
from numpy._files import read_array, write_array

MAGIC_PREFIX = b"\x93NUMPY"
MAGIC_LEN = 8
ARRAY_ALIGN = 64


def magic(major, minor):
    if not 0 <= major <= 255 or not 0 <= minor <= 255:
        raise ValueError(f"{'major' if not 0 <= major <= 255 else 'minor'} version must be 0 <= version < 256")
    return MAGIC_PREFIX + bytes([major, minor])


def dtype_to_descr(dtype):
    return dtype.str
