"""A convolutional network on images in MNIST's layout."""
import torch
from torch import nn

import nnscope.train as train
from nnscope.data import ImageLoader, idx_folder

settings = train.settings(epochs=4, batch=128, lr=2e-3, width=32, dropout=0.25, clip=0.0, accumulate=1, patience=0,
                          autocast="none", seed=0, limit=0, workers=1, prefetch=2)
DEVICE = train.device()


class CNN(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Dropout(dropout), nn.Linear(2 * width * 7 * 7, 4 * width), nn.ReLU(),
            nn.Dropout(dropout), nn.Linear(4 * width, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


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
        raise SystemExit("this recipe needs --data FOLDER with train-images-idx3-ubyte (or .gz) and its three siblings")
    images, labels, test_images, test_labels = idx_folder(train.data())
    if settings.limit:
        images, labels = images[:settings.limit], labels[:settings.limit]
    torch.manual_seed(settings.seed)
    model = CNN(settings.width, settings.dropout).to(DEVICE)
    loader = ImageLoader(images, labels, settings.batch, 0.2860, 0.3530, shuffle=True, workers=settings.workers,
                         prefetch=settings.prefetch)
    test = ImageLoader(test_images, test_labels, 500, 0.2860, 0.3530, workers=settings.workers)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    steps = settings.epochs * ((len(loader) + settings.accumulate - 1) // settings.accumulate)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=settings.lr, total_steps=steps + 1)
    stop = train.EarlyStop(settings.patience)
    run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler, stop=stop)
    network = train.parallel(model)
    criterion = nn.CrossEntropyLoss()
    train.say(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(labels):,} images")
    for epoch in run.epochs(settings.epochs):
        for number, (x, y) in enumerate(run.batches(loader)):
            x, y = train.share(x, y)
            with train.autocast(settings.autocast):
                loss = criterion(network(x.to(DEVICE)), y.to(DEVICE))
            (loss / settings.accumulate).backward()
            if (number + 1) % settings.accumulate == 0:
                if settings.clip:
                    nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
                optimizer.step()
                optimizer.zero_grad()
                scheduler.step()
        right = accuracy(model, test)
        train.evaluation(accuracy=right)
        train.say(f"epoch {epoch + 1}: test accuracy {100 * right:.2f} %")
        if stop.is_over(right):
            train.say(f"no better for {settings.patience} epochs: stopped early")
            break


main()
