// Statistics of all tensors of a model of 2 GB, against a walk over the same memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/checkpoint/model_statistics.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::tests {
namespace {

constexpr std::uint64_t kTensorBytes = std::uint64_t{32} << 20U;
constexpr std::uint64_t kTensors = 64;

// A mapped file whose values repeat every 256 MiB: larger than any cache, and small enough for every machine.
class RepeatedSource final : public base::ByteSource {
 public:
  RepeatedSource(const std::string& beginning, std::vector<std::byte> values)
      : beginning_(to_bytes(beginning)), values_(std::move(values)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return beginning_.size() + kTensors * kTensorBytes; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    for (std::byte& byte : into) {
      byte = offset < beginning_.size()
                 ? beginning_[static_cast<std::size_t>(offset)]
                 : values_[static_cast<std::size_t>((offset - beginning_.size()) % values_.size())];
      ++offset;
    }
    return {};
  }
  std::optional<std::span<const std::byte>> do_view(std::uint64_t offset, std::uint64_t length) override {
    if (offset < beginning_.size()) return std::nullopt;
    const auto at = static_cast<std::size_t>((offset - beginning_.size()) % values_.size());
    if (length > values_.size() - at) return std::nullopt;
    return std::span(values_).subspan(at, static_cast<std::size_t>(length));
  }
  std::string name_ = "model.safetensors";
  std::vector<std::byte> beginning_;
  std::vector<std::byte> values_;
};

// Values of a normal distribution with a few far out, as weights are.
std::vector<std::byte> weights(tensor::DType dtype) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02F);
  std::vector<std::byte> period(std::size_t{1} << 20U);
  const std::size_t item = tensor::item_bytes(dtype);
  for (std::size_t i = 0; i < period.size() / item; ++i) {
    const float value = i % 50'021 == 7 ? 0.5F : normal(random);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (dtype == tensor::DType::BFloat16) bits >>= 16U;
    // Of float16 the digits are cut off, and what is too small becomes zero.
    if (dtype == tensor::DType::Float16) {
      const std::uint32_t sign = (bits >> 16U) & 0x8000U;
      bits = std::fabs(value) < 1e-4F ? sign : sign | (((bits & 0x7FFFFFFFU) >> 13U) - 0x1C000U);
    }
    std::memcpy(period.data() + i * item, &bits, item);
  }
  std::vector<std::byte> values;
  values.reserve(std::size_t{256} << 20U);
  for (int i = 0; i < 256; ++i) values.insert(values.end(), period.begin(), period.end());
  return values;
}

void compute(benchmark::State& state, const char* name, tensor::DType dtype) {
  std::vector<PlannedTensor> tensors;
  const std::uint64_t columns = kTensorBytes / 4096 / tensor::item_bytes(dtype);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    tensors.push_back({fmt::format("layers.{}.weight", i), name, {4096, columns}});
  }
  const auto opened = checkpoint::open_checkpoint(
      std::make_shared<RepeatedSource>(plan_safetensors(tensors).beginning, weights(dtype)), nullptr);
  if (!opened.ok() || !(*opened)->step(base::Budget::unlimited()).ok()) return state.SkipWithError("not opened");
  const auto document = (*opened)->take();
  for (auto _ : state) {
    checkpoint::ModelStatisticsTask task(*document, 0);
    while (!task.step(base::Budget(std::chrono::milliseconds(2)))) {
    }
    const auto reports = task.take();
    if (reports.size() != kTensors || !reports.back().statistics || reports.back().statistics->outliers == 0) {
      state.SkipWithError("statistics are missing");
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kTensors * kTensorBytes));
}

void walk(benchmark::State& state) {
  const std::vector<std::byte> values = weights(tensor::DType::Float32);
  for (auto _ : state) {
    std::uint64_t all = 0;
    for (std::uint64_t round = 0; round < kTensors * kTensorBytes / values.size(); ++round) {
      std::uint64_t lanes[8] = {};
      for (std::size_t i = 0; i < values.size(); i += sizeof lanes) {
        std::uint64_t words[8];
        std::memcpy(words, values.data() + i, sizeof words);
        for (std::size_t j = 0; j < 8; ++j) lanes[j] += words[j];
      }
      for (const std::uint64_t lane : lanes) all += lane;
    }
    benchmark::DoNotOptimize(all);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kTensors * kTensorBytes));
}

[[maybe_unused]] const int kStatsRegistered = [] {
  benchmark::RegisterBenchmark("floor/stats/2gb", walk)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("stats/2gb/bfloat16", compute, "BF16", tensor::DType::BFloat16)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("stats/2gb/float16", compute, "F16", tensor::DType::Float16)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("stats/2gb/float32", compute, "F32", tensor::DType::Float32)
      ->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace nns::tests
