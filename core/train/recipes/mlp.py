"""A multi-layer perceptron on images in MNIST's layout."""
import torch
from torch import nn

import nnscope.train as train
from nnscope.data import ImageLoader, idx_folder

settings = train.settings(epochs=5, batch=128, lr=1e-3, width=256, layers=2, dropout=0.1, seed=0, limit=0, workers=1,
                          prefetch=2)
DEVICE = train.device()


def accuracy(model, batches):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in batches:
            right += (model(x.flatten(1).to(DEVICE)).argmax(1) == y.to(DEVICE)).sum().item()
    model.train()
    return right / len(batches.labels)


def main():
    if train.data() is None:
        raise SystemExit("this recipe needs --data FOLDER with train-images-idx3-ubyte (or .gz) and its three siblings")
    images, labels, test_images, test_labels = idx_folder(train.data())
    if settings.limit:
        images, labels = images[:settings.limit], labels[:settings.limit]
    torch.manual_seed(settings.seed)
    layers, size = [], images[0].numel()
    for _ in range(settings.layers):
        layers += [nn.Linear(size, settings.width), nn.ReLU(), nn.Dropout(settings.dropout)]
        size = settings.width
    model = nn.Sequential(*layers, nn.Linear(size, 10)).to(DEVICE)
    loader = ImageLoader(images, labels, settings.batch, 0.13, 1.0, shuffle=True, workers=settings.workers,
                         prefetch=settings.prefetch)
    test = ImageLoader(test_images, test_labels, 500, 0.13, 1.0, workers=settings.workers)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs)
    run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler)
    network = train.parallel(model)
    train.say(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(labels):,} images")
    for epoch in run.epochs(settings.epochs):
        for x, y in run.batches(loader):
            x, y = train.share(x, y)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(x.flatten(1).to(DEVICE)), y.to(DEVICE))
            loss.backward()
            optimizer.step()
        scheduler.step()
        right = accuracy(model, test)
        train.evaluation(accuracy=right)
        train.say(f"epoch {epoch + 1}: test accuracy {100 * right:.2f} %")


main()
