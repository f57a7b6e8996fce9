#include "core/checkpoint/gguf_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::checkpoint {

namespace {

/// Windows grow to this size, so that a small header costs a small read and a large one few reads.
constexpr std::uint64_t kLargestWindow = std::uint64_t{1} << 20U;

}  // namespace

base::Error GgufCursor::ends(std::uint64_t count, std::string_view what) const {
  return {fmt::format("{} needs {} bytes, but the file has {} here", what, count, left()), "a whole file",
          source_->name(), at_};
}

base::Result<const std::byte*> GgufCursor::take(std::uint64_t count, std::string_view what) {
  if (count > left()) return ends(count, what);
  if (count == 0) return window_;
  if (at_ < window_begin_ || at_ + count > window_end_) {
    const std::uint64_t length = std::min(next_window_, left());
    if (const auto view = source_->view(at_, length)) {
      window_ = view->data();
    } else {
      buffer_.resize(std::max<std::size_t>(buffer_.size(), static_cast<std::size_t>(length)));
      window_end_ = 0;
      NNS_TRY(source_->read(at_, std::span(buffer_).first(static_cast<std::size_t>(length))));
      window_ = buffer_.data();
    }
    window_begin_ = at_;
    window_end_ = at_ + length;
    next_window_ = std::min(next_window_ * 4, kLargestWindow);
  }
  const std::byte* const taken = window_ + (at_ - window_begin_);
  at_ += count;
  return taken;
}

base::Result<void> GgufCursor::skip(std::uint64_t count, std::string_view what) {
  if (count > left()) return ends(count, what);
  at_ += count;
  return {};
}

}  // namespace nns::checkpoint
