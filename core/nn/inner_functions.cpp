#include "core/nn/inner_functions.h"

namespace nns::nn {

std::span<const InnerFunction> inner_functions() {
  static constexpr InnerFunction kFunctions[] = {
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
  return kFunctions;
}

std::string_view inner_path(std::string_view name) {
  for (const InnerFunction& one : inner_functions()) {
    if (one.name == name) return one.path;
  }
  return {};
}

}  // namespace nns::nn
