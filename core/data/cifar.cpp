#include "core/data/cifar.h"

#include <fmt/format.h>

#include "core/data/gunzip.h"

namespace nns::data {

base::Result<Cifar> read_cifar(base::ByteSource& source) {
  constexpr std::uint64_t kMost = 1ULL << 32U;
  constexpr std::size_t kImage = 3 * 32 * 32, kRecord = kImage + 1;
  NNS_TRY_ASSIGN(const std::vector<std::byte> bytes, read_unpacked(source, kMost));
  if (bytes.empty() || bytes.size() % kRecord != 0) {
    return base::Error{.found = fmt::format("{} bytes", bytes.size()),
                       .expected = fmt::format("records of {} bytes: a label and 3 x 32 x 32 of image", kRecord),
                       .where = source.name(),
                       .offset = std::nullopt};
  }
  Cifar cifar;
  cifar.count = bytes.size() / kRecord;
  cifar.images.reserve(static_cast<std::size_t>(cifar.count) * kImage);
  for (std::size_t at = 0; at < bytes.size(); at += kRecord) {
    if (bytes[at] > std::byte{9}) {
      return base::Error{.found = fmt::format("label {}", static_cast<unsigned>(bytes[at])),
                         .expected = "0 to 9",
                         .where = source.name(),
                         .offset = at};
    }
    cifar.labels.push_back(bytes[at]);
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at + 1);
    cifar.images.insert(cifar.images.end(), begin, begin + static_cast<std::ptrdiff_t>(kImage));
  }
  return cifar;
}

}  // namespace nns::data
