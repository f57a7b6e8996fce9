"""A residual network of 6n + 2 layers on images in the layout of CIFAR-10's binary files."""
import torch
from torch import nn

import nnscope.train as train
from nnscope.data import ImageLoader, cifar10

settings = train.settings(epochs=10, batch=128, lr=0.1, momentum=0.9, weight_decay=5e-4, n=3, width=16, flip=True,
                          crop=4, autocast="none", seed=0, limit=0, workers=1, prefetch=2)
DEVICE = train.device()

# Of the training images of CIFAR-10, by channel.
MEAN, STD = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262)


class Block(nn.Module):
    def __init__(self, size_in, size, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(size_in, size, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(size)
        self.conv2 = nn.Conv2d(size, size, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(size)
        self.shortcut = nn.Identity() if stride == 1 and size_in == size else nn.Sequential(
            nn.Conv2d(size_in, size, 1, stride=stride, bias=False), nn.BatchNorm2d(size))

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, n, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        blocks, size = [], width
        for stage in range(3):
            for number in range(n):
                wide = width << stage
                blocks.append(Block(size, wide, 2 if stage > 0 and number == 0 else 1))
                size = wide
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(size, 10)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def accuracy(model, batches):
    model.eval()
    right = 0
    with torch.no_grad(), train.autocast(settings.autocast):
        for x, y in batches:
            right += (model(x.to(DEVICE)).argmax(1) == y.to(DEVICE)).sum().item()
    model.train()
    return right / len(batches.labels)


def main():
    if train.data() is None:
        raise SystemExit("this recipe needs --data FOLDER with data_batch_1.bin … and test_batch.bin")
    images, labels, test_images, test_labels = cifar10(train.data())
    if settings.limit:
        images, labels = images[:settings.limit], labels[:settings.limit]
    torch.manual_seed(settings.seed)
    model = ResNet(settings.n, settings.width).to(DEVICE)
    loader = ImageLoader(images, labels, settings.batch, MEAN, STD, shuffle=True, flip=settings.flip,
                         crop=settings.crop, workers=settings.workers, prefetch=settings.prefetch)
    test = ImageLoader(test_images, test_labels, 500, MEAN, STD, workers=settings.workers)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.lr, momentum=settings.momentum,
                                weight_decay=settings.weight_decay, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs * len(loader))
    run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler)
    network = train.parallel(model)
    train.say(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(labels):,} images")
    for epoch in run.epochs(settings.epochs):
        for x, y in run.batches(loader):
            x, y = train.share(x, y)
            optimizer.zero_grad()
            with train.autocast(settings.autocast):
                loss = nn.functional.cross_entropy(network(x.to(DEVICE)), y.to(DEVICE))
            loss.backward()
            optimizer.step()
            scheduler.step()
        right = accuracy(model, test)
        train.evaluation(accuracy=right)
        train.say(f"epoch {epoch + 1}: test accuracy {100 * right:.2f} %")


main()
