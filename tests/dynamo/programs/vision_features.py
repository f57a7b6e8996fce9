# Models of torchvision that give what is inside of them, by the paths of their nodes.
import warnings

import torch
from torch import nn
from torchvision import models
from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 2, 3, padding=1)
        self.drop = nn.Dropout()

    def forward(self, x):
        y = torch.relu(self.conv(x) + 1)
        y = torch.relu(y + x)
        return self.drop(y) if self.training else y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block())
        self.head = nn.Linear(2, 3)

    def forward(self, x):
        x = self.blocks(x)
        x = self.blocks[0](x)
        return self.head(x.mean((2, 3)))


net = Net()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    train, evaluated = get_graph_node_names(net)
print(train)
print(evaluated)
print([str(one.message) for one in told], net.training)
x = torch.ones(1, 2, 4, 4)
net.eval()
features = create_feature_extractor(net, {"blocks.0": "first", "blocks.1.relu": "second", "head": "out"}, suppress_diff_warning=True)
print({name: tuple(value.shape) for name, value in features(x).items()}, torch.equal(features(x)["out"], net(x)))
print(features.code)
print(torch.equal(features(x)["second"], torch.relu(net.blocks[1].conv(features(x)["first"]) + 1)), features.training)
features.train()
print("drop" in features.code, [name for name, _ in features.named_parameters()])
early = create_feature_extractor(net, ["blocks.0.add"], suppress_diff_warning=True)
print(early.code, [name for name, _ in early.named_parameters()])
for wrong in ({"return_nodes": ["blocks.7"]}, {}, {"train_return_nodes": ["head"]},
              {"return_nodes": ["head"], "train_return_nodes": ["head"], "eval_return_nodes": ["head"]}):
    try:
        create_feature_extractor(net, suppress_diff_warning=True, **wrong)
    except ValueError as error:
        print(error)

squeeze = models.squeezenet1_1(num_classes=3).eval()
names = get_graph_node_names(squeeze, suppress_diff_warning=True)[1]
print(len(names), names[:9], names[-3:])
body = create_feature_extractor(squeeze, {"features.3": "0", "features.4.expand3x3_activation": "1", "flatten": "flat"},
                                suppress_diff_warning=True)
print({name: tuple(value.shape) for name, value in body(torch.rand(1, 3, 32, 32)).items()})
small = {
    "vit": models.VisionTransformer(image_size=32, patch_size=16, num_layers=2, num_heads=2, hidden_dim=8, mlp_dim=8, num_classes=3),
    "swin": models.SwinTransformer(patch_size=[4, 4], embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=[4, 4], num_classes=3),
}
for name, model in small.items():
    model.eval()
    names = get_graph_node_names(model, suppress_diff_warning=True)[1]
    image = torch.rand(1, 3, 32, 32)
    print(name, len(names), names[:6], names[-3:], torch.equal(torch.fx.symbolic_trace(model)(image), model(image)))
