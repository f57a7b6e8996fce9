"""MobileNet V3. Behaviour: torchvision/models/mobilenetv3.py. Paper: Howard et al. 2019."""
from functools import partial

import torch
from torch import nn

from torchvision.models._build import builder
from torchvision.models._utils import _make_divisible
from torchvision.models.mobilenetv2 import init_weights
from torchvision.ops.misc import Conv2dNormActivation
from torchvision.ops.misc import SqueezeExcitation as SElayer

__all__ = ["MobileNetV3"]


class InvertedResidualConfig:
    def __init__(self, input_channels, kernel, expanded_channels, out_channels, use_se, activation, stride, dilation, width_mult):
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.kernel = kernel
        self.expanded_channels = self.adjust_channels(expanded_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.use_se = use_se
        self.use_hs = activation == "HS"
        self.stride = stride
        self.dilation = dilation

    @staticmethod
    def adjust_channels(channels, width_mult):
        return _make_divisible(channels * width_mult, 8)


class InvertedResidual(nn.Module):
    def __init__(self, cnf, norm_layer, se_layer=partial(SElayer, scale_activation=nn.Hardsigmoid)):
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError("illegal stride value")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        activation = nn.Hardswish if cnf.use_hs else nn.ReLU
        wide, layers = cnf.expanded_channels, []
        if wide != cnf.input_channels:
            layers.append(Conv2dNormActivation(cnf.input_channels, wide, kernel_size=1, norm_layer=norm_layer,
                                               activation_layer=activation))
        layers.append(Conv2dNormActivation(wide, wide, kernel_size=cnf.kernel, stride=1 if cnf.dilation > 1 else cnf.stride,
                                           dilation=cnf.dilation, groups=wide, norm_layer=norm_layer,
                                           activation_layer=activation))
        if cnf.use_se:
            layers.append(se_layer(wide, _make_divisible(wide // 4, 8)))
        layers.append(Conv2dNormActivation(wide, cnf.out_channels, kernel_size=1, norm_layer=norm_layer, activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = cnf.out_channels
        self._is_cn = cnf.stride > 1

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result += input
        return result


class MobileNetV3(nn.Module):
    def __init__(self, inverted_residual_setting, last_channel, num_classes=1000, block=None, norm_layer=None, dropout=0.2,
                 **kwargs):
        super().__init__()
        setting = inverted_residual_setting
        if not setting:
            raise ValueError("The inverted_residual_setting should not be empty")
        if not (isinstance(setting, (list, tuple)) and all(isinstance(one, InvertedResidualConfig) for one in setting)):
            raise TypeError("The inverted_residual_setting should be List[InvertedResidualConfig]")
        block = block or InvertedResidual
        norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        layers = [Conv2dNormActivation(3, setting[0].input_channels, kernel_size=3, stride=2, norm_layer=norm_layer,
                                       activation_layer=nn.Hardswish)]
        layers += [block(one, norm_layer) for one in setting]
        last = setting[-1].out_channels
        layers.append(Conv2dNormActivation(last, 6 * last, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6 * last, last_channel), nn.Hardswish(inplace=True),
                                        nn.Dropout(p=dropout, inplace=True), nn.Linear(last_channel, num_classes))
        init_weights(self)

    def _forward_impl(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))

    def forward(self, x):
        return self._forward_impl(x)


# channels in, kernel, channels between, channels out, whether they are scaled, activation, stride
_LARGE = [(16, 3, 16, 16, False, "RE", 1), (16, 3, 64, 24, False, "RE", 2), (24, 3, 72, 24, False, "RE", 1),
          (24, 5, 72, 40, True, "RE", 2), (40, 5, 120, 40, True, "RE", 1), (40, 5, 120, 40, True, "RE", 1),
          (40, 3, 240, 80, False, "HS", 2), (80, 3, 200, 80, False, "HS", 1), (80, 3, 184, 80, False, "HS", 1),
          (80, 3, 184, 80, False, "HS", 1), (80, 3, 480, 112, True, "HS", 1), (112, 3, 672, 112, True, "HS", 1),
          (112, 5, 672, 160, True, "HS", 2), (160, 5, 960, 160, True, "HS", 1), (160, 5, 960, 160, True, "HS", 1)]
_SMALL = [(16, 3, 16, 16, True, "RE", 2), (16, 3, 72, 24, False, "RE", 2), (24, 3, 88, 24, False, "RE", 1),
          (24, 5, 96, 40, True, "HS", 2), (40, 5, 240, 40, True, "HS", 1), (40, 5, 240, 40, True, "HS", 1),
          (40, 5, 120, 48, True, "HS", 1), (48, 5, 144, 48, True, "HS", 1), (48, 5, 288, 96, True, "HS", 2),
          (96, 5, 576, 96, True, "HS", 1), (96, 5, 576, 96, True, "HS", 1)]


def _mobilenet_v3_conf(arch, width_mult=1.0, reduced_tail=False, dilated=False, **kwargs):
    """The blocks and the width of the classifier; dilated: the last three blocks look further instead of going faster."""
    if arch not in ("mobilenet_v3_large", "mobilenet_v3_small"):
        raise ValueError(f"Unsupported model type {arch}")
    rows, tail = _LARGE if arch == "mobilenet_v3_large" else _SMALL, 3
    setting = []
    for i, (inp, kernel, wide, out, scaled, activation, stride) in enumerate(rows):
        is_last = i >= len(rows) - tail
        if reduced_tail and is_last:
            out //= 2
            if i > len(rows) - tail:
                inp, wide = inp // 2, wide // 2
        setting.append(InvertedResidualConfig(inp, kernel, wide, out, scaled, activation, stride,
                                              2 if dilated and is_last else 1, width_mult))
    last = (1280 if arch == "mobilenet_v3_large" else 1024) // (2 if reduced_tail else 1)
    return setting, InvertedResidualConfig.adjust_channels(last, width_mult)


def _define(name):
    def make(**kwargs):
        return MobileNetV3(*_mobilenet_v3_conf(name, **kwargs), **{key: value for key, value in kwargs.items() if key not in (
            "width_mult", "reduced_tail", "dilated")})

    return make


builder("mobilenet_v3_large", _define("mobilenet_v3_large"))
builder("mobilenet_v3_small", _define("mobilenet_v3_small"))
