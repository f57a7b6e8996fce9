"""Transforms of the second version: one image, or an image among other things."""
import torch
from PIL import Image
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

image = Image.new("RGB", (8, 6), (10, 20, 250))
transform = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(p=1.0), v2.Resize(4, antialias=True), v2.ToDtype(torch.float32, scale=True),
                        v2.Normalize(mean=[0.5, 0.5, 0.5], std=(0.5, 0.5, 0.5))])
print(transform)
made = transform(image)
print(made.shape, made.dtype, made[:, 0, 0])
made, label = transform(image, 3)
print(made.shape, label)
sample = v2.CenterCrop(2)({"image": image, "boxes": [1, 2], "name": "x"})
print(sample["image"].size, sample["boxes"], sample["name"])
batch = torch.arange(2 * 3 * 4 * 4, dtype=torch.uint8).reshape(2, 3, 4, 4)
out, labels = v2.RandomVerticalFlip(1.0)(batch, torch.tensor([0, 1]))
print(torch.equal(out, batch.flip(-2)), labels)
print(v2.RandomCrop(3), v2.ColorJitter(0.5), v2.Identity(), v2.ToTensor(), isinstance(v2.RandomCrop(3), v2.Transform))
torch.manual_seed(0)
a = v2.RandomResizedCrop(5, antialias=True)(batch)
torch.manual_seed(0)
from torchvision import transforms as v1
print(torch.equal(a, v1.RandomResizedCrop(5, antialias=True)(batch)), F.get_size(image), F.to_dtype(batch, scale=True).max())
print(v2.RandomApply([v2.RandomHorizontalFlip(1.0)], p=1.0)(batch, 5)[1], v2.RandomChoice([v2.Identity()])(7), v2.RandomOrder([v2.Identity()])(7))
for action in (lambda: v2.Identity()(image, image), lambda: v2.Compose(3), lambda: v2.MixUp(num_classes=3)):
    try:
        action()
    except Exception as e:
        print(type(e).__name__, e)
