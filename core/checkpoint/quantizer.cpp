#include "core/checkpoint/quantizer.h"

#include <algorithm>
#include <cstring>

#include "core/checkpoint/decode.h"

namespace nns::checkpoint {

namespace {

/// At most so many integers are in memory at once.
constexpr std::uint64_t kPiece = 64U << 10U;

class DequantizedSource final : public base::ByteSource {
 public:
  DequantizedSource(std::shared_ptr<base::ByteSource> integers, Quantizer quantizer)
      : integers_(std::move(integers)),
        quantizer_(std::move(quantizer)),
        width_(tensor::item_bytes(quantizer_.stored)) {}
  const std::string& name() const override { return integers_->name(); }
  std::uint64_t size() const override { return integers_->size() / width_ * sizeof(float); }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    std::vector<std::byte> raw;
    std::vector<double> values;
    std::vector<float> numbers;
    while (!into.empty()) {
      const std::uint64_t begin = offset / sizeof(float);
      const std::uint64_t end = (offset + into.size() + sizeof(float) - 1) / sizeof(float);
      const auto count = static_cast<std::size_t>(std::min(end - begin, kPiece));
      raw.resize(count * width_);
      values.resize(count);
      NNS_TRY(integers_->read(begin * width_, raw));
      decode_as_double(quantizer_.stored, raw.data(), count, values.data());
      numbers.resize(count);
      for (std::size_t at = 0; at < count; ++at) numbers[at] = number(begin + at, values[at]);
      const auto skipped = static_cast<std::size_t>(offset - begin * sizeof(float));
      const std::size_t taken = std::min(into.size(), count * sizeof(float) - skipped);
      std::memcpy(into.data(), std::as_bytes(std::span(numbers)).data() + skipped, taken);
      into = into.subspan(taken);
      offset += taken;
    }
    return {};
  }

  float number(std::uint64_t item, double integer) const {
    const std::size_t pairs = quantizer_.scales.size();
    std::size_t pair = 0;
    if (pairs > 1 && item >= quantizer_.first) {
      pair = static_cast<std::size_t>((item - quantizer_.first) / quantizer_.stride % pairs);
    }
    return (static_cast<float>(integer) - quantizer_.zero_points[pair]) * quantizer_.scales[pair];
  }

  std::shared_ptr<base::ByteSource> integers_;
  Quantizer quantizer_;
  std::uint32_t width_;
};

}  // namespace

std::shared_ptr<base::ByteSource> make_dequantized_source(std::shared_ptr<base::ByteSource> integers,
                                                          Quantizer quantizer) {
  return std::make_shared<DequantizedSource>(std::move(integers), std::move(quantizer));
}

}  // namespace nns::checkpoint
