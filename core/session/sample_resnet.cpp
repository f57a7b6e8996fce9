#include "core/nn/layers.h"
#include "core/session/sample_models.h"

namespace nns::session {
namespace {

using nn::Module;
using nn::PyResult;
using nn::Ref;
using nn::Value;

constexpr std::string_view kResnetPythonModule = "torchvision.models.resnet";

struct Classes {
  object::Class& resnet;
  object::Class& basic_block;
};

PyResult<Value> convolution(object::Interpreter& in, int from, int to, int kernel, int stride, int padding) {
  NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, "Conv2d", {from, to},
                                                 {{"kernel_size", kernel},
                                                  {"stride", stride},
                                                  {"padding", padding},
                                                  {"bias", false},
                                                  {"device", in.text("meta")}}));
  return Value(made);
}

PyResult<Value> batch_norm(object::Interpreter& in, int channels) {
  NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, "BatchNorm2d", {channels}, {{"device", in.text("meta")}}));
  return Value(made);
}

PyResult<void> set_layer(Module& self, std::string_view name, PyResult<Value> layer) {
  NNS_TRY_ASSIGN(const Value made, std::move(layer));
  return self.setattr(name, made);
}

PyResult<Value> relu(object::Interpreter& in) {
  NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, "ReLU", {}, {{"inplace", true}}));
  return Value(made);
}

PyResult<Value> basic_block(object::Interpreter& in, const Classes& classes, int from, int to, int stride) {
  const auto self = Module::make(in, &classes.basic_block);
  NNS_TRY(set_layer(*self, "conv1", convolution(in, from, to, 3, stride, 1)));
  NNS_TRY(set_layer(*self, "bn1", batch_norm(in, to)));
  NNS_TRY(set_layer(*self, "relu", relu(in)));
  NNS_TRY(set_layer(*self, "conv2", convolution(in, to, to, 3, 1, 1)));
  NNS_TRY(set_layer(*self, "bn2", batch_norm(in, to)));
  Value downsample;
  if (stride != 1 || from != to) {
    NNS_TRY_ASSIGN(const Value shortcut, convolution(in, from, to, 1, stride, 0));
    NNS_TRY_ASSIGN(const Value norm, batch_norm(in, to));
    NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, "Sequential", {shortcut, norm}));
    downsample = Value(made);
  }
  NNS_TRY(self->setattr("downsample", downsample));
  NNS_TRY(self->setattr("stride", stride));
  return Value(self);
}

PyResult<Value> stage(object::Interpreter& in, const Classes& classes, int from, int to, int stride) {
  NNS_TRY_ASSIGN(const Value first, basic_block(in, classes, from, to, stride));
  NNS_TRY_ASSIGN(const Value second, basic_block(in, classes, to, to, 1));
  NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, "Sequential", {first, second}));
  return Value(made);
}

}  // namespace

PyResult<Ref<Module>> make_resnet18(object::Interpreter& in) {
  nn::NnLibrary& library = nn::NnLibrary::of(in);
  const Classes classes{
      in.define_class({.name = "ResNet", .module = kResnetPythonModule, .bases = {library.module}}),
      in.define_class({.name = "BasicBlock", .module = kResnetPythonModule, .bases = {library.module}}),
  };
  classes.basic_block.attribute("expansion", 1);
  const auto self = Module::make(in, &classes.resnet);
  NNS_TRY(self->setattr("_norm_layer", Value(static_cast<object::Object*>(library.find_class("BatchNorm2d")))));
  const std::pair<std::string_view, int> settings[] = {
      {"inplanes", 512}, {"dilation", 1}, {"groups", 1}, {"base_width", 64}};
  for (const auto& [name, value] : settings) NNS_TRY(self->setattr(name, value));
  NNS_TRY(set_layer(*self, "conv1", convolution(in, 3, 64, 7, 2, 3)));
  NNS_TRY(set_layer(*self, "bn1", batch_norm(in, 64)));
  NNS_TRY(set_layer(*self, "relu", relu(in)));
  NNS_TRY_ASSIGN(const auto maxpool,
                 nn::make_layer(in, "MaxPool2d", {}, {{"kernel_size", 3}, {"stride", 2}, {"padding", 1}}));
  NNS_TRY(self->setattr("maxpool", maxpool));
  NNS_TRY(set_layer(*self, "layer1", stage(in, classes, 64, 64, 1)));
  NNS_TRY(set_layer(*self, "layer2", stage(in, classes, 64, 128, 2)));
  NNS_TRY(set_layer(*self, "layer3", stage(in, classes, 128, 256, 2)));
  NNS_TRY(set_layer(*self, "layer4", stage(in, classes, 256, 512, 2)));
  NNS_TRY_ASSIGN(const auto avgpool, nn::make_layer(in, "AdaptiveAvgPool2d", {in.tuple({1, 1})}));
  NNS_TRY(self->setattr("avgpool", avgpool));
  NNS_TRY_ASSIGN(const auto fc, nn::make_layer(in, "Linear", {512, 1000}, {{"device", in.text("meta")}}));
  NNS_TRY(self->setattr("fc", fc));
  return self;
}

}  // namespace nns::session
