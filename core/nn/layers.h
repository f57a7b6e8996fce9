#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/nn/module.h"

namespace nns::nn {

/// Makes the layer classes of layers.def: PyTorch's constructors, attributes, registries, initial values and texts.
/// Called once. Layers whose arithmetic is not there yet have no forward of their own: calling one raises
/// Module.forward's NotImplementedError.
void add_layer_classes(Interpreter& interpreter, NnLibrary& library);

/// Makes a layer or container by the name of its class: make_layer(in, "Linear", {3, 4}, {{"bias", false}}).
/// The class is called as a program calls it, so arguments and errors are the same.
/// Errors: what its constructor raises; AttributeError  torch.nn has no such class.
PyResult<Ref<Module>> make_layer(Interpreter& interpreter, std::string_view name, std::vector<Value> positional = {},
                                 const std::vector<std::pair<std::string_view, Value>>& keywords = {});

}  // namespace nns::nn
