"""Where samples come from. Behaviour: torch/utils/data/datapipes/iter/{utils,filelister,fileopener}.py."""
import copy
import fnmatch
import os

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe


class IterableWrapper(IterDataPipe):
    """What something iterable has; `deepcopy`: of a copy, so that it stays as it is."""

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(self.iterable)
            except TypeError:
                pass  # a generator, which has no copy
        yield from source

    def __len__(self):
        return len(self.iterable)


@functional_datapipe("list_files")
class FileLister(IterDataPipe):
    """The paths of files below folders, in order."""

    def __init__(self, root=".", masks="", *, recursive=False, abspath=False, non_deterministic=False, length=-1):
        self.datapipe = IterableWrapper([root] if isinstance(root, str) else root)
        self.masks, self.recursive, self.abspath, self.length = masks, recursive, abspath, length

    def _fits(self, name):
        masks = [self.masks] if isinstance(self.masks, str) else self.masks
        return not self.masks or any(fnmatch.fnmatch(name, one) for one in masks)

    def __iter__(self):
        for root in self.datapipe:
            for folder, _, names in sorted(os.walk(os.path.abspath(root) if self.abspath else root)):
                for name in sorted(names):
                    if self._fits(name):
                        yield os.path.join(folder, name)
                if not self.recursive:
                    break

    def __len__(self):
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("open_files")
class FileOpener(IterDataPipe):
    """(path, open file) of each path."""

    def __init__(self, datapipe, mode="r", encoding=None, length=-1):
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.datapipe, self.mode, self.encoding, self.length = datapipe, mode if "r" in mode else "r" + mode, encoding, length

    def __iter__(self):
        for path in self.datapipe:
            yield path, open(path, self.mode, encoding=self.encoding)

    def __len__(self):
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
