#include "core/checkpoint/swapped_source.h"

#include <algorithm>
#include <vector>

namespace nns::checkpoint {

namespace {

class SwappedSource final : public base::ByteSource {
 public:
  SwappedSource(std::shared_ptr<base::ByteSource> source, std::uint8_t width)
      : source_(std::move(source)), width_(width) {}
  const std::string& name() const override { return source_->name(); }
  std::uint64_t size() const override { return source_->size(); }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    // The numbers that the range touches, whole; the last one may be cut short by the end of the source.
    const std::uint64_t begin = offset / width_ * width_;
    const std::uint64_t end = std::min(size(), (offset + into.size() + width_ - 1) / width_ * width_);
    std::vector<std::byte> numbers(static_cast<std::size_t>(end - begin));
    NNS_TRY(source_->read(begin, numbers));
    for (std::size_t at = 0; at + width_ <= numbers.size(); at += width_) {
      std::reverse(numbers.begin() + static_cast<std::ptrdiff_t>(at),
                   numbers.begin() + static_cast<std::ptrdiff_t>(at + width_));
    }
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(offset - begin);
    std::copy(first, first + static_cast<std::ptrdiff_t>(into.size()), into.begin());
    return {};
  }

  std::shared_ptr<base::ByteSource> source_;
  std::uint8_t width_;
};

}  // namespace

std::shared_ptr<base::ByteSource> make_swapped_source(std::shared_ptr<base::ByteSource> source, std::uint8_t width) {
  return std::make_shared<SwappedSource>(std::move(source), width);
}

}  // namespace nns::checkpoint
