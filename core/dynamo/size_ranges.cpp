// What is known of sizes that are symbols: the ranges that comparisons leave, and the guards that hold to them.
// Behaviour: torch/fx/experimental/symbolic_shapes.py, ShapeEnv.evaluate_expr, produce_guards.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

constexpr std::pair<std::string_view, std::string_view> kComparisons[] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"},
                                                                          {"le", "<="}, {"gt", ">"},  {"ge", ">="}};
constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {{"==", "!="}, {"<", ">="}, {">", "<="}};
// The same seen from the other side.
constexpr std::pair<std::string_view, std::string_view> kMirrored[] = {{"<", ">"}, {"<=", ">="}};

template <std::size_t N>
std::string_view other_of(const std::pair<std::string_view, std::string_view> (&pairs)[N], std::string_view sign) {
  for (const auto& [one, other] : pairs) {
    if (one == sign) return other;
    if (other == sign) return one;
  }
  return sign;
}

std::string_view name_of_sign(std::string_view sign) {
  for (const auto& [name, one] : kComparisons) {
    if (one == sign) return name;
  }
  return {};
}

}  // namespace

// Whether a comparison of a size with a number is known from the range that it has; and of equal sizes.
std::optional<bool> Translator::known_comparison(std::string_view name, Variable* a, Variable* b) {
  if (std::none_of(std::begin(kComparisons), std::end(kComparisons),
                   [&](const auto& one) { return one.first == name; }))
    return std::nullopt;
  const bool both_numbers = a->kind == VariableKind::Number && b->kind == VariableKind::Number;
  if (both_numbers) {
    if (a->expression == nullptr || b->expression == nullptr || a->expression->symbols != b->expression->symbols ||
        a->expression->symbols.empty())
      return std::nullopt;
    return name == "eq" || name == "le" || name == "ge";
  }
  const bool is_mirrored = b->kind == VariableKind::Number;
  Variable* number = is_mirrored ? b : a;
  const Value& limit = (is_mirrored ? a : b)->value;
  const Symbol* symbol = symbol_of(number->expression);
  if (symbol == nullptr || !symbol->is_dimension() || !limit.is_int()) return std::nullopt;
  std::string_view sign;
  for (const auto& [one, its] : kComparisons) {
    if (one == name) sign = its;
  }
  if (is_mirrored) sign = other_of(kMirrored, sign);
  const std::int64_t value = limit.as_int();
  const bool is_outside = value < symbol->lower || value > symbol->upper;
  if (sign == "==" && is_outside) return false;
  if (sign == "!=" && is_outside) return true;
  if (sign == "<" && (symbol->upper < value || symbol->lower >= value)) return symbol->upper < value;
  if (sign == "<=" && (symbol->upper <= value || symbol->lower > value)) return symbol->upper <= value;
  if (sign == ">" && (symbol->lower > value || symbol->upper <= value)) return symbol->lower > value;
  if (sign == ">=" && (symbol->lower >= value || symbol->upper < value)) return symbol->lower >= value;
  return std::nullopt;
}

Symbol* Translator::symbol_of(const std::shared_ptr<const Expression>& expression) {
  for (Symbol& symbol : symbols_.all()) {
    if (expression != nullptr && symbol.expression == expression) return &symbol;
  }
  return nullptr;
}

// What a comparison was found to be narrows the range of a size. False: it is none of a size with a number.
bool Translator::narrow(const Expression& expression, bool is_true) {
  if (expression.operands.size() != 2 || expression.sign.empty()) return false;
  const bool is_mirrored = symbol_of(expression.operands[1]) != nullptr;
  Symbol* const symbol = symbol_of(expression.operands[is_mirrored ? 1 : 0]);
  const Value& limit = expression.operands[is_mirrored ? 0 : 1]->constant;
  const bool is_number = expression.operands[is_mirrored ? 0 : 1]->operands.empty() && limit.is_int();
  if (symbol == nullptr || !symbol->is_dimension() || !is_number) return false;
  std::string_view sign = is_true ? std::string_view(expression.sign) : other_of(kOpposites, expression.sign);
  if (is_mirrored) sign = other_of(kMirrored, sign);
  const std::int64_t value = limit.as_int();
  if (sign == "<") symbol->upper = std::min(symbol->upper, value - 1);
  if (sign == "<=") symbol->upper = std::min(symbol->upper, value);
  if (sign == ">") symbol->lower = std::max(symbol->lower, value + 1);
  if (sign == ">=") symbol->lower = std::max(symbol->lower, value);
  if (sign == "==") symbol->lower = symbol->upper = value;
  if (sign == "!=") {
    if (value == symbol->lower)
      ++symbol->lower;
    else if (value == symbol->upper)
      --symbol->upper;
    else
      return false;
  }
  if (symbol->lower == symbol->upper) hold({static_cast<std::size_t>(symbol - symbols_.all().data())});
  return true;
}

bool Translator::is_of_sizes(const Expression& expression) const {
  const bool is_size = std::any_of(symbols_.all().begin(), symbols_.all().end(), [&](const Symbol& one) {
    return one.is_dimension() && one.expression.get() == &expression;
  });
  return is_size || std::any_of(expression.operands.begin(), expression.operands.end(),
                                [&](const auto& one) { return is_of_sizes(*one); });
}

std::shared_ptr<const Expression> Translator::opposite(const std::shared_ptr<const Expression>& expression) {
  const std::string_view sign = other_of(kOpposites, expression->sign);
  const std::string_view name = name_of_sign(sign);
  if (name.empty() || expression->operands.size() != 2) return nullptr;
  auto made = std::make_shared<Expression>(*expression);
  made->function = engine_.operator_function(std::string(name));
  made->sign = sign;
  made->text = fmt::format("{} {} {}", expression->operands[0]->text, sign, expression->operands[1]->text);
  return made;
}

// A slice that ends behind the end ends there: where a size and a bound meet is where the shape follows another rule.
void Translator::bound_slices(Variable* tensor, Variable* key) {
  const std::vector<Variable*> keys = key->kind == VariableKind::Tuple ? key->items : std::vector<Variable*>{key};
  std::size_t dimension = 0;
  for (Variable* given : keys) {
    Variable* one = real(given);
    if (one == nullptr) return;
    if (one->is_none()) continue;
    if (one->kind == VariableKind::Constant && one->value.is(in_.ellipsis())) return;
    if (one->kind != VariableKind::Slice) {
      if (!one->is_constant() && one->kind != VariableKind::Number) return;
      ++dimension;
      continue;
    }
    if (dimension >= tensor->node->example->ndim()) return;
    Variable* size = size_of(tensor, dimension++);
    for (std::size_t end = 0; size != nullptr && end < 2; ++end) {
      Variable* bound = real(one->items[end]);
      const bool is_number =
          bound != nullptr && (bound->kind == VariableKind::Number || (bound->is_constant() && bound->value.is_int()));
      const bool is_constant = is_number && bound->is_constant() && size->is_constant();
      if (!is_number || is_constant || bound->value.as_int() < 0) continue;
      Variable* args[] = {bound, size};
      Variable* fits = number_operation(engine_.operator_function("le"), "le", args);
      if (fits == nullptr || truth(fits) < 0) return;
    }
    if (size == nullptr) return;
  }
}

void Translator::guard_ranges() {
  for (const Symbol& symbol : symbols_.all()) {
    if (symbol.source == nullptr || !symbol.hint.is_int()) continue;
    if (!symbol.is_dimension() && symbol.upper == Symbol::kUnbounded) continue;
    Guard made{.kind = GuardKind::ShapeEnv, .source = symbol.source};
    made.value = Value::absent();
    made.expression = symbol.expression;
    made.lower = symbol.is_dimension() ? symbol.lower : std::numeric_limits<std::int64_t>::min();
    made.upper = symbol.upper;
    guard(std::move(made));
  }
}

}  // namespace nns::dynamo
