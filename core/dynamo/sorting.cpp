// sorted(), min() and max(), reversed(), and zip() that wants equal lengths.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using object::BinaryOperator;

// Whether a < b; -1 with a failure.
int Translator::is_less(Variable* a, Variable* b) {
  Variable* less = binary(BinaryOperator::Lt, a, b, false);
  const int answer = less == nullptr ? -1 : truth(less);
  if (answer == 2) unknown_comparison();
  return answer == 2 ? -1 : answer;
}

// Behaviour: torch/_dynamo/variables/lists.py, ListVariable, method sort. False with a failure.
bool Translator::sort_items(std::vector<Variable*>& items, Variable* key, Variable* reverse) {
  struct Keyed {
    Variable* key;
    Variable* item;
  };
  std::vector<Keyed> keyed;
  for (Variable* item : items) {
    Variable* one[] = {item};
    Variable* by = real(key == nullptr || key->is_none() ? item : call(key, one, {}));
    if (by == nullptr) return false;
    const bool is_known = by->kind != VariableKind::Tensor && by->kind != VariableKind::Number;
    if (!is_known) {
      const std::string_view type = by->kind == VariableKind::Tensor ? "torch.Tensor" : "torch.SymInt";
      unsupported("sort with non-constant keys",
                  by->kind == VariableKind::Tensor ? "TensorVariable()" : "SymNodeVariable()",
                  fmt::format("Cannot perform sort whose key comparison is not a compile-time constant. Key type: "
                              "<class '{}'>. Most notably, we cannot sort with Tensor or SymInt keys, but we can sort "
                              "ints.",
                              type),
                  {"Use something else as the key.", hints::kSupportable});
      return false;
    }
    keyed.push_back({by, item});
  }
  const int is_reversed = reverse == nullptr ? 0 : truth(reverse);
  if (is_reversed < 0) return false;
  if (is_reversed == 1) std::reverse(keyed.begin(), keyed.end());
  // By insertion, so that a comparison that fails ends it: the order of comparisons is no one's business.
  std::vector<Keyed> sorted;
  for (const Keyed& one : keyed) {
    std::size_t low = 0, high = sorted.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const int less = is_less(one.key, sorted[middle].key);
      if (less < 0) return false;
      if (less == 1)
        high = middle;
      else
        low = middle + 1;
    }
    sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(low), one);
  }
  if (is_reversed == 1) std::reverse(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = sorted[i].item;
  return true;
}

// min() and max() of what is no tensor. With keywords torch._dynamo only knows constants.
Variable* Translator::call_min_max(std::string_view name, Arguments args, const std::vector<Variable*>& items,
                                   Variable* key, Variable* otherwise) {
  const bool has_keywords = key != nullptr || otherwise != nullptr;
  if (has_keywords) {
    const bool all_constant =
        std::all_of(items.begin(), items.end(), [&](Variable* item) { return is_constant(item); }) &&
        (otherwise == nullptr || is_constant(otherwise));
    if (has_failed()) return nullptr;
    if (!all_constant) {
      return unsupported("invalid call to builtin op handler", fmt::format("invalid args to call_{}", name),
                         fmt::format("Encountered TypeError when trying to handle op {}", name),
                         {"This graph break may be difficult to debug. Please report an issue to PyTorch for "
                          "assistance."});
    }
  }
  if (items.empty()) {
    if (otherwise != nullptr) return otherwise;
    return raise(object::ErrorKind::ValueError, fmt::format("{}() iterable argument is empty", name));
  }
  static_cast<void>(args);
  Variable* best = nullptr;
  Variable* best_key = nullptr;
  for (Variable* given : items) {
    NNS_VARIABLE(item, real(given));
    Variable* one[] = {item};
    Variable* by = key == nullptr || key->is_none() ? item : call(key, one, {});
    if (by == nullptr) return nullptr;
    int is_better = 1;
    if (best != nullptr) is_better = name == "max" ? is_less(best_key, by) : is_less(by, best_key);
    if (is_better < 0) return nullptr;
    if (is_better == 0) continue;
    best = item;
    best_key = by;
  }
  return best;
}

Variable* Translator::reverse_walk(Variable* given) {
  NNS_VARIABLE(value, real(given));
  if (value->kind == VariableKind::Object) {
    if (has_special(value, "__reversed__")) return call_method(value, in_.intern("__reversed__"), {});
    Variable* const plain = plain_of(value, {in_.names().dunder_getitem, in_.intern("__len__")});
    if (plain != value) return reverse_walk(plain);
    if (!has_special(value, "__getitem__") || !has_special(value, "__len__"))
      return raise(object::type_error(in_, "'{}' object is not reversible", type_of(*value).name()));
    NNS_VARIABLE(size, length(value));
    const Value count = constant_value(size);
    if (!count.is_int()) return has_failed() ? nullptr : unsupported_builtin("reversed", {&value, 1}, false);
    auto left = std::make_shared<std::int64_t>(count.as_int());
    return iterator([this, value, left]() -> Variable* {
      return *left <= 0 ? nullptr : get_item(value, constant(Value(--*left)));
    });
  }
  const bool is_none_of_order = value->kind == VariableKind::Set || value->kind == VariableKind::Iterator ||
                                value->kind == VariableKind::Generator;
  if (is_none_of_order) return raise(object::type_error(in_, "'{}' object is not reversible", type_of(*value).name()));
  std::vector<Variable*> items;
  if (!items_of(value, items)) return nullptr;
  std::reverse(items.begin(), items.end());
  return iterator_over(std::move(items));
}

// The end of a zip() or map() with strict: number `ended` has no more items. Fails where another has some.
Variable* Translator::check_same_length(const std::vector<Variable*>& walkers, std::size_t ended,
                                        std::string_view what) {
  const auto raise_for = [&](std::size_t at, std::string_view how) {
    const std::string before = at == 1 ? "argument 1" : fmt::format("arguments 1-{}", at);
    return raise(object::ErrorKind::ValueError,
                 fmt::format("{}() argument {} is {} than {}", what, at + 1, how, before));
  };
  if (ended > 0) return raise_for(ended, "shorter");
  for (std::size_t i = 1; i < walkers.size(); ++i) {
    const Variable* more = next_of(walkers[i]);
    if (has_failed()) return nullptr;
    if (more != nullptr) return raise_for(i, "longer");
  }
  return nullptr;
}

}  // namespace nns::dynamo
