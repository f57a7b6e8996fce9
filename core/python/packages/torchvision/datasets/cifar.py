"""CIFAR-10 and CIFAR-100. Behaviour: torchvision/datasets/cifar.py; format: www.cs.toronto.edu/~kriz/cifar.html."""
import os
import pickle
import tarfile

import numpy as np
import torch
from torch import _bytes

from PIL import Image
from torchvision.datasets.utils import _not_found
from torchvision.datasets.vision import VisionDataset


class _Array:
    """An array of bytes, as numpy put it into a pickle."""

    def __setstate__(self, state):
        _, self.shape, _, _, data = state
        self.data = data.encode("latin-1") if isinstance(data, str) else bytes(data)

    def tensor(self):
        return _bytes.from_bytes(self.data, torch.uint8, 0, len(self.data)).reshape(self.shape)


class _Type:
    def __init__(self, *args):
        pass

    def __setstate__(self, state):
        pass


class _Unpickler(pickle.Unpickler):
    """Makes texts, numbers, lists, dictionaries and arrays of bytes, and calls nothing else that a file names."""

    def find_class(self, module, name):
        if name == "_reconstruct" and module.startswith("numpy"):
            return lambda *args: _Array()
        if name in ("ndarray", "dtype") and module == "numpy":
            return _Type
        if (module, name) == ("_codecs", "encode"):
            return lambda text, encoding: text.encode(encoding)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong into a file of CIFAR")


class CIFAR10(VisionDataset):
    """root/cifar-10-batches-py has the pickles for Python, or root the archive with them."""

    base_folder = "cifar-10-batches-py"
    filename = "cifar-10-python.tar.gz"
    _train, _test = [f"data_batch_{i}" for i in range(1, 6)], ["test_batch"]
    meta = {"filename": "batches.meta", "key": "label_names"}

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        names = self._train if train else self._test
        read = self._reader(names + [self.meta["filename"]])
        if read is None:
            raise RuntimeError("Dataset not found or corrupted. You can use download=True to download it")
        images, self.targets = [], []
        for name in names:
            entry = read(name)
            data = entry["data"]
            images.append(data.tensor() if isinstance(data, _Array) else torch.tensor(np.asarray(data)))
            self.targets.extend(entry["labels"] if "labels" in entry else entry["fine_labels"])
        self.data = torch.cat(images).reshape(-1, 3, 32, 32).permute(0, 2, 3, 1).contiguous().numpy()
        self.classes = read(self.meta["filename"])[self.meta["key"]]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _reader(self, names):
        """A function that gives what the file of a name holds; None where one of them is not there."""
        folder, archive = os.path.join(self.root, self.base_folder), os.path.join(self.root, self.filename)
        if all(os.path.isfile(os.path.join(folder, name)) for name in names):
            def read(name):
                with open(os.path.join(folder, name), "rb") as file:
                    return _Unpickler(file, encoding="latin1").load()
        elif os.path.isfile(archive):
            packed = tarfile.open(archive)

            def read(name):
                return _Unpickler(packed.extractfile(f"{self.base_folder}/{name}"), encoding="latin1").load()
        else:
            return None
        return read

    def download(self):
        if self._reader(self._train + self._test + [self.meta["filename"]]) is None:
            raise _not_found(self.root, [self.filename, f"or the folder {self.base_folder}"])

    def __getitem__(self, index):
        return self._transformed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {'Train' if self.train is True else 'Test'}"


class CIFAR100(CIFAR10):
    base_folder = "cifar-100-python"
    filename = "cifar-100-python.tar.gz"
    _train, _test = ["train"], ["test"]
    meta = {"filename": "meta", "key": "fine_label_names"}
