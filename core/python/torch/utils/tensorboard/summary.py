"""What is written of one value. Behaviour: torch/utils/tensorboard/summary.py."""
import math
import struct
import zlib

import torch
from torch.utils.tensorboard import _messages as messages

_DT_FLOAT, _DT_DOUBLE, _DT_STRING = 1, 2, 7
_TENSOR_TYPES = {"float16": (19, "H"), "float32": (1, "f"), "float64": (2, "d"), "bfloat16": (14, "H"), "int8": (6, "b"),
                 "uint8": (4, "B"), "int16": (5, "h"), "int32": (3, "i"), "int64": (9, "q"), "bool": (10, "?")}


def tensor_of(given):
    """A tensor on the processor of what curves, pictures and sounds are given as."""
    if isinstance(given, torch.Tensor):
        return given.detach().cpu()
    if isinstance(given, (int, float, complex, list, tuple)):
        return torch.tensor(given)
    if hasattr(given, "__array__"):
        import numpy
        return torch.from_numpy(numpy.ascontiguousarray(numpy.asarray(given)).copy())
    raise NotImplementedError(f"Got {type(given)}, but numpy array or torch tensor are expected.")


def scalar(tag, number, tensor=None, new_style=False, double_precision=False):
    """A point of a curve. Errors: AssertionError  it is not one number."""
    shown = tensor_of(number).squeeze()
    if shown.ndim != 0:
        raise AssertionError(f"Tensor should contain one element (0 dimensions). Was given size: {shown.numel()} and "
                             f"{shown.ndim} dimensions.")
    number = float(shown)
    if not new_style:
        return messages.value(tag, messages.single(2, _as_single(number)))
    contents = messages.data(6, struct.pack("<d", number)) if double_precision else messages.floats([_as_single(number)])
    return messages.value(tag, messages.tensor(_DT_DOUBLE if double_precision else _DT_FLOAT, (), contents),
                          messages.metadata("scalars", data_class=1))


def _as_single(number):
    # Beyond the range of float32 it is infinite, as a cast has it.
    return number if abs(number) <= 3.4028235677973366e38 or number != number else math.copysign(math.inf, number)


def tensor(tag, given):
    """Any tensor, as it is."""
    given = tensor_of(given).contiguous()
    name = str(given.dtype).partition(".")[2]
    if name not in _TENSOR_TYPES:
        raise ValueError(f"{given.dtype} is no type of tensors in TensorBoard's files")
    kind, letter = _TENSOR_TYPES[name]
    if letter == "H":
        flat = [number & 0xFFFF for number in given.view(torch.int16).flatten().tolist()]
    else:
        flat = given.flatten().tolist()
    contents = messages.data(4, struct.pack(f"<{len(flat)}{letter}", *flat))
    return messages.value(tag, messages.tensor(kind, given.shape, contents), messages.metadata("tensor", data_class=2))


def default_bins():
    """The limits of buckets that grow by a tenth, on both sides of zero."""
    sizes, at = [], 1e-12
    while at < 1e20:
        sizes.append(at)
        at *= 1.1
    return [-size for size in reversed(sizes)] + [0.0] + sizes


_default_bins = default_bins()


def _counts(values, bins):
    """How many values lie in each bucket, and the limits. Behaviour: numpy.histogram."""
    if isinstance(bins, str):
        import numpy
        counts, limits = numpy.histogram(values.numpy(), bins=bins)
        return [float(count) for count in counts.tolist()], limits.tolist()
    if isinstance(bins, int):
        low, high = float(values.min()), float(values.max())
        if low == high:
            low, high = low - 0.5, high + 0.5
        limits = [low + (high - low) * i / bins for i in range(bins)] + [high]
    else:
        limits = tensor_of(bins).double().tolist() if not isinstance(bins, list) else bins
    edges = torch.tensor(limits, dtype=torch.float64)
    inside = values[(values >= edges[0]) & (values <= edges[-1])]
    # Each bucket has its lower limit, the last one both.
    places = (torch.bucketize(inside, edges, right=True) - 1).clamp(max=len(limits) - 2)
    return torch.bincount(places, minlength=len(limits) - 1).double().tolist(), limits


def histogram(tag, values, bins, max_bins=None):
    """How values are distributed. Errors: ValueError  there are none."""
    values = tensor_of(values).double().flatten()
    if values.numel() == 0:
        raise ValueError("The input has no element.")
    counts, limits = _counts(values, _default_bins if bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        rest = len(counts) % step
        counts += [0.0] * (step - rest if rest else 0)
        counts = [sum(counts[at:at + step]) for at in range(0, len(counts), step)]
        limits = limits[:-1:step] + limits[-1:]
    filled = [at for at, count in enumerate(counts) if count > 0]
    if not filled:
        raise ValueError("The histogram is empty, please file a bug report.")
    # An empty bucket stays in front of the first that is filled, because the first limit is the end of a bucket.
    first, end = filled[0], filled[-1] + 1
    counts = counts[first - 1:end] if first > 0 else [0.0, *counts[:end]]
    limits = limits[first:end + 1]
    if not counts or not limits:
        raise ValueError("The histogram is empty, please file a bug report.")
    return histogram_raw(tag, float(values.min()), float(values.max()), values.numel(), float(values.sum()),
                         float(values.dot(values)), limits, counts)


def histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    numbers = b"".join(messages.double(field, float(number))
                       for field, number in enumerate((min, max, num, sum, sum_squares), 1))
    numbers += messages.doubles(6, [float(one) for one in bucket_limits])
    numbers += messages.doubles(7, [float(one) for one in bucket_counts])
    return messages.value(tag, messages.data(5, numbers))


def png(pixels):
    """A picture (height, width, 1, 3 or 4), uint8, as PNG. Format: RFC 2083."""
    height, width, channels = pixels.shape
    flat = bytes(pixels.flatten().tolist())
    row = width * channels
    lines = b"".join(b"\0" + flat[at:at + row] for at in range(0, height * row, row))

    def chunk(kind, contents):
        return struct.pack(">I", len(contents)) + kind + contents + struct.pack(">I", zlib.crc32(kind + contents))

    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def to_pixels(picture, dataformats):
    """(height, width, channels) of a picture, or of several in rows of eight."""
    if len(set(dataformats)) != len(dataformats):
        raise AssertionError("You can not use the same dimension shordhand twice.             "
                             f"input_format: {dataformats}")
    if picture.ndim != len(dataformats):
        raise AssertionError("size of input tensor and input format are different.         "
                             f"tensor shape: {tuple(picture.shape)}, input_format: {dataformats}")
    letters = dataformats.upper()
    if len(letters) == 4:
        many = picture.permute([letters.find(letter) for letter in "NCHW"])
        if many.shape[1] == 1:
            many = many.expand(-1, 3, -1, -1)
        count, channels, height, width = many.shape
        columns = min(count, 8)
        rows = math.ceil(count / columns)
        grid = torch.zeros(channels, height * rows, width * columns, dtype=many.dtype)
        for at in range(count):
            y, x = at // columns * height, at % columns * width
            grid[:, y:y + height, x:x + width] = many[at]
        return grid.permute(1, 2, 0)
    if len(letters) == 3:
        one = picture.permute([letters.find(letter) for letter in "HWC"])
        return one.expand(-1, -1, 3) if one.shape[2] == 1 else one
    if len(letters) == 2:
        one = picture.permute([letters.find(letter) for letter in "HW"])
        return one.unsqueeze(2).expand(-1, -1, 3)
    raise AssertionError(f"a picture has two to four axes, not {dataformats!r}")


def image(tag, picture, rescale=1, dataformats="NCHW"):
    picture = tensor_of(picture)
    scale = 1 if picture.dtype == torch.uint8 else 255
    pixels = (to_pixels(picture, dataformats).float() * scale).clamp(0, 255).to(torch.uint8)
    if rescale != 1:
        height, width = int(pixels.shape[0] * rescale), int(pixels.shape[1] * rescale)
        resized = torch.nn.functional.interpolate(pixels.permute(2, 0, 1)[None].float(), (height, width), mode="bilinear",
                                                  antialias=True)
        pixels = resized[0].round().clamp(0, 255).to(torch.uint8).permute(1, 2, 0)
    height, width, channels = pixels.shape
    shown = messages.integer(1, height) + messages.integer(2, width) + messages.integer(3, channels)
    return messages.value(tag, messages.data(4, shown + messages.data(4, png(pixels.contiguous()))))


def audio(tag, sound, sample_rate=44100):
    """Sound of 16 bits, as WAVE."""
    sound = tensor_of(sound).squeeze().float()
    if sound.abs().max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        sound = sound.clip(-1, 1)
    if sound.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    numbers = (sound * 32767).to(torch.int16).tolist()
    contents = struct.pack(f"<{len(numbers)}h", *numbers)
    form = struct.pack("<HHIIHH", 1, 1, sample_rate, sample_rate * 2, 2, 16)
    wave = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(contents)) + contents
    wave = b"RIFF" + struct.pack("<I", len(wave)) + wave
    shown = (messages.single(1, sample_rate) + messages.integer(2, 1) + messages.integer(3, len(numbers)) +
             messages.data(4, wave) + messages.data(5, "audio/wav"))
    return messages.value(tag, messages.data(6, shown))


def text(tag, words):
    return messages.value(tag + "/text_summary", messages.metadata("text"),
                          messages.tensor(_DT_STRING, (1,), messages.data(8, words)))


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    num_thresholds = min(num_thresholds, 127)
    rows = torch.stack([tensor_of(row).float() for row in (tp, fp, tn, fn, precision, recall)])
    return messages.value(tag, messages.tensor(_DT_FLOAT, rows.shape, messages.floats(rows.flatten().tolist())),
                          messages.metadata("pr_curves", messages.integer(2, num_thresholds), tag))


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Precision and recall at thresholds that lie evenly between 0 and 1."""
    num_thresholds = min(num_thresholds, 127)
    labels, predictions = tensor_of(labels).double(), tensor_of(predictions).double()
    weights = torch.ones_like(labels) if weights is None else tensor_of(weights).double()
    places = (predictions * (num_thresholds - 1)).floor().long()

    def at_least(chosen):
        counts = torch.zeros(num_thresholds, dtype=torch.float64).index_add_(0, places, chosen * weights)
        return counts.flip(0).cumsum(0).flip(0)

    tp, fp = at_least(labels), at_least(1.0 - labels)
    tn, fn = fp[0] - fp, tp[0] - tp
    return pr_curve_raw(tag, tp, fp, tn, fn, tp / (tp + fp).clamp(min=1e-7), tp / (tp + fn).clamp(min=1e-7),
                        num_thresholds)


def _hparam_value(given):
    if isinstance(given, bool):
        return 2, messages.varint(4 << 3) + messages.varint(int(given))
    if isinstance(given, (int, float)):
        return 3, messages.double(2, float(given))
    if isinstance(given, str):
        return 1, messages.data(3, given)
    if isinstance(given, torch.Tensor):
        return 3, messages.double(2, float(tensor_of(given)))
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")


def hparams(hparam_dict, metric_dict, hparam_domain_discrete=None):
    """Three summaries: of the experiment, of the start and of the end of a session.

    Format: TensorBoard's plugins/hparams/api.proto."""
    if not isinstance(hparam_dict, dict):
        raise TypeError("parameter: hparam_dict should be a dictionary, nothing logged.")
    if not isinstance(metric_dict, dict):
        raise TypeError("parameter: metric_dict should be a dictionary, nothing logged.")
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for key, values in domains.items():
        if key not in hparam_dict or not isinstance(values, list) or \
                not all(isinstance(one, type(hparam_dict[key])) for one in values):
            raise TypeError(f"parameter: hparam_domain_discrete[{key}] should be a list of same type as hparam_dict[{key}].")
    infos = start = b""
    for key, given in hparam_dict.items():
        if given is None:
            continue
        kind, shown = _hparam_value(given)
        domain = b""
        if key in domains:
            domain = messages.data(5, b"".join(messages.data(1, _hparam_value(one)[1]) for one in domains[key]))
        infos += messages.data(4, messages.data(1, key) + messages.integer(4, kind) + domain)
        start += messages.data(1, messages.data(1, key) + messages.data(2, shown))
    metrics = b"".join(messages.data(5, messages.data(1, messages.data(2, key))) for key in metric_dict)
    return [messages.value(f"_hparams_/{name}", messages.metadata("hparams", messages.data(field, contents)))
            for name, field, contents in (("experiment", 2, infos + metrics), ("session_start_info", 3, start),
                                          ("session_end_info", 4, messages.integer(1, 1)))]
