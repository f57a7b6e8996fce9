"""Crops about the middle and at the corners. Behaviour: torchvision/transforms/functional.py."""
import numbers


def _two(size, message="Please provide only two dimensions (h, w) for size."):
    """(h, w) of one number or a sequence."""
    if isinstance(size, numbers.Number):
        return int(size), int(size)
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(message)
    return tuple(size)


def center_crop(img, output_size):
    """Where the image is smaller, zeros are put around it."""
    from torchvision.transforms.functional import crop, get_dimensions, pad
    crop_height, crop_width = _two(output_size)
    _, height, width = get_dimensions(img)
    if crop_width > width or crop_height > height:
        wide, high = max(crop_width - width, 0), max(crop_height - height, 0)
        img = pad(img, [wide // 2, high // 2, (wide + 1) // 2, (high + 1) // 2], fill=0)
        _, height, width = get_dimensions(img)
        if (crop_width, crop_height) == (width, height):
            return img
    return crop(img, int(round((height - crop_height) / 2.0)), int(round((width - crop_width) / 2.0)), crop_height, crop_width)


def five_crop(img, size):
    """The corners, upper before lower, left before right, and the middle."""
    from torchvision.transforms.functional import crop, get_dimensions
    high, wide = _two(size)
    _, height, width = get_dimensions(img)
    if wide > width or high > height:
        raise ValueError(f"Requested crop size {(high, wide)} is bigger than input size {(height, width)}")
    corners = tuple(crop(img, top, left, high, wide) for top in (0, height - high) for left in (0, width - wide))
    return (*corners, center_crop(img, [high, wide]))


def ten_crop(img, size, vertical_flip=False):
    from torchvision.transforms.functional import hflip, vflip
    size = _two(size)
    return five_crop(img, size) + five_crop(vflip(img) if vertical_flip else hflip(img), size)
