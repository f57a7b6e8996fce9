"""MNIST and its relatives. Behaviour: torchvision/datasets/mnist.py; format: yann.lecun.com/exdb/mnist."""
import gzip
import os
import string
import struct
import warnings

import torch
from torch import _bytes

from PIL import Image
from torchvision.datasets.utils import _not_found, verify_str_arg
from torchvision.datasets.vision import VisionDataset

# number of the type in a file: torch's
_TYPES = {8: torch.uint8, 9: torch.int8, 11: torch.int16, 12: torch.int32, 13: torch.float32, 14: torch.float64}


def read_sn3_pascalvincent_tensor(path, strict=True):
    """The tensor of an idx file. Errors: ValueError where the file holds fewer or more items than it says."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    zeros, kind, dimensions = struct.unpack(">HBB", data[:4]) if len(data) >= 4 else (1, 0, 0)
    if zeros or kind not in _TYPES or not 1 <= dimensions <= 3 or len(data) < 4 + 4 * dimensions:
        raise ValueError(f"{path} is no idx file")
    sizes = struct.unpack(f">{dimensions}I", data[4: 4 + 4 * dimensions])
    dtype, count, start = _TYPES[kind], 1, 4 + 4 * dimensions
    for one in sizes:
        count *= one
    width, there = dtype.itemsize, len(data) - start
    if there != count * width and (strict or there < count * width):
        raise ValueError(f"{path} says {count} items of {width} bytes, but holds {there} bytes of them")
    if width > 1:  # the highest byte comes first
        turned = _bytes.from_bytes(data, torch.uint8, start, count * width).reshape(-1, width).flip(1).contiguous()
        return turned.view(dtype).reshape(sizes)
    return _bytes.from_bytes(data, dtype, start, count).reshape(sizes)


def read_label_file(path):
    labels = read_sn3_pascalvincent_tensor(path, strict=False)
    if labels.dtype != torch.uint8:
        raise TypeError(f"x should be of dtype torch.uint8 instead of {labels.dtype}")
    if labels.ndimension() != 1:
        raise ValueError(f"x should have 1 dimension instead of {labels.ndimension()}")
    return labels.long()


def read_image_file(path):
    images = read_sn3_pascalvincent_tensor(path, strict=False)
    if images.dtype != torch.uint8:
        raise TypeError(f"x should be of dtype torch.uint8 instead of {images.dtype}")
    if images.ndimension() != 3:
        raise ValueError(f"x should have 3 dimension instead of {images.ndimension()}")
    return images


class MNIST(VisionDataset):
    """root/MNIST/raw has the four files, as they are or as .gz; download=True asks for no more than that."""

    training_file, test_file = "training.pt", "test.pt"
    classes = ["0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
               "9 - nine"]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        if not self._check_exists():
            raise RuntimeError("Dataset not found. You can use download=True to download it")
        self.data, self.targets = self._load_data()

    def _names(self, train):
        start = "train" if train else "t10k"
        return [f"{start}-images-idx3-ubyte", f"{start}-labels-idx1-ubyte"]

    def _path(self, name):
        """The file or its .gz; None where there is neither."""
        for path in (os.path.join(self.raw_folder, name), os.path.join(self.raw_folder, name + ".gz")):
            if os.path.isfile(path):
                return path
        return None

    def _check_exists(self):
        return all(self._path(name) is not None for name in self._names(self.train))

    def _load_data(self):
        images, labels = (self._path(name) for name in self._names(self.train))
        return read_image_file(images), read_label_file(labels)

    def download(self):
        if not self._check_exists():
            raise _not_found(self.raw_folder, [name + ".gz" for name in self._names(True) + self._names(False)])

    def __getitem__(self, index):
        image = Image.Image._of("L", self.data[index].clone())
        return self._transformed(image, int(self.targets[index]))

    def __len__(self):
        return len(self.data)

    @property
    def train_labels(self):
        warnings.warn("train_labels has been renamed targets")
        return self.targets

    @property
    def test_labels(self):
        warnings.warn("test_labels has been renamed targets")
        return self.targets

    @property
    def train_data(self):
        warnings.warn("train_data has been renamed data")
        return self.data

    @property
    def test_data(self):
        warnings.warn("test_data has been renamed data")
        return self.data

    @property
    def raw_folder(self):
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def processed_folder(self):
        return os.path.join(self.root, type(self).__name__, "processed")

    @property
    def class_to_idx(self):
        return {name: i for i, name in enumerate(self.classes)}

    def extra_repr(self):
        return f"Split: {'Train' if self.train is True else 'Test'}"


class FashionMNIST(MNIST):
    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


class KMNIST(MNIST):
    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class EMNIST(MNIST):
    """Letters and digits, in six ways to sort them; pictures lie on their side, as in the files."""

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
    _all_classes = set(string.digits + string.ascii_letters)
    _merged_classes = set("cijklmopsuvwxyz")
    classes_split_dict = {
        "byclass": sorted(_all_classes), "bymerge": sorted(_all_classes - _merged_classes),
        "balanced": sorted(_all_classes - _merged_classes), "letters": ["N/A"] + list(string.ascii_lowercase),
        "digits": list(string.digits), "mnist": list(string.digits),
    }

    def __init__(self, root, split, **kwargs):
        self.split = verify_str_arg(split, "split", self.splits)
        self.training_file, self.test_file = f"training_{split}.pt", f"test_{split}.pt"
        super().__init__(root, **kwargs)
        self.classes = self.classes_split_dict[self.split]

    def _names(self, train):
        start = f"emnist-{self.split}-{'train' if train else 'test'}"
        return [f"{start}-images-idx3-ubyte", f"{start}-labels-idx1-ubyte"]
