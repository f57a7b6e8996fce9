#include "core/object/range.h"

#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

const Range& range_of(Args a) { return *a[0].as<Range>(); }

std::uint64_t count_of(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto distance = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  if (step > 0) return start < stop ? (distance(start, stop) - 1) / static_cast<std::uint64_t>(step) + 1 : 0;
  return stop < start ? (distance(stop, start) - 1) / (std::uint64_t{0} - static_cast<std::uint64_t>(step)) + 1 : 0;
}

// Behaviour: CPython Objects/rangeobject.c, range_from_array.
PyResult<Value> make_range(Interpreter& in, Args a) {
  const std::span<const Value> given = a[1].as<Tuple>()->items();
  if (given.empty()) return type_error(in, "range expected at least 1 argument, got 0");
  if (given.size() > 3) return type_error(in, "range expected at most 3 arguments, got {}", given.size());
  NNS_TRY_ASSIGN(const std::int64_t first, index(in, given[0]));
  if (given.size() == 1) return Value(make<Range>(in, 0, first, 1));
  NNS_TRY_ASSIGN(const std::int64_t stop, index(in, given[1]));
  std::int64_t step = 1;
  if (given.size() == 3) {
    NNS_TRY_ASSIGN(step, index(in, given[2]));
    if (step == 0) return value_error(in, "range() arg 3 must not be zero");
  }
  return Value(make<Range>(in, first, stop, step));
}

PyResult<Value> index_of(Interpreter& in, Args a) {
  const Range& self = range_of(a);
  const Value& plain = plain_number(a[1]);
  if ((plain.is_int() || plain.is_bool()) && self.contains(plain.as_int())) {
    return Value((plain.as_int() - self.start()) / self.step());
  }
  if (!plain.is_int() && !plain.is_bool()) {
    for (std::uint64_t i = 0; i < self.size(); ++i) {
      NNS_TRY_ASSIGN(const bool same, equal(in, Value(self[i]), a[1]));
      if (same) return Value(i);
    }
  }
  NNS_TRY_ASSIGN(const std::string text, repr(in, a[1]));
  return value_error(in, "{} is not in range", text);
}

PyResult<Value> count(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool found, builtin_contains(in, a[0], a[1]));
  return Value(found ? 1 : 0);
}

}  // namespace

Range::Range(Interpreter& interpreter, std::int64_t start, std::int64_t stop, std::int64_t step)
    : Object(*interpreter.builtins().range, kKind),
      start_(start),
      stop_(stop),
      step_(step),
      size_(count_of(start, stop, step)) {}

bool Range::contains(std::int64_t number) const {
  if (step_ > 0 ? number < start_ || number >= stop_ : number > start_ || number <= stop_) return false;
  const std::uint64_t distance = step_ > 0 ? static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(start_)
                                           : static_cast<std::uint64_t>(start_) - static_cast<std::uint64_t>(number);
  const std::uint64_t stride =
      step_ > 0 ? static_cast<std::uint64_t>(step_) : std::uint64_t{0} - static_cast<std::uint64_t>(step_);
  return distance % stride == 0;
}

RangeIterator::RangeIterator(Interpreter& interpreter, std::int64_t start, std::int64_t step, std::uint64_t size)
    : Iterator(iterator_class(interpreter, IteratorKind::Range)), at_(start), step_(step), left_(size) {}

Value range_iterator(Interpreter& interpreter, const Range& range, bool reversed) {
  if (!reversed || range.size() == 0)
    return make<RangeIterator>(interpreter, range.start(), range.step(), range.size());
  return make<RangeIterator>(interpreter, range[range.size() - 1], -range.step(), range.size());
}

void add_range_methods(Interpreter& interpreter) {
  Class& cls = *interpreter.builtins().range;
  cls.def_static("__new__(cls, *args)", make_range);
  cls.def("__reversed__(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return range_iterator(in, range_of(a), true); });
  cls.def("index(self, value, /)", index_of);
  cls.def("count(self, value, /)", count);
  cls.property("start", [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Range>()->start(); });
  cls.property("stop", [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Range>()->stop(); });
  cls.property("step", [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Range>()->step(); });
  add_operator_methods(cls, {BinaryOperator::Eq, BinaryOperator::Ne}, false);
  add_container_methods(cls, true);
  add_item_methods(cls, false);
}

}  // namespace nns::object
