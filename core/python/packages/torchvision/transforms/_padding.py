"""Borders around the last two dimensions. Behaviour: torchvision/transforms/_functional_tensor.py, pad."""
import torch


def sides_of(padding):
    """(left, top, right, bottom) of one number, or of 1, 2 or 4 of them."""
    if isinstance(padding, (tuple, list)):
        if len(padding) not in (1, 2, 4):
            raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(padding)} element tuple")
        padding = tuple(padding)
    else:
        padding = (padding,)
    return padding * (4 // len(padding))


def padded(image, left, top, right, bottom, mode, fill=0):
    """Errors: RuntimeError where more is mirrored than there is."""
    if mode == "constant":
        return torch.nn.functional.pad(image, (left, right, top, bottom), value=float(fill))
    rows = _places(image.shape[-2], top, bottom, mode)
    columns = _places(image.shape[-1], left, right, mode)
    return image.index_select(-2, rows).index_select(-1, columns)


def _places(length, before, behind, mode):
    places = torch.arange(-before, length + behind)
    if mode == "edge":
        return places.clamp(0, length - 1)
    most = length - 1 if mode == "reflect" else length
    if before > most or behind > most:
        raise RuntimeError(f"Padding size should be less than the corresponding input dimension, but got: padding "
                           f"({before}, {behind}) for a dimension of {length}")
    if mode == "reflect":
        places = places.abs()
        return torch.where(places >= length, 2 * (length - 1) - places, places)
    places = torch.where(places < 0, -1 - places, places)
    return torch.where(places >= length, 2 * length - 1 - places, places)
