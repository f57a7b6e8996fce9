"""ConvNeXt. Behaviour: torchvision/models/convnext.py. Paper: Liu et al. 2022."""
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from torchvision.models._build import builder
from torchvision.ops.misc import Conv2dNormActivation, Permute
from torchvision.ops.stochastic_depth import StochasticDepth

__all__ = ["ConvNeXt"]


class LayerNorm2d(nn.LayerNorm):
    """Over the channels of (N, C, H, W)."""

    def forward(self, x):
        x = F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    def __init__(self, dim, layer_scale, stochastic_depth_prob, norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or partial(nn.LayerNorm, eps=1e-6)
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim, bias=True), Permute([0, 2, 3, 1]), norm_layer(dim),
            nn.Linear(in_features=dim, out_features=4 * dim, bias=True), nn.GELU(),
            nn.Linear(in_features=4 * dim, out_features=dim, bias=True), Permute([0, 3, 1, 2]))
        self.layer_scale = nn.Parameter(torch.ones(dim, 1, 1) * layer_scale)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")

    def forward(self, input):
        result = self.layer_scale * self.block(input)
        result = self.stochastic_depth(result)
        result += input
        return result


class CNBlockConfig:
    def __init__(self, input_channels, out_channels, num_layers):
        self.input_channels = input_channels
        self.out_channels = out_channels
        self.num_layers = num_layers

    def __repr__(self):
        return (f"{type(self).__name__}(input_channels={self.input_channels}, out_channels={self.out_channels}, "
                f"num_layers={self.num_layers})")


class ConvNeXt(nn.Module):
    def __init__(self, block_setting, stochastic_depth_prob=0.0, layer_scale=1e-6, num_classes=1000, block=None, norm_layer=None,
                 **kwargs):
        super().__init__()
        if not block_setting:
            raise ValueError("The block_setting should not be empty")
        if not (isinstance(block_setting, (list, tuple)) and all(isinstance(one, CNBlockConfig) for one in block_setting)):
            raise TypeError("The block_setting should be List[CNBlockConfig]")
        block, norm_layer = block or CNBlock, norm_layer or partial(LayerNorm2d, eps=1e-6)
        layers = [Conv2dNormActivation(3, block_setting[0].input_channels, kernel_size=4, stride=4, padding=0,
                                       norm_layer=norm_layer, activation_layer=None, bias=True)]
        total, number = sum(one.num_layers for one in block_setting), 0
        for one in block_setting:
            stage = []
            for _ in range(one.num_layers):
                stage.append(block(one.input_channels, layer_scale, stochastic_depth_prob * number / (total - 1.0)))
                number += 1
            layers.append(nn.Sequential(*stage))
            if one.out_channels is not None:  # half the size for the next stage
                layers.append(nn.Sequential(norm_layer(one.input_channels),
                                            nn.Conv2d(one.input_channels, one.out_channels, kernel_size=2, stride=2)))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        last = block_setting[-1]
        width = last.out_channels if last.out_channels is not None else last.input_channels
        self.classifier = nn.Sequential(norm_layer(width), nn.Flatten(1), nn.Linear(width, num_classes))
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def _forward_impl(self, x):
        return self.classifier(self.avgpool(self.features(x)))

    def forward(self, x):
        return self._forward_impl(x)


def _define(widths, counts, probability):
    def make(**kwargs):
        setting = [CNBlockConfig(*row) for row in zip(widths, widths[1:] + [None], counts)]
        return ConvNeXt(setting, stochastic_depth_prob=kwargs.pop("stochastic_depth_prob", probability), **kwargs)

    return make


builder("convnext_tiny", _define([96, 192, 384, 768], [3, 3, 9, 3], 0.1))
builder("convnext_small", _define([96, 192, 384, 768], [3, 3, 27, 3], 0.4))
builder("convnext_base", _define([128, 256, 512, 1024], [3, 3, 27, 3], 0.5))
builder("convnext_large", _define([192, 384, 768, 1536], [3, 3, 27, 3], 0.5))
