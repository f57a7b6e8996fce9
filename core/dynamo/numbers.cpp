// Numbers that are no constants: arguments that are others at each call, and what is read from tensors.
// Behaviour: torch/_dynamo/variables/builder.py, wrap_symint and wrap_symfloat; variables/tensor.py, SymNodeVariable.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

bool is_number(const Value& value) { return value.is_int() || value.is_float() || value.is_bool(); }

}  // namespace

// Whether a number was another one before, in a place where that counts.
bool Translator::becomes_number(const Value& value, const Source* source) {
  if (source == nullptr || start_.seen == nullptr || !(value.is_int() || value.is_float())) return false;
  const Source& bare = source->bare();
  const bool is_of_module = source->is_from_module() && source->origin != Origin::Fsdp;
  if (bare.kind == SourceKind::Constant || (is_of_module && !config_.allow_unspec_int_on_nn_module)) return false;
  const bool is_default = bare.kind == SourceKind::Default || bare.kind == SourceKind::KeywordDefault;
  if (value.is_int() && (source->is_global || is_default)) return false;
  if (value.is_float() && !std::isfinite(value.as_float())) return false;
  if (engine_.dynamic() == std::optional(false) || speculation_.held.contains(source->name())) return false;
  const std::string key = fmt::format("{} {}", value.is_int() ? "int" : "float", source->name());
  SeenNumber& seen = start_.seen->numbers.try_emplace(key, SeenNumber{value}).first->second;
  seen.is_dynamic = seen.is_dynamic || !seen.first.is(value);
  const bool all_vary = engine_.dynamic() == std::optional(true) || !config_.assume_static_by_default;
  return (seen.is_dynamic && config_.automatic_dynamic_shapes) || (all_vary && value.is_int());
}

Variable* Translator::number_of(Node& node, const Value& hint, std::shared_ptr<const Expression> expression) {
  node.hint = hint;
  if (expression != nullptr && !expression->symbols.empty() && node.type_text.empty())
    node.type_text = fmt::format("{}({})",
                                 hint.is_int()    ? "SymInt"
                                 : hint.is_bool() ? "SymBool"
                                                  : "SymFloat",
                                 expression->symbols);
  Variable& made = arena_->make(VariableKind::Number);
  made.node = &node;
  made.value = hint;
  made.expression = std::move(expression);
  return &made;
}

Variable* Translator::build_number(const Value& value, const Source* source) {
  if (const auto known = numbers_.find(source->name()); known != numbers_.end()) return known->second;
  guard_type(source, value);
  Node* node = &placeholder_of(value, source);
  if (value.is_float()) {
    // The graph takes a float as a tensor and reads it.
    node->is_wrapped_number = true;
    node->example = tensor::empty(in_, {}, tensor::DType::Float64, tensor::Device::Meta);
    Node& item = add_root_node(Node::Op::CallMethod, "item", "item");
    item.args.push_back(node_argument(*node));
    node = &item;
  }
  Symbol symbol{.kind = Symbol::Kind::Number, .source = source, .hint = value, .node = node};
  symbol.name = value.is_int() ? symbol_name(*source) : std::string();
  return numbers_[source->name()] = number_of_symbol(add_symbol(std::move(symbol)));
}

void Translator::guard_expression(const std::shared_ptr<const Expression>& expression, const Value& value) {
  if (value.is_bool() && narrow(*expression, value.as_bool())) return;
  if (value.is_bool() && !value.as_bool() && is_of_sizes(*expression)) {
    if (const auto other = opposite(expression)) return guard_expression(other, Value(true));
  }
  const Expression* base = expression.get();
  while (base->source == nullptr) {
    const auto inner = std::find_if(base->operands.begin(), base->operands.end(),
                                    [](const auto& one) { return one->source != nullptr || !one->operands.empty(); });
    if (inner == base->operands.end()) return;
    base = inner->get();
  }
  Guard made{.kind = GuardKind::ShapeEnv, .source = base->source};
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
  if (const Symbol* symbol = symbol_of(number.expression); symbol != nullptr && symbol->is_dimension()) {
    hold({static_cast<std::size_t>(symbol - symbols_.all().data())});
    return Value::absent();
  }
  guard_expression(number.expression, number.value);
  return number.value;
}

std::shared_ptr<const Expression> Translator::expression_of(Variable* variable) {
  if (variable->kind == VariableKind::Number) return variable->expression;
  auto made = std::make_shared<Expression>();
  made->constant = variable->value;
  made->text = made->symbols = repr_of(in_, variable->value);
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
  if (args.size() == 2) {
    if (const std::optional<bool> known = known_comparison(name, args[0], args[1])) return constant(Value(*known));
  }
  PyResult<Value> hint = in_.call(function, hints);
  // A division by zero and its like depend on the numbers themselves.
  if (!hint.ok() || !is_number(hint.value())) return nullptr;
  std::shared_ptr<Expression> expression;
  if (is_known) {
    expression = std::make_shared<Expression>();
    expression->function = function;
    for (Variable* arg : args) expression->operands.push_back(expression_of(arg));
    const auto operand = [&](std::size_t i, std::string Expression::*text) {
      const auto& one = expression->operands[i];
      return one->operands.empty() ? (*one).*text : fmt::format("({})", (*one).*text);
    };
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"truediv", "/"}, {"floordiv", "//"}, {"mod", "%"}, {"pow", "**"},
        {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="},     {"gt", ">"},        {"ge", ">="}};
    const auto sign =
        std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& one) { return one.first == name; });
    for (const auto text : {&Expression::text, &Expression::symbols}) {
      (*expression).*text = args.size() == 2 && sign != std::end(kSigns)
                                ? fmt::format("{} {} {}", operand(0, text), sign->second, operand(1, text))
                                : fmt::format("{}({})", name, operand(0, text));
    }
    if (hint.value().is_bool() && sign != std::end(kSigns)) expression->sign = sign->second;
  }
  std::vector<Argument> positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i])) return nullptr;
  }
  Node& node = add_node(Node::Op::CallFunction, "operator." + name, name);
  node.callee = function;
  node.args = std::move(positional);
  // Known in the worlds in which the operands are, and it is a number of the same kind.
  for (std::size_t world = 1; world < symbols_.world_count(); ++world) {
    std::vector<Value> operands;
    bool differs = false, is_told = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      operands.push_back(args[i]->kind == VariableKind::Number ? value_in(*args[i]->node, world) : args[i]->value);
      differs = differs || !operands.back().is(hints[i]);
      is_told = is_told && !operands.back().is_none();
    }
    Value other = Value::absent();
    if (differs) {
      const PyResult<Value> result = is_told ? in_.call(function, operands) : PyResult<Value>(Value());
      const bool is_alike = result.ok() && &in_.type_of(result.value()) == &in_.type_of(hint.value());
      other = is_alike ? result.value() : Value();
    }
    node.variants.push_back(std::move(other));
  }
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
  return number_of_symbol(add_symbol({.kind = Symbol::Kind::OfValues, .hint = hint, .node = &node}));
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
  Variable* number = number_of_symbol(add_symbol({.kind = Symbol::Kind::OfValues,
                                                  .hint = example.value(),
                                                  .node = &placeholder_of(example.value(), made.source)}));
  number->source = made.source;
  compiled_->random_calls.push_back(std::move(made));
  return number;
}

}  // namespace nns::dynamo
