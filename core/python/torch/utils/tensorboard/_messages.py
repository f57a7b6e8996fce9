"""The messages of TensorBoard's files, as bytes. Format: protocol buffers; TensorBoard's event.proto and summary.proto."""
import struct


def varint(number):
    if number < 0:
        number += 1 << 64
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def integer(field, number):
    return b"" if number == 0 else varint(field << 3) + varint(number)


def double(field, number):
    return varint(field << 3 | 1) + struct.pack("<d", number)


def single(field, number):
    return varint(field << 3 | 5) + struct.pack("<f", number)


def data(field, contents):
    """A text, bytes or a message inside."""
    if isinstance(contents, str):
        contents = contents.encode()
    return varint(field << 3 | 2) + varint(len(contents)) + contents


def doubles(field, numbers):
    return data(field, struct.pack(f"<{len(numbers)}d", *numbers)) if numbers else b""


def event(wall_time, step=None, *, file_version=None, summary=None):
    made = double(1, wall_time)
    if step is not None:
        made += integer(2, int(step))
    if file_version is not None:
        made += data(3, file_version)
    if summary is not None:
        made += data(5, summary)
    return made


def value(tag, *parts):
    """A summary of one value."""
    return data(1, data(1, tag) + b"".join(parts))


def metadata(plugin_name, content=b"", display_name="", data_class=0):
    plugin = data(1, plugin_name) + (data(2, content) if content else b"")
    made = data(1, plugin) + (data(2, display_name) if display_name else b"") + integer(4, data_class)
    return data(9, made)


def tensor(dtype, shape, contents):
    """A TensorProto; `contents`: its field of values."""
    dims = b"".join(data(2, integer(1, size)) for size in shape)
    return data(8, integer(1, dtype) + data(2, dims) + contents)


def floats(numbers):
    return data(5, struct.pack(f"<{len(numbers)}f", *numbers))
