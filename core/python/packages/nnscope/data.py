"""Data sets from files that are there: nothing is downloaded."""
import os

import torch

__all__ = ["cifar10", "idx", "idx_folder", "moons", "spirals"]


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
