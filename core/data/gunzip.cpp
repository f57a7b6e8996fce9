#include "core/data/gunzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

namespace nns::data {

namespace {

constexpr std::uint64_t kPiece = 1U << 18U;

base::Error damaged(const base::ByteSource& source, std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = source.name(), .offset = std::nullopt};
}

class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  bool is_ready() const { return is_ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

}  // namespace

base::Result<std::vector<std::byte>> read_unpacked(base::ByteSource& source, std::uint64_t most) {
  const std::uint64_t size = source.size();
  if (size > most) return damaged(source, fmt::format("{} bytes", size), fmt::format("at most {}", most));
  std::vector<std::byte> all(static_cast<std::size_t>(size));
  NNS_TRY(source.read(0, all));
  constexpr std::byte kMagic[] = {std::byte{0x1F}, std::byte{0x8B}};
  if (all.size() < 2 || all[0] != kMagic[0] || all[1] != kMagic[1]) return all;
  Inflater inflater;
  if (!inflater.is_ready()) return damaged(source, "no memory to unpack it", {});
  z_stream& stream = inflater.stream();
  std::vector<std::byte> out;
  std::size_t given = 0;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min<std::size_t>(kPiece, all.size() - given);
      if (piece == 0) return damaged(source, "a gzip file that ends too early", "its whole contents");
      stream.next_in = reinterpret_cast<Bytef*>(all.data() + given);
      stream.avail_in = static_cast<uInt>(piece);
      given += piece;
    }
    const std::size_t before = out.size();
    if (before > most) return damaged(source, fmt::format("more than {} bytes when unpacked", most), {});
    out.resize(before + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kPiece);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kPiece - stream.avail_out);
    if (status == Z_STREAM_END) return out;
    if (status != Z_OK && status != Z_BUF_ERROR)
      return damaged(source, "a damaged gzip file", stream.msg == nullptr ? "" : stream.msg);
  }
}

}  // namespace nns::data
