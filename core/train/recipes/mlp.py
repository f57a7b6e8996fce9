"""A multi-layer perceptron on images in MNIST's layout."""
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler

import nnscope.data
import nnscope.train as train

settings = train.settings(epochs=5, batch=128, lr=1e-3, width=256, layers=2, dropout=0.1, seed=0, limit=0)


class Images(torch.utils.data.Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index].flatten(-2).float() / 255 - 0.13, self.labels[index].long()


def accuracy(model, images):
    model.eval()
    with torch.no_grad():
        x, y = images[list(range(len(images)))]
        right = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return right


def main():
    if train.data() is None:
        raise SystemExit("this recipe needs --data FOLDER with train-images-idx3-ubyte (or .gz) and its three siblings")
    images, labels, test_images, test_labels = nnscope.data.idx_folder(train.data())
    if settings.limit:
        images, labels = images[:settings.limit], labels[:settings.limit]
    data, test = Images(images, labels), Images(test_images, test_labels)
    torch.manual_seed(settings.seed)
    layers, size = [], images[0].numel()
    for _ in range(settings.layers):
        layers += [nn.Linear(size, settings.width), nn.ReLU(), nn.Dropout(settings.dropout)]
        size = settings.width
    model = nn.Sequential(*layers, nn.Linear(size, 10))
    loader = DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), settings.batch, False))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs)
    run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler)
    train.say(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(data):,} images")
    for epoch in run.epochs(settings.epochs):
        for x, y in run.batches(loader):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        right = accuracy(model, test)
        train.evaluation(accuracy=right)
        train.say(f"epoch {epoch + 1}: test accuracy {100 * right:.2f} %")


main()
