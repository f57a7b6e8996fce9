"""Images from and to files, as tensors (C, H, W). Behaviour: torchvision/io/image.py; what PIL here cannot read is refused."""
import io as _io
from enum import Enum

import torch

from _stand_in import part_of
from PIL import Image

__getattr__ = part_of(__name__)


class ImageReadMode(Enum):
    UNCHANGED, GRAY, GRAY_ALPHA, RGB, RGB_ALPHA = range(5)


_MODES = {ImageReadMode.GRAY: "L", ImageReadMode.GRAY_ALPHA: "LA", ImageReadMode.RGB: "RGB", ImageReadMode.RGB_ALPHA: "RGBA"}


def _decoded(source, mode):
    image = Image.open(source)
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    wanted = _MODES.get(mode, "RGB" if image.mode == "P" else "L" if image.mode == "1" else image.mode)
    pixels = (image if image.mode == wanted else image.convert(wanted))._pixels
    return pixels.unsqueeze(0).clone() if pixels.dim() == 2 else pixels.permute(2, 0, 1).contiguous()


def read_file(path):
    with open(path, "rb") as file:
        return torch.frombuffer(file.read(), dtype=torch.uint8)


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """input: the bytes of a file as a tensor, or its path."""
    source = _io.BytesIO(input.numpy().tobytes()) if isinstance(input, torch.Tensor) else input
    return _decoded(source, mode)


def read_image(path, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    return _decoded(path, mode)


def encode_png(input, compression_level=6):
    """The bytes of a PNG file as a tensor."""
    file = _io.BytesIO()
    Image.fromarray(input.permute(1, 2, 0).squeeze(-1).numpy()).save(file, "PNG")
    return torch.frombuffer(file.getvalue(), dtype=torch.uint8)


def write_file(filename, data):
    with open(filename, "wb") as file:
        file.write(data.numpy().tobytes())


def write_png(input, filename, compression_level=6):
    write_file(filename, encode_png(input, compression_level))
