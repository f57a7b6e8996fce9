"""Images to arrays of numpy and back."""
import numpy as np, torch
from PIL import Image
im = Image.fromarray(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
print(im.mode, im.size, np.asarray(im).shape, np.array(im)[1], np.array(im).dtype, np.asarray(im, dtype=np.float32).mean())
print(np.array(im.convert("1")), np.array(im.convert("I")).dtype, np.array(im.convert("F")).dtype, np.array(im.convert("L")))
print(Image.fromarray(np.array([[True, False]])).mode, Image.fromarray(np.ones((2, 2))).mode, Image.fromarray(np.ones((2, 2), dtype=np.int32)).mode)
for bad in (np.ones((2, 2, 5), dtype=np.uint8), np.ones((2, 2), dtype=np.int64), np.ones((2, 2, 3)), np.ones((1, 2, 2, 3), dtype=np.uint8)):
    try:
        Image.fromarray(bad)
    except Exception as e:
        print(type(e).__name__, e)
a = np.array(im); a[0] = 0
print(im.getpixel((0, 0)), im.getpixel((1, 0)), torch.from_numpy(np.array(im)).shape)
x = np.zeros((3, 3), dtype=np.uint8)
im = Image.fromarray(x, mode="L"); print(im.size, im.mode)
print(im.__array_interface__["shape"], im.__array_interface__["typestr"], len(im.__array_interface__["data"]))
