"""Images that were read from PNG files."""
from PIL.Image import Image


class PngImageFile(Image):
    format, format_description = "PNG", "Portable network graphics"
