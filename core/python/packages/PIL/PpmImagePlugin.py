"""Images that were read from files of Netpbm."""
from PIL.Image import Image


class PpmImageFile(Image):
    format, format_description = "PPM", "Pbmplus image"
