"""Colours by name. Behaviour: PIL/ImageColor.py."""
from PIL._modes import named_color


def getrgb(color):
    found = named_color(color, "RGBA")
    return found if color.startswith("#") and len(color) in (5, 9) else found[:3]


def getcolor(color, mode):
    return named_color(color, mode)
