"""Transforms of images and tensors: results, draws, texts and errors. Sums of pixels stand for the pixels."""
import random
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision import transforms as T
from torchvision.transforms import InterpolationMode as Mode
from torchvision.transforms import functional as F


def noise(mode, width, height, seed=7):
    state, data = seed, []
    for _ in range(width * height * len(Image.new(mode, (1, 1)).getbands())):
        state = (state * 1103515245 + 12345) % 2 ** 31
        data.append(state >> 16 & 255)
    return Image.frombytes(mode, (width, height), bytes(data))


rgb, gray = noise("RGB", 37, 23), noise("L", 20, 31)
bytes3, bytes1 = F.pil_to_tensor(rgb), F.pil_to_tensor(gray)
floats = F.to_tensor(rgb)


def told(x):
    if isinstance(x, Image.Image):
        return x.mode, x.size, zlib.crc32(x.tobytes())
    if isinstance(x, tuple):
        return [told(one) for one in x]
    x = x.contiguous()
    if x.dtype == torch.uint8:
        return tuple(x.shape), zlib.crc32(x.numpy().tobytes())
    return tuple(x.shape), f"{x.double().mean().item():.4f} {x.double().std().item():.4f}"


def attempt(action):
    try:
        print("no error", action())
    except Exception as e:
        print(type(e).__name__, e)


print("conversions", told(bytes3), told(floats), told(F.to_tensor(np.array(rgb))), told(F.to_tensor(np.ones((3, 4)))), told(F.to_tensor(gray.convert("1"))))
print(told(F.to_pil_image(floats)), told(F.to_pil_image(bytes1)), told(F.to_pil_image(np.array(rgb))), told(F.to_pil_image(torch.rand(2, 3).double().float() * 0)), told(T.ToPILImage("HSV")(bytes3)))
print(*[told(F.convert_image_dtype(bytes3, d)) for d in (torch.float, torch.int16, torch.int32, torch.uint8)], told(F.convert_image_dtype(floats, torch.uint8)), told(F.convert_image_dtype(F.convert_image_dtype(bytes3, torch.int32), torch.uint8)))
print(told(F.normalize(floats, [0.5, 0.4, 0.3], (0.2, 0.3, 0.4))), F.get_dimensions(rgb), F.get_image_size(bytes1), F.get_image_num_channels(gray))
print("fixed")
for img in (rgb, gray, bytes3, bytes1, floats):
    print(told(F.resize(img, 12, antialias=True)), told(F.resize(img, [50, 40], antialias=True)), told(F.resize(img, 12, Mode.NEAREST)), told(F.resize(img, [12], Mode.BICUBIC, antialias=True)), told(F.resize(img, 20, max_size=30, antialias=True)))
    print(told(F.center_crop(img, 10)), told(F.center_crop(img, [40, 8])), told(F.crop(img, -3, 4, 20, 50)), told(F.hflip(img)), told(F.vflip(img)))
    print(*[told(F.pad(img, p, mode_fill, mode)) for p, mode_fill, mode in ((2, 0, "constant"), ([1, 2], 5, "constant"), ([1, 2, 3, 4], 0, "reflect"), (3, 0, "edge"), (4, 0, "symmetric"))])
    print(told(F.five_crop(img, 9)), told(F.ten_crop(img, (9, 5)))[5:8])
    print(told(F.adjust_brightness(img, 1.4)), told(F.adjust_contrast(img, 0.6)), told(F.adjust_saturation(img, 1.7)), told(F.adjust_hue(img, 0.2)), told(F.adjust_hue(img, -0.31)), told(F.adjust_gamma(img, 1.6)), told(F.adjust_sharpness(img, 1.5)))
    print(told(F.rotate(img, 30)), told(F.rotate(img, -75, Mode.BILINEAR, expand=True)), told(F.rotate(img, 10, center=[3, 4], fill=9)))
    print(told(F.affine(img, 12, [2, 3], 0.8, [5.0, 3.0])), told(F.affine(img, -12, [2, 3], 1.2, [5.0, 3.0], Mode.BILINEAR)))
    print(told(F.rgb_to_grayscale(img)), told(F.rgb_to_grayscale(img, 3)), told(F.gaussian_blur(img, 3)), told(F.gaussian_blur(img, [3, 5], [0.5, 1.2])))
    print(told(F.invert(img)), told(F.solarize(img, 0.5 if img is floats else 100)), told(F.autocontrast(img)))
    w, h = F.get_image_size(img)
    print(told(F.perspective(img, [[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], [[2, 1], [w - 3, 0], [w - 2, h - 4], [1, h - 2]], Mode.NEAREST)))
    if img is not floats:
        print(told(F.posterize(img, 3)), told(F.equalize(img)))
print("draws")
torch.manual_seed(3)
random.seed(3)
for t in (T.RandomCrop(9), T.RandomCrop((20, 15), padding=4), T.RandomCrop(60, pad_if_needed=True, padding_mode="edge"), T.RandomHorizontalFlip(), T.RandomVerticalFlip(0.7),
          T.RandomResizedCrop(16, antialias=True), T.RandomResizedCrop((8, 12), scale=(0.5, 2.0), ratio=(2.0, 3.0), interpolation=Mode.NEAREST), T.ColorJitter(0.5, 0.4, 0.3, 0.2),
          T.ColorJitter(brightness=(0.2, 0.9)), T.RandomRotation(40), T.RandomRotation((10, 80), expand=True, fill=3), T.RandomAffine(10, (0.1, 0.2), (0.8, 1.2), 5),
          T.RandomAffine((5, 9), shear=[1, 2, 3, 4]), T.RandomPerspective(p=1.0, interpolation=Mode.NEAREST), T.RandomGrayscale(0.5), T.GaussianBlur(3), T.GaussianBlur((3, 5), 0.5),
          T.RandomApply([T.ColorJitter(0.9), T.RandomHorizontalFlip()], p=0.6), T.RandomChoice([T.RandomRotation(9), T.RandomCrop(5)]), T.RandomOrder([T.RandomCrop(12), T.RandomHorizontalFlip()]),
          T.RandomInvert(), T.RandomPosterize(2), T.RandomSolarize(100), T.RandomAdjustSharpness(2), T.RandomAutocontrast(), T.RandomEqualize(),
          T.Compose([T.Resize(20, antialias=True), T.RandomCrop(16, padding=2), T.RandomHorizontalFlip()])):
    made = [t(img) for img in (rgb, bytes3, gray, bytes1) for _ in range(2)]
    # Which of two pixels is the nearer one may depend on the last digit of a solved system.
    solves = isinstance(t, T.RandomPerspective)
    print(type(t).__name__, *[(tuple(x.shape), round(x.double().mean().item())) if solves and isinstance(x, torch.Tensor) else told(x) for x in made])
for t in (T.RandomErasing(), T.RandomErasing(1.0, value="random"), T.RandomErasing(1.0, value=(0.1, 0.2, 0.3)), T.RandomErasing(1.0, ratio=(1, 1), value=0.7)):
    print(told(t(floats)), told(t(floats)))
print(torch.rand(2), random.random())
print("texts")
print(T.Compose([T.ToTensor(), T.Normalize((0.5,), (0.5,)), T.Resize(256, antialias=True), T.Resize((3, 4), Mode.BICUBIC, antialias=True), T.CenterCrop(224), T.Pad(2), T.Pad((1, 2), 3, "reflect"), T.Lambda(print)]))
for t in (T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.RandomResizedCrop(224, antialias=True), T.ColorJitter(0.5, hue=0.1), T.RandomRotation(10), T.RandomRotation((1, 2), center=(3, 4)),
          T.RandomAffine(10), T.RandomAffine(10, (0.1, 0.1), (0.5, 2), 3, Mode.BILINEAR, 5), T.Grayscale(3), T.RandomGrayscale(), T.RandomErasing(), T.GaussianBlur(3), T.RandomPerspective(),
          T.RandomApply([T.ToTensor()]), T.RandomChoice([T.ToTensor(), T.PILToTensor()]), T.RandomOrder([T.ToPILImage(), T.ToPILImage("L")]), T.FiveCrop(3), T.TenCrop(3, True), T.RandomPosterize(2),
          T.RandomSolarize(3), T.RandomAdjustSharpness(2), T.RandomAutocontrast(), T.ConvertImageDtype(torch.float), T.ColorJitter()):
    print(t)
print(T.Compose, list(Mode), T.Compose([T.ToTensor()])(gray).shape)
print("errors")
attempt(lambda: T.Resize("x"))
attempt(lambda: T.Resize((1, 2, 3)))
attempt(lambda: T.CenterCrop((1, 2, 3)))
attempt(lambda: T.Pad("x"))
attempt(lambda: T.Pad((1, 2, 3)))
attempt(lambda: T.Pad(1, padding_mode="x"))
attempt(lambda: T.Lambda(3))
attempt(lambda: T.RandomCrop(60)(rgb))
attempt(lambda: T.ColorJitter(-1))
attempt(lambda: T.ColorJitter("x"))
attempt(lambda: T.RandomRotation(-3))
attempt(lambda: T.RandomRotation((1, 2, 3)))
attempt(lambda: T.RandomAffine(3, (2, 3)))
attempt(lambda: T.RandomAffine(3, scale=(0, 1)))
attempt(lambda: T.RandomErasing(value="x"))
attempt(lambda: T.RandomErasing(p=2))
attempt(lambda: T.GaussianBlur(2))
attempt(lambda: T.GaussianBlur(3, -1))
attempt(lambda: T.RandomChoice(3))
attempt(lambda: F.to_tensor(3))
attempt(lambda: F.to_tensor(np.ones((2, 2, 2, 2))))
attempt(lambda: F.to_pil_image(torch.rand(2, 3, 4, 5)))
attempt(lambda: F.to_pil_image(bytes3, "L"))
attempt(lambda: F.to_pil_image(3))
attempt(lambda: F.normalize(rgb, [0], [1]))
attempt(lambda: F.normalize(bytes3, [0], [1]))
attempt(lambda: F.normalize(floats, [0], [0]))
attempt(lambda: F.adjust_brightness(rgb, -1) and None)
attempt(lambda: F.adjust_brightness(bytes3, -1))
attempt(lambda: F.adjust_hue(rgb, 0.7))
attempt(lambda: F.gaussian_blur(rgb, 4))
attempt(lambda: F.resize(rgb, [1, 2, 3]))
attempt(lambda: F.resize(rgb, 3, "bilinear"))
attempt(lambda: F.convert_image_dtype(floats, torch.int32))
attempt(lambda: F.five_crop(gray, 25))
attempt(lambda: F.rotate(rgb, "x"))
attempt(lambda: F.affine(rgb, 1, 2, 3, 4))
attempt(lambda: F.erase(rgb, 1, 1, 1, 1, 0))
