from _stand_in import part_of
from torchvision.ops.boxes import (
    batched_nms, box_area, box_convert, box_iou, clip_boxes_to_image, generalized_box_iou, nms, remove_small_boxes,
)
from torchvision.ops.misc import (
    MLP, Conv2dNormActivation, Conv3dNormActivation, FrozenBatchNorm2d, Permute, SqueezeExcitation,
)
from torchvision.ops.stochastic_depth import StochasticDepth, stochastic_depth

__getattr__ = part_of(__name__)
