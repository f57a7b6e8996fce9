"""ShuffleNet V2. Behaviour: torchvision/models/shufflenetv2.py. Paper: Ma et al. 2018."""
import torch
from torch import nn

from torchvision.models._build import builder

__all__ = ["ShuffleNetV2"]


def channel_shuffle(x, groups):
    """The first of each group, then the second of each, ..."""
    batch, channels, height, width = x.size()
    x = x.view(batch, groups, channels // groups, height, width)
    return torch.transpose(x, 1, 2).contiguous().view(batch, channels, height, width)


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride):
        super().__init__()
        if not 1 <= stride <= 3:
            raise ValueError("illegal stride value")
        self.stride = stride
        half = oup // 2
        if stride == 1 and inp != half << 1:
            raise ValueError(f"Invalid combination of stride {stride}, inp {inp} and oup {oup} values. If stride == 1 then inp "
                             "should be equal to oup // 2 << 1.")
        if stride > 1:
            self.branch1 = nn.Sequential(
                self.depthwise_conv(inp, inp, kernel_size=3, stride=stride, padding=1), nn.BatchNorm2d(inp),
                nn.Conv2d(inp, half, kernel_size=1, stride=1, padding=0, bias=False), nn.BatchNorm2d(half),
                nn.ReLU(inplace=True))
        else:
            self.branch1 = nn.Sequential()
        self.branch2 = nn.Sequential(
            nn.Conv2d(inp if stride > 1 else half, half, kernel_size=1, stride=1, padding=0, bias=False), nn.BatchNorm2d(half),
            nn.ReLU(inplace=True), self.depthwise_conv(half, half, kernel_size=3, stride=stride, padding=1),
            nn.BatchNorm2d(half), nn.Conv2d(half, half, kernel_size=1, stride=1, padding=0, bias=False), nn.BatchNorm2d(half),
            nn.ReLU(inplace=True))

    @staticmethod
    def depthwise_conv(i, o, kernel_size, stride=1, padding=0, bias=False):
        return nn.Conv2d(i, o, kernel_size, stride, padding, bias=bias, groups=i)

    def forward(self, x):
        if self.stride == 1:
            kept, x = x.chunk(2, dim=1)
            out = torch.cat((kept, self.branch2(x)), dim=1)
        else:
            out = torch.cat((self.branch1(x), self.branch2(x)), dim=1)
        return channel_shuffle(out, 2)


class ShuffleNetV2(nn.Module):
    def __init__(self, stages_repeats, stages_out_channels, num_classes=1000, inverted_residual=InvertedResidual):
        super().__init__()
        if len(stages_repeats) != 3:
            raise ValueError("expected stages_repeats as list of 3 positive ints")
        if len(stages_out_channels) != 5:
            raise ValueError("expected stages_out_channels as list of 5 positive ints")
        self._stage_out_channels = stages_out_channels
        channels = stages_out_channels[0]
        self.conv1 = nn.Sequential(nn.Conv2d(3, channels, 3, 2, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        for name, count, out in zip(("stage2", "stage3", "stage4"), stages_repeats, stages_out_channels[1:]):
            blocks = [inverted_residual(channels, out, 2)] + [inverted_residual(out, out, 1) for _ in range(count - 1)]
            setattr(self, name, nn.Sequential(*blocks))
            channels = out
        out = stages_out_channels[-1]
        self.conv5 = nn.Sequential(nn.Conv2d(channels, out, 1, 1, 0, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True))
        self.fc = nn.Linear(out, num_classes)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


def _define(*channels):
    return lambda **kwargs: ShuffleNetV2([4, 8, 4], list(channels), **kwargs)


builder("shufflenet_v2_x0_5", _define(24, 48, 96, 192, 1024))
builder("shufflenet_v2_x1_0", _define(24, 116, 232, 464, 1024))
builder("shufflenet_v2_x1_5", _define(24, 176, 352, 704, 1024))
builder("shufflenet_v2_x2_0", _define(24, 244, 488, 976, 2048))
