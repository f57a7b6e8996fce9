// Writes in place by an index, as a cache of keys or a replay buffer takes them: a few rows of a large tensor.
#include <benchmark/benchmark.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/tensor/tensor.h"

namespace nns::ops {
namespace {

constexpr std::int64_t kRows = 1 << 16, kColumns = 64, kWritten = 16, kStep = kRows / kWritten;

// A buffer, the rows that are written, and what goes into them.
class Written {
 public:
  Written() {
    add_python_bindings(in);
    std::vector<double> places;
    for (std::int64_t i = 0; i < kWritten; ++i) places.push_back(static_cast<double>(i * kStep));
    buffer = Value(tensor::zeros(in, {kRows, kColumns}));
    rows = Value(tensor::from_values(in, {kWritten}, places, tensor::DType::Int64));
    items = Value(tensor::full(in, {kWritten, kColumns}, 1));
  }

  Interpreter in;
  Value buffer, rows, items;
};

// buffer[rows] = items
void set_rows(benchmark::State& state) {
  Written written;
  for (auto _ : state) {
    if (!object::setitem(written.in, written.buffer, written.rows, written.items).ok()) state.SkipWithError("failed");
  }
}
BENCHMARK(set_rows)->Name("index/set_16_of_65536_rows")->Unit(benchmark::kMicrosecond);

// buffer.index_add_(0, rows, items)
void add_rows(benchmark::State& state) {
  Written written;
  const object::Name name = written.in.intern("index_add_");
  for (auto _ : state) {
    if (!written.in.call_method(written.buffer, name, {Value(0), written.rows, written.items}).ok())
      state.SkipWithError("failed");
  }
}
BENCHMARK(add_rows)->Name("index/add_16_to_65536_rows")->Unit(benchmark::kMicrosecond);

// The memory that the rows take: what the writes alone would cost.
void copy_rows(benchmark::State& state) {
  std::vector<float> buffer(static_cast<std::size_t>(kRows * kColumns)),
      items(static_cast<std::size_t>(kWritten * kColumns), 1);
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kWritten; ++i) {
      std::copy_n(items.data() + i * kColumns, kColumns, buffer.data() + i * (kRows / kWritten) * kColumns);
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy_rows)->Name("index/memory_floor")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nns::ops
