"""RegNet. Behaviour: torchvision/models/regnet.py. Paper: Radosavovic et al. 2020."""
import math
from collections import OrderedDict
from functools import partial

import torch
from torch import nn

from torchvision.models._build import builder
from torchvision.models._utils import _make_divisible
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = ["RegNet"]


class SimpleStemIN(Conv2dNormActivation):
    def __init__(self, width_in, width_out, norm_layer, activation_layer):
        super().__init__(width_in, width_out, kernel_size=3, stride=2, norm_layer=norm_layer, activation_layer=activation_layer)


class BottleneckTransform(nn.Sequential):
    """1x1, 3x3 in groups, scaling of channels, 1x1."""

    def __init__(self, width_in, width_out, stride, norm_layer, activation_layer, group_width, bottleneck_multiplier, se_ratio):
        width = int(round(width_out * bottleneck_multiplier))
        layers = OrderedDict()
        layers["a"] = Conv2dNormActivation(width_in, width, kernel_size=1, stride=1, norm_layer=norm_layer,
                                           activation_layer=activation_layer)
        layers["b"] = Conv2dNormActivation(width, width, kernel_size=3, stride=stride, groups=width // group_width,
                                           norm_layer=norm_layer, activation_layer=activation_layer)
        if se_ratio:
            layers["se"] = SqueezeExcitation(width, int(round(se_ratio * width_in)), activation=activation_layer)
        layers["c"] = Conv2dNormActivation(width, width_out, kernel_size=1, stride=1, norm_layer=norm_layer,
                                           activation_layer=None)
        super().__init__(layers)


class ResBottleneckBlock(nn.Module):
    def __init__(self, width_in, width_out, stride, norm_layer, activation_layer, group_width=1, bottleneck_multiplier=1.0,
                 se_ratio=None):
        super().__init__()
        self.proj = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(width_in, width_out, kernel_size=1, stride=stride, norm_layer=norm_layer,
                                             activation_layer=None)
        self.f = BottleneckTransform(width_in, width_out, stride, norm_layer, activation_layer, group_width,
                                     bottleneck_multiplier, se_ratio)
        self.activation = activation_layer(inplace=True)

    def forward(self, x):
        return self.activation((x if self.proj is None else self.proj(x)) + self.f(x))


class AnyStage(nn.Sequential):
    def __init__(self, width_in, width_out, stride, depth, block_constructor, norm_layer, activation_layer, group_width,
                 bottleneck_multiplier, se_ratio=None, stage_index=0):
        super().__init__()
        for i in range(depth):
            self.add_module(f"block{stage_index}-{i}", block_constructor(
                width_in if i == 0 else width_out, width_out, stride if i == 0 else 1, norm_layer, activation_layer, group_width,
                bottleneck_multiplier, se_ratio))


class BlockParams:
    def __init__(self, depths, widths, group_widths, bottleneck_multipliers, strides, se_ratio=None):
        self.depths = depths
        self.widths = widths
        self.group_widths = group_widths
        self.bottleneck_multipliers = bottleneck_multipliers
        self.strides = strides
        self.se_ratio = se_ratio

    @classmethod
    def from_init_params(cls, depth, w_0, w_a, w_m, group_width, bottleneck_multiplier=1.0, se_ratio=None, **kwargs):
        """Widths that grow by a line, rounded to powers of w_m and then to multiples of 8; equal ones are a stage."""
        if w_a < 0 or w_0 <= 0 or w_m <= 1 or w_0 % 8 != 0:
            raise ValueError("Invalid RegNet settings")
        line = torch.arange(depth, device="cpu") * w_a + w_0
        powers = torch.round(torch.log(line / w_0) / math.log(w_m))
        widths = (torch.round(torch.divide(w_0 * torch.pow(w_m, powers), 8)) * 8).int().tolist()
        stages = sorted(set(widths))
        depths = [widths.count(one) for one in stages]
        count = len(stages)
        groups, multipliers = [group_width] * count, [bottleneck_multiplier] * count
        inner = [int(width * b) for width, b in zip(stages, multipliers)]
        groups = [min(g, w) for g, w in zip(groups, inner)]
        inner = [_make_divisible(w, g) for w, g in zip(inner, groups)]
        stages = [int(w / b) for w, b in zip(inner, multipliers)]
        return cls(depths=depths, widths=stages, group_widths=groups, bottleneck_multipliers=multipliers, strides=[2] * count,
                   se_ratio=se_ratio)

    def _get_expanded_params(self):
        return zip(self.widths, self.strides, self.depths, self.group_widths, self.bottleneck_multipliers)


class RegNet(nn.Module):
    def __init__(self, block_params, num_classes=1000, stem_width=32, stem_type=None, block_type=None, norm_layer=None,
                 activation=None):
        super().__init__()
        stem_type, block_type = stem_type or SimpleStemIN, block_type or ResBottleneckBlock
        norm_layer, activation = norm_layer or nn.BatchNorm2d, activation or nn.ReLU
        self.stem = stem_type(3, stem_width, norm_layer, activation)
        width, blocks = stem_width, []
        for i, (out, stride, depth, group, multiplier) in enumerate(block_params._get_expanded_params(), 1):
            blocks.append((f"block{i}", AnyStage(width, out, stride, depth, block_type, norm_layer, activation, group, multiplier,
                                                 block_params.se_ratio, stage_index=i)))
            width = out
        self.trunk_output = nn.Sequential(OrderedDict(blocks))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(in_features=width, out_features=num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                nn.init.normal_(m.weight, mean=0.0, std=math.sqrt(2.0 / fan_out))
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0.0, std=0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.fc(self.avgpool(self.trunk_output(self.stem(x))).flatten(start_dim=1))


def _define(se_ratio, depth, w_0, w_a, w_m, group_width):
    def make(**kwargs):
        params = BlockParams.from_init_params(depth, w_0, w_a, w_m, group_width, se_ratio=se_ratio)
        norm = kwargs.pop("norm_layer", partial(nn.BatchNorm2d, eps=1e-05, momentum=0.1))
        return RegNet(params, norm_layer=norm, **kwargs)

    return make


for _name, *_row in [
    ("y_400mf", 16, 48, 27.89, 2.09, 8), ("y_800mf", 14, 56, 38.84, 2.4, 16), ("y_1_6gf", 27, 48, 20.71, 2.65, 24),
    ("y_3_2gf", 21, 80, 42.63, 2.66, 24), ("y_8gf", 17, 192, 76.82, 2.19, 56), ("y_16gf", 18, 200, 106.23, 2.48, 112),
    ("y_32gf", 20, 232, 115.89, 2.53, 232), ("y_128gf", 27, 456, 160.83, 2.52, 264),
    ("x_400mf", 22, 24, 24.48, 2.54, 16), ("x_800mf", 16, 56, 35.73, 2.28, 16), ("x_1_6gf", 18, 80, 34.01, 2.25, 24),
    ("x_3_2gf", 25, 88, 26.31, 2.25, 48), ("x_8gf", 23, 80, 49.56, 2.88, 120), ("x_16gf", 22, 216, 55.59, 2.1, 128),
    ("x_32gf", 23, 320, 69.86, 2.0, 168),
]:
    builder("regnet_" + _name, _define(0.25 if _name.startswith("y") else None, *_row))
