#include "tests/nn/layer_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"

namespace nns::nn::tests {
namespace {

std::string shape_text(const tensor::Dims& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape.span(), ", "));
}

std::string_view text_of(const Value& value) { return value.as<object::Str>()->view(); }

}  // namespace

std::string text_of_layer(Interpreter& in, std::string_view name, std::vector<Value> positional,
                          const Keywords& keywords) {
  auto layer = make_layer(in, name, std::move(positional), keywords);
  if (!layer.ok()) return fmt::format("{}: {}", layer.error().type(), layer.error().message());
  const auto text = object::repr(in, Value(*layer));
  return text.ok() ? *text : fmt::format("{}: {}", text.error().type(), text.error().message());
}

std::string parameter_shapes(Module& module) {
  std::vector<std::string> shown;
  const auto parameters = module.named_parameters();
  if (!parameters.ok()) return parameters.error().message();
  for (const NamedTensor& one : *parameters) shown.push_back(one.name + " " + shape_text(one.tensor->shape()));
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string parameter_registry(Module& module) {
  std::vector<std::string> shown;
  Dict& registry = *module.registry_dict(Registry::Parameters);
  for (std::size_t at = 0; const Dict::Entry* entry = registry.next(at);) {
    const Tensor* tensor = entry->value.as<Tensor>();
    shown.push_back(
        fmt::format("{} {}", text_of(entry->key), tensor == nullptr ? "None" : shape_text(tensor->shape())));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string state_keys(Module& module) {
  std::vector<std::string_view> keys;
  auto state = module.state_dict();
  if (!state.ok()) return state.error().message();
  for (const Value& key : state->as<Dict>()->keys()) keys.push_back(text_of(key));
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::string own_attributes(Module& module) {
  std::vector<std::string_view> keys;
  for (const Value& key : module.dict().keys()) {
    bool is_registry = false;
    for (std::size_t i = 0; i < kRegistryCount; ++i) {
      is_registry = is_registry || text_of(key) == registry_key(static_cast<Registry>(i));
    }
    if (!is_registry) keys.push_back(text_of(key));
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::string values_text(const Tensor& tensor, int decimals) {
  std::vector<std::string> shown;
  tensor::for_each_place(tensor, [&](std::int64_t place) {
    shown.push_back(fmt::format("'{:.{}f}'", tensor::read_double(tensor, place), decimals));
  });
  return fmt::format("[{}]", fmt::join(shown, ", "));
}

void manual_seed(Interpreter& in, std::uint64_t seed) { tensor::TensorLibrary::of(in).generator.seed_with(seed); }

}  // namespace nns::nn::tests
