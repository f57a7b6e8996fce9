#include "core/optim/group_options.h"

#include "core/object/operations.h"
#include "core/optim/optimizer.h"

namespace nns::optim {
namespace {

PyResult<Value> item(Interpreter& in, const Value& container, std::int64_t index) {
  return object::getitem(in, container, Value(index));
}

}  // namespace

tensor::DType scalar_dtype(Interpreter& in) {
  return tensor::TensorLibrary::of(in).default_dtype == tensor::DType::Float64 ? tensor::DType::Float64
                                                                               : tensor::DType::Float32;
}

PyResult<double> number_of(Interpreter& interpreter, const Value& value) {
  if (value.is_float()) return value.as_float();
  if (value.is_int() || value.is_bool()) return static_cast<double>(value.as_int());
  if (const Tensor* tensor = value.as<Tensor>()) {
    if (tensor->numel() == 1 && !tensor->is_meta()) return tensor::read_double(*tensor, tensor->offset());
    return object::runtime_error(interpreter, "a Tensor with {} elements cannot be converted to Scalar",
                                 tensor->numel());
  }
  return object::type_error(interpreter, "'<=' not supported between instances of 'float' and '{}'",
                            interpreter.type_of(value).name());
}

PyResult<Value> GroupOptions::value(Name name) {
  if (const Value* found = group_.find(name)) return *found;
  return object::key_error(in_, name.value());
}

PyResult<double> GroupOptions::number(Name name) {
  if (const Value* found = group_.find(name)) return number_of(in_, *found);
  return object::key_error(in_, name.value());
}

PyResult<bool> GroupOptions::flag(Name name) {
  if (const Value* found = group_.find(name)) return object::truth(in_, *found);
  return object::key_error(in_, name.value());
}

PyResult<std::pair<double, double>> GroupOptions::pair(Name name) {
  NNS_TRY_ASSIGN(const Value both, value(name));
  std::span<const Value> items;
  if (const auto* tuple = both.as<object::Tuple>()) items = tuple->items();
  if (const auto* list = both.as<List>()) items = list->items();
  if (items.size() != 2) {
    return object::value_error(in_, "{} must hold two numbers", name.view());
  }
  NNS_TRY_ASSIGN(const double first, number_of(in_, items[0]));
  NNS_TRY_ASSIGN(const double second, number_of(in_, items[1]));
  return std::pair(first, second);
}

PyResult<void> GroupOptions::refuse_unsupported() {
  const auto& names = OptimLibrary::of(in_).names;
  const auto is_set = [this](Name name) -> PyResult<bool> {
    const Value* found = group_.find(name);
    return object::truth(in_, found == nullptr ? Value() : *found);
  };
  NNS_TRY_ASSIGN(const bool capturable, is_set(names.capturable));
  if (capturable) {
    return object::make_error(in_, object::ErrorKind::AssertionError,
                              "If capturable=True, params and state_steps must be on supported devices: ['cuda', "
                              "'xpu', 'hpu', 'privateuseone', 'xla'].");
  }
  return {};
}

PyResult<void> ArgumentChecks::require(bool holds, std::string_view what, const Value& value) {
  if (holds) return {};
  NNS_TRY_ASSIGN(const std::string shown, object::str(in_, value));
  return object::value_error(in_, "{}: {}", what, shown);
}

PyResult<void> ArgumentChecks::not_negative(const Value& value, std::string_view what) {
  NNS_TRY_ASSIGN(const double number, number_of(in_, value));
  return require(number >= 0, what, value);
}

PyResult<void> ArgumentChecks::learning_rate(const Value& lr) {
  if (const Tensor* tensor = lr.as<Tensor>(); tensor != nullptr && tensor->numel() != 1) {
    return object::value_error(in_, "Tensor lr must be 1-element");
  }
  return not_negative(lr, "Invalid learning rate");
}

PyResult<void> ArgumentChecks::betas(const Value& betas) {
  for (const std::int64_t i : {0, 1}) {
    NNS_TRY_ASSIGN(const Value beta, item(in_, betas, i));
    NNS_TRY_ASSIGN(const double number, number_of(in_, beta));
    NNS_TRY(require(number >= 0 && number < 1, fmt::format("Invalid beta parameter at index {}", i), beta));
  }
  return {};
}

PyResult<void> check_fused(Interpreter& interpreter, const Value& fused, const Value& differentiable,
                           const Value& foreach) {
  NNS_TRY_ASSIGN(const bool is_fused, object::truth(interpreter, fused));
  if (!is_fused) return {};
  NNS_TRY_ASSIGN(const bool is_differentiable, object::truth(interpreter, differentiable));
  if (is_differentiable) return object::runtime_error(interpreter, "`fused` does not support `differentiable`");
  NNS_TRY_ASSIGN(const bool is_foreach, object::truth(interpreter, foreach));
  if (is_foreach) return object::runtime_error(interpreter, "`fused` and `foreach` cannot be `True` together.");
  return {};
}

Ref<Dict> make_defaults(Interpreter& interpreter, std::initializer_list<std::pair<Name, Value>> entries) {
  Ref<Dict> made = interpreter.dict();
  for (const auto& [name, value] : entries) made->set(name, value);
  return made;
}

PyResult<void> set_group_defaults(Optimizer& self, std::initializer_list<std::pair<Name, Value>> entries) {
  NNS_TRY_ASSIGN(const List* const groups, self.param_groups());
  for (const Value& value : groups->items()) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) continue;
    for (const auto& [name, otherwise] : entries) {
      if (!group->contains(name)) group->set(name, otherwise);
    }
  }
  return {};
}

PyResult<void> numbers_to_tensors(Optimizer& self, std::initializer_list<Name> names) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Dict* const state, self.state());
  for (std::size_t at = 0; Dict::Entry* entry = state->next(at);) {
    Dict* const own = entry->key.as<Tensor>() == nullptr ? nullptr : entry->value.as<Dict>();
    if (own == nullptr) continue;
    for (const Name name : names) {
      const Value* found = own->find(name);
      if (found == nullptr || found->is_object()) continue;
      NNS_TRY_ASSIGN(const double number, number_of(in, *found));
      own->set(name, Value(tensor::full(in, {}, number, scalar_dtype(in))));
    }
  }
  return {};
}

PyResult<Value> restore_optimizer(Optimizer& self, const Value& state,
                                  std::initializer_list<std::pair<Name, Value>> defaults,
                                  std::initializer_list<Name> numbers) {
  NNS_TRY(set_optimizer_state(self, state));
  NNS_TRY(set_group_defaults(self, defaults));
  if (numbers.size() != 0) NNS_TRY(numbers_to_tensors(self, numbers));
  return Value();
}

PyResult<Value> restore_capturable(Optimizer& self, const Value& state, std::initializer_list<Name> numbers) {
  const auto& names = OptimLibrary::of(self.interpreter()).names;
  return restore_optimizer(self, state,
                           {{names.foreach, Value()},
                            {names.maximize, Value(false)},
                            {names.differentiable, Value(false)},
                            {names.capturable, Value(false)}},
                           numbers);
}

}  // namespace nns::optim
