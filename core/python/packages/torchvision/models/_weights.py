"""Which weights are published for each builder, and how images are made ready for them.

Source: the tables of torchvision.org. Nothing is downloaded: files that lie in the folder of torch.hub are read."""
import re
from functools import partial

from torchvision.models._api import Weights, WeightsEnum
from torchvision.models._meta import _IMAGENET_CATEGORIES
from torchvision.transforms._presets import ImageClassification
from torchvision.transforms.functional import InterpolationMode

_ADDRESS = "https://download.pytorch.org/models/"
# builder: (class, least height and width, [(member, file, parameters, size of the crop, size before it, interpolation)])
_TABLE = {
    "alexnet": ("AlexNet_Weights", 63, [("IMAGENET1K_V1", "alexnet-owt-7be5be79", 61100840, 224, 256)]),
    "convnext_tiny": ("ConvNeXt_Tiny_Weights", 32, [("IMAGENET1K_V1", "convnext_tiny-983f1562", 28589128, 224, 236)]),
    "convnext_small": ("ConvNeXt_Small_Weights", 32, [("IMAGENET1K_V1", "convnext_small-0c510722", 50223688, 224, 230)]),
    "convnext_base": ("ConvNeXt_Base_Weights", 32, [("IMAGENET1K_V1", "convnext_base-6075fbad", 88591464, 224, 232)]),
    "convnext_large": ("ConvNeXt_Large_Weights", 32, [("IMAGENET1K_V1", "convnext_large-ea097f82", 197767336, 224, 232)]),
    "densenet121": ("DenseNet121_Weights", 29, [("IMAGENET1K_V1", "densenet121-a639ec97", 7978856, 224, 256)]),
    "densenet161": ("DenseNet161_Weights", 29, [("IMAGENET1K_V1", "densenet161-8d451a50", 28681000, 224, 256)]),
    "densenet169": ("DenseNet169_Weights", 29, [("IMAGENET1K_V1", "densenet169-b2777c0a", 14149480, 224, 256)]),
    "densenet201": ("DenseNet201_Weights", 29, [("IMAGENET1K_V1", "densenet201-c1103571", 20013928, 224, 256)]),
    "efficientnet_b0": ("EfficientNet_B0_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b0_rwightman-3dd342df", 5288548, 224, 256, "bicubic"),
    ]),
    "efficientnet_b1": ("EfficientNet_B1_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b1_rwightman-533bc792", 7794184, 240, 256, "bicubic"),
        ("IMAGENET1K_V2", "efficientnet_b1-c27df63c", 7794184, 240, 255),
    ]),
    "efficientnet_b2": ("EfficientNet_B2_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b2_rwightman-bcdf34b7", 9109994, 288, 288, "bicubic"),
    ]),
    "efficientnet_b3": ("EfficientNet_B3_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b3_rwightman-cf984f9c", 12233232, 300, 320, "bicubic"),
    ]),
    "efficientnet_b4": ("EfficientNet_B4_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b4_rwightman-7eb33cd5", 19341616, 380, 384, "bicubic"),
    ]),
    "efficientnet_b5": ("EfficientNet_B5_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b5_lukemelas-b6417697", 30389784, 456, 456, "bicubic"),
    ]),
    "efficientnet_b6": ("EfficientNet_B6_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b6_lukemelas-c76e70fd", 43040704, 528, 528, "bicubic"),
    ]),
    "efficientnet_b7": ("EfficientNet_B7_Weights", 1, [
        ("IMAGENET1K_V1", "efficientnet_b7_lukemelas-dcc49843", 66347960, 600, 600, "bicubic"),
    ]),
    "efficientnet_v2_s": ("EfficientNet_V2_S_Weights", 33, [
        ("IMAGENET1K_V1", "efficientnet_v2_s-dd5fe13b", 21458488, 384, 384),
    ]),
    "efficientnet_v2_m": ("EfficientNet_V2_M_Weights", 33, [
        ("IMAGENET1K_V1", "efficientnet_v2_m-dc08266a", 54139356, 480, 480),
    ]),
    "efficientnet_v2_l": ("EfficientNet_V2_L_Weights", 33, [
        ("IMAGENET1K_V1", "efficientnet_v2_l-59c71312", 118515272, 480, 480, "bicubic"),
    ]),
    "googlenet": ("GoogLeNet_Weights", 15, [("IMAGENET1K_V1", "googlenet-1378be20", 6624904, 224, 256)]),
    "inception_v3": ("Inception_V3_Weights", 75, [("IMAGENET1K_V1", "inception_v3_google-0cc3c7bd", 27161264, 299, 342)]),
    "mnasnet0_5": ("MNASNet0_5_Weights", 1, [("IMAGENET1K_V1", "mnasnet0.5_top1_67.823-3ffadce67e", 2218512, 224, 256)]),
    "mnasnet0_75": ("MNASNet0_75_Weights", 1, [("IMAGENET1K_V1", "mnasnet0_75-7090bc5f", 3170208, 224, 232)]),
    "mnasnet1_0": ("MNASNet1_0_Weights", 1, [("IMAGENET1K_V1", "mnasnet1.0_top1_73.512-f206786ef8", 4383312, 224, 256)]),
    "mnasnet1_3": ("MNASNet1_3_Weights", 1, [("IMAGENET1K_V1", "mnasnet1_3-a4c69d6f", 6282256, 224, 232)]),
    "mobilenet_v2": ("MobileNet_V2_Weights", 1, [
        ("IMAGENET1K_V1", "mobilenet_v2-b0353104", 3504872, 224, 256),
        ("IMAGENET1K_V2", "mobilenet_v2-7ebf99e0", 3504872, 224, 232),
    ]),
    "mobilenet_v3_large": ("MobileNet_V3_Large_Weights", 1, [
        ("IMAGENET1K_V1", "mobilenet_v3_large-8738ca79", 5483032, 224, 256),
        ("IMAGENET1K_V2", "mobilenet_v3_large-5c1a4163", 5483032, 224, 232),
    ]),
    "mobilenet_v3_small": ("MobileNet_V3_Small_Weights", 1, [
        ("IMAGENET1K_V1", "mobilenet_v3_small-047dcff4", 2542856, 224, 256),
    ]),
    "regnet_y_400mf": ("RegNet_Y_400MF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_400mf-c65dace8", 4344144, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_400mf-e6988f5f", 4344144, 224, 232),
    ]),
    "regnet_y_800mf": ("RegNet_Y_800MF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_800mf-1b27b58c", 6432512, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_800mf-58fc7688", 6432512, 224, 232),
    ]),
    "regnet_y_1_6gf": ("RegNet_Y_1_6GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_1_6gf-b11a554e", 11202430, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_1_6gf-0d7bc02a", 11202430, 224, 232),
    ]),
    "regnet_y_3_2gf": ("RegNet_Y_3_2GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_3_2gf-b5a9779c", 19436338, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_3_2gf-9180c971", 19436338, 224, 232),
    ]),
    "regnet_y_8gf": ("RegNet_Y_8GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_8gf-d0d0e4a8", 39381472, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_8gf-dc2b1b54", 39381472, 224, 232),
    ]),
    "regnet_y_16gf": ("RegNet_Y_16GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_16gf-9e6ed7dd", 83590140, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_16gf-3e4a00f9", 83590140, 224, 232),
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_16gf_swag-43afe44d", 83590140, 384, 384, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_16gf_lc_swag-f3ec0043", 83590140, 224, 224, "bicubic"),
    ]),
    "regnet_y_32gf": ("RegNet_Y_32GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_y_32gf-4dee3f7a", 145046770, 224, 256),
        ("IMAGENET1K_V2", "regnet_y_32gf-8db6d4b5", 145046770, 224, 232),
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_32gf_swag-04fdfa75", 145046770, 384, 384, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_32gf_lc_swag-e1583746", 145046770, 224, 224, "bicubic"),
    ]),
    "regnet_y_128gf": ("RegNet_Y_128GF_Weights", 1, [
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_128gf_swag-c8ce3e52", 644812894, 384, 384, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_128gf_lc_swag-cbe8ce12", 644812894, 224, 224, "bicubic"),
    ]),
    "regnet_x_400mf": ("RegNet_X_400MF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_400mf-adf1edd5", 5495976, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_400mf-62229a5f", 5495976, 224, 232),
    ]),
    "regnet_x_800mf": ("RegNet_X_800MF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_800mf-ad17e45c", 7259656, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_800mf-94a99ebd", 7259656, 224, 232),
    ]),
    "regnet_x_1_6gf": ("RegNet_X_1_6GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_1_6gf-e3633e7f", 9190136, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_1_6gf-a12f2b72", 9190136, 224, 232),
    ]),
    "regnet_x_3_2gf": ("RegNet_X_3_2GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_3_2gf-f342aeae", 15296552, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_3_2gf-7071aa85", 15296552, 224, 232),
    ]),
    "regnet_x_8gf": ("RegNet_X_8GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_8gf-03ceed89", 39572648, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_8gf-2b70d774", 39572648, 224, 232),
    ]),
    "regnet_x_16gf": ("RegNet_X_16GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_16gf-2007eb11", 54278536, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_16gf-ba3796d7", 54278536, 224, 232),
    ]),
    "regnet_x_32gf": ("RegNet_X_32GF_Weights", 1, [
        ("IMAGENET1K_V1", "regnet_x_32gf-9d47f8d0", 107811560, 224, 256),
        ("IMAGENET1K_V2", "regnet_x_32gf-6eb8fdc6", 107811560, 224, 232),
    ]),
    "resnet18": ("ResNet18_Weights", 1, [("IMAGENET1K_V1", "resnet18-f37072fd", 11689512, 224, 256)]),
    "resnet34": ("ResNet34_Weights", 1, [("IMAGENET1K_V1", "resnet34-b627a593", 21797672, 224, 256)]),
    "resnet50": ("ResNet50_Weights", 1, [
        ("IMAGENET1K_V1", "resnet50-0676ba61", 25557032, 224, 256),
        ("IMAGENET1K_V2", "resnet50-11ad3fa6", 25557032, 224, 232),
    ]),
    "resnet101": ("ResNet101_Weights", 1, [
        ("IMAGENET1K_V1", "resnet101-63fe2227", 44549160, 224, 256),
        ("IMAGENET1K_V2", "resnet101-cd907fc2", 44549160, 224, 232),
    ]),
    "resnet152": ("ResNet152_Weights", 1, [
        ("IMAGENET1K_V1", "resnet152-394f9c45", 60192808, 224, 256),
        ("IMAGENET1K_V2", "resnet152-f82ba261", 60192808, 224, 232),
    ]),
    "resnext50_32x4d": ("ResNeXt50_32X4D_Weights", 1, [
        ("IMAGENET1K_V1", "resnext50_32x4d-7cdf4587", 25028904, 224, 256),
        ("IMAGENET1K_V2", "resnext50_32x4d-1a0047aa", 25028904, 224, 232),
    ]),
    "resnext101_32x8d": ("ResNeXt101_32X8D_Weights", 1, [
        ("IMAGENET1K_V1", "resnext101_32x8d-8ba56ff5", 88791336, 224, 256),
        ("IMAGENET1K_V2", "resnext101_32x8d-110c445d", 88791336, 224, 232),
    ]),
    "resnext101_64x4d": ("ResNeXt101_64X4D_Weights", 1, [("IMAGENET1K_V1", "resnext101_64x4d-173b62eb", 83455272, 224, 232)]),
    "wide_resnet50_2": ("Wide_ResNet50_2_Weights", 1, [
        ("IMAGENET1K_V1", "wide_resnet50_2-95faca4d", 68883240, 224, 256),
        ("IMAGENET1K_V2", "wide_resnet50_2-9ba9bcbe", 68883240, 224, 232),
    ]),
    "wide_resnet101_2": ("Wide_ResNet101_2_Weights", 1, [
        ("IMAGENET1K_V1", "wide_resnet101_2-32ee1156", 126886696, 224, 256),
        ("IMAGENET1K_V2", "wide_resnet101_2-d733dc28", 126886696, 224, 232),
    ]),
    "shufflenet_v2_x0_5": ("ShuffleNet_V2_X0_5_Weights", 1, [
        ("IMAGENET1K_V1", "shufflenetv2_x0.5-f707e7126e", 1366792, 224, 256),
    ]),
    "shufflenet_v2_x1_0": ("ShuffleNet_V2_X1_0_Weights", 1, [
        ("IMAGENET1K_V1", "shufflenetv2_x1-5666bf0f80", 2278604, 224, 256),
    ]),
    "shufflenet_v2_x1_5": ("ShuffleNet_V2_X1_5_Weights", 1, [
        ("IMAGENET1K_V1", "shufflenetv2_x1_5-3c479a10", 3503624, 224, 232),
    ]),
    "shufflenet_v2_x2_0": ("ShuffleNet_V2_X2_0_Weights", 1, [
        ("IMAGENET1K_V1", "shufflenetv2_x2_0-8be3c8ee", 7393996, 224, 232),
    ]),
    "squeezenet1_0": ("SqueezeNet1_0_Weights", 21, [("IMAGENET1K_V1", "squeezenet1_0-b66bff10", 1248424, 224, 256)]),
    "squeezenet1_1": ("SqueezeNet1_1_Weights", 17, [("IMAGENET1K_V1", "squeezenet1_1-b8a52dc0", 1235496, 224, 256)]),
    "vgg11": ("VGG11_Weights", 32, [("IMAGENET1K_V1", "vgg11-8a719046", 132863336, 224, 256)]),
    "vgg11_bn": ("VGG11_BN_Weights", 32, [("IMAGENET1K_V1", "vgg11_bn-6002323d", 132868840, 224, 256)]),
    "vgg13": ("VGG13_Weights", 32, [("IMAGENET1K_V1", "vgg13-19584684", 133047848, 224, 256)]),
    "vgg13_bn": ("VGG13_BN_Weights", 32, [("IMAGENET1K_V1", "vgg13_bn-abd245e5", 133053736, 224, 256)]),
    "vgg16": ("VGG16_Weights", 32, [
        ("IMAGENET1K_V1", "vgg16-397923af", 138357544, 224, 256),
        ("IMAGENET1K_FEATURES", "vgg16_features-amdegroot-88682ab5", 138357544, 224, 256),
    ]),
    "vgg16_bn": ("VGG16_BN_Weights", 32, [("IMAGENET1K_V1", "vgg16_bn-6c64b313", 138365992, 224, 256)]),
    "vgg19": ("VGG19_Weights", 32, [("IMAGENET1K_V1", "vgg19-dcbb9e9d", 143667240, 224, 256)]),
    "vgg19_bn": ("VGG19_BN_Weights", 32, [("IMAGENET1K_V1", "vgg19_bn-c79401a0", 143678248, 224, 256)]),
    "vit_b_16": ("ViT_B_16_Weights", 224, [
        ("IMAGENET1K_V1", "vit_b_16-c867db91", 86567656, 224, 256),
        ("IMAGENET1K_SWAG_E2E_V1", "vit_b_16_swag-9ac1b537", 86859496, 384, 384, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_b_16_lc_swag-4e70ced5", 86567656, 224, 224, "bicubic"),
    ]),
    "vit_b_32": ("ViT_B_32_Weights", 224, [("IMAGENET1K_V1", "vit_b_32-d86f8d99", 88224232, 224, 256)]),
    "vit_l_16": ("ViT_L_16_Weights", 224, [
        ("IMAGENET1K_V1", "vit_l_16-852ce7e3", 304326632, 224, 242),
        ("IMAGENET1K_SWAG_E2E_V1", "vit_l_16_swag-4f3808c9", 305174504, 512, 512, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_l_16_lc_swag-4d563306", 304326632, 224, 224, "bicubic"),
    ]),
    "vit_l_32": ("ViT_L_32_Weights", 224, [("IMAGENET1K_V1", "vit_l_32-c7638314", 306535400, 224, 256)]),
    "vit_h_14": ("ViT_H_14_Weights", 518, [
        ("IMAGENET1K_SWAG_E2E_V1", "vit_h_14_swag-80465313", 633470440, 518, 518, "bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_h_14_lc_swag-c1eb923e", 632045800, 224, 224, "bicubic"),
    ]),
    "swin_t": ("Swin_T_Weights", 224, [("IMAGENET1K_V1", "swin_t-704ceda3", 28288354, 224, 232, "bicubic")]),
    "swin_s": ("Swin_S_Weights", 224, [("IMAGENET1K_V1", "swin_s-5e29d889", 49606258, 224, 246, "bicubic")]),
    "swin_b": ("Swin_B_Weights", 224, [("IMAGENET1K_V1", "swin_b-68c6b09e", 87768224, 224, 238, "bicubic")]),
    "swin_v2_t": ("Swin_V2_T_Weights", 256, [("IMAGENET1K_V1", "swin_v2_t-b137f0e2", 28351570, 256, 260, "bicubic")]),
    "swin_v2_s": ("Swin_V2_S_Weights", 256, [("IMAGENET1K_V1", "swin_v2_s-637d8ceb", 49737442, 256, 260, "bicubic")]),
    "swin_v2_b": ("Swin_V2_B_Weights", 256, [("IMAGENET1K_V1", "swin_v2_b-781e5279", 87930848, 256, 272, "bicubic")]),
}
# Where the numbers of a channel are moved and scaled in another way.
_SCALES = {
    "vgg16_features-amdegroot-88682ab5": {"mean": (0.48235, 0.45882, 0.40784), "std": (1.0 / 255.0,) * 3},
    "efficientnet_v2_l-59c71312": {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)},
}


def weights_of(name, module):
    """The enumeration of a builder's weights, with DEFAULT: the newest that were trained for it alone."""
    cls, least, rows = _TABLE[name]
    members = {}
    for member, file, count, crop, before, *interpolation in rows:
        size = {"crop_size": crop, "resize_size": before}
        if interpolation:
            size["interpolation"] = InterpolationMode(interpolation[0])
        side = crop if least >= 224 else least  # models of patches take one size only
        meta = {"num_params": count, "min_size": (side, side), "categories": _IMAGENET_CATEGORIES}
        transforms = partial(ImageClassification, **size, **_SCALES.get(file, {}))
        members[member] = Weights(_ADDRESS + file + ".pth", transforms, meta)
    plain = [one for one in members if re.fullmatch(r"IMAGENET1K_V[0-9]", one)]
    members["DEFAULT"] = members[plain[-1] if plain else rows[0][0]]
    return WeightsEnum(cls, members, module=module)
