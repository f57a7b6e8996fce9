#include "core/python/torch/inner_functions.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/ops/python_function.h"

namespace nns::python {

namespace {

struct Alias {
  std::string_view name, target;
};
constexpr Alias kAliases[] = {
    {"linear", "torch._C._nn.linear"},
    {"gelu", "torch._C._nn.gelu"},
    {"softplus", "torch._C._nn.softplus"},
    {"pad", "torch._C._nn.pad"},
    {"avg_pool2d", "torch._C._nn.avg_pool2d"},
    {"avg_pool3d", "torch._C._nn.avg_pool3d"},
    {"one_hot", "torch._C._nn.one_hot"},
    {"logsigmoid", "torch._C._nn.log_sigmoid"},
    {"scaled_dot_product_attention", "torch._C._nn.scaled_dot_product_attention"},
    {"conv1d", "torch.conv1d"},
    {"conv2d", "torch.conv2d"},
    {"conv3d", "torch.conv3d"},
    {"conv_transpose1d", "torch.conv_transpose1d"},
    {"conv_transpose2d", "torch.conv_transpose2d"},
    {"conv_transpose3d", "torch.conv_transpose3d"},
    {"avg_pool1d", "torch.avg_pool1d"},
    {"adaptive_avg_pool1d", "torch.adaptive_avg_pool1d"},
    {"bilinear", "torch.bilinear"},
    {"cosine_similarity", "torch.cosine_similarity"},
    {"prelu", "torch.prelu"},
    {"pixel_shuffle", "torch.pixel_shuffle"},
    {"pixel_unshuffle", "torch.pixel_unshuffle"},
    {"channel_shuffle", "torch.channel_shuffle"},
    {"hardshrink", "torch.hardshrink"},
    {"softshrink", "torch._C._nn.softshrink"},
    {"pairwise_distance", "torch.pairwise_distance"},
    {"pdist", "torch.pdist"},
    {"celu_", "torch.celu_"},
    {"selu_", "torch.selu_"},
    {"rrelu_", "torch.rrelu_"},
    {"relu_", "torch.relu_"},
    {"threshold_", "torch.threshold_"},
};

}  // namespace

std::string_view inner_path(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.target;
  }
  return {};
}

void fill_inner_functions(object::Interpreter& interpreter) {
  const auto show = [&](std::string_view from, std::string_view name, std::string_view module, std::string_view as) {
    const object::Value* const found = ops::python_module(interpreter, from).find(name);
    if (found != nullptr) ops::python_module(interpreter, module).set(interpreter.intern(as), *found);
  };
  constexpr std::string_view kNn = "torch._C._nn";
  for (const Alias& alias : kAliases) {
    if (alias.target.starts_with(kNn))
      show("torch.nn.functional", alias.name, kNn, alias.target.substr(kNn.size() + 1));
  }
  for (const std::string_view part : {"linalg", "fft"}) {
    const std::string shown = fmt::format("torch.{}", part);
    std::vector<std::string> names;
    std::size_t at = 0;
    object::Dict& all = ops::python_module(interpreter, shown);
    while (const object::Dict::Entry* entry = all.next(at)) {
      if (const auto* name = entry->key.as<object::Str>()) names.emplace_back(name->view());
    }
    for (const std::string& name : names)
      show(shown, name, fmt::format("torch._C._{}", part), fmt::format("{}_{}", part, name));
  }
}

}  // namespace nns::python
