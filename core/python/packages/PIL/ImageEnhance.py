"""More or less of a property of an image. Behaviour: PIL/ImageEnhance.py."""
from PIL import Image, ImageFilter


class _Enhance:
    """enhance(0.0) gives the image without the property, enhance(1.0) the image itself."""

    def enhance(self, factor):
        return Image.blend(self.degenerate, self.image, factor)

    def _keep_alpha(self):
        if "A" in self.image.getbands():
            self.degenerate.putalpha(self.image.getchannel("A"))


class Color(_Enhance):
    def __init__(self, image):
        self.image = image
        self.intermediate_mode = "LA" if "A" in image.getbands() else "L"
        gray = image if image.mode == self.intermediate_mode else image.convert(self.intermediate_mode)
        self.degenerate = gray.convert(image.mode)


class Contrast(_Enhance):
    def __init__(self, image):
        self.image = image
        gray = image if image.mode == "L" else image.convert("L")
        mean = int(gray._pixels.double().mean().item() + 0.5)
        self.degenerate = Image.new("L", image.size, mean)
        if image.mode != "L":
            self.degenerate = self.degenerate.convert(image.mode)
        self._keep_alpha()


class Brightness(_Enhance):
    def __init__(self, image):
        self.image = image
        self.degenerate = Image.new(image.mode, image.size, 0)
        self._keep_alpha()


class Sharpness(_Enhance):
    def __init__(self, image):
        self.image = image
        self.degenerate = image.filter(ImageFilter.SMOOTH)
        self._keep_alpha()
