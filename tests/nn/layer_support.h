#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/nn/layers.h"

namespace nns::nn::tests {

using Keywords = std::vector<std::pair<std::string_view, Value>>;

/// print(nn.<name>(*positional, **keywords)), or "<error type>: <message>".
std::string text_of_layer(Interpreter& in, std::string_view name, std::vector<Value> positional = {},
                          const Keywords& keywords = {});

/// "weight (5, 3), bias (5,)" of the module's named parameters.
std::string parameter_shapes(Module& module);
/// "weight (5, 3), bias None" of the module's own _parameters.
std::string parameter_registry(Module& module);
/// The keys of state_dict(), joined by ", ".
std::string state_keys(Module& module);
/// The keys of __dict__ behind the registries of Module.__init__ (and before them), joined by ", ".
std::string own_attributes(Module& module);

/// The values of a tensor with that many decimals, as the recorded programs print them: "['0.1234', ...]".
std::string values_text(const Tensor& tensor, int decimals = 6);

/// torch.manual_seed(seed).
void manual_seed(Interpreter& in, std::uint64_t seed);

}  // namespace nns::nn::tests
