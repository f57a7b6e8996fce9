"""Points in the plane that no straight line parts: spirals or moons, and a small network that learns them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import nnscope.data
import nnscope.train as train

settings = train.settings(shape="spirals", epochs=200, points=600, classes=3, turns=1.0, noise=0.05, batch=32, lr=0.01,
                          width=32, layers=2, activation="tanh", seed=0)


def main():
    if settings.shape not in ("spirals", "moons"):
        raise SystemExit(f"--set shape={settings.shape}: shape is spirals or moons")
    kinds = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU, "sigmoid": nn.Sigmoid}
    if settings.activation not in kinds:
        raise SystemExit(f"--set activation={settings.activation}: activation is one of {', '.join(kinds)}")
    torch.manual_seed(settings.seed)
    classes = settings.classes if settings.shape == "spirals" else 2

    def points():
        if settings.shape == "moons":
            return nnscope.data.moons(settings.points, settings.noise)
        return nnscope.data.spirals(settings.points, classes, settings.turns, settings.noise)

    x, y = points()
    test_x, test_y = points()
    layers, size = [], 2
    for _ in range(settings.layers):
        layers += [nn.Linear(size, settings.width), kinds[settings.activation]()]
        size = settings.width
    model = nn.Sequential(*layers, nn.Linear(size, classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    loader = DataLoader(TensorDataset(x, y), batch_size=settings.batch, shuffle=True)
    run = train.Run(model=model, optimizer=optimizer)
    for epoch in run.epochs(settings.epochs):
        for inputs, targets in run.batches(loader):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
        if (epoch + 1) % 10 == 0:
            with torch.no_grad():
                right = (model(test_x).argmax(1) == test_y).float().mean().item()
            train.evaluation(accuracy=right)
            train.say(f"epoch {epoch + 1}: loss {loss.item():.4f}, test accuracy {100 * right:.1f} %")


main()
