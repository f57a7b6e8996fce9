"""Layers of torch.nn without weights. Behaviour: torch/nn/modules/activation.py and its like."""
import torch
import torch.nn.functional as F


class _DropoutNd:
    pass


class Dropout:
    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d:
    def forward(self, input):
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d:
    def forward(self, input):
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d:
    def forward(self, input):
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout:
    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)


class ReLU:
    def forward(self, input):
        return F.relu(input, inplace=self.inplace)


class ReLU6:
    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Hardtanh:
    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Sigmoid:
    def forward(self, input):
        return torch.sigmoid(input)


class Tanh:
    def forward(self, input):
        return torch.tanh(input)


class GELU:
    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)


class SiLU:
    def forward(self, input):
        return F.silu(input, inplace=self.inplace)


class Mish:
    def forward(self, input):
        return F.mish(input, inplace=self.inplace)


class Hardswish:
    def forward(self, input):
        return F.hardswish(input, self.inplace)


class Hardsigmoid:
    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)


class LeakyReLU:
    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class ELU:
    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class SELU:
    def forward(self, input):
        return F.selu(input, self.inplace)


class CELU:
    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class GLU:
    def forward(self, input):
        return F.glu(input, self.dim)


class Softplus:
    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)


class Softsign:
    def forward(self, input):
        return F.softsign(input)


class LogSigmoid:
    def forward(self, input):
        return F.logsigmoid(input)


class Tanhshrink:
    def forward(self, input):
        return F.tanhshrink(input)


class Hardshrink:
    def forward(self, input):
        return F.hardshrink(input, self.lambd)


class Softshrink:
    def forward(self, input):
        return F.softshrink(input, self.lambd)


class Threshold:
    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class Softmax:
    def forward(self, input):
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin:
    def forward(self, input):
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax:
    def forward(self, input):
        return F.log_softmax(input, self.dim, _stacklevel=5)


class PReLU:
    def forward(self, input):
        return F.prelu(input, self.weight)


class Flatten:
    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten:
    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)


class CosineSimilarity:
    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance:
    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class Upsample:
    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)


class PixelShuffle:
    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)


class _ConstantPadNd:
    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)


class _ReflectionPadNd:
    def forward(self, input):
        return F.pad(input, self.padding, "reflect")


class _ReplicationPadNd:
    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


class Softmax2d:
    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class RReLU:
    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class FeatureAlphaDropout:
    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)


class PixelUnshuffle:
    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle:
    def forward(self, input):
        return F.channel_shuffle(input, self.groups)


class Fold:
    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class Unfold:
    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class _CircularPadNd:
    def forward(self, input):
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d:
    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class CircularPad2d:
    def _check_input_dim(self, input):
        if input.dim() != 3 and input.dim() != 4:
            raise ValueError(f"expected 3D or 4D input (got {input.dim()}D input)")


class CircularPad3d:
    def _check_input_dim(self, input):
        if input.dim() != 4 and input.dim() != 5:
            raise ValueError(f"expected 4D or 5D input (got {input.dim()}D input)")
