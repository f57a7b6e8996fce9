"""Images: pixels, modes, sizes and files. Sums of pixels stand for the pixels."""
import io
import zlib

from PIL import Image, ImageEnhance, ImageFilter, ImageOps, ImageStat


def told(image):
    return image.mode, image.size, zlib.crc32(image.tobytes())


def noise(mode, width, height, seed=7):
    state, data = seed, []
    for _ in range(width * height * len(Image.new(mode, (1, 1)).getbands())):
        state = (state * 1103515245 + 12345) % 2 ** 31
        data.append(state >> 16 & 255)
    return Image.frombytes(mode, (width, height), bytes(data))


rgb, gray, rgba, la = noise("RGB", 37, 23), noise("L", 40, 31), noise("RGBA", 21, 30), noise("LA", 19, 11)
everything = [rgb, gray, rgba, la]
print([told(one) for one in everything])
print(rgb.getpixel((3, 4)), gray.getpixel((0, 0)), rgba.getpixel((-1, -1)), rgb.getbands(), la.getbands())

print("conversions")
for source in everything:
    print(source.mode, [(mode, zlib.crc32(source.convert(mode).tobytes())) for mode in ("L", "RGB", "RGBA", "LA", "1")])
print([told(rgb.convert(mode)) for mode in ("HSV", "YCbCr", "F", "I")], told(gray.convert("F")), told(gray.convert("I")))
print(told(rgb.convert("HSV").convert("RGB")), told(rgb.convert("YCbCr").convert("RGB")), told(gray.convert("1", dither=Image.Dither.NONE)))

print("sizes")
for source in everything:
    for number in (0, 4, 2, 5, 3, 1):
        print(source.mode, number, [told(source.resize(size, number))[1:] for size in ((10, 10), (80, 45), (21, 60), (5, 64))])
print(told(rgb.resize((12, 9))), told(rgb.resize((12, 9), Image.BILINEAR, box=(3.5, 2, 30.25, 20))), told(gray.convert("F").resize((7, 9), Image.NEAREST)))
print(told(gray.convert("I").resize((17, 9), Image.BILINEAR)), told(gray.convert("1").resize((17, 9))))
small = rgb.copy()
small.thumbnail((16, 16))
print(small.size, told(rgb.reduce(4)), told(rgb.reduce((3, 2))))

print("places")
for method in Image.Transpose:
    print(method.name, told(rgb.transpose(method)))
print(told(rgb.crop((3, 4, 20, 15))), told(rgb.crop((-5, -5, 50, 12))))
for angle in (0, 30, 45, 90, 180, 270, -17.5):
    print(angle, *[told(one.rotate(angle, resample, expand))[1:] for one in (rgb, gray) for resample, expand in
                   ((Image.NEAREST, 0), (Image.BILINEAR, 0), (Image.NEAREST, 1), (Image.BICUBIC, 1))])
print(told(rgb.rotate(20, fillcolor=(9, 8, 7), center=(5, 5), translate=(2, 3))))
matrix = (0.9, 0.2, -3, -0.1, 1.1, 2)
print(*[told(one.transform((30, 30), Image.AFFINE, matrix, r))[2] for one in everything for r in (0, 2, 3)])
print(*[told(one.transform((30, 30), Image.PERSPECTIVE, matrix + (0.001, 0.002), r, fillcolor=3))[2] for one in everything[:2] for r in (0, 2, 3)])

print("drawing")
made = Image.new("RGB", (8, 6), "red")
made.paste((0, 255, 0), (1, 1, 4, 4))
made.paste(gray.crop((0, 0, 4, 4)), (5, 3))
made.paste(rgba.crop((0, 0, 4, 4)).convert("RGB"), (0, 0), rgba.crop((0, 0, 4, 4)))
made.putpixel((7, 0), (1, 2, 3))
print(told(made), list(made.getdata())[:9], made.getextrema(), gray.getextrema(), made.getbbox())
print([told(one) for one in rgb.split()], told(Image.merge("RGB", rgb.split()[::-1])), told(rgba.getchannel("A")))
print(told(Image.blend(rgb, rgb.transpose(0), 0.3)), told(Image.blend(rgb, rgb.transpose(0), 1.7)))
print(told(Image.alpha_composite(rgba, rgba.transpose(1))), told(Image.composite(rgb, rgb.transpose(1), gray.resize(rgb.size))))
print(told(rgb.point(lambda v: v // 2)), sum(rgb.histogram()), gray.histogram()[:6], told(gray.point(lambda v: v > 100 and 255, "1")))
with_alpha = rgb.copy()
with_alpha.putalpha(100)
print(told(with_alpha))

print("filters")
for cls in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color, ImageEnhance.Sharpness):
    print(cls.__name__, *[told(cls(one).enhance(f))[2] for one in everything for f in (0.0, 0.4, 1.0, 1.8)])
for name in "BLUR CONTOUR DETAIL EDGE_ENHANCE EDGE_ENHANCE_MORE EMBOSS FIND_EDGES SHARPEN SMOOTH SMOOTH_MORE".split():
    print(name, told(rgb.filter(getattr(ImageFilter, name)))[2], told(gray.filter(getattr(ImageFilter, name)))[2])
print(*[told(one.filter(f))[2] for one in (rgb, gray) for f in (ImageFilter.GaussianBlur(2), ImageFilter.BoxBlur(1.5), ImageFilter.BoxBlur(3))])
print(*[told(f(one))[2] for one in (rgb, gray) for f in (ImageOps.invert, ImageOps.mirror, ImageOps.flip, ImageOps.grayscale,
                                                        ImageOps.autocontrast, ImageOps.equalize, ImageOps.solarize)])
print(told(ImageOps.posterize(rgb, 3)), told(ImageOps.expand(rgb, 3, (1, 2, 3))), told(ImageOps.fit(rgb, (20, 20))), told(ImageOps.pad(rgb, (20, 30))), told(ImageOps.contain(rgb, (20, 20))))
stat = ImageStat.Stat(rgb)
print(stat.mean, stat.median, stat.extrema, [round(one, 6) for one in stat.stddev])

print("files")
for one in everything + [gray.convert("1")]:
    file = io.BytesIO()
    one.save(file, "PNG")
    file.seek(0)
    again = Image.open(file)
    print(again.format, told(again) == told(one), repr(again).split(" at ")[0], again == one)

print("errors")
for action in (lambda: Image.new("RGB", (3, -1)), lambda: Image.new("XYZ", (3, 3)), lambda: rgb.resize((0, 3)), lambda: rgb.resize((3, 3), 9),
               lambda: rgb.getpixel((99, 0)), lambda: Image.frombytes("L", (4, 4), b"123"), lambda: Image.merge("RGB", [gray, gray]),
               lambda: rgb.crop((5, 5, 3, 9)), lambda: Image.open(io.BytesIO(b"nothing")), lambda: rgb.save("x.unknown"),
               lambda: Image.frombytes("L", (2, 2), b"12345"), lambda: rgb.paste(gray, (0, 0, 3, 3)), lambda: rgba.getchannel("Z")):
    try:
        action()
    except Exception as e:
        print(type(e).__name__, str(e).split(" <")[0])
