"""Data sets that lie in folders; nothing is downloaded. What is not here stands in and raises by name."""
from _stand_in import part_of
from torchvision.datasets import utils
from torchvision.datasets.cifar import CIFAR10, CIFAR100
from torchvision.datasets.fakedata import FakeData
from torchvision.datasets.folder import DatasetFolder, ImageFolder
from torchvision.datasets.mnist import EMNIST, KMNIST, MNIST, FashionMNIST
from torchvision.datasets.vision import VisionDataset

__getattr__ = part_of(__name__)
