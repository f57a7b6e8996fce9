"""EfficientNet, first and second version. Behaviour: torchvision/models/efficientnet.py. Papers: Tan and Le 2019, 2021."""
import copy
import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from torchvision.models._build import builder
from torchvision.models._utils import _make_divisible
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation
from torchvision.ops.stochastic_depth import StochasticDepth

__all__ = ["EfficientNet"]


@dataclass
class _MBConvConfig:
    expand_ratio: float
    kernel: int
    stride: int
    input_channels: int
    out_channels: int
    num_layers: int
    block: type

    @staticmethod
    def adjust_channels(channels, width_mult, min_value=None):
        return _make_divisible(channels * width_mult, 8, min_value)


class MBConvConfig(_MBConvConfig):
    def __init__(self, expand_ratio, kernel, stride, input_channels, out_channels, num_layers, width_mult=1.0, depth_mult=1.0,
                 block=None):
        super().__init__(expand_ratio, kernel, stride, self.adjust_channels(input_channels, width_mult),
                         self.adjust_channels(out_channels, width_mult), self.adjust_depth(num_layers, depth_mult),
                         block or MBConv)

    @staticmethod
    def adjust_depth(num_layers, depth_mult):
        return int(math.ceil(num_layers * depth_mult))


class FusedMBConvConfig(_MBConvConfig):
    def __init__(self, expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block=None):
        super().__init__(expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block or FusedMBConv)


class _Block(nn.Module):
    def __init__(self, cnf, stochastic_depth_prob):
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError("illegal stride value")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels

    def _finish(self, cnf, layers, probability):
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(probability, "row")
        self.out_channels = cnf.out_channels

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result = self.stochastic_depth(result)
            result += input
        return result


class MBConv(_Block):
    def __init__(self, cnf, stochastic_depth_prob, norm_layer, se_layer=SqueezeExcitation):
        super().__init__(cnf, stochastic_depth_prob)
        wide, layers = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio), []
        if wide != cnf.input_channels:
            layers.append(Conv2dNormActivation(cnf.input_channels, wide, kernel_size=1, norm_layer=norm_layer,
                                               activation_layer=nn.SiLU))
        layers.append(Conv2dNormActivation(wide, wide, kernel_size=cnf.kernel, stride=cnf.stride, groups=wide,
                                           norm_layer=norm_layer, activation_layer=nn.SiLU))
        layers.append(se_layer(wide, max(1, cnf.input_channels // 4), activation=partial(nn.SiLU, inplace=True)))
        layers.append(Conv2dNormActivation(wide, cnf.out_channels, kernel_size=1, norm_layer=norm_layer, activation_layer=None))
        self._finish(cnf, layers, stochastic_depth_prob)


class FusedMBConv(_Block):
    """One whole convolution where MBConv has one for each channel."""

    def __init__(self, cnf, stochastic_depth_prob, norm_layer):
        super().__init__(cnf, stochastic_depth_prob)
        wide = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        is_wider = wide != cnf.input_channels
        layers = [Conv2dNormActivation(cnf.input_channels, wide if is_wider else cnf.out_channels, kernel_size=cnf.kernel,
                                       stride=cnf.stride, norm_layer=norm_layer, activation_layer=nn.SiLU)]
        if is_wider:
            layers.append(Conv2dNormActivation(wide, cnf.out_channels, kernel_size=1, norm_layer=norm_layer,
                                               activation_layer=None))
        self._finish(cnf, layers, stochastic_depth_prob)


class EfficientNet(nn.Module):
    def __init__(self, inverted_residual_setting, dropout, stochastic_depth_prob=0.2, num_classes=1000, norm_layer=None,
                 last_channel=None):
        super().__init__()
        setting = inverted_residual_setting
        if not setting:
            raise ValueError("The inverted_residual_setting should not be empty")
        if not (isinstance(setting, (list, tuple)) and all(isinstance(one, _MBConvConfig) for one in setting)):
            raise TypeError("The inverted_residual_setting should be List[MBConvConfig]")
        norm_layer = norm_layer or nn.BatchNorm2d
        layers = [Conv2dNormActivation(3, setting[0].input_channels, kernel_size=3, stride=2, norm_layer=norm_layer,
                                       activation_layer=nn.SiLU)]
        total, number = sum(one.num_layers for one in setting), 0
        for one in setting:
            stage = []
            for _ in range(one.num_layers):
                cnf = copy.copy(one)  # the setting itself stays
                if stage:
                    cnf.input_channels, cnf.stride = cnf.out_channels, 1
                stage.append(cnf.block(cnf, stochastic_depth_prob * float(number) / total, norm_layer))
                number += 1
            layers.append(nn.Sequential(*stage))
        last = setting[-1].out_channels
        out = last_channel if last_channel is not None else 4 * last
        layers.append(Conv2dNormActivation(last, out, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.SiLU))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(out, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                most = 1.0 / math.sqrt(m.out_features)
                nn.init.uniform_(m.weight, -most, most)
                nn.init.zeros_(m.bias)

    def _forward_impl(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))

    def forward(self, x):
        return self._forward_impl(x)


_FIRST = [(1, 3, 1, 32, 16, 1), (6, 3, 2, 16, 24, 2), (6, 5, 2, 24, 40, 2), (6, 3, 2, 40, 80, 3), (6, 5, 1, 80, 112, 3),
          (6, 5, 2, 112, 192, 4), (6, 3, 1, 192, 320, 1)]
# Of each size the first three stages are fused.
_SECOND = {
    "s": [(1, 3, 1, 24, 24, 2), (4, 3, 2, 24, 48, 4), (4, 3, 2, 48, 64, 4), (4, 3, 2, 64, 128, 6), (6, 3, 1, 128, 160, 9),
          (6, 3, 2, 160, 256, 15)],
    "m": [(1, 3, 1, 24, 24, 3), (4, 3, 2, 24, 48, 5), (4, 3, 2, 48, 80, 5), (4, 3, 2, 80, 160, 7), (6, 3, 1, 160, 176, 14),
          (6, 3, 2, 176, 304, 18), (6, 3, 1, 304, 512, 5)],
    "l": [(1, 3, 1, 32, 32, 4), (4, 3, 2, 32, 64, 7), (4, 3, 2, 64, 96, 7), (4, 3, 2, 96, 192, 10), (6, 3, 1, 192, 224, 19),
          (6, 3, 2, 224, 384, 25), (6, 3, 1, 384, 640, 7)],
}


def _define_first(width, depth, dropout, norm):
    def make(**kwargs):
        setting = [MBConvConfig(*row, width_mult=width, depth_mult=depth) for row in _FIRST]
        return EfficientNet(setting, kwargs.pop("dropout", dropout), norm_layer=norm, **kwargs)

    return make


def _define_second(size, dropout):
    def make(**kwargs):
        setting = [(FusedMBConvConfig if i < 3 else MBConvConfig)(*row) for i, row in enumerate(_SECOND[size])]
        return EfficientNet(setting, kwargs.pop("dropout", dropout), last_channel=1280,
                            norm_layer=partial(nn.BatchNorm2d, eps=1e-03), **kwargs)

    return make


_SLOW_NORM = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
for _i, (_width, _depth, _dropout) in enumerate([(1.0, 1.0, 0.2), (1.0, 1.1, 0.2), (1.1, 1.2, 0.3), (1.2, 1.4, 0.3),
                                                 (1.4, 1.8, 0.4), (1.6, 2.2, 0.4), (1.8, 2.6, 0.5), (2.0, 3.1, 0.5)]):
    builder(f"efficientnet_b{_i}", _define_first(_width, _depth, _dropout, _SLOW_NORM if _i >= 5 else None))
for _size, _dropout in (("s", 0.2), ("m", 0.3), ("l", 0.4)):
    builder(f"efficientnet_v2_{_size}", _define_second(_size, _dropout))
