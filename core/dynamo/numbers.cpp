// Numbers that are no constants: arguments that are others at each call, and what is read from tensors.
// Behaviour: torch/_dynamo/variables/builder.py, wrap_symint and wrap_symfloat; variables/tensor.py, SymNodeVariable.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

bool holds_number(const Argument& argument) {
  if (argument.node != nullptr && !argument.node->hint.is_absent()) return true;
  return std::any_of(argument.items.begin(), argument.items.end(), holds_number);
}

// Whether all of it is tensors, of the same shapes.
bool has_same_shapes(const Value& a, const Value& b) {
  const auto* x = a.as<Tensor>();
  const auto* y = b.as<Tensor>();
  if (x != nullptr || y != nullptr)
    return x != nullptr && y != nullptr && x->shape() == y->shape() && x->dtype() == y->dtype();
  const auto* some = a.as<object::Tuple>();
  const auto* others = b.as<object::Tuple>();
  if (some == nullptr || others == nullptr || some->size() != others->size()) return false;
  for (std::size_t i = 0; i < some->size(); ++i) {
    if (!has_same_shapes((*some)[i], (*others)[i])) return false;
  }
  return true;
}

bool is_number(const Value& value) { return value.is_int() || value.is_float() || value.is_bool(); }

}  // namespace

// Whether a number was another one before, in a place where that counts.
bool Translator::becomes_number(const Value& value, const Source* source) {
  if (source == nullptr || start_.numbers == nullptr || !(value.is_int() || value.is_float())) return false;
  const Source& bare = source->bare();
  if (bare.kind == SourceKind::Constant || (source->is_from_module() && source->origin != Origin::Fsdp)) return false;
  const bool is_default = bare.kind == SourceKind::Default || bare.kind == SourceKind::KeywordDefault;
  if (value.is_int() && (source->is_global || is_default)) return false;
  if (value.is_float() && !std::isfinite(value.as_float())) return false;
  const std::string key = fmt::format("{} {}", value.is_int() ? "int" : "float", source->name);
  SeenNumber& seen = start_.numbers->try_emplace(key, SeenNumber{value}).first->second;
  seen.is_dynamic = seen.is_dynamic || !seen.first.is(value);
  return seen.is_dynamic;
}

Variable* Translator::number_of(Node& node, const Value& hint, std::shared_ptr<const Expression> expression) {
  node.hint = hint;
  Variable& made = arena_->make(VariableKind::Number);
  made.node = &node;
  made.value = hint;
  made.expression = std::move(expression);
  return &made;
}

Variable* Translator::build_number(const Value& value, const Source* source) {
  if (const auto known = numbers_.find(source->name); known != numbers_.end()) return known->second;
  guard_type(source, value);
  auto expression = std::make_shared<Expression>();
  expression->source = source;
  expression->text = without_locals(source->name);
  Node* node = &placeholder_of(value, source);
  if (value.is_float()) {
    // The graph takes a float as a tensor and reads it.
    node->is_wrapped_number = true;
    node->example = tensor::empty(in_, {}, tensor::DType::Float64, tensor::Device::Meta);
    Node& item = add_node(Node::Op::CallMethod, "item", "item");
    item.args.push_back({.kind = Argument::Kind::Node, .node = node, .constant = {}, .items = {}, .keys = {}});
    node = &item;
  }
  Variable* made = number_of(*node, value, std::move(expression));
  made->source = source;
  numbers_[source->name] = made;
  return made;
}

void Translator::guard_expression(const std::shared_ptr<const Expression>& expression, const Value& value) {
  const Expression* base = expression.get();
  while (base->source == nullptr) {
    const auto inner = std::find_if(base->operands.begin(), base->operands.end(),
                                    [](const auto& one) { return one->source != nullptr || !one->operands.empty(); });
    if (inner == base->operands.end()) return;
    base = inner->get();
  }
  Guard made{.kind = GuardKind::ShapeEnv, .source = base->source};
  made.detail = fmt::format("[{}]", expression->text);
  made.value = value;
  made.expression = expression;
  guard(std::move(made));
}

Value Translator::specialize(Variable& number) {
  if (number.expression == nullptr) {
    unsupported("Data-dependent number", "",
                fmt::format("The value of `{}` is known only when the graph runs, but tracing on needs it now.",
                            number.node->name),
                {hints::kFundamental});
    return Value::absent();
  }
  guard_expression(number.expression, number.value);
  return number.value;
}

std::shared_ptr<const Expression> Translator::expression_of(Variable* variable) {
  if (variable->kind == VariableKind::Number) return variable->expression;
  auto made = std::make_shared<Expression>();
  made->constant = variable->value;
  made->text = repr_of(in_, variable->value);
  return made;
}

Variable* Translator::number_operation(const Value& function, const std::string& name, Arguments args) {
  bool is_known = true;
  std::vector<Value> hints;
  for (Variable* arg : args) {
    const bool is_constant_number = arg->kind == VariableKind::Constant && is_number(arg->value);
    if (arg->kind != VariableKind::Number && !is_constant_number) return nullptr;
    is_known = is_known && (arg->kind != VariableKind::Number || arg->expression != nullptr);
    hints.push_back(arg->value);
  }
  PyResult<Value> hint = in_.call(function, hints);
  // A division by zero and its like depend on the numbers themselves.
  if (!hint.ok() || !is_number(hint.value())) return nullptr;
  std::shared_ptr<Expression> expression;
  if (is_known) {
    expression = std::make_shared<Expression>();
    expression->function = function;
    for (Variable* arg : args) expression->operands.push_back(expression_of(arg));
    const auto operand = [&](std::size_t i) {
      const auto& one = expression->operands[i];
      return one->operands.empty() ? one->text : fmt::format("({})", one->text);
    };
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"truediv", "/"}, {"floordiv", "//"}, {"mod", "%"}, {"pow", "**"},
        {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="},     {"gt", ">"},        {"ge", ">="}};
    const auto sign =
        std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& one) { return one.first == name; });
    expression->text = args.size() == 2 && sign != std::end(kSigns)
                           ? fmt::format("{} {} {}", operand(0), sign->second, operand(1))
                           : fmt::format("{}({})", name, operand(0));
  }
  std::vector<Argument> positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i])) return nullptr;
  }
  Node& node = add_node(Node::Op::CallFunction, "operator." + name, name);
  node.callee = function;
  node.args = std::move(positional);
  return number_of(node, hint.value(), std::move(expression));
}

// tensor.item() in the graph. Shapes are tried with a number that stands for it.
Variable* Translator::item_of(Variable* self) {
  const Ref<Tensor>& fake = self->node->example;
  if (tensor::is_complex(fake->dtype()))
    return unsupported("Unsupported Tensor.item() call", "", "Complex numbers of tensors are not followed.", {});
  if (self->node->has_unknown_size) return unknown_size("item");
  if (fake->numel() != 1) {
    return raise(object::ErrorKind::RuntimeError,
                 fmt::format("a Tensor with {} elements cannot be converted to Scalar", fake->numel()));
  }
  Argument argument;
  if (!as_argument(self, argument)) return nullptr;
  Node& node = add_node(Node::Op::CallMethod, "item", "item");
  node.args.push_back(std::move(argument));
  const bool is_float = tensor::is_floating(fake->dtype());
  const Value hint = is_float                               ? Value(1.5)
                     : fake->dtype() == tensor::DType::Bool ? Value(true)
                                                            : Value(std::int64_t{2});
  return number_of(node, hint, nullptr);
}

// The graph takes the number as an input, which is drawn anew before each run.
// Behaviour: torch/_dynamo/variables/functions.py, builder.py, RandomValueSource.
Variable* Translator::call_random(Variable* function, Arguments args, Keywords keywords) {
  RandomCall made{nullptr, function->value, {}, {}};
  if (!constant_arguments(args, keywords, made.positional, made.keywords))
    return has_failed() ? nullptr : unsupported_builtin(function->function->name, args, !keywords.empty());
  const PyResult<Value> example = engine_.example_of(made);
  if (!example.ok()) return raise(example.error());
  made.source = sources_->random_value(compiled_->random_calls.size());
  Variable* number = number_of(placeholder_of(example.value(), made.source), example.value(), nullptr);
  number->source = made.source;
  compiled_->random_calls.push_back(std::move(made));
  return number;
}

bool Translator::specialize(Argument& argument) {
  if (argument.node != nullptr && !argument.node->hint.is_absent()) {
    for (Variable& variable : arena_->all()) {
      if (variable.kind != VariableKind::Number || variable.node != argument.node) continue;
      Value value = specialize(variable);
      if (value.is_absent()) return false;
      argument = {
          .kind = Argument::Kind::Constant, .node = nullptr, .constant = std::move(value), .items = {}, .keys = {}};
      return true;
    }
  }
  return std::all_of(argument.items.begin(), argument.items.end(), [&](Argument& item) { return specialize(item); });
}

PyResult<Value> Translator::run_on_fakes(std::vector<Argument>& positional, NamedArguments& named, const FakeRun& run) {
  const auto once = [&] {
    std::vector<Value> fakes;
    fakes.reserve(positional.size());
    for (const Argument& argument : positional) fakes.push_back(fake_value(argument));
    std::vector<object::Keyword> keywords;
    for (const auto& [name, argument] : named) keywords.push_back({in_.intern(name), fake_value(argument)});
    return run(fakes, keywords);
  };
  const bool has_numbers =
      std::any_of(positional.begin(), positional.end(), holds_number) ||
      std::any_of(named.begin(), named.end(), [](const auto& one) { return holds_number(one.second); });
  PyResult<Value> result = once();
  if (!has_numbers) return result;
  number_shift_ = 1;
  const PyResult<Value> other = once();
  number_shift_ = 0;
  if (result.ok() && other.ok() && has_same_shapes(result.value(), other.value())) return result;
  // Differs: torch._dynamo keeps such a number as a symbol of shapes; here the shape holds for this number only.
  bool is_constant = true;
  for (Argument& argument : positional) is_constant = is_constant && specialize(argument);
  for (auto& [name, argument] : named) is_constant = is_constant && specialize(argument);
  return is_constant ? once() : result;
}

}  // namespace nns::dynamo
