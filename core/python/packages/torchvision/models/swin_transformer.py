"""Swin Transformer, both versions. Behaviour: torchvision/models/swin_transformer.py. Papers: Liu et al. 2021, 2022."""
import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from torchvision.models._build import builder
from torchvision.ops.misc import MLP, Permute
from torchvision.ops.stochastic_depth import StochasticDepth

__all__ = ["SwinTransformer"]
# One node of graphs each, as torch.fx.wrap() would make them.
__fx_wraps__ = ("_patch_merging_pad", "shifted_window_attention")


def _patch_merging_pad(x):
    """(..., H, W, C): the four of each 2x2 pixels beside each other, (..., H/2, W/2, 4C)."""
    height, width, _ = x.shape[-3:]
    x = F.pad(x, (0, 0, 0, width % 2, 0, height % 2))
    return torch.cat([x[..., 0::2, 0::2, :], x[..., 1::2, 0::2, :], x[..., 0::2, 1::2, :], x[..., 1::2, 1::2, :]], -1)


class PatchMerging(nn.Module):
    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x):
        return self.reduction(self.norm(_patch_merging_pad(x)))


class PatchMergingV2(nn.Module):
    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x):
        return self.norm(self.reduction(_patch_merging_pad(x)))


def _mask_of_shifted(height, width, window, shift, like):
    """(windows, places, places): far below zero between pixels that only the shift brought together."""
    marks = like.new_zeros((height, width))
    bounds = [((0, -window[i]), (-window[i], -shift[i]), (-shift[i], None)) for i in (0, 1)]
    number = 0
    for rows in bounds[0]:
        for columns in bounds[1]:
            marks[rows[0]:rows[1], columns[0]:columns[1]] = number
            number += 1
    marks = marks.view(height // window[0], window[0], width // window[1], window[1])
    marks = marks.permute(0, 2, 1, 3).reshape(-1, window[0] * window[1])
    apart = marks.unsqueeze(1) - marks.unsqueeze(2)
    return apart.masked_fill(apart != 0, -100.0).masked_fill(apart == 0, 0.0)


def shifted_window_attention(input, qkv_weight, proj_weight, relative_position_bias, window_size, num_heads, shift_size,
                             attention_dropout=0.0, dropout=0.0, qkv_bias=None, proj_bias=None, logit_scale=None, training=True):
    """Attention of (N, H, W, C) inside of windows. logit_scale: attention by cosines (version 2)."""
    n, height, width, channels = input.shape
    x = F.pad(input, (0, 0, 0, -width % window_size[1], 0, -height % window_size[0]))
    _, high, wide, _ = x.shape
    # A window as large as the picture is not moved.
    shift = [0 if window_size[i] >= (high, wide)[i] else shift_size[i] for i in (0, 1)]
    if sum(shift) > 0:
        x = torch.roll(x, shifts=(-shift[0], -shift[1]), dims=(1, 2))
    rows, columns, places = high // window_size[0], wide // window_size[1], window_size[0] * window_size[1]
    count = rows * columns
    x = x.view(n, rows, window_size[0], columns, window_size[1], channels).permute(0, 1, 3, 2, 4, 5)
    x = x.reshape(n * count, places, channels)
    if logit_scale is not None and qkv_bias is not None:  # keys have no bias
        qkv_bias = qkv_bias.clone()
        part = qkv_bias.numel() // 3
        qkv_bias[part:2 * part].zero_()
    qkv = F.linear(x, qkv_weight, qkv_bias)
    qkv = qkv.reshape(x.size(0), x.size(1), 3, num_heads, channels // num_heads).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    if logit_scale is not None:
        attention = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attention = attention * torch.clamp(logit_scale, max=math.log(100.0)).exp()
    else:
        attention = (q * (channels // num_heads) ** -0.5).matmul(k.transpose(-2, -1))
    attention = attention + relative_position_bias
    if sum(shift) > 0:
        mask = _mask_of_shifted(high, wide, window_size, shift, x)
        attention = attention.view(x.size(0) // count, count, num_heads, x.size(1), x.size(1))
        attention = attention + mask.unsqueeze(1).unsqueeze(0)
        attention = attention.view(-1, num_heads, x.size(1), x.size(1))
    attention = F.dropout(F.softmax(attention, dim=-1), p=attention_dropout, training=training)
    x = attention.matmul(v).transpose(1, 2).reshape(x.size(0), x.size(1), channels)
    x = F.dropout(F.linear(x, proj_weight, proj_bias), p=dropout, training=training)
    x = x.view(n, rows, columns, window_size[0], window_size[1], channels).permute(0, 1, 3, 2, 4, 5)
    x = x.reshape(n, high, wide, channels)
    if sum(shift) > 0:
        x = torch.roll(x, shifts=(shift[0], shift[1]), dims=(1, 2))
    return x[:, :height, :width, :].contiguous()


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, window_size, shift_size, num_heads, qkv_bias=True, proj_bias=True, attention_dropout=0.0,
                 dropout=0.0):
        super().__init__()
        if len(window_size) != 2 or len(shift_size) != 2:
            raise ValueError("window_size and shift_size must be of length 2")
        self.window_size = window_size
        self.shift_size = shift_size
        self.num_heads = num_heads
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self.define_relative_position_bias_table()
        self.define_relative_position_index()

    def define_relative_position_bias_table(self):
        high, wide = self.window_size
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * high - 1) * (2 * wide - 1), self.num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def define_relative_position_index(self):
        """Which row of the table each pair of places of a window has."""
        high, wide = self.window_size
        places = torch.flatten(torch.stack(torch.meshgrid(torch.arange(high), torch.arange(wide), indexing="ij")), 1)
        apart = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0).contiguous()
        apart[:, :, 0] += high - 1
        apart[:, :, 1] += wide - 1
        apart[:, :, 0] *= 2 * wide - 1
        self.register_buffer("relative_position_index", apart.sum(-1).flatten())

    def _bias(self, table):
        count = self.window_size[0] * self.window_size[1]
        bias = table[self.relative_position_index].view(count, count, -1)
        return bias.permute(2, 0, 1).contiguous().unsqueeze(0)

    def get_relative_position_bias(self):
        return self._bias(self.relative_position_bias_table)

    def forward(self, x, logit_scale=None):
        return shifted_window_attention(
            x, self.qkv.weight, self.proj.weight, self.get_relative_position_bias(), self.window_size, self.num_heads,
            shift_size=self.shift_size, attention_dropout=self.attention_dropout, dropout=self.dropout, qkv_bias=self.qkv.bias,
            proj_bias=self.proj.bias, logit_scale=logit_scale, training=self.training)


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    def __init__(self, dim, window_size, shift_size, num_heads, qkv_bias=True, proj_bias=True, attention_dropout=0.0,
                 dropout=0.0):
        super().__init__(dim, window_size, shift_size, num_heads, qkv_bias, proj_bias, attention_dropout, dropout)
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.cpb_mlp = nn.Sequential(nn.Linear(2, 512, bias=True), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False))
        if qkv_bias:
            self.qkv.bias.data[dim:2 * dim].zero_()

    def define_relative_position_bias_table(self):
        """Distances, by logarithms, from which a small network makes the bias."""
        high, wide = self.window_size
        rows, columns = (torch.arange(-(one - 1), one, dtype=torch.float32) for one in (high, wide))
        table = torch.stack(torch.meshgrid([rows, columns], indexing="ij"))
        table = table.permute(1, 2, 0).contiguous().unsqueeze(0)
        table[:, :, :, 0] /= high - 1
        table[:, :, :, 1] /= wide - 1
        table *= 8
        table = torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / 3.0
        self.register_buffer("relative_coords_table", table)

    def get_relative_position_bias(self):
        return 16 * torch.sigmoid(self._bias(self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)))

    def forward(self, x):
        return super().forward(x, logit_scale=self.logit_scale)


class SwinTransformerBlock(nn.Module):
    def __init__(self, dim, num_heads, window_size, shift_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.0, norm_layer=nn.LayerNorm, attn_layer=ShiftedWindowAttention):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(dim, window_size, shift_size, num_heads, attention_dropout=attention_dropout, dropout=dropout)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.norm2 = norm_layer(dim)
        self.mlp = MLP(dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for m in self.mlp.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=1e-6)

    def forward(self, x):
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformerBlockV2(SwinTransformerBlock):
    def __init__(self, dim, num_heads, window_size, shift_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.0, norm_layer=nn.LayerNorm, attn_layer=ShiftedWindowAttentionV2):
        super().__init__(dim, num_heads, window_size, shift_size, mlp_ratio, dropout, attention_dropout, stochastic_depth_prob,
                         norm_layer, attn_layer)

    def forward(self, x):
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


class SwinTransformer(nn.Module):
    def __init__(self, patch_size, embed_dim, depths, num_heads, window_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.1, num_classes=1000, norm_layer=None, block=None, downsample_layer=PatchMerging):
        super().__init__()
        self.num_classes = num_classes
        block, norm_layer = block or SwinTransformerBlock, norm_layer or partial(nn.LayerNorm, eps=1e-5)
        layers = [nn.Sequential(
            nn.Conv2d(3, embed_dim, kernel_size=(patch_size[0], patch_size[1]), stride=(patch_size[0], patch_size[1])),
            Permute([0, 2, 3, 1]), norm_layer(embed_dim))]
        total, number = sum(depths), 0
        for i, depth in enumerate(depths):
            stage, dim = [], embed_dim * 2**i
            for j in range(depth):
                stage.append(block(dim, num_heads[i], window_size=window_size,
                                   shift_size=[0 if j % 2 == 0 else one // 2 for one in window_size], mlp_ratio=mlp_ratio,
                                   dropout=dropout, attention_dropout=attention_dropout,
                                   stochastic_depth_prob=stochastic_depth_prob * float(number) / (total - 1),
                                   norm_layer=norm_layer))
                number += 1
            layers.append(nn.Sequential(*stage))
            if i < len(depths) - 1:
                layers.append(downsample_layer(dim, norm_layer))
        self.features = nn.Sequential(*layers)
        width = embed_dim * 2 ** (len(depths) - 1)
        self.norm = norm_layer(width)
        self.permute = Permute([0, 3, 1, 2])
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten(1)
        self.head = nn.Linear(width, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.permute(self.norm(self.features(x)))
        return self.head(self.flatten(self.avgpool(x)))


def _define(embed_dim, depths, num_heads, window, probability, **more):
    def make(**kwargs):
        return SwinTransformer(patch_size=[4, 4], embed_dim=embed_dim, depths=depths, num_heads=num_heads,
                               window_size=[window, window],
                               stochastic_depth_prob=kwargs.pop("stochastic_depth_prob", probability), **more, **kwargs)

    return make


_SECOND = {"block": SwinTransformerBlockV2, "downsample_layer": PatchMergingV2}
for _size, _embed, _middle, _heads, _drop in (("t", 96, 6, 3, 0.2), ("s", 96, 18, 3, 0.3), ("b", 128, 18, 4, 0.5)):
    _shape = (_embed, [2, 2, _middle, 2], [_heads * 2**_i for _i in range(4)])
    builder(f"swin_{_size}", _define(*_shape, 7, _drop))
    builder(f"swin_v2_{_size}", _define(*_shape, 8, _drop, **_SECOND))
