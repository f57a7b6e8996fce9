#include "core/nn/layers.h"

#include "core/object/operations.h"

namespace nns::nn {
void add_layer_classes(Interpreter&, NnLibrary&) {}

PyResult<Ref<Module>> make_layer(Interpreter& interpreter, std::string_view name, std::vector<Value> positional,
                                 std::vector<std::pair<std::string_view, Value>> keywords) {
  Class* cls = NnLibrary::of(interpreter).find_class(name);
  if (cls == nullptr) {
    return object::attribute_error(interpreter, "module 'torch.nn' has no attribute '{}'", name);
  }
  std::vector<Keyword> named;
  for (auto& [key, value] : keywords) named.push_back({interpreter.intern(key), std::move(value)});
  NNS_TRY_ASSIGN(const Value made, interpreter.call(Value(static_cast<object::Object*>(cls)), positional, named));
  return Ref<Module>(as_module(made));
}

}  // namespace nns::nn
