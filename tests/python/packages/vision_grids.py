"""Grids of images, and files of them."""
import torch
from PIL import Image
from torchvision.utils import make_grid, save_image

x = torch.arange(5 * 3 * 2 * 3, dtype=torch.float32).reshape(5, 3, 2, 3) / 90
g = make_grid(x, nrow=3)
print(g.shape, g.sum(), g[0])
print(make_grid(x, nrow=2, padding=1, pad_value=0.5)[1])
print(make_grid(x[0, 0]).shape, make_grid(x[0]).shape, make_grid(x[:, :1]).shape, make_grid(list(x)).shape, make_grid(x[:1]).shape)
print(make_grid(x * 3 - 1, normalize=True).sum(), make_grid(x, normalize=True, value_range=(0.2, 0.7)).sum(), make_grid(x, normalize=True, scale_each=True).sum())
for bad in (3, [1, 2]):
    try:
        make_grid(bad)
    except TypeError as e:
        print(e)
save_image(x, "grid.png", nrow=3)
image = Image.open("grid.png")
print(image.size, image.mode, image.getpixel((3, 3)), image.getpixel((12, 7)))
save_image(x[0], "one.png", normalize=True)
print(Image.open("one.png").size)
