"""Points in the plane that no straight line parts: spirals or moons, and a small network that learns them.

With --data FILE.csv it learns the classes of a table: numbers, and in the column `label` a class, in each line."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import nnscope.data
import nnscope.train as train

settings = train.settings(shape="spirals", epochs=200, points=600, classes=3, turns=1.0, noise=0.05, label=-1, batch=32, lr=0.01,
                          width=32, layers=2, activation="tanh", seed=0)
DEVICE = train.device()


def plane():
    """Points to learn, as many others to test with, and how many classes there are."""
    classes = settings.classes if settings.shape == "spirals" else 2

    def points():
        if settings.shape == "moons":
            return nnscope.data.moons(settings.points, settings.noise)
        return nnscope.data.spirals(settings.points, classes, settings.turns, settings.noise)

    return *points(), *points(), classes


def table(path):
    """The same of a file: each column around 0 and as wide as the others, a fifth of the lines to test with."""
    values, labels, names = nnscope.data.table(path, settings.label)
    if len(names) < 2:
        raise SystemExit(f"{path}: all lines are of the class {names[0]}, so that there is nothing to learn")
    order = torch.randperm(len(labels))
    values, labels = values[order], labels[order]
    held = max(1, len(labels) // 5)
    mean, std = values[held:].mean(0), values[held:].std(0, correction=0).clamp(min=1e-6)
    values = (values - mean) / std
    train.say(f"{len(labels):,} lines of {values.shape[1]} numbers, classes {', '.join(names)}")
    return values[held:], labels[held:], values[:held], labels[:held], len(names)


def main():
    if settings.shape not in ("spirals", "moons"):
        raise SystemExit(f"--set shape={settings.shape}: shape is spirals or moons")
    kinds = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU, "sigmoid": nn.Sigmoid}
    if settings.activation not in kinds:
        raise SystemExit(f"--set activation={settings.activation}: activation is one of {', '.join(kinds)}")
    torch.manual_seed(settings.seed)
    x, y, test_x, test_y, classes = table(train.data()) if train.data() is not None else plane()
    layers, size = [], x.shape[1]
    for _ in range(settings.layers):
        layers += [nn.Linear(size, settings.width), kinds[settings.activation]()]
        size = settings.width
    model = nn.Sequential(*layers, nn.Linear(size, classes)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    loader = DataLoader(TensorDataset(x, y), batch_size=settings.batch, shuffle=True)
    run = train.Run(model=model, optimizer=optimizer)
    network = train.parallel(model)
    for epoch in run.epochs(settings.epochs):
        for inputs, targets in run.batches(loader):
            inputs, targets = train.share(inputs, targets)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(inputs.to(DEVICE)), targets.to(DEVICE))
            loss.backward()
            optimizer.step()
        if (epoch + 1) % 10 == 0:
            with torch.no_grad():
                right = (model(test_x.to(DEVICE)).argmax(1) == test_y.to(DEVICE)).float().mean().item()
            train.evaluation(accuracy=right)
            train.say(f"epoch {epoch + 1}: loss {loss.item():.4f}, test accuracy {100 * right:.1f} %")


main()
