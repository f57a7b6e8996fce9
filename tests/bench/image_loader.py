"""How long a training waits for its batches, and how long its steps take: a ResNet on images as CIFAR-10 has them, with
what `nnscope train resnet` does to them. Ways take turns, so that what else runs hurts all alike.

    nnscope run tests/bench/image_loader.py [steps]"""
import statistics
import sys
import time

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler

from nnscope.data import ImageLoader

MEAN, STD, BATCH = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262), 128


class Images(torch.utils.data.Dataset):
    """The same images by ops of tensors; a batch is mirrored and moved as a whole, which is the least of work."""

    def __init__(self, images, labels):
        self.images, self.labels = images, labels
        self.mean, self.std = (torch.tensor(one).view(3, 1, 1) for one in (MEAN, STD))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        x = (self.images[index].float() / 255 - self.mean) / self.std
        if torch.rand(()).item() < 0.5:
            x = x.flip(-1)
        down, right = torch.randint(9, (2,)).tolist()
        x = nn.functional.pad(x, (4, 4, 4, 4))[..., down:down + 32, right:right + 32]
        return x, self.labels[index].long()


class Block(nn.Module):
    def __init__(self, size_in, size, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(size_in, size, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(size)
        self.conv2 = nn.Conv2d(size, size, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(size)
        self.shortcut = nn.Identity() if stride == 1 else nn.Conv2d(size_in, size, 1, stride=stride, bias=False)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


def resnet():
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                         Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(3072, 64), nn.ReLU(), nn.Linear(64, 10))


def measure(make, steps):
    images = torch.randint(0, 256, (4096, 3, 32, 32), dtype=torch.uint8)
    labels = torch.randint(0, 10, (4096,), dtype=torch.uint8)
    data = Images(images, labels)
    options = {"shuffle": True, "flip": True, "crop": 4}
    ways = {"DataLoader": DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), BATCH, True)),
            "workers=0": ImageLoader(images, labels, BATCH, MEAN, STD, **options),
            "workers=1": ImageLoader(images, labels, BATCH, MEAN, STD, workers=1, **options),
            "workers=2": ImageLoader(images, labels, BATCH, MEAN, STD, workers=2, **options)}
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    waits, whole = {name: [] for name in ways}, {name: [] for name in ways}
    iterators = {name: iter(loader) for name, loader in ways.items()}
    for number in range(steps):
        for name, loader in ways.items():
            began = time.perf_counter()
            try:
                x, y = next(iterators[name])
            except StopIteration:
                iterators[name] = iter(loader)
                continue
            given = time.perf_counter()
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            if number > 0:
                waits[name].append(given - began)
                whole[name].append(time.perf_counter() - began)
    for name in ways:
        print(f"| {make.__name__}, {name} | {1000 * statistics.median(waits[name]):.2f} ms | "
              f"{1000 * statistics.median(whole[name]):.2f} ms |")


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| model, batches | waiting for a batch | a step with its batch |\n| --- | --- | --- |")
    measure(resnet, steps)
    measure(mlp, steps)


main()
