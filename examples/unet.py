"""A U-Net for segmentation. Paper: Ronneberger et al. 2015; padded, so that sizes stay.

    nnscope summary examples/unet.py --call 'UNet()' --input 1,1,572,572
"""
import torch
import torch.nn as nn


def double(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(inplace=True),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, channels=1, classes=2, width=64, depth=4):
        super().__init__()
        widths = [width << i for i in range(depth + 1)]
        self.first = double(channels, width)
        self.down = nn.ModuleList(double(a, b) for a, b in zip(widths, widths[1:]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths, widths[1:]))
        self.merge = nn.ModuleList(double(2 * a, a) for a in widths[:-1])
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        x = self.first(x)
        kept = []
        for down in self.down:
            kept.append(x)
            x = down(nn.functional.max_pool2d(x, 2))
        for up, merge, skip in zip(reversed(self.up), reversed(self.merge), reversed(kept)):
            x = up(x)
            missing = [skip.shape[d] - x.shape[d] for d in (3, 2)]
            x = nn.functional.pad(x, [0, missing[0], 0, missing[1]])
            x = merge(torch.cat([skip, x], dim=1))
        return self.last(x)


if __name__ == "__main__":
    with torch.device("meta"):
        model = UNet()
        print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {tuple(model(torch.zeros(1, 1, 571, 572)).shape)}")
    torch.manual_seed(0)
    tiny = UNet(width=8, depth=2)
    images = torch.rand(4, 1, 12, 12)
    masks = (images[:, 0] > 0.5).long()
    optimizer = torch.optim.Adam(tiny.parameters(), lr=5e-3)
    for step in range(150):
        loss = nn.functional.cross_entropy(tiny(images), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("bright pixels are found:", (tiny(images).argmax(1) == masks).float().mean().item() > 0.9)
