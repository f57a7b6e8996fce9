"""Vision Transformer. Behaviour: torchvision/models/vision_transformer.py. Paper: Dosovitskiy et al. 2020."""
import math
from collections import OrderedDict
from functools import partial
from typing import Callable, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from torchvision.models._build import builder
from torchvision.ops.misc import MLP, Conv2dNormActivation

__all__ = ["VisionTransformer"]


class ConvStemConfig(NamedTuple):
    out_channels: int
    kernel_size: int
    stride: int
    norm_layer: Callable = nn.BatchNorm2d
    activation_layer: Callable = nn.ReLU


class MLPBlock(MLP):
    _version = 2

    def __init__(self, in_dim, mlp_dim, dropout):
        super().__init__(in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=1e-6)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        version = local_metadata.get("version", None)
        if version is None or version < 2:  # older files say linear_1 and linear_2
            for older, newer in (("linear_1", "0"), ("linear_2", "3")):
                for kind in ("weight", "bias"):
                    key = f"{prefix}{older}.{kind}"
                    if key in state_dict:
                        state_dict[f"{prefix}{newer}.{kind}"] = state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class EncoderBlock(nn.Module):
    def __init__(self, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = nn.MultiheadAttention(hidden_dim, num_heads, dropout=attention_dropout, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input):
        torch._assert(input.dim() == 3, f"Expected (batch_size, seq_length, hidden_dim) got {input.shape}")
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x) + input
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout,
                 norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.Sequential(OrderedDict(
            (f"encoder_layer_{i}", EncoderBlock(num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer))
            for i in range(num_layers)))
        self.ln = norm_layer(hidden_dim)

    def forward(self, input):
        torch._assert(input.dim() == 3, f"Expected (batch_size, seq_length, hidden_dim) got {input.shape}")
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    def __init__(self, image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0, attention_dropout=0.0,
                 num_classes=1000, representation_size=None, norm_layer=partial(nn.LayerNorm, eps=1e-6),
                 conv_stem_configs=None):
        super().__init__()
        torch._assert(image_size % patch_size == 0, "Input shape indivisible by patch size!")
        self.image_size = image_size
        self.patch_size = patch_size
        self.hidden_dim = hidden_dim
        self.mlp_dim = mlp_dim
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.num_classes = num_classes
        self.representation_size = representation_size
        self.norm_layer = norm_layer
        if conv_stem_configs is not None:
            stem, channels = nn.Sequential(), 3
            for i, one in enumerate(conv_stem_configs):
                stem.add_module(f"conv_bn_relu_{i}", Conv2dNormActivation(
                    channels, one.out_channels, kernel_size=one.kernel_size, stride=one.stride, norm_layer=one.norm_layer,
                    activation_layer=one.activation_layer))
                channels = one.out_channels
            stem.add_module("conv_last", nn.Conv2d(channels, hidden_dim, kernel_size=1))
            self.conv_proj = stem
        else:
            self.conv_proj = nn.Conv2d(3, hidden_dim, kernel_size=patch_size, stride=patch_size)
        seq_length = (image_size // patch_size) ** 2 + 1  # the patches and the class
        self.class_token = nn.Parameter(torch.zeros(1, 1, hidden_dim))
        self.encoder = Encoder(seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer)
        self.seq_length = seq_length
        heads = OrderedDict()
        if representation_size is None:
            heads["head"] = nn.Linear(hidden_dim, num_classes)
        else:
            heads["pre_logits"] = nn.Linear(hidden_dim, representation_size)
            heads["act"] = nn.Tanh()
            heads["head"] = nn.Linear(representation_size, num_classes)
        self.heads = nn.Sequential(heads)
        self._init()

    def _init(self):
        stem = self.conv_proj
        if isinstance(stem, nn.Conv2d):
            fan_in = stem.in_channels * stem.kernel_size[0] * stem.kernel_size[1]
            nn.init.trunc_normal_(stem.weight, std=math.sqrt(1 / fan_in))
            if stem.bias is not None:
                nn.init.zeros_(stem.bias)
        else:
            nn.init.normal_(stem.conv_last.weight, mean=0.0, std=math.sqrt(2.0 / stem.conv_last.out_channels))
            if stem.conv_last.bias is not None:
                nn.init.zeros_(stem.conv_last.bias)
        if hasattr(self.heads, "pre_logits"):
            before = self.heads.pre_logits
            nn.init.trunc_normal_(before.weight, std=math.sqrt(1 / before.in_features))
            nn.init.zeros_(before.bias)
        nn.init.zeros_(self.heads.head.weight)
        nn.init.zeros_(self.heads.head.bias)

    def _process_input(self, x):
        n, _, h, w = x.shape
        p = self.patch_size
        torch._assert(h == self.image_size, f"Wrong image height! Expected {self.image_size} but got {h}!")
        torch._assert(w == self.image_size, f"Wrong image width! Expected {self.image_size} but got {w}!")
        return self.conv_proj(x).reshape(n, self.hidden_dim, (h // p) * (w // p)).permute(0, 2, 1)

    def forward(self, x):
        x = self._process_input(x)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.heads(self.encoder(x)[:, 0])


def _define(patch_size, num_layers, num_heads, hidden_dim, mlp_dim):
    def make(**kwargs):
        return VisionTransformer(image_size=kwargs.pop("image_size", 224), patch_size=patch_size, num_layers=num_layers,
                                 num_heads=num_heads, hidden_dim=hidden_dim, mlp_dim=mlp_dim, **kwargs)

    return make


def _sized(kwargs, weights):
    kwargs.setdefault("image_size", weights.meta["min_size"][0])


builder("vit_b_16", _define(16, 12, 12, 768, 3072), _sized)
builder("vit_b_32", _define(32, 12, 12, 768, 3072), _sized)
builder("vit_l_16", _define(16, 24, 16, 1024, 4096), _sized)
builder("vit_l_32", _define(32, 24, 16, 1024, 4096), _sized)
builder("vit_h_14", _define(14, 32, 16, 1280, 5120), _sized)


def interpolate_embeddings(image_size, patch_size, model_state, interpolation_mode="bicubic", reset_heads=False):
    """A state dict whose places fit another size of images."""
    places = model_state["encoder.pos_embedding"]
    n, length, width = places.shape
    if n != 1:
        raise ValueError(f"Unexpected position embedding shape: {places.shape}")
    wanted = (image_size // patch_size) ** 2 + 1
    if wanted == length:
        return model_state
    first, rest = places[:, :1, :], places[:, 1:, :].permute(0, 2, 1)
    side = int(math.sqrt(length - 1))
    if side * side != length - 1:
        raise ValueError(f"seq_length is not a perfect square! Instead got seq_length_1d * seq_length_1d = {side * side } and "
                         f"seq_length = {length - 1}")
    new_side = image_size // patch_size
    rest = F.interpolate(rest.reshape(1, width, side, side), size=new_side, mode=interpolation_mode, align_corners=True)
    rest = rest.reshape(1, width, wanted - 1).permute(0, 2, 1)
    model_state["encoder.pos_embedding"] = torch.cat([first, rest], dim=1)
    if reset_heads:
        return OrderedDict((key, value) for key, value in model_state.items() if not key.startswith("heads"))
    return model_state
