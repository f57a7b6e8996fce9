#include "core/checkpoint/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace nns::checkpoint {

namespace {

constexpr std::size_t kPackedStep = 64U << 10U;
constexpr std::size_t kSkipStep = 256U << 10U;

class InflatingSource final : public base::ByteSource {
 public:
  InflatingSource(std::shared_ptr<base::ByteSource> packed, std::uint64_t size)
      : packed_(std::move(packed)), size_(size), input_(kPackedStep) {}
  ~InflatingSource() override { close(); }

  const std::string& name() const override { return packed_->name(); }
  std::uint64_t size() const override { return size_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    if (!is_open_ || offset < position_) NNS_TRY(restart());
    if (offset > position_) {
      std::vector<std::byte> skipped(static_cast<std::size_t>(std::min<std::uint64_t>(kSkipStep, offset - position_)));
      while (position_ < offset) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(skipped.size(), offset - position_));
        NNS_TRY(unpack(std::span(skipped).first(count)));
      }
    }
    return unpack(into);
  }

  base::Result<void> restart() {
    close();
    stream_ = z_stream{};
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      return base::Error{"no memory to unpack this", "32 KB of it", name(), 0};
    }
    is_open_ = true;
    ended_ = false;
    position_ = 0;
    consumed_ = 0;
    return {};
  }

  void close() {
    if (is_open_) inflateEnd(&stream_);
    is_open_ = false;
  }

  base::Result<void> refill() {
    if (stream_.avail_in != 0 || consumed_ == packed_->size()) return {};
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), packed_->size() - consumed_));
    NNS_TRY(packed_->read(consumed_, std::span(input_).first(count)));
    consumed_ += count;
    stream_.next_in = reinterpret_cast<unsigned char*>(input_.data());
    stream_.avail_in = static_cast<unsigned>(count);
    return {};
  }

  base::Error damaged(std::string found, std::string expected) {
    const std::uint64_t at = consumed_ - stream_.avail_in;
    close();
    return {std::move(found), std::move(expected), name(), at};
  }

  base::Result<void> unpack(std::span<std::byte> into) {
    while (!into.empty()) {
      if (ended_) {
        return damaged(fmt::format("the packed bytes end after {} unpacked ones", position_), fmt::format("{}", size_));
      }
      NNS_TRY(refill());
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(into.size(), std::numeric_limits<int>::max()));
      stream_.next_out = reinterpret_cast<unsigned char*>(into.data());
      stream_.avail_out = wanted;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t got = wanted - stream_.avail_out;
      into = into.subspan(got);
      position_ += got;
      if (status == Z_STREAM_END) {
        ended_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return damaged(
            fmt::format("a damaged deflate stream: {}", stream_.msg != nullptr ? stream_.msg : "unknown reason"),
            "deflate");
      } else if (got == 0 && stream_.avail_in == 0 && consumed_ == packed_->size()) {
        ended_ = true;
      }
    }
    return position_ == size_ && !ended_ ? check_end() : base::Result<void>();
  }

  /// All declared bytes are there; the stream must end now.
  base::Result<void> check_end() {
    unsigned char more = 0;
    while (true) {
      NNS_TRY(refill());
      stream_.next_out = &more;
      stream_.avail_out = 1;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (stream_.avail_out == 0) return damaged("it unpacks to more bytes than declared", fmt::format("{}", size_));
      if (status == Z_STREAM_END) break;
      if (status != Z_OK || (stream_.avail_in == 0 && consumed_ == packed_->size())) {
        return damaged("the deflate stream has no end", "its last block");
      }
    }
    ended_ = true;
    return {};
  }

  std::shared_ptr<base::ByteSource> packed_;
  std::uint64_t size_;
  std::vector<std::byte> input_;
  z_stream stream_{};
  bool is_open_ = false;
  bool ended_ = false;
  std::uint64_t position_ = 0;  // unpacked bytes given so far
  std::uint64_t consumed_ = 0;  // packed bytes handed to zlib
};

}  // namespace

std::shared_ptr<base::ByteSource> make_inflating_source(std::shared_ptr<base::ByteSource> packed, std::uint64_t size) {
  return std::make_shared<InflatingSource>(std::move(packed), size);
}

}  // namespace nns::checkpoint
