#include "core/train/rank_bindings.h"

#include <cstring>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::train {

namespace {

using object::Dict;
using python::add_native;
using Args = std::span<const Value>;

PyResult<std::vector<double>> doubles(Interpreter& in, const Value& list) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, list));
  std::vector<double> numbers;
  for (const Value& item : items) {
    if (!item.is_float() && !item.is_int()) return object::type_error(in, "a number is wanted");
    numbers.push_back(item.is_float() ? item.as_float() : static_cast<double>(item.as_int()));
  }
  return numbers;
}

template <class Numbers>
Value list_of(Interpreter& in, const Numbers& numbers) {
  std::vector<Value> items(numbers.begin(), numbers.end());
  return Value(in.list(std::move(items)));
}

Value tensor_of(Interpreter& in, const std::vector<double>& numbers) {
  const Ref<Tensor> made = tensor::empty(in, {static_cast<std::int64_t>(numbers.size())}, tensor::DType::Float64);
  if (!numbers.empty()) std::memcpy(made->data(), numbers.data(), numbers.size() * sizeof(double));
  return Value(made);
}

PyResult<std::vector<double>> numbers_of(Interpreter& in, const Value& value) {
  const Tensor* const tensor = value.as<Tensor>();
  if (tensor == nullptr || tensor->dtype() != tensor::DType::Float64 || !tensor->is_contiguous() ||
      !tensor::is_cpu(tensor->device())) {
    return object::type_error(in, "a contiguous float64 tensor on the CPU is wanted");
  }
  std::vector<double> numbers(static_cast<std::size_t>(tensor->numel()));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor->data(), numbers.size() * sizeof(double));
  return numbers;
}

// A timeline as values that can be pickled; the names of parameters are those of every rank.
Value timeline_value(Interpreter& in, const parallel::StepTimeline& timeline) {
  const auto numbers = [&](const auto& all) {
    std::vector<Value> items;
    for (const auto one : all) items.emplace_back(static_cast<std::int64_t>(one));
    return Value(in.tuple(std::move(items)));
  };
  std::vector<Value> buckets;
  for (const parallel::StepTimeline::Bucket& one : timeline.buckets) {
    buckets.emplace_back(in.tuple({Value(one.bytes), numbers(one.parameters), Value(one.launched_ns),
                                   Value(one.done_ns), Value(one.wait_begin_ns), Value(one.wait_end_ns)}));
  }
  return Value(
      in.tuple({Value(timeline.step), Value(timeline.forward_ns), Value(timeline.backward_ns), Value(timeline.end_ns),
                Value(in.tuple(std::move(buckets))), numbers(timeline.ready_order), numbers(timeline.checksums)}));
}

// Reads the fields of a tuple that timeline_value made, on another rank.
class TimelineReader {
 public:
  explicit TimelineReader(Interpreter& in) : in_(in) {}

  PyResult<parallel::StepTimeline> read(const Value& value) const {
    NNS_TRY_ASSIGN(const std::vector<Value> fields, tuple(value, 7));
    parallel::StepTimeline timeline;
    NNS_TRY_ASSIGN(timeline.step, number(fields[0]));
    NNS_TRY_ASSIGN(timeline.forward_ns, number(fields[1]));
    NNS_TRY_ASSIGN(timeline.backward_ns, number(fields[2]));
    NNS_TRY_ASSIGN(timeline.end_ns, number(fields[3]));
    NNS_TRY_ASSIGN(const std::vector<Value> buckets, object::to_vector(in_, fields[4]));
    for (const Value& one : buckets) {
      NNS_TRY_ASSIGN(const std::vector<Value> parts, tuple(one, 6));
      parallel::StepTimeline::Bucket& bucket = timeline.buckets.emplace_back();
      NNS_TRY_ASSIGN(const std::int64_t bytes, number(parts[0]));
      bucket.bytes = static_cast<std::uint64_t>(bytes);
      NNS_TRY_ASSIGN(bucket.parameters, numbers<std::size_t>(parts[1]));
      NNS_TRY_ASSIGN(bucket.launched_ns, number(parts[2]));
      NNS_TRY_ASSIGN(bucket.done_ns, number(parts[3]));
      NNS_TRY_ASSIGN(bucket.wait_begin_ns, number(parts[4]));
      NNS_TRY_ASSIGN(bucket.wait_end_ns, number(parts[5]));
    }
    NNS_TRY_ASSIGN(timeline.ready_order, numbers<std::size_t>(fields[5]));
    NNS_TRY_ASSIGN(timeline.checksums, numbers<std::uint64_t>(fields[6]));
    return timeline;
  }

 private:
  PyResult<std::vector<Value>> tuple(const Value& value, std::size_t size) const {
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in_, value));
    if (items.size() != size) return object::value_error(in_, "{} fields of a timeline, not {}", items.size(), size);
    return items;
  }
  PyResult<std::int64_t> number(const Value& value) const { return object::index(in_, value); }
  template <class T>
  PyResult<std::vector<T>> numbers(const Value& value) const {
    NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in_, value));
    std::vector<T> all;
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(const std::int64_t one, number(item));
      all.push_back(static_cast<T>(one));
    }
    return all;
  }

  Interpreter& in_;
};

PyResult<RankExchange*> exchange_of(Interpreter& in, Training& training) {
  if (RankExchange* const ranks = training.ranks()) return ranks;
  return object::runtime_error(in, "this training has no other ranks");
}

using Body = PyResult<Value> (*)(Interpreter& in, Training& training, RankExchange& ranks, Args a);

void add(python::Machine& machine, Dict& names, Training& training, std::string_view signature, Body body) {
  add_native(machine, names, signature, [&training, body](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RankExchange* const ranks, exchange_of(in, training));
    return body(in, training, *ranks, a);
  });
}

// Of every step.
void add_meeting(python::Machine& machine, Dict& names, Training& training) {
  add(machine, names, training, "rank_sums()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        return list_of(in, ranks.sums());
      });
  add(machine, names, training, "rank_maxima()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        return list_of(in, ranks.maxima());
      });
  add(machine, names, training, "ranks_met()",
      [](Interpreter&, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        ranks.met();
        return Value();
      });
  add(machine, names, training, "take_rank_sums(sums)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::vector<double> sums, doubles(in, a[0]));
        ranks.take_sums(sums);
        return Value();
      });
  // Which rank's numbers are not finite, or None.
  add(machine, names, training, "bad_rank(maximum)",
      [](Interpreter&, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        const std::optional<int> rank = ranks.bad_rank(a[0].is_float() ? a[0].as_float() : 0);
        return rank ? Value(*rank) : Value();
      });
  add(machine, names, training, "not_finite()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        const NotFinite* const found = ranks.not_finite();
        if (found == nullptr) return Value();
        return Value(in.tuple({Value(found->is_nan), Value(static_cast<std::int64_t>(found->phase)),
                               Value(static_cast<std::int64_t>(found->module)), in.text(found->path),
                               in.text(found->op), Value(found->is_op_about), in.text(found->place.file),
                               Value(static_cast<std::int64_t>(found->place.line))}));
      });
  add(machine, names, training, "take_not_finite(rank, found)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::int64_t rank, object::index(in, a[0]));
        NNS_TRY_ASSIGN(const std::vector<Value> parts, object::to_vector(in, a[1]));
        if (parts.size() != 8 || !parts[0].is_bool() || !parts[1].is_int() || !parts[2].is_int() ||
            !parts[5].is_bool() || !parts[7].is_int()) {
          return object::value_error(in, "what not_finite() gave is wanted");
        }
        NotFinite found;
        found.is_nan = parts[0].as_bool();
        const std::int64_t phase = parts[1].as_int();
        if (phase < 0 || phase >= static_cast<std::int64_t>(kPhases))
          return object::value_error(in, "no phase {}", phase);
        found.phase = static_cast<Phase>(phase);
        found.module = static_cast<std::uint32_t>(parts[2].as_int());
        NNS_TRY_ASSIGN(found.path, object::str(in, parts[3]));
        NNS_TRY_ASSIGN(found.op, object::str(in, parts[4]));
        found.is_op_about = parts[5].as_bool();
        NNS_TRY_ASSIGN(found.place.file, object::str(in, parts[6]));
        found.place.line = static_cast<std::uint32_t>(parts[7].as_int());
        ranks.take_not_finite(static_cast<int>(rank), std::move(found));
        return Value();
      });
  add(machine, names, training, "tell_joined_step()",
      [](Interpreter&, Training& of, RankExchange&, Args) -> PyResult<Value> {
        of.tell_joined_step();
        return Value();
      });
}

// Of steps that are seen in detail.
void add_details(python::Machine& machine, Dict& names, Training& training) {
  add(machine, names, training, "is_detailed()",
      [](Interpreter&, Training&, RankExchange& ranks, Args) -> PyResult<Value> { return Value(ranks.is_detailed()); });
  add(machine, names, training, "rank_moments()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        const RankExchange::Packed packed = ranks.moments();
        return Value(in.tuple({tensor_of(in, packed.sums), tensor_of(in, packed.maxima)}));
      });
  add(machine, names, training, "take_rank_moments(sums, maxima)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::vector<double> sums, numbers_of(in, a[0]));
        NNS_TRY_ASSIGN(const std::vector<double> maxima, numbers_of(in, a[1]));
        ranks.take_moments(sums, maxima);
        return Value();
      });
  add(machine, names, training, "rank_row()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        return tensor_of(in, ranks.row());
      });
  add(machine, names, training, "take_rank_rows(rows)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::vector<Value> given, object::to_vector(in, a[0]));
        std::vector<std::vector<double>> rows;
        for (const Value& one : given) {
          NNS_TRY_ASSIGN(std::vector<double> row, numbers_of(in, one));
          rows.push_back(std::move(row));
        }
        return list_of(in, ranks.take_rows(rows));
      });
  add(machine, names, training, "rank_timeline()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        return ranks.timeline() ? timeline_value(in, *ranks.timeline()) : Value();
      });
  add(machine, names, training, "take_rank_timeline(rank, timeline)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::int64_t rank, object::index(in, a[0]));
        if (a[1].is_none()) return Value();
        NNS_TRY_ASSIGN(parallel::StepTimeline timeline, TimelineReader(in).read(a[1]));
        ranks.take_lane(static_cast<int>(rank), std::move(timeline));
        return Value();
      });
  add(machine, names, training, "rank_plan()",
      [](Interpreter& in, Training&, RankExchange& ranks, Args) -> PyResult<Value> {
        return Value(object::make<object::Bytes>(*in.builtins().bytes, ranks.plan()));
      });
  add(machine, names, training, "take_rank_plan(plan)",
      [](Interpreter& in, Training&, RankExchange& ranks, Args a) -> PyResult<Value> {
        const auto* const bytes = a[0].as<object::Bytes>();
        if (bytes == nullptr || !ranks.take_plan(bytes->view())) {
          return object::value_error(in, "what rank_plan() gave is wanted");
        }
        return Value();
      });
  add(machine, names, training, "begin_joined_step(next)",
      [](Interpreter& in, Training& of, RankExchange&, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::int64_t next, object::index(in, a[0]));
        if (next < 0 || next > static_cast<std::int64_t>(RankExchange::Next::NewPlan)) {
          return object::value_error(in, "no kind of step {}", next);
        }
        of.begin_joined_step(static_cast<RankExchange::Next>(next));
        return Value();
      });
}

}  // namespace

void add_rank_exchange(python::Machine& machine, Dict& names, Training& training) {
  add_native(machine, names, "join_ranks(rank, size)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t rank, object::index(in, a[0]));
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[1]));
    if (size < 1 || rank < 0 || rank >= size) return object::value_error(in, "rank {} of {}", rank, size);
    training.join_ranks(static_cast<int>(rank), static_cast<int>(size));
    return Value();
  });
  add_meeting(machine, names, training);
  add_details(machine, names, training);
}

}  // namespace nns::train
