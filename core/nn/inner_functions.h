#pragma once

#include <span>
#include <string_view>

namespace nns::nn {

/// A function of torch.nn.functional that is one of C++ in PyTorch, or only calls one: "linear" of
/// "torch._C._nn.linear".
struct InnerFunction {
  std::string_view name, path;
};
std::span<const InnerFunction> inner_functions();

/// The path of it; empty: `name` is Python in PyTorch. Graphs of programs name it so.
std::string_view inner_path(std::string_view name);

}  // namespace nns::nn
