"""PNG, read and written. Format: RFC 2083, W3C's Portable Network Graphics."""
import struct
import zlib

import torch
from torch import _bytes

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# (type of colour, bits of a value): the mode that it opens as
_MODES = {(0, 1): "1", (0, 2): "L", (0, 4): "L", (0, 8): "L", (0, 16): "I;16", (2, 8): "RGB", (2, 16): "RGB", (3, 1): "P",
          (3, 2): "P", (3, 4): "P", (3, 8): "P", (4, 8): "LA", (4, 16): "LA", (6, 8): "RGBA", (6, 16): "RGBA"}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Where each pass of an interlaced picture begins and in which steps it goes: x, y, step of x, step of y.
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def _chunks(data):
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at: at + 8])
        body = data[at + 8: at + 8 + length]
        if len(body) < length:
            raise OSError("image file is truncated")
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + length


def read(data):
    """(mode, pixels, colours of the palette or None, info). Errors: OSError, SyntaxError for what is no such file."""
    head, packed, palette, info = None, [], None, {}
    for kind, body in _chunks(data):
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body[:13])
        elif kind == b"PLTE":
            palette = _bytes.from_bytes(body, torch.uint8, 0, len(body) // 3 * 3).reshape(-1, 3)
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"tRNS":
            info["transparency"] = body
        elif kind == b"tEXt" and b"\0" in body:
            key, _, text = body.partition(b"\0")
            info[key.decode("latin-1")] = text.decode("latin-1")
        elif kind == b"pHYs" and body[8:9] == b"\x01":
            info["dpi"] = tuple(one * 0.0254 for one in struct.unpack(">II", body[:8]))
        elif kind == b"gAMA":
            info["gamma"] = struct.unpack(">I", body)[0] / 100000.0
    if head is None or (head[3], head[2]) not in _MODES or not head[0] or not head[1]:
        raise SyntaxError("broken PNG file")
    width, height, depth, color, _, _, interlaced = head
    if "transparency" in info and color in (0, 2):
        values = struct.unpack(f">{len(info['transparency']) // 2}H", info["transparency"])
        info["transparency"] = values[0] if color == 0 else values
    try:
        stream = zlib.decompress(b"".join(packed))
    except zlib.error as problem:
        raise OSError(f"broken data stream when reading image file: {problem}") from None
    channels = _CHANNELS[color]
    if not interlaced:
        values, _ = _values(stream, 0, width, height, channels, depth)
    else:
        info["interlace"] = 1
        values, at = torch.zeros(height, width, channels, dtype=torch.int32), 0
        for x, y, step_x, step_y in _PASSES:
            columns, rows = (width - x + step_x - 1) // step_x, (height - y + step_y - 1) // step_y
            if columns > 0 and rows > 0:
                values[y::step_y, x::step_x], at = _values(stream, at, columns, rows, channels, depth)
    mode = _MODES[color, depth]
    if mode == "1":
        values = values * 255
    elif mode == "L" and depth < 8:
        values = values * (255 // ((1 << depth) - 1))
    elif depth == 16 and mode != "I;16":
        values = values >> 8
    values = values.to(torch.int32 if mode == "I;16" else torch.uint8)
    return mode, values.squeeze(-1) if channels == 1 else values, palette if mode == "P" else None, info


def _values(stream, at, width, height, channels, depth):
    """(height, width, channels) of the lines that begin at `at` of the stream, and where they end."""
    line = (width * channels * depth + 7) // 8
    end = at + height * (line + 1)
    if end > len(stream):
        raise OSError("image file is truncated")
    raw = _bytes.from_bytes(stream, torch.uint8, at, height * (line + 1)).reshape(height, line + 1)
    lines = _unfiltered(raw[:, 0].tolist(), raw[:, 1:], max(1, channels * depth // 8))
    if depth == 8:
        return lines.reshape(height, width, channels), end
    wide = lines.to(torch.int32)
    if depth == 16:
        return (wide[:, 0::2] * 256 + wide[:, 1::2]).reshape(height, width, channels), end
    shifts = torch.arange(8 - depth, -1, -depth, dtype=torch.int32)
    parts = (wide.unsqueeze(-1) >> shifts) & ((1 << depth) - 1)
    return parts.reshape(height, -1)[:, :width].unsqueeze(-1), end


def _unfiltered(kinds, lines, step):
    """What was written as differences to neighbours, as it was before. step: bytes of a pixel."""
    if not any(kinds):
        return lines
    if any(kind > 4 for kind in kinds):
        raise OSError("broken PNG file: unknown filter")
    if all(kind <= 2 for kind in kinds):
        made, above = [], torch.zeros(lines.shape[1], dtype=torch.uint8)
        for kind, line in zip(kinds, lines):
            if kind == 1:
                line = line.reshape(-1, step).cumsum(0).to(torch.uint8).reshape(-1)
            elif kind == 2:
                line = line + above
            made.append(line)
            above = line
        return torch.stack(made)
    return _unfiltered_slanted(torch.tensor(kinds), lines.reshape(len(kinds), -1, step).to(torch.int32))


def _unfiltered_slanted(kinds, lines):
    """Line y is one pixel behind line y - 1, so that one step does a pixel of each line: all its neighbours are known."""
    height, width, step = lines.shape
    slanted = torch.zeros(width + height - 1, height, step, dtype=torch.int32)
    rows = torch.arange(height)
    places = (torch.arange(width).unsqueeze(0) + rows.unsqueeze(1))
    slanted[places, rows.unsqueeze(1)] = lines
    kinds = kinds.unsqueeze(1)
    is_sub, is_up, is_average = (kinds == 1).int(), (kinds == 2).int(), (kinds == 3).int()
    is_paeth = kinds == 4
    made = torch.zeros(width + height + 1, height + 1, step, dtype=torch.int32)  # a border of zeros left and above
    for place in range(width + height - 1):
        left, up, corner = made[place + 1, 1:], made[place + 1, :-1], made[place, :-1]
        guess = left * is_sub + up * is_up + ((left + up) >> 1) * is_average
        to_left, to_up = (up - corner).abs(), (left - corner).abs()
        to_corner = (left + up - 2 * corner).abs()
        nearest = torch.where((to_left <= to_up) & (to_left <= to_corner), left, torch.where(to_up <= to_corner, up, corner))
        guess = torch.where(is_paeth, nearest, guess)
        made[place + 2, 1:] = (slanted[place] + guess) & 255
        if place + 1 < height:  # lines that have not begun yet
            made[place + 2, place + 2:] = 0
    return made[places + 2, rows.unsqueeze(1) + 1].to(torch.uint8).reshape(height, width * step)


def write(mode, pixels, palette=None):
    """The bytes of a file."""
    forms = {"1": (0, 1), "L": (0, 8), "P": (3, 8), "I": (0, 16), "I;16": (0, 16), "LA": (4, 8), "RGB": (2, 8), "RGBA": (6, 8)}
    if mode not in forms:
        raise OSError(f"cannot write mode {mode} as PNG")
    color, depth = forms[mode]
    height, width = pixels.shape[:2]
    lines = pixels.reshape(height, -1)
    if depth == 1:
        lines = torch.nn.functional.pad(lines.to(torch.int32) & 1, (0, -width % 8)).reshape(height, -1, 8)
        lines = (lines << torch.arange(7, -1, -1, dtype=torch.int32)).sum(-1)
    elif depth == 16:
        clipped = lines.clamp(0, 65535)
        lines = torch.stack([clipped >> 8, clipped & 255], dim=-1).reshape(height, -1)
    lines = torch.nn.functional.pad(lines.to(torch.uint8), (1, 0))  # filter 0 for each line
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    colors = b"" if palette is None else _chunk(b"PLTE", palette.numpy().tobytes())
    packed = zlib.compress(lines.contiguous().numpy().tobytes())
    return SIGNATURE + _chunk(b"IHDR", head) + colors + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
