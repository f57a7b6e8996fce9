#include "core/data/idx.h"

#include <fmt/format.h>

#include "core/data/gunzip.h"

namespace nns::data {

namespace {

constexpr std::uint64_t kMost = 1ULL << 32U;
constexpr std::size_t kMostAxes = 8;

}  // namespace

base::Result<Idx> read_idx(base::ByteSource& source) {
  const auto wrong = [&](std::string found, std::string expected, std::uint64_t offset) {
    return base::Error{
        .found = std::move(found), .expected = std::move(expected), .where = source.name(), .offset = offset};
  };
  NNS_TRY_ASSIGN(std::vector<std::byte> bytes, read_unpacked(source, kMost));
  if (bytes.size() < 4 || bytes[0] != std::byte{0} || bytes[1] != std::byte{0})
    return wrong("no IDX file", "two zero bytes, a type and a number of axes", 0);
  if (bytes[2] != std::byte{8})
    return wrong(fmt::format("values of type {:#04x}", static_cast<unsigned>(bytes[2])), "unsigned bytes, 0x08", 2);
  const auto axes = static_cast<std::size_t>(bytes[3]);
  if (axes == 0 || axes > kMostAxes) return wrong(fmt::format("{} axes", axes), "from 1 to 8", 3);
  const std::size_t head = 4 + 4 * axes;
  if (bytes.size() < head) return wrong(fmt::format("{} bytes", bytes.size()), fmt::format("at least {}", head), 4);
  Idx idx;
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    std::uint64_t size = 0;
    for (std::size_t j = 0; j < 4; ++j) size = size << 8U | static_cast<std::uint64_t>(bytes[4 + 4 * i + j]);
    idx.shape.push_back(size);
    if (size != 0 && count > kMost / size) return wrong("sizes whose product is too large", "at most 4 GiB", 4 + 4 * i);
    count *= size;
  }
  if (bytes.size() - head != count) {
    return wrong(fmt::format("{} values", bytes.size() - head), fmt::format("{}, as its sizes say", count), head);
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(head));
  idx.values = std::move(bytes);
  return idx;
}

}  // namespace nns::data
