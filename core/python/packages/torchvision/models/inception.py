"""Inception V3. Behaviour: torchvision/models/inception.py. Paper: Szegedy et al. 2015."""
import warnings
from collections import namedtuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from torchvision.models._build import builder
from torchvision.models.googlenet import BasicConv2d as _GoogLeNetConv
from torchvision.models.googlenet import scaled_input

__all__ = ["Inception3", "InceptionOutputs", "_InceptionOutputs"]

InceptionOutputs = namedtuple("InceptionOutputs", ["logits", "aux_logits"])
InceptionOutputs.__annotations__ = {"logits": Tensor, "aux_logits": Tensor | None}
_InceptionOutputs = InceptionOutputs


class BasicConv2d(_GoogLeNetConv):
    pass


class _Branches(nn.Module):
    """Convolutions by name: (name, channels in, channels out, kernel, stride). They keep the size at stride 1."""

    def _add(self, conv_block, rows):
        conv = conv_block or BasicConv2d
        for name, channels, out, kernel, stride in rows:
            if kernel == 1 or stride != 1:
                setattr(self, name, conv(channels, out, kernel_size=kernel, **({} if stride == 1 else {"stride": stride})))
            else:
                padding = tuple(k // 2 for k in kernel) if isinstance(kernel, tuple) else kernel // 2
                setattr(self, name, conv(channels, out, kernel_size=kernel, padding=padding))

    def _run(self, x, start, count):
        for i in range(1, count + 1):
            x = getattr(self, f"{start}_{i}")(x)
        return x

    def forward(self, x):
        return torch.cat(self._forward(x), 1)


class InceptionA(_Branches):
    def __init__(self, in_channels, pool_features, conv_block=None):
        super().__init__()
        self._add(conv_block, [
            ("branch1x1", in_channels, 64, 1, 1), ("branch5x5_1", in_channels, 48, 1, 1), ("branch5x5_2", 48, 64, 5, 1),
            ("branch3x3dbl_1", in_channels, 64, 1, 1), ("branch3x3dbl_2", 64, 96, 3, 1), ("branch3x3dbl_3", 96, 96, 3, 1),
            ("branch_pool", in_channels, pool_features, 1, 1)])

    def _forward(self, x):
        pooled = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return [self.branch1x1(x), self._run(x, "branch5x5", 2), self._run(x, "branch3x3dbl", 3), self.branch_pool(pooled)]


class InceptionB(_Branches):
    def __init__(self, in_channels, conv_block=None):
        super().__init__()
        self._add(conv_block, [
            ("branch3x3", in_channels, 384, 3, 2), ("branch3x3dbl_1", in_channels, 64, 1, 1), ("branch3x3dbl_2", 64, 96, 3, 1),
            ("branch3x3dbl_3", 96, 96, 3, 2)])

    def _forward(self, x):
        return [self.branch3x3(x), self._run(x, "branch3x3dbl", 3), F.max_pool2d(x, kernel_size=3, stride=2)]


class InceptionC(_Branches):
    def __init__(self, in_channels, channels_7x7, conv_block=None):
        super().__init__()
        c7, wide, high = channels_7x7, (1, 7), (7, 1)
        self._add(conv_block, [
            ("branch1x1", in_channels, 192, 1, 1), ("branch7x7_1", in_channels, c7, 1, 1), ("branch7x7_2", c7, c7, wide, 1),
            ("branch7x7_3", c7, 192, high, 1), ("branch7x7dbl_1", in_channels, c7, 1, 1), ("branch7x7dbl_2", c7, c7, high, 1),
            ("branch7x7dbl_3", c7, c7, wide, 1), ("branch7x7dbl_4", c7, c7, high, 1), ("branch7x7dbl_5", c7, 192, wide, 1),
            ("branch_pool", in_channels, 192, 1, 1)])

    def _forward(self, x):
        pooled = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return [self.branch1x1(x), self._run(x, "branch7x7", 3), self._run(x, "branch7x7dbl", 5), self.branch_pool(pooled)]


class InceptionD(_Branches):
    def __init__(self, in_channels, conv_block=None):
        super().__init__()
        self._add(conv_block, [
            ("branch3x3_1", in_channels, 192, 1, 1), ("branch3x3_2", 192, 320, 3, 2), ("branch7x7x3_1", in_channels, 192, 1, 1),
            ("branch7x7x3_2", 192, 192, (1, 7), 1), ("branch7x7x3_3", 192, 192, (7, 1), 1), ("branch7x7x3_4", 192, 192, 3, 2)])

    def _forward(self, x):
        return [self._run(x, "branch3x3", 2), self._run(x, "branch7x7x3", 4), F.max_pool2d(x, kernel_size=3, stride=2)]


class InceptionE(_Branches):
    def __init__(self, in_channels, conv_block=None):
        super().__init__()
        self._add(conv_block, [
            ("branch1x1", in_channels, 320, 1, 1), ("branch3x3_1", in_channels, 384, 1, 1),
            ("branch3x3_2a", 384, 384, (1, 3), 1), ("branch3x3_2b", 384, 384, (3, 1), 1),
            ("branch3x3dbl_1", in_channels, 448, 1, 1), ("branch3x3dbl_2", 448, 384, 3, 1),
            ("branch3x3dbl_3a", 384, 384, (1, 3), 1), ("branch3x3dbl_3b", 384, 384, (3, 1), 1),
            ("branch_pool", in_channels, 192, 1, 1)])

    def _forward(self, x):
        single, double = self.branch3x3_1(x), self._run(x, "branch3x3dbl", 2)
        pooled = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return [self.branch1x1(x), torch.cat([self.branch3x3_2a(single), self.branch3x3_2b(single)], 1),
                torch.cat([self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double)], 1), self.branch_pool(pooled)]


class InceptionAux(nn.Module):
    def __init__(self, in_channels, num_classes, conv_block=None):
        super().__init__()
        conv = conv_block or BasicConv2d
        self.conv0 = conv(in_channels, 128, kernel_size=1)
        self.conv1 = conv(128, 768, kernel_size=5)
        self.conv1.stddev = 0.01
        self.fc = nn.Linear(768, num_classes)
        self.fc.stddev = 0.001

    def forward(self, x):
        x = self.conv1(self.conv0(F.avg_pool2d(x, kernel_size=5, stride=3)))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1))


class Inception3(nn.Module):
    def __init__(self, num_classes=1000, aux_logits=True, transform_input=False, inception_blocks=None, init_weights=None,
                 dropout=0.5):
        super().__init__()
        conv, a, b, c, d, e, aux = inception_blocks or [BasicConv2d, InceptionA, InceptionB, InceptionC, InceptionD, InceptionE,
                                                        InceptionAux]
        if init_weights is None:
            warnings.warn("The default weight initialization of inception_v3 will be changed in future releases of torchvision. "
                          "If you wish to keep the old behavior (which leads to long initialization times due to "
                          "scipy/scipy#11299), please set init_weights=True.", FutureWarning)
            init_weights = True
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.Conv2d_1a_3x3 = conv(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3 = conv(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = conv(32, 64, kernel_size=3, padding=1)
        self.maxpool1 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Conv2d_3b_1x1 = conv(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3 = conv(80, 192, kernel_size=3)
        self.maxpool2 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Mixed_5b = a(192, pool_features=32)
        self.Mixed_5c = a(256, pool_features=64)
        self.Mixed_5d = a(288, pool_features=64)
        self.Mixed_6a = b(288)
        self.Mixed_6b = c(768, channels_7x7=128)
        self.Mixed_6c = c(768, channels_7x7=160)
        self.Mixed_6d = c(768, channels_7x7=160)
        self.Mixed_6e = c(768, channels_7x7=192)
        self.AuxLogits = aux(768, num_classes) if aux_logits else None
        self.Mixed_7a = d(768)
        self.Mixed_7b = e(1280)
        self.Mixed_7c = e(2048)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Linear(2048, num_classes)
        if init_weights:
            for m in self.modules():
                if isinstance(m, (nn.Conv2d, nn.Linear)):
                    nn.init.trunc_normal_(m.weight, mean=0.0, std=float(getattr(m, "stddev", 0.1)), a=-2, b=2)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)

    def _transform_input(self, x):
        return scaled_input(x) if self.transform_input else x

    def _forward(self, x):
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        aux = self.AuxLogits(x) if self.AuxLogits is not None and self.training else None
        x = self.avgpool(self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x))))
        return self.fc(torch.flatten(self.dropout(x), 1)), aux

    def forward(self, x):
        x, aux = self._forward(self._transform_input(x))
        return InceptionOutputs(x, aux) if self.training and self.aux_logits else x


def _prepare(kwargs, weights):
    """The file holds the auxiliary classifier, which goes again where it is not wanted."""
    kwargs.setdefault("transform_input", True)
    wants_aux = kwargs.get("aux_logits", True)
    kwargs["aux_logits"], kwargs["init_weights"] = True, False

    def finish(model):
        if not wants_aux:
            model.aux_logits, model.AuxLogits = False, None

    return finish


builder("inception_v3", Inception3, _prepare)
