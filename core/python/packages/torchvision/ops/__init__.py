from _stand_in import part_of
from torchvision.ops.misc import (
    MLP, Conv2dNormActivation, Conv3dNormActivation, FrozenBatchNorm2d, Permute, SqueezeExcitation,
)
from torchvision.ops.stochastic_depth import StochasticDepth, stochastic_depth

__getattr__ = part_of(__name__)
