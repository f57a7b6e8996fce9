#include "core/nn/layers.h"

#include <array>

#include "core/nn/layer_definition.h"
#include "core/nn/library.h"

namespace nns::nn {
namespace {

struct LayerRow {
  std::string_view name;
  std::string_view module;
  void (*define)(LayerDefinition& layer);
};

constexpr LayerRow kLayers[] = {
#define NNS_LAYER(id, name, module, base) {name, module, &define<LayerId::id>},
#include "core/nn/layers.def"
#undef NNS_LAYER
};

class LayerLibrary final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Layers;

  std::array<Class*, std::size(kLayers)> classes{};
};

LayerLibrary& library_of(Interpreter& interpreter) {
  NnLibrary::of(interpreter);
  return *interpreter.extension<LayerLibrary>();
}

}  // namespace

void add_layer_classes(Interpreter& interpreter, NnLibrary& library) {
  LayerLibrary& layers = interpreter.extend(std::make_unique<LayerLibrary>());
  enum class Base : std::size_t {
#define NNS_LAYER(id, name, module, base) id,
#include "core/nn/layers.def"
#undef NNS_LAYER
    Module
  };
  static constexpr Base kBases[] = {
#define NNS_LAYER(id, name, module, base) Base::base,
#include "core/nn/layers.def"
#undef NNS_LAYER
  };
  for (std::size_t i = 0; i < std::size(kLayers); ++i) {
    const LayerRow& row = kLayers[i];
    Class* base = kBases[i] == Base::Module ? library.module : layers.classes[static_cast<std::size_t>(kBases[i])];
    Class& made = interpreter.define_class({.name = row.name, .module = row.module, .bases = {base}});
    layers.classes[i] = &made;
    LayerDefinition definition(interpreter, made, library.function(interpreter, "relu"));
    row.define(definition);
    if (!row.name.starts_with('_')) library.add_class(row.name, made);
  }
}

Class& layer_class(Interpreter& interpreter, LayerId id) {
  return *library_of(interpreter).classes[static_cast<std::size_t>(id)];
}

PyResult<Value> make_layer(Interpreter& interpreter, LayerId id, std::initializer_list<Value> positional,
                           std::initializer_list<NamedArgument> keywords) {
  std::vector<Keyword> named;
  for (const auto& [name, value] : keywords) named.push_back({interpreter.intern(name), value});
  return interpreter.call(class_value(layer_class(interpreter, id)),
                          std::span<const Value>(positional.begin(), positional.size()), named);
}

PyResult<Ref<Module>> make_layer(Interpreter& interpreter, std::string_view name, std::vector<Value> positional,
                                 const std::vector<std::pair<std::string_view, Value>>& keywords) {
  Class* cls = NnLibrary::of(interpreter).find_class(name);
  if (cls == nullptr) {
    return object::attribute_error(interpreter, "module 'torch.nn' has no attribute '{}'", name);
  }
  std::vector<Keyword> named;
  for (const auto& [key, value] : keywords) named.push_back({interpreter.intern(key), value});
  NNS_TRY_ASSIGN(const Value made, interpreter.call(Value(static_cast<object::Object*>(cls)), positional, named));
  return Ref<Module>(as_module(made));
}

}  // namespace nns::nn
