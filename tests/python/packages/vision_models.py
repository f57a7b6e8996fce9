"""Models of torchvision: parameters, names, texts, outputs, and weights by name."""
import warnings

import torch
from torchvision import models
from torchvision.models import resnet

warnings.simplefilter("ignore")


def attempt(action):
    try:
        print("no error", action())
    except Exception as e:
        print(type(e).__name__, e)


x = torch.linspace(-1, 1, 2 * 3 * 64 * 64).reshape(2, 3, 64, 64)
# The published numbers of parameters, entries of the state dict, and its last names.
for name in ("resnet18", "squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small", "mnasnet0_5", "shufflenet_v2_x0_5", "regnet_x_400mf"):
    model = models.get_model(name, weights=None)
    state = model.state_dict()
    model.eval()
    with torch.no_grad():
        print(name, type(model).__name__, sum(p.numel() for p in model.parameters()), len(state), list(state)[-2:], tuple(model(x).shape))
with torch.device("meta"):  # without the numbers
    for name in ("resnet50", "resnext50_32x4d", "wide_resnet50_2", "vgg16", "vgg11_bn", "alexnet", "densenet121", "densenet161", "inception_v3",
                 "efficientnet_b0", "efficientnet_b7", "efficientnet_v2_s", "convnext_tiny", "vit_b_16", "swin_t", "swin_v2_t", "regnet_y_3_2gf"):
        model = models.get_model(name, **({"init_weights": False} if name == "inception_v3" else {}))
        print(name, sum(p.numel() for p in model.parameters()), len(model.state_dict()))
model = models.GoogLeNet(num_classes=4, init_weights=False)
print([tuple(one.shape) for one in model(x)], type(model(x)).__name__, tuple(model.eval()(x).shape))
tiny = models.VisionTransformer(image_size=32, patch_size=8, num_layers=1, num_heads=2, hidden_dim=16, mlp_dim=32, num_classes=3)
print(tiny)
print(tiny(x[:, :, :32, :32]), [name for name in tiny.state_dict() if "layer_0" in name])
print(models.SwinTransformer([4, 4], 12, [2, 2], [2, 4], [4, 4], num_classes=5)(x).shape, models.swin_transformer.SwinTransformerBlockV2)
print(resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=2, zero_init_residual=True).layer2)
torch.manual_seed(0)
print(f"{sum(p.double().abs().sum().item() for p in models.resnet18().parameters()):.1f}", models.resnet18(num_classes=7).fc)
print(models.vgg.make_layers(models.vgg.cfgs["A"][:5], batch_norm=True))
attempt(lambda: resnet.BasicBlock(3, 3, groups=2))
attempt(lambda: models.ResNet(resnet.Bottleneck, [1, 1, 1, 1], replace_stride_with_dilation=[1]))
attempt(lambda: models.SqueezeNet("2"))

print(models.ResNet18_Weights.DEFAULT, list(models.ResNet50_Weights), models.ResNet50_Weights.DEFAULT, models.VGG16_Weights.DEFAULT)
print(models.ResNet50_Weights.IMAGENET1K_V2.meta["num_params"], models.ResNet50_Weights.DEFAULT.url, models.get_weight("ViT_B_16_Weights.DEFAULT"))
print(models.ResNet50_Weights.DEFAULT.transforms())
print(models.ResNet18_Weights.DEFAULT.transforms()((x[0] * 100).to(torch.uint8)).shape, models.get_model_weights("alexnet"))
attempt(lambda: models.resnet18(weights="DEFAULT"))
attempt(lambda: models.resnet18(weights=models.ResNet18_Weights.IMAGENET1K_V1))
attempt(lambda: models.resnet18(pretrained=True))
attempt(lambda: models.resnet18(weights=models.VGG16_Weights.DEFAULT))
attempt(lambda: models.get_model("resnet19"))
attempt(lambda: models.get_weight("resnet18"))
print(models.list_models(include="resnet*"), len(models.list_models()), models.list_models(models, exclude=["*net*", "vgg*", "swin*"]))
print([name for name in sorted(models.__dict__) if name.islower() and not name.startswith("__") and callable(models.__dict__[name])][:12])
try:
    models.raft_large()
except ModuleNotFoundError as e:
    print(e)
