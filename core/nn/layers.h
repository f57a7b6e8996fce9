#pragma once

#include "core/nn/module.h"

namespace nns::nn {

/// Makes the layer classes: constructors, registries, initial values and texts. Called once.
void add_layer_classes(Interpreter& interpreter, NnLibrary& library);

/// Makes a layer or container by the name of its class: make_layer(in, "Linear", {3, 4}, {{"bias", false}}).
/// Errors: what its constructor raises; AttributeError  torch.nn has no such class.
PyResult<Ref<Module>> make_layer(Interpreter& interpreter, std::string_view name, std::vector<Value> positional = {},
                                 std::vector<std::pair<std::string_view, Value>> keywords = {});

}  // namespace nns::nn
