"""Pictures of many images, and helpers of torchvision's modules. Behaviour: torchvision/utils.py."""
import math

import torch

from _stand_in import part_of

__getattr__ = part_of(__name__)


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Images (B, C, H, W), or a list of them, in rows of `nrow`, as one image (3, height, width)."""
    if not torch.is_tensor(tensor):
        if not isinstance(tensor, list):
            raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
        for one in tensor:
            if not torch.is_tensor(one):
                raise TypeError(f"tensor or list of tensors expected, got a list containing {type(one)}")
        tensor = torch.stack(tensor, dim=0)
    while tensor.dim() < 4 and tensor.dim() >= 2:
        tensor = tensor.unsqueeze(0)
    if tensor.size(1) == 1:
        tensor = torch.cat((tensor, tensor, tensor), 1)
    if normalize:
        tensor = tensor.clone()  # it is changed in place
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
        for one in (tensor if scale_each else [tensor]):
            low, high = value_range if value_range is not None else (float(one.min()), float(one.max()))
            one.clamp_(min=low, max=high).sub_(low).div_(max(high - low, 1e-5))
    if tensor.size(0) == 1:
        return tensor.squeeze(0)
    count = tensor.size(0)
    columns = min(nrow, count)
    rows = int(math.ceil(float(count) / columns))
    height, width = int(tensor.size(2) + padding), int(tensor.size(3) + padding)
    grid = tensor.new_full((tensor.size(1), height * rows + padding, width * columns + padding), pad_value)
    for k in range(count):
        top, left = k // columns * height + padding, k % columns * width + padding
        grid[:, top:top + height - padding, left:left + width - padding].copy_(tensor[k])
    return grid


@torch.no_grad()
def save_image(tensor, fp, format=None, **kwargs):
    """Writes make_grid(tensor, **kwargs) as a file of PIL's."""
    from PIL import Image
    pixels = make_grid(tensor, **kwargs).mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to("cpu", torch.uint8)
    Image.fromarray(pixels.numpy()).save(fp, format=format)


def _log_api_usage_once(obj):
    """PyTorch counts uses here; nothing is counted."""


def _make_ntuple(x, n):
    """`x` n times, or its items if it has any."""
    return tuple(x) if hasattr(x, "__iter__") else (x,) * n
