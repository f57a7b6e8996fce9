"""ResNets for images of 224 x 224. Paper: He et al. 2016, with the stride in the 3 x 3 convolution.

    nnscope summary examples/resnet.py --call 'resnet152()' --input 1,3,224,224 --depth 2
"""
import torch
import torch.nn as nn


def convolution(inputs, outputs, size, stride=1):
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = width * self.expansion
        self.body = nn.Sequential(
            convolution(inputs, width, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            convolution(width, width, 3, stride), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            convolution(width, outputs, 1), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, depths, classes=1000, width=64):
        super().__init__()
        self.stem = nn.Sequential(convolution(3, width, 7, 2), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, stride=2, padding=1))
        inputs, stages = width, []
        for i, depth in enumerate(depths):
            blocks = []
            for k in range(depth):
                blocks.append(Bottleneck(inputs, width << i, 2 if i > 0 and k == 0 else 1))
                inputs = (width << i) * Bottleneck.expansion
            stages.append(nn.Sequential(*blocks))
        self.stages = nn.Sequential(*stages)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        return self.head(self.stages(self.stem(x)))


def resnet50(**options):
    return ResNet([3, 4, 6, 3], **options)


def resnet152(**options):
    return ResNet([3, 8, 36, 3], **options)


if __name__ == "__main__":
    with torch.device("meta"):
        for build in (resnet50, resnet152):
            model = build()
            print(f"{build.__name__}: {sum(p.numel() for p in model.parameters()):,} parameters,",
                  tuple(model.eval()(torch.zeros(2, 3, 224, 224)).shape))
    torch.manual_seed(0)
    tiny = ResNet([1, 1], classes=2, width=4)
    images = torch.randn(16, 3, 32, 32)
    labels = torch.arange(16) % 2
    images[labels == 1, 0] += 1.5
    optimizer = torch.optim.SGD(tiny.parameters(), lr=0.05, momentum=0.9)
    for step in range(30):
        loss = nn.functional.cross_entropy(tiny(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("red images are told from others:", (tiny(images).argmax(1) == labels).all().item())
