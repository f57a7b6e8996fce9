"""PBM, PGM and PPM with binary pixels, read and written. Format: ppm(5) of Netpbm."""
import torch
from torch import _bytes


def read(data):
    """(mode, pixels). Errors: ValueError, OSError."""
    at, words = 2, []
    while len(words) < (2 if data[:2] == b"P4" else 3):
        while data[at: at + 1].isspace() or data[at: at + 1] == b"#":
            at = data.index(b"\n", at) if data[at: at + 1] == b"#" else at + 1
        end = at
        while data[end: end + 1].isdigit():
            end += 1
        if end == at:
            raise ValueError("Reached EOF while reading header" if at >= len(data) else "Non-decimal-ASCII found in header")
        words.append(int(data[at:end]))
        at = end
    at += 1
    width, height = words[:2]
    if data[:2] == b"P4":
        from PIL.Image import frombytes
        line = (width + 7) // 8
        image = frombytes("1", (width, height), bytes(255 - one for one in data[at: at + line * height]))
        return "1", image._pixels
    channels, most = 3 if data[:2] == b"P6" else 1, words[2]
    size = 1 if most < 256 else 2
    if len(data) - at < width * height * channels * size:
        raise OSError("image file is truncated")
    values = _bytes.from_bytes(data, torch.uint8, at, width * height * channels * size)
    if size == 2:
        values = values.reshape(-1, 2).int()
        values = values[:, 0] * 256 + values[:, 1]
    values = values.reshape((height, width, 3) if channels == 3 else (height, width))
    if size == 2 and channels == 1:
        return "I", (values.double() / most * 65535).round().to(torch.int32)
    if most != 255:
        values = (values.double() / most * 255).round().clamp(max=255)
    return ("RGB" if channels == 3 else "L"), values.to(torch.uint8)


def write(image):
    width, height = image.size
    if image.mode in ("L", "RGB"):
        return b"P%d\n%d %d\n255\n" % (5 if image.mode == "L" else 6, width, height) + image.tobytes()
    if image.mode == "1":
        return b"P4\n%d %d\n" % (width, height) + bytes(255 - one for one in image.tobytes())
    raise OSError(f"cannot write mode {image.mode} as PPM")
