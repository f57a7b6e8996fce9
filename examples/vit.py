"""ViT-B/16. Paper: Dosovitskiy et al. 2021.

    nnscope summary examples/vit.py --call 'ViT()' --input 1,3,224,224
"""
import torch
import torch.nn as nn


class ViT(nn.Module):
    def __init__(self, image=224, patch=16, width=768, layers=12, heads=12, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True,
                                           norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.positions
        return self.head(self.encoder(x)[:, 0])


if __name__ == "__main__":
    with torch.device("meta"):
        model = ViT()
        print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {tuple(model(torch.zeros(2, 3, 224, 224)).shape)}")
    torch.manual_seed(0)
    tiny = ViT(image=8, patch=4, width=16, layers=2, heads=2, classes=3).eval()
    out = tiny(torch.randn(2, 3, 8, 8))
    print(tuple(out.shape), "one image does not see the other:",
          torch.allclose(tiny(torch.cat([torch.zeros(1, 3, 8, 8)] * 2))[0], tiny(torch.zeros(1, 3, 8, 8))[0], atol=1e-6))
