"""MNASNet. Behaviour: torchvision/models/mnasnet.py. Paper: Tan et al. 2018."""
import torch
from torch import nn

from torchvision.models._build import builder

__all__ = ["MNASNet"]

_BN_MOMENTUM = 1 - 0.9997  # TensorFlow's, told the other way


class _InvertedResidual(nn.Module):
    def __init__(self, in_ch, out_ch, kernel_size, stride, expansion_factor, bn_momentum=0.1):
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        if kernel_size not in (3, 5):
            raise ValueError(f"kernel_size should be 3 or 5 instead of {kernel_size}")
        wide = in_ch * expansion_factor
        self.apply_residual = in_ch == out_ch and stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(in_ch, wide, 1, bias=False), nn.BatchNorm2d(wide, momentum=bn_momentum), nn.ReLU(inplace=True),
            nn.Conv2d(wide, wide, kernel_size, padding=kernel_size // 2, stride=stride, groups=wide, bias=False),
            nn.BatchNorm2d(wide, momentum=bn_momentum), nn.ReLU(inplace=True),
            nn.Conv2d(wide, out_ch, 1, bias=False), nn.BatchNorm2d(out_ch, momentum=bn_momentum))

    def forward(self, input):
        return self.layers(input) + input if self.apply_residual else self.layers(input)


def _stack(in_ch, out_ch, kernel_size, stride, exp_factor, repeats, bn_momentum):
    if repeats < 1:
        raise ValueError(f"repeats should be >= 1, instead got {repeats}")
    first = _InvertedResidual(in_ch, out_ch, kernel_size, stride, exp_factor, bn_momentum=bn_momentum)
    return nn.Sequential(first, *[_InvertedResidual(out_ch, out_ch, kernel_size, 1, exp_factor, bn_momentum=bn_momentum)
                                  for _ in range(1, repeats)])


def _get_depths(alpha):
    """Channels times alpha, to the nearest multiple of 8, and rather up."""
    depths = []
    for one in (32, 16, 24, 40, 80, 96, 192, 320):
        nearest = max(8, int(one * alpha + 4) // 8 * 8)
        depths.append(nearest if nearest >= 0.9 * one * alpha else nearest + 8)
    return depths


class MNASNet(nn.Module):
    _version = 2

    def __init__(self, alpha, num_classes=1000, dropout=0.2):
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f"alpha should be greater than 0.0 instead of {alpha}")
        self.alpha = alpha
        self.num_classes = num_classes
        depths = _get_depths(alpha)

        def norm(channels):
            return nn.BatchNorm2d(channels, momentum=_BN_MOMENTUM)

        layers = [
            nn.Conv2d(3, depths[0], 3, padding=1, stride=2, bias=False), norm(depths[0]), nn.ReLU(inplace=True),
            nn.Conv2d(depths[0], depths[0], 3, padding=1, stride=1, groups=depths[0], bias=False), norm(depths[0]),
            nn.ReLU(inplace=True),
            nn.Conv2d(depths[0], depths[1], 1, padding=0, stride=1, bias=False), norm(depths[1])]
        for i, row in enumerate(((3, 2, 3, 3), (5, 2, 3, 3), (5, 2, 6, 3), (3, 1, 6, 2), (5, 2, 6, 4), (3, 1, 6, 1)), 1):
            layers.append(_stack(depths[i], depths[i + 1], *row, _BN_MOMENTUM))
        layers += [nn.Conv2d(depths[7], 1280, 1, padding=0, stride=1, bias=False), norm(1280), nn.ReLU(inplace=True)]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(1280, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.kaiming_uniform_(m.weight, mode="fan_out", nonlinearity="sigmoid")
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


def _define(alpha):
    return lambda **kwargs: MNASNet(alpha, **kwargs)


for _name, _alpha in (("mnasnet0_5", 0.5), ("mnasnet0_75", 0.75), ("mnasnet1_0", 1.0), ("mnasnet1_3", 1.3)):
    builder(_name, _define(_alpha))
