"""Data sets from files that are there: nothing is downloaded."""
import csv
import os

import torch

__all__ = ["cifar10", "idx", "idx_folder", "moons", "spirals", "table"]


def idx(path):
    """An IDX file of bytes (plain or packed by gzip) as a uint8 tensor: MNIST's images are (count, 28, 28)."""
    import _datasets
    import _files
    return _datasets.read_idx(_files.source(os.fspath(path)))


def _read_cifar(path):
    import _datasets
    import _files
    return _datasets.read_cifar(_files.source(path))


def _first_of(folder, names, read):
    """What `read` makes of the first of these files that is there, plain or packed by gzip."""
    for name in names:
        for ending in ("", ".gz"):
            try:
                return read(os.path.join(folder, name + ending))
            except FileNotFoundError:
                pass
    raise FileNotFoundError(f"{folder} has no {names[0]} (nor {names[0]}.gz)")


def idx_folder(folder):
    """(images, labels, test images, test labels) of a folder with MNIST's four files, or another's of that layout."""
    tensors = []
    for part in ("train", "t10k"):
        for what in ("images-idx3-ubyte", "labels-idx1-ubyte"):
            tensors.append(_first_of(folder, (f"{part}-{what}", f"{part}-{what.replace('-idx', '.idx')}"), idx))
    images, labels, test_images, test_labels = tensors
    for one, two in ((images, labels), (test_images, test_labels)):
        if one.dim() != 3 or two.dim() != 1 or len(one) != len(two):
            raise ValueError(f"{folder}: images of shape {tuple(one.shape)} do not fit labels of {tuple(two.shape)}")
    return images, labels, test_images, test_labels


def cifar10(folder):
    """The same of a folder with data_batch_*.bin and test_batch.bin; images are (count, 3, 32, 32)."""
    parts = [_first_of(folder, ("data_batch_1.bin",), _read_cifar)]
    for number in range(2, 6):
        try:
            parts.append(_first_of(folder, (f"data_batch_{number}.bin",), _read_cifar))
        except FileNotFoundError:
            break
    test_images, test_labels = _first_of(folder, ("test_batch.bin",), _read_cifar)
    return torch.cat([one[0] for one in parts]), torch.cat([one[1] for one in parts]), test_images, test_labels


def spirals(count, classes=3, turns=1.0, noise=0.05, generator=None):
    """`count` points of interleaved spirals in the plane, and their classes."""
    label = torch.arange(count) % classes
    radius = torch.rand(count, generator=generator) * 0.95 + 0.05
    angle = 2 * torch.pi * (radius * turns + label / classes) + noise * torch.randn(count, generator=generator)
    return torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1), label


def moons(count, noise=0.1, generator=None):
    """`count` points of two half circles that reach into each other, and their classes."""
    label = torch.arange(count) % 2
    angle = torch.pi * torch.rand(count, generator=generator)
    upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    lower = torch.stack([1 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
    points = torch.where((label == 0).unsqueeze(1), upper, lower)
    return points + noise * torch.randn(count, 2, generator=generator), label


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def table(path, label=-1):
    """A table of commas (or semicolons, or tabs) as (values, classes, names of the classes): in each line numbers, and
    in the column `label` a class, which is any text. Values are (lines, columns) of float32, classes int64; the first
    line may be a heading."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows, labels = [], []
    for number, line in enumerate(csv.reader(text.splitlines(), delimiter=delimiter), 1):
        if not any(cell.strip() for cell in line):
            continue
        if not -len(line) <= label < len(line):
            raise ValueError(f"{path}, line {number}: there is no column {label} among {len(line)}")
        name = line.pop(label)
        values = [_number(cell) for cell in line]
        if not rows and None in values and number == 1:
            continue
        if not values or None in values:
            raise ValueError(f"{path}, line {number}: {delimiter.join(line)!r} beside the class {name!r} is not numbers")
        if rows and len(values) != len(rows[0]):
            raise ValueError(f"{path}, line {number}: {len(values)} numbers, where the lines before have {len(rows[0])}")
        rows.append(values)
        labels.append(name.strip())
    if not rows:
        raise ValueError(f"{path}: there is no line of numbers and a class")
    names = sorted(set(labels), key=lambda name: (_number(name) is None, _number(name) or 0.0, name))
    place = {name: i for i, name in enumerate(names)}
    return torch.tensor(rows), torch.tensor([place[label] for label in labels]), names
