// What programs call most, for the arguments that they mostly have. Each gives what the function's own body gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/object/range.h"
#include "core/python/builtins/builtins.h"

namespace nns::python {
namespace {

using object::List;
using object::Str;
using object::Tuple;
using QuickArgs = std::span<const Value>;

Value general() { return Value::absent(); }

bool is_plain_text(Interpreter& in, const Value& value) {
  return value.is_object() && &value.object()->type() == in.builtins().str;
}

Value quick_len(Interpreter&, QuickArgs a) {
  if (a.size() != 1 || !object::is_exact(a[0])) return general();
  const auto length = object::builtin_length(a[0]);
  return length ? Value(*length) : general();
}

// Of classes that answer as their order says; none: somebody has to be asked.
std::optional<bool> quick_is_instance(Interpreter& in, const Value& value, const Value& cls) {
  const Class* const wanted = cls.as<Class>();
  if (wanted == nullptr || &wanted->type() != in.builtins().type) return std::nullopt;
  if (in.type_of(value).is_subclass_of(*wanted)) return true;
  // An iterator of C++ may pass for a generator.
  const bool passes_for_another = &in.type_of(value) == in.builtins().generator;
  if (wanted->instance_check() != nullptr || !object::is_exact(value) || passes_for_another) return std::nullopt;
  return false;
}

Value quick_isinstance(Interpreter& in, QuickArgs a) {
  if (a.size() != 2) return general();
  const auto* const several = a[1].as<Tuple>();
  if (several == nullptr) {
    const auto answer = quick_is_instance(in, a[0], a[1]);
    return answer ? Value(*answer) : general();
  }
  for (const Value& one : several->items()) {
    const auto answer = quick_is_instance(in, a[0], one);
    if (!answer) return general();
    if (*answer) return Value(true);
  }
  return Value(false);
}

template <bool kLargest>
Value quick_extreme(Interpreter&, QuickArgs a) {
  if (a.size() < 2) return general();
  const Value* best = &a[0];
  for (const Value& one : a.subspan(1)) {
    bool is_better = false;
    if (one.is_int() && best->is_int()) {
      is_better = kLargest ? one.as_int() > best->as_int() : one.as_int() < best->as_int();
    } else if (one.is_float() && best->is_float()) {
      is_better = kLargest ? one.as_float() > best->as_float() : one.as_float() < best->as_float();
    } else {
      return general();
    }
    if (is_better) best = &one;
  }
  return *best;
}

Value quick_abs(Interpreter&, QuickArgs a) {
  if (a.size() != 1) return general();
  if (a[0].is_float()) return Value(std::fabs(a[0].as_float()));
  if (a[0].is_int() && a[0].as_int() != INT64_MIN) return Value(a[0].as_int() < 0 ? -a[0].as_int() : a[0].as_int());
  return general();
}

Value quick_ord(Interpreter& in, QuickArgs a) {
  if (a.size() != 1 || !is_plain_text(in, a[0])) return general();
  const std::string_view text = a[0].as<Str>()->view();
  return text.size() == 1 ? Value(static_cast<unsigned char>(text[0])) : general();
}

Value quick_chr(Interpreter& in, QuickArgs a) {
  if (a.size() != 1 || !a[0].is_int() || a[0].as_int() < 0 || a[0].as_int() > 0x7F) return general();
  const char character = static_cast<char>(a[0].as_int());
  return in.intern({&character, 1}).value();
}

Value quick_append(Interpreter&, QuickArgs a) {
  List* const list = a.size() == 2 ? a[0].as<List>() : nullptr;
  if (list == nullptr) return general();
  list->append(a[1]);
  return Value();
}

Value quick_pop(Interpreter&, QuickArgs a) {
  List* const list = a.empty() || a.size() > 2 ? nullptr : a[0].as<List>();
  if (list == nullptr || list->size() == 0 || (a.size() == 2 && !a[1].is_int())) return general();
  std::vector<Value>& items = list->items();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t given = a.size() == 2 ? a[1].as_int() : -1;
  const std::int64_t at = given < 0 ? given + size : given;
  if (at < 0 || at >= size) return general();
  Value taken = std::move(items[static_cast<std::size_t>(at)]);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  return taken;
}

Value quick_insert(Interpreter&, QuickArgs a) {
  List* const list = a.size() != 3 || !a[1].is_int() ? nullptr : a[0].as<List>();
  if (list == nullptr) return general();
  std::vector<Value>& items = list->items();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t given = a[1].as_int();
  const std::int64_t at = std::clamp<std::int64_t>(given < 0 ? given + size : given, 0, size);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), a[2]);
  return Value();
}

// dict.get of a dict itself, with a key whose methods need not be asked.
Value quick_get(Interpreter& in, QuickArgs a) {
  if (a.size() < 2 || a.size() > 3 || !a[0].is_object() || &a[0].object()->type() != in.builtins().dict)
    return general();
  if (!a[1].is_int() && !is_plain_text(in, a[1])) return general();
  const Value* const found = static_cast<Dict*>(a[0].object())->find(a[1]);
  return found != nullptr ? *found : a.size() == 3 ? a[2] : Value();
}

Value quick_range(Interpreter& in, QuickArgs a) {
  if (a.empty() || a.size() > 3 || !std::all_of(a.begin(), a.end(), [](const Value& one) { return one.is_int(); }))
    return general();
  if (a.size() == 3 && a[2].as_int() == 0) return general();
  return object::make<object::Range>(in, a.size() == 1 ? 0 : a[0].as_int(), a[a.size() == 1 ? 0 : 1].as_int(),
                                     a.size() == 3 ? a[2].as_int() : 1);
}

Value quick_str(Interpreter& in, QuickArgs a) {
  if (a.size() != 1) return general();
  if (a[0].is_int()) {
    const fmt::format_int digits(a[0].as_int());
    return in.text({digits.data(), digits.size()});
  }
  return is_plain_text(in, a[0]) ? a[0] : general();
}

Value quick_int(Interpreter&, QuickArgs a) {
  if (a.size() != 1) return general();
  if (a[0].is_int()) return a[0];
  if (a[0].is_bool()) return Value(a[0].as_int());
  constexpr double kMost = 9e18;
  if (a[0].is_float() && std::fabs(a[0].as_float()) < kMost) return Value(static_cast<std::int64_t>(a[0].as_float()));
  return general();
}

Value quick_float(Interpreter&, QuickArgs a) {
  if (a.size() != 1) return general();
  if (a[0].is_float()) return a[0];
  return a[0].is_int() ? Value(static_cast<double>(a[0].as_int())) : general();
}

Value quick_bool(Interpreter&, QuickArgs a) {
  if (a.size() != 1) return general();
  if (a[0].is_int() || a[0].is_bool()) return Value(a[0].as_int() != 0);
  if (a[0].is_none()) return Value(false);
  if (!object::is_exact(a[0])) return general();
  const auto length = object::builtin_length(a[0]);
  return length ? Value(*length != 0) : general();
}

Value quick_type(Interpreter& in, QuickArgs a) {
  return a.size() == 1 ? Value(static_cast<object::Object*>(&in.type_of(a[0]))) : general();
}

// The items of a list, tuple or range themselves; of nothing, none.
std::optional<std::vector<Value>> quick_items(QuickArgs a) {
  if (a.empty()) return std::vector<Value>();
  if (a.size() != 1 || !a[0].is_object() || !object::is_exact(a[0])) return std::nullopt;
  if (const auto* const list = a[0].as<List>()) return list->items();
  if (const auto* const tuple = a[0].as<Tuple>())
    return std::vector<Value>(tuple->items().begin(), tuple->items().end());
  constexpr std::uint64_t kMost = 1U << 20U;
  if (const auto* const range = a[0].as<object::Range>(); range != nullptr && range->size() <= kMost) {
    std::vector<Value> items;
    items.reserve(static_cast<std::size_t>(range->size()));
    for (std::uint64_t i = 0; i < range->size(); ++i) items.emplace_back((*range)[i]);
    return items;
  }
  return std::nullopt;
}

Value quick_list(Interpreter& in, QuickArgs a) {
  auto items = quick_items(a);
  return items ? Value(in.list(*std::move(items))) : general();
}

Value quick_tuple(Interpreter& in, QuickArgs a) {
  if (a.size() == 1 && a[0].is_object() && &a[0].object()->type() == in.builtins().tuple) return a[0];
  auto items = quick_items(a);
  return items ? Value(in.tuple(*std::move(items))) : general();
}

}  // namespace

void add_quick_calls(Machine& machine) {
  Interpreter& in = machine.interpreter();
  const auto add = [&](std::string_view name, Machine::QuickCall quick) {
    machine.add_quick_call(*machine.builtins().find(in.intern(name)), quick);
  };
  add("len", quick_len);
  add("isinstance", quick_isinstance);
  add("max", quick_extreme<true>);
  add("min", quick_extreme<false>);
  add("abs", quick_abs);
  add("ord", quick_ord);
  add("chr", quick_chr);
  add("range", quick_range);
  add("str", quick_str);
  add("int", quick_int);
  add("float", quick_float);
  add("bool", quick_bool);
  add("type", quick_type);
  add("list", quick_list);
  add("tuple", quick_tuple);
  const auto add_method = [&](const Class& cls, std::string_view name, Machine::QuickCall quick) {
    machine.add_quick_call(*cls.lookup(in.intern(name)), quick);
  };
  add_method(*in.builtins().list, "append", quick_append);
  add_method(*in.builtins().list, "pop", quick_pop);
  add_method(*in.builtins().list, "insert", quick_insert);
  add_method(*in.builtins().dict, "get", quick_get);
}

}  // namespace nns::python
