"""torch._C._nn: the functions of ATen that layers call. Behaviour: native_functions.yaml, python_module: nn."""
import torch

_NAMES = """adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d col2im cross_entropy_loss elu elu_
flatten_dense_tensors fractional_max_pool2d fractional_max_pool3d glu hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_
huber_loss im2col l1_loss leaky_relu leaky_relu_ max_pool2d_with_indices max_pool3d_with_indices max_unpool2d max_unpool3d mish mish_
mse_loss multi_margin_loss multilabel_margin_loss nll_loss nll_loss2d nll_loss_nd pad_sequence reflection_pad1d reflection_pad2d
reflection_pad3d relu6 relu6_ replication_pad1d replication_pad2d replication_pad3d rrelu_with_noise rrelu_with_noise_ silu silu_
slow_conv3d slow_conv_transpose2d slow_conv_transpose3d smooth_l1_loss soft_margin_loss thnn_conv2d unflatten_dense_tensors
upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d
_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d""".split()

for _name in _NAMES:
    if hasattr(torch.ops.aten, _name):
        globals()[_name] = getattr(torch.ops.aten, _name)


def slow_conv3d(input, weight, kernel_size, bias=None, stride=1, padding=0):
    return torch.conv3d(input, weight, bias, stride, padding)


def thnn_conv2d(input, weight, kernel_size, bias=None, stride=1, padding=0):
    return torch.conv2d(input, weight, bias, stride, padding)


def slow_conv_transpose2d(input, weight, kernel_size, bias=None, stride=1, padding=0, output_padding=0, dilation=1):
    return torch.conv_transpose2d(input, weight, bias, stride, padding, output_padding, 1, dilation)


def slow_conv_transpose3d(input, weight, kernel_size, bias=None, stride=1, padding=0, output_padding=0, dilation=1):
    return torch.conv_transpose3d(input, weight, bias, stride, padding, output_padding, 1, dilation)
