"""Data sets from files that are there: nothing is downloaded."""
import csv
import os

import torch

# Whoever watches a training is told when a batch is made.
try:
    import _training
except ImportError:
    _training = None

__all__ = ["ImageLoader", "cifar10", "idx", "idx_folder", "moons", "spirals", "table"]


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


class ImageLoader:
    """The batches (images, labels) of one epoch by iteration: float32 of (batch, channels, height, width), and int64.

    `images` are uint8 of (count, height, width) or (count, channels, height, width), `labels` uint8 of (count). Images
    become (x / 255 - mean) / std, where both are a number or one for each channel. `shuffle` draws the order of each
    epoch as torch's RandomSampler does, `flip` mirrors half of the images, `crop` moves each by up to so many pixels
    (black comes in).

    `workers` threads prepare up to `prefetch` batches beside the program while it trains; with none, and in a browser,
    a batch is prepared when it is asked for. Batches, their order and their bits are the same. What goes wrong in one
    is raised where it is due."""

    def __init__(self, images, labels, batch, mean=0.0, std=1.0, *, shuffle=False, flip=False, crop=0, workers=0,
                 prefetch=2):
        if batch < 1:
            raise ValueError(f"batch={batch}: a batch has at least one image")
        if workers < 0:
            raise ValueError(f"workers={workers}: it is a number of threads, or 0 for none")
        if prefetch < 1:
            raise ValueError(f"prefetch={prefetch}: at least one batch is prepared ahead")
        if crop < 0:
            raise ValueError(f"crop={crop}: it is a number of pixels, or 0 for none")
        self.images = (images.unsqueeze(1) if images.dim() == 3 else images).contiguous()
        self.labels = labels.contiguous()
        levels = torch.arange(256).float() / 255
        channels = self.images.shape[1]
        mean, std = (torch.as_tensor(one, dtype=torch.float32).expand(channels).unsqueeze(1) for one in (mean, std))
        self.levels = ((levels - mean) / std).contiguous()
        self.batch, self.shuffle, self.flip, self.crop = batch, shuffle, flip, crop
        self.workers, self.prefetch = workers, prefetch

    def __len__(self):
        return (len(self.labels) + self.batch - 1) // self.batch

    def __iter__(self):
        return _ImageIterator(self)


class _ImageIterator:
    def __init__(self, loader):
        import _datasets
        self._loader, self._next = loader, 0
        # All that an epoch draws is drawn here, so that it does not matter how far ahead batches are prepared.
        is_random = loader.shuffle or loader.flip or loader.crop
        seed = torch.empty((), dtype=torch.int64).random_().item() if is_random else 0
        count = len(loader.labels)
        if loader.shuffle:
            generator = torch.Generator()
            generator.manual_seed(torch.empty((), dtype=torch.int64).random_().item())
            self._order = torch.randperm(count, generator=generator)
        else:
            self._order = torch.arange(count)
        self._batches = _datasets.image_batches(loader.images, loader.labels, loader.levels, loader.flip, loader.crop,
                                                seed, loader.workers)

    def __iter__(self):
        return self

    def skip(self, batches):
        """Goes on behind so many batches, without preparing them."""
        if self._batches.waiting():
            raise RuntimeError("batches are skipped before the first is taken")
        self._next += batches

    def ready(self):
        """How many batches are prepared and wait to be taken."""
        return self._batches.done()

    def _ask(self):
        first = self._next * self._loader.batch
        if first < len(self._order):
            self._batches.add(self._order[first:first + self._loader.batch], first)
            self._next += 1

    def __next__(self):
        if _training is None:
            return self._take()
        _training.data_began(id(self), len(self._loader))
        batch, is_end = None, True
        try:
            batch = self._take()
            is_end = False
        finally:
            _training.data_ended(id(self), batch, is_end)
        return batch

    def _take(self):
        ahead = self._loader.prefetch if self._loader.workers else 0
        # The batch of this step, and those that workers prepare while it is made.
        while self._batches.waiting() < 1 + ahead:
            before = self._next
            self._ask()
            if self._next == before:
                break
        if not self._batches.waiting():
            raise StopIteration
        return self._batches.take()
