"""VGG. Behaviour: torchvision/models/vgg.py. Paper: Simonyan and Zisserman 2014."""
import torch
from torch import nn

from torchvision.models._build import builder

__all__ = ["VGG"]


class VGG(nn.Module):
    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True), nn.Dropout(p=dropout), nn.Linear(4096, 4096), nn.ReLU(True),
            nn.Dropout(p=dropout), nn.Linear(4096, num_classes))
        if not init_weights:
            return
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def make_layers(cfg, batch_norm=False):
    """Convolutions of so many channels, and pools where "M" stands."""
    layers, channels = [], 3
    for one in cfg:
        if one == "M":
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2d(channels, one, kernel_size=3, padding=1))
        if batch_norm:
            layers.append(nn.BatchNorm2d(one))
        layers.append(nn.ReLU(inplace=True))
        channels = one
    return nn.Sequential(*layers)


cfgs = {
    "A": [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
    "B": [64, 64, "M", 128, 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
    "D": [64, 64, "M", 128, 128, "M", 256, 256, 256, "M", 512, 512, 512, "M", 512, 512, 512, "M"],
    "E": [64, 64, "M", 128, 128, "M", 256, 256, 256, 256, "M", 512, 512, 512, 512, "M", 512, 512, 512, 512, "M"],
}


def _define(cfg, batch_norm):
    return lambda **kwargs: VGG(make_layers(cfgs[cfg], batch_norm=batch_norm), **kwargs)


def _without_init(kwargs, weights):
    kwargs["init_weights"] = False


for _name, _cfg in (("vgg11", "A"), ("vgg13", "B"), ("vgg16", "D"), ("vgg19", "E")):
    builder(_name, _define(_cfg, False), _without_init)
    builder(_name + "_bn", _define(_cfg, True), _without_init)
