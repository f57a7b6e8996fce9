"""DenseNet. Behaviour: torchvision/models/densenet.py. Paper: Huang et al. 2016."""
import re
from collections import OrderedDict

import torch
import torch.utils.checkpoint as cp
from torch import nn
from torch.nn import functional as F

from torchvision.models._build import builder

__all__ = ["DenseNet"]


class _DenseLayer(nn.Module):
    """Some more channels, of all that the layers before gave."""

    def __init__(self, num_input_features, growth_rate, bn_size, drop_rate, memory_efficient=False):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(num_input_features, bn_size * growth_rate, kernel_size=1, stride=1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, kernel_size=3, stride=1, padding=1, bias=False)
        self.drop_rate = float(drop_rate)
        self.memory_efficient = memory_efficient

    def bn_function(self, inputs):
        return self.conv1(self.relu1(self.norm1(torch.cat(inputs, 1))))

    def forward(self, input):
        inputs = [input] if isinstance(input, torch.Tensor) else input
        if self.memory_efficient and any(one.requires_grad for one in inputs):
            narrow = cp.checkpoint(lambda *given: self.bn_function(given), *inputs, use_reentrant=False)
        else:
            narrow = self.bn_function(inputs)
        made = self.conv2(self.relu2(self.norm2(narrow)))
        if self.drop_rate > 0:
            made = F.dropout(made, p=self.drop_rate, training=self.training)
        return made


class _DenseBlock(nn.ModuleDict):
    _version = 2

    def __init__(self, num_layers, num_input_features, bn_size, growth_rate, drop_rate, memory_efficient=False):
        super().__init__()
        for i in range(num_layers):
            layer = _DenseLayer(num_input_features + i * growth_rate, growth_rate=growth_rate, bn_size=bn_size,
                                drop_rate=drop_rate, memory_efficient=memory_efficient)
            self.add_module("denselayer%d" % (i + 1), layer)

    def forward(self, init_features):
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class _Transition(nn.Sequential):
    def __init__(self, num_input_features, num_output_features):
        super().__init__()
        self.norm = nn.BatchNorm2d(num_input_features)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(num_input_features, num_output_features, kernel_size=1, stride=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)


class DenseNet(nn.Module):
    def __init__(self, growth_rate=32, block_config=(6, 12, 24, 16), num_init_features=64, bn_size=4, drop_rate=0,
                 num_classes=1000, memory_efficient=False):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([
            ("conv0", nn.Conv2d(3, num_init_features, kernel_size=7, stride=2, padding=3, bias=False)),
            ("norm0", nn.BatchNorm2d(num_init_features)),
            ("relu0", nn.ReLU(inplace=True)),
            ("pool0", nn.MaxPool2d(kernel_size=3, stride=2, padding=1)),
        ]))
        channels = num_init_features
        for i, count in enumerate(block_config, 1):
            self.features.add_module("denseblock%d" % i, _DenseBlock(
                num_layers=count, num_input_features=channels, bn_size=bn_size, growth_rate=growth_rate, drop_rate=drop_rate,
                memory_efficient=memory_efficient))
            channels += count * growth_rate
            if i != len(block_config):
                self.features.add_module("transition%d" % i, _Transition(channels, channels // 2))
                channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.Linear):
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        features = F.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(features, (1, 1)), 1))


def _load(model, state):
    """The files still say norm.1 for norm1."""
    model.load_state_dict({re.sub(r"(denselayer\d+\.(?:norm|relu|conv))\.(?=[12]\.)", r"\1", key): value
                           for key, value in state.items()})


def _define(growth_rate, block_config, num_init_features):
    return lambda **kwargs: DenseNet(growth_rate, block_config, num_init_features, **kwargs)


builder("densenet121", _define(32, (6, 12, 24, 16), 64), load=_load)
builder("densenet161", _define(48, (6, 12, 36, 24), 96), load=_load)
builder("densenet169", _define(32, (6, 12, 32, 32), 64), load=_load)
builder("densenet201", _define(32, (6, 12, 48, 32), 64), load=_load)
