#include "core/object/builtin_operators.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/object/bytes.h"
#include "core/object/format.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::object {
namespace {

using Op = BinaryOperator;

// The answer to a comparison from the order of the operands.
Value ordered(Op op, int order) {
  switch (op) {
    case Op::Eq:
      return Value(order == 0);
    case Op::Ne:
      return Value(order != 0);
    case Op::Lt:
      return Value(order < 0);
    case Op::Le:
      return Value(order <= 0);
    case Op::Gt:
      return Value(order > 0);
    case Op::Ge:
      return Value(order >= 0);
    default:
      return Value::absent();
  }
}

// Texts up to this size are put together without an allocation of their own.
constexpr std::size_t kSmallText = 256;

std::string repeated(std::string_view text, std::int64_t times) {
  std::string all;
  if (times <= 0) return all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) all += text;
  return all;
}

// Behaviour: CPython Objects/listobject.c, list_richcompare: the first items that differ decide, else the lengths.
PyResult<Value> compare_sequences(Interpreter& in, Op op, std::span<const Value> x, std::span<const Value> y,
                                  bool can_change) {
  const bool equality = op == Op::Eq || op == Op::Ne;
  if (equality && x.size() != y.size()) return Value(op == Op::Ne);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  // Comparing may run code that changes a list.
  std::vector<Value> own_left, own_right;
  if (can_change) {
    own_left.assign(x.begin(), x.end());
    own_right.assign(y.begin(), y.end());
  }
  const std::span<const Value> left = can_change ? std::span<const Value>(own_left) : x;
  const std::span<const Value> right = can_change ? std::span<const Value>(own_right) : y;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    NNS_TRY_ASSIGN(const bool same, equal(in, left[i], right[i]));
    if (same) continue;
    if (equality) return Value(op == Op::Ne);
    return binary(in, op, left[i], right[i]);
  }
  return ordered(op, left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0);
}

PyResult<Value> of_texts(Interpreter& in, Op op, const Value& a, const Value& b) {
  const Str *x = a.as<Str>(), *y = b.as<Str>();
  if (x != nullptr && op == Op::Mod) {
    NNS_TRY_ASSIGN(const std::string text, percent_format(in, x->view(), b));
    return in.text(text);
  }
  if (x == nullptr || y == nullptr) return Value::absent();
  if (op == Op::Add) {
    const std::size_t size = x->view().size() + y->view().size();
    if (char small[kSmallText]; size <= sizeof(small)) {
      std::copy(y->view().begin(), y->view().end(), std::copy(x->view().begin(), x->view().end(), small));
      return in.text({small, size});
    }
    std::string all;
    all.reserve(size);
    return in.text(all.append(x->view()).append(y->view()));
  }
  // Bytes of UTF-8 have the order of code points.
  return ordered(op, x->view().compare(y->view()));
}

PyResult<Value> of_bytes(Interpreter& in, Op op, const Bytes& x, const Value& b) {
  if (op == Op::Mod) {
    NNS_TRY_ASSIGN(std::string made, percent_format_bytes(in, x.view(), b));
    return Value(make_bytes(x.is_array() ? *in.builtins().byte_array : *in.builtins().bytes, std::move(made)));
  }
  const Bytes* y = b.as<Bytes>();
  if (y == nullptr) return Value::absent();
  if (op == Op::Add) {
    Class& cls = x.is_array() ? *in.builtins().byte_array : *in.builtins().bytes;
    return Value(make<Bytes>(cls, std::string(x.view()).append(y->view())));
  }
  return ordered(op, x.view().compare(y->view()));
}

PyResult<Value> repeat(Interpreter& in, const Value& sequence, const Value& count) {
  const bool is_sequence = sequence.as<Str>() != nullptr || sequence.as<Bytes>() != nullptr ||
                           sequence.as<List>() != nullptr || sequence.as<Tuple>() != nullptr;
  if (!is_sequence) return Value::absent();
  if (!is_integer(count)) {
    // Whatever has __index__ counts.
    if (!count.is_object() || in.type_of(count).lookup(in.names().dunder_index) == nullptr) return Value::absent();
    NNS_TRY_ASSIGN(const std::int64_t times, index(in, count));
    return repeat(in, sequence, Value(times));
  }
  const Str* text = sequence.as<Str>();
  const Bytes* bytes = sequence.as<Bytes>();
  const List* list = sequence.as<List>();
  const Tuple* tuple = sequence.as<Tuple>();
  if (!count.is_int() && !count.is_bool()) {
    if (integer_sign(count) > 0)
      return error<ErrorKind::OverflowError>(in, "cannot fit 'int' into an index-sized integer");
    return repeat(in, sequence, Value(0));
  }
  const std::int64_t times = count.as_int();
  if (text != nullptr || bytes != nullptr) {
    const std::string_view once = text != nullptr ? text->view() : bytes->view();
    if (is_too_much(times, once.size())) return make_error(in, ErrorKind::MemoryError, "");
    if (text != nullptr) return in.text(repeated(once, times));
    Class& cls = bytes->is_array() ? *in.builtins().byte_array : *in.builtins().bytes;
    return Value(make<Bytes>(cls, repeated(once, times)));
  }
  const std::span<const Value> items = list != nullptr ? std::span<const Value>(list->items()) : tuple->items();
  if (is_too_much(times, items.size() * sizeof(Value))) return make_error(in, ErrorKind::MemoryError, "");
  std::vector<Value> all;
  if (times > 0) all.reserve(items.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) all.insert(all.end(), items.begin(), items.end());
  return list != nullptr ? Value(in.list(std::move(all))) : Value(in.tuple(std::move(all)));
}

// The keys of a set, of dict.keys(), or the pairs of dict.items(); none: it is no such thing.
PyResult<std::optional<std::vector<Value>>> elements_of(Interpreter& in, const Value& value) {
  if (const Set* set = value.as<Set>()) return std::optional(set->keys().keys());
  const DictView* view = value.as<DictView>();
  if (view == nullptr || view->what() == DictView::What::Values) return std::optional<std::vector<Value>>();
  NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, value));
  return std::optional(std::move(items));
}

// Behaviour: CPython Objects/setobject.c; Objects/dictobject.c, dictviews_richcompare and its operators.
PyResult<Value> of_sets(Interpreter& in, Op op, const Value& a, const Value& b) {
  const bool is_view = a.as<DictView>() != nullptr;
  const bool compares = op >= Op::Eq;
  if (op != Op::And && op != Op::Or && op != Op::Xor && op != Op::Sub && !compares) return Value::absent();
  NNS_TRY_ASSIGN(const auto left, elements_of(in, a));
  if (!left) return Value::absent();
  NNS_TRY_ASSIGN(auto right, elements_of(in, b));
  if (!right) {
    // A view takes any iterable, a set only sets.
    if (!is_view || compares) return Value::absent();
    NNS_TRY_ASSIGN(right, to_vector(in, b));
  }
  const auto all_in = [&in](const std::vector<Value>& items, const Value& container) -> PyResult<bool> {
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(const bool found, contains(in, container, item));
      if (!found) return false;
    }
    return true;
  };
  if (compares) {
    const std::size_t x = left->size(), y = right->size();
    const bool possible = op == Op::Eq || op == Op::Ne ? x == y
                          : op == Op::Le               ? x <= y
                          : op == Op::Lt               ? x < y
                          : op == Op::Ge               ? x >= y
                                                       : x > y;
    if (!possible) return Value(op == Op::Ne);
    const bool below = op != Op::Ge && op != Op::Gt;
    NNS_TRY_ASSIGN(const bool inside, below ? all_in(*left, b) : all_in(*right, a));
    return Value(inside == (op != Op::Ne));
  }
  Class& frozen = *in.builtins().frozen_set;
  const bool is_frozen = in.type_of(a).is_subclass_of(frozen);
  const Ref<Set> made = make<Set>(is_frozen ? frozen : *in.builtins().set);
  const Ref<Set> other = in.set();
  for (const Value& item : *right) NNS_TRY(other->try_add(in, item));
  for (const Value& item : *left) {
    NNS_TRY_ASSIGN(const bool shared, op == Op::Or ? PyResult<bool>(true) : other->try_contains(in, item));
    if (shared == (op == Op::And || op == Op::Or)) NNS_TRY(made->try_add(in, item));
  }
  if (op == Op::Or || op == Op::Xor) {
    for (const Value& item : other->keys().keys()) {
      NNS_TRY_ASSIGN(const bool shared, op == Op::Or ? PyResult<bool>(false) : contains(in, a, item));
      if (!shared) NNS_TRY(made->try_add(in, item));
    }
  }
  return Value(made);
}

PyResult<bool> equal_dicts(Interpreter& in, Dict& left, Dict& right) {
  if (left.size() != right.size()) return false;
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  std::vector<std::pair<Value, Value>> entries;
  for (std::size_t at = 0; Dict::Entry* entry = left.next(at);) entries.emplace_back(entry->key, entry->value);
  for (const auto& [key, value] : entries) {
    NNS_TRY_ASSIGN(const Value* other, right.try_find(in, key));
    if (other == nullptr) return false;
    const Value keep = *other;
    NNS_TRY_ASSIGN(const bool same, equal(in, value, keep));
    if (!same) return false;
  }
  return true;
}

PyResult<Value> of_dicts(Interpreter& in, Op op, Dict& a, Dict& b) {
  if (op == Op::Eq || op == Op::Ne) {
    NNS_TRY_ASSIGN(bool same, equal_dicts(in, a, b));
    if (same && a.type().is_subclass_of(*in.builtins().ordered_dict) &&
        b.type().is_subclass_of(*in.builtins().ordered_dict)) {
      NNS_TRY_ASSIGN(same, equal_items(in, a.keys(), b.keys()));
    }
    return Value(same == (op == Op::Eq));
  }
  if (op != Op::Or) return Value::absent();
  // OrderedDict and defaultdict stay what they are.
  NNS_TRY_ASSIGN(const Value made, &a.type() == in.builtins().dict ? PyResult<Value>(in.dict())
                                                                   : in.call_method(Value(&a), in.intern("copy")));
  Dict& result = *made.as<Dict>();
  NNS_TRY(update_dict(in, result, Value(&a)));
  NNS_TRY(update_dict(in, result, Value(&b)));
  return made;
}

}  // namespace

bool is_too_much(std::int64_t times, std::size_t size) {
  constexpr std::uint64_t kMost = std::min<std::uint64_t>(std::numeric_limits<std::size_t>::max() / 4, 1ULL << 32U);
  return times > 0 && size > 0 && static_cast<std::uint64_t>(times) > kMost / size;
}

PyResult<bool> equal_items(Interpreter& in, std::span<const Value> a, std::span<const Value> b) {
  NNS_TRY_ASSIGN(const Value same, compare_sequences(in, Op::Eq, a, b, true));
  return same.as_bool();
}

PyResult<bool> less(Interpreter& in, const Value& a, const Value& b) {
  NNS_TRY_ASSIGN(const Value answer, binary(in, Op::Lt, a, b));
  return answer.is_bool() ? PyResult<bool>(answer.as_bool()) : truth(in, answer);
}

PyResult<Value> builtin_operation(Interpreter& in, Op op, const Value& a, const Value& b) {
  if (a.as<Str>() != nullptr && b.as<Str>() != nullptr) return of_texts(in, op, a, b);
  const Value &x = plain_number(a), &y = plain_number(b);
  if (is_plain_number(x) && is_plain_number(y)) return number_operation(in, op, x, y);
  if (op == Op::Mul) {
    NNS_TRY_ASSIGN(Value found, repeat(in, a, y));
    if (!found.is_absent() || !is_integer(x)) return found;
    return repeat(in, b, x);
  }
  if (!a.is_object()) return Value::absent();
  switch (a.object()->kind()) {
    case ObjectKind::Str:
      return of_texts(in, op, a, b);
    case ObjectKind::Bytes:
      return of_bytes(in, op, *a.as<Bytes>(), b);
    case ObjectKind::List:
    case ObjectKind::Tuple: {
      if (!b.is_object() || b.object()->kind() != a.object()->kind()) return Value::absent();
      const bool lists = a.as<List>() != nullptr;
      const std::span<const Value> left =
          lists ? std::span<const Value>(a.as<List>()->items()) : a.as<Tuple>()->items();
      const std::span<const Value> right =
          lists ? std::span<const Value>(b.as<List>()->items()) : b.as<Tuple>()->items();
      if (op >= Op::Eq) {
        const std::array<Value, 2> alive{a, b};  // what their items are asked may drop them
        return compare_sequences(in, op, left, right, lists);
      }
      if (op != Op::Add) return Value::absent();
      std::vector<Value> all;
      all.reserve(left.size() + right.size());
      all.assign(left.begin(), left.end());
      all.insert(all.end(), right.begin(), right.end());
      return lists ? Value(in.list(std::move(all))) : Value(in.tuple(std::move(all)));
    }
    case ObjectKind::Dict: {
      Dict* other = b.as<Dict>();
      return other == nullptr ? PyResult<Value>(Value::absent()) : of_dicts(in, op, *a.as<Dict>(), *other);
    }
    case ObjectKind::Range: {
      const Range* other = b.as<Range>();
      if (other == nullptr || (op != Op::Eq && op != Op::Ne)) return Value::absent();
      return Value((*a.as<Range>() == *other) == (op == Op::Eq));
    }
    case ObjectKind::Set:
      return of_sets(in, op, a, b);
    case ObjectKind::Other:
      if (a.as<DictView>() != nullptr) return of_sets(in, op, a, b);
      if (const BoundMethod* left = a.as<BoundMethod>(), *right = b.as<BoundMethod>();
          left != nullptr && right != nullptr) {
        if (op != Op::Eq && op != Op::Ne) return Value::absent();
        const bool same = left->self().is(right->self()) && left->function().is(right->function());
        return Value(same == (op == Op::Eq));
      }
      if (const Slice* left = a.as<Slice>(), *right = b.as<Slice>();
          left != nullptr && right != nullptr && op >= Op::Eq) {
        const Value first[] = {left->start(), left->stop(), left->step()};
        const Value second[] = {right->start(), right->stop(), right->step()};
        return compare_sequences(in, op, first, second, false);
      }
      return Value::absent();
    default:
      return Value::absent();
  }
}

bool leaves_to_other(const Value& self, const Value& other) {
  const auto rank = [](const Value& given) {
    const Value& number = plain_number(given);
    return number.as<Complex>() != nullptr ? 2 : number.is_float() ? 1 : 0;
  };
  return is_plain_number(plain_number(self)) && is_plain_number(plain_number(other)) && rank(other) > rank(self);
}

void add_operator_methods(Class& cls, std::initializer_list<BinaryOperator> operators, bool reflected) {
  Interpreter& interpreter = cls.interpreter();
  for (const BinaryOperator op : operators) {
    const Names::Operator& methods = interpreter.names().operators[static_cast<std::size_t>(op)];
    cls.def(fmt::format("{}(self, value, /)", methods.method.view()),
            [op](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
              if (leaves_to_other(a[0], a[1])) return in.not_implemented();
              NNS_TRY_ASSIGN(Value found, builtin_operation(in, op, a[0], a[1]));
              return found.is_absent() ? in.not_implemented() : found;
            });
    if (!reflected || op >= Op::Eq) continue;
    cls.def(fmt::format("{}(self, value, /)", methods.reflected.view()),
            [op](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
              if (leaves_to_other(a[0], a[1])) return in.not_implemented();
              NNS_TRY_ASSIGN(Value found, builtin_operation(in, op, a[1], a[0]));
              return found.is_absent() ? in.not_implemented() : found;
            });
  }
}

void add_comparison_methods(Class& cls) {
  add_operator_methods(cls, {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge}, false);
}

}  // namespace nns::object
