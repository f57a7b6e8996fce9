"""torch.nn.SyncBatchNorm with several processes: mean and variance over the batches of all.

Behaviour: torch/nn/modules/batchnorm.py, class SyncBatchNorm; torch/nn/modules/_functions.py, class SyncBatchNorm."""
import torch
import torch.distributed as dist
from torch.autograd import Function
from torch.nn import SyncBatchNorm

_alone = SyncBatchNorm.forward


def _along_channels(tensor, like):
    return tensor.view(1, -1, *([1] * (like.dim() - 2)))


class _SyncNormalize(Function):
    @staticmethod
    def forward(ctx, input, weight, bias, running_mean, running_var, eps, momentum, group):
        axes = [0, *range(2, input.dim())]
        channels = input.size(1)
        count = input.numel() // channels if channels else 0
        # 1. Sum, sum of squares about the own mean, and count of each rank. 2. Put together in order of rank.
        mean = input.mean(axes) if count else input.new_zeros(channels)
        squares = (input - _along_channels(mean, input)).square().sum(axes) if count else input.new_zeros(channels)
        own = torch.cat([mean, squares, input.new_full((1,), float(count))])
        parts = [torch.empty_like(own) for _ in range(group.size())]
        dist.all_gather(parts, own, group=group)
        stacked = torch.stack(parts)
        means, squared, counts = stacked[:, :channels], stacked[:, channels:2 * channels], stacked[:, -1:]
        total = counts.sum()
        mean = (means * counts).sum(0) / total
        var = (squared + counts * (means - mean).square()).sum(0) / total
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(momentum * mean)
            running_var.mul_(1 - momentum).add_(momentum * var * total / (total - 1))
        inverse = (var + eps).rsqrt()
        ctx.save_for_backward(input, weight, mean, inverse, total)
        ctx.group, ctx.axes = group, axes
        normal = (input - _along_channels(mean, input)) * _along_channels(inverse, input)
        if weight is not None:
            normal = normal * _along_channels(weight, input)
        return normal if bias is None else normal + _along_channels(bias, input)

    @staticmethod
    def backward(ctx, grad):
        input, weight, mean, inverse, total = ctx.saved_tensors
        centred = input - _along_channels(mean, input)
        sum_grad = grad.sum(ctx.axes)
        sum_product = (grad * centred).sum(ctx.axes)
        grad_weight = sum_product * inverse if weight is not None else None
        grad_bias = sum_grad if ctx.needs_input_grad[2] else None
        grad_input = None
        if ctx.needs_input_grad[0]:
            both = torch.cat([sum_grad, sum_product])
            dist.all_reduce(both, group=ctx.group)
            all_grad, all_product = both.chunk(2)
            scale = inverse if weight is None else inverse * weight
            shift = all_grad / total
            slope = all_product / total * inverse.square()
            grad_input = (grad - _along_channels(shift, input) - centred * _along_channels(slope, input)) \
                * _along_channels(scale, input)
        return grad_input, grad_weight, grad_bias, None, None, None, None, None


def _forward(self, input):
    uses_batch = self.training or (self.running_mean is None and self.running_var is None)
    if not (uses_batch and self.training and dist.is_initialized()) or input.dim() < 2 or input.size(1) == 0:
        return _alone(self, input)
    group = self.process_group or dist.group.WORLD
    if group.size() == 1:
        return _alone(self, input)
    momentum = 0.0 if self.momentum is None else self.momentum
    if self.track_running_stats and self.num_batches_tracked is not None:
        self.num_batches_tracked.add_(1)
        if self.momentum is None:
            momentum = 1.0 / self.num_batches_tracked.item()
    running = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
    return _SyncNormalize.apply(input, self.weight, self.bias, *running, self.eps, momentum, group)


_forward.__name__ = "forward"
SyncBatchNorm.forward = _forward
