#include <cmath>
#include <cstring>

#include "core/tensor/generator.h"

// A generator as bytes. Behaviour: aten/src/ATen/CPUGeneratorImpl.cpp, get_state and set_state.
namespace nns::tensor {
namespace {

// Where the fields of CPUGeneratorImplState lie (x86-64, little endian).
constexpr std::size_t kSeedAt = 0;
constexpr std::size_t kLeftAt = 8;
constexpr std::size_t kSeededAt = 12;
constexpr std::size_t kNextAt = 16;
constexpr std::size_t kNumbersAt = 24;
constexpr std::size_t kNormalXAt = kNumbersAt + 624 * 8;
constexpr std::size_t kNormalYAt = kNormalXAt + 8;
constexpr std::size_t kNormalRhoAt = kNormalXAt + 16;
constexpr std::size_t kHasNormalAt = kNormalXAt + 24;
static_assert(kHasNormalAt + 8 == Generator::kLegacyStateBytes);

template <class T>
T read_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}
template <class T>
void write_at(std::span<std::uint8_t> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

}  // namespace

std::array<std::uint8_t, Generator::kStateBytes> Generator::state_bytes() const {
  std::array<std::uint8_t, kStateBytes> bytes{};
  write_at(bytes, kSeedAt, seed_);
  // PyTorch counts what is left of a block, and one more.
  write_at(bytes, kLeftAt, static_cast<std::int32_t>(is_fresh_ ? 1 : kStateSize + 1 - next_));
  write_at(bytes, kSeededAt, std::int32_t{1});
  write_at(bytes, kNextAt, static_cast<std::uint64_t>(is_fresh_ ? 0 : next_));
  for (std::size_t i = 0; i < kStateSize; ++i) write_at(bytes, kNumbersAt + 8 * i, std::uint64_t{state_[i]});
  if (second_normal_) {
    write_at(bytes, kNormalYAt, *second_normal_);
    write_at(bytes, kHasNormalAt, std::int32_t{1});
  }
  return bytes;
}

bool Generator::set_state_bytes(std::span<const std::uint8_t> bytes) {
  const auto left = read_at<std::int32_t>(bytes, kLeftAt);
  const auto next = read_at<std::uint64_t>(bytes, kNextAt);
  const bool is_block = next >= 1 && static_cast<std::uint64_t>(left) == kStateSize + 1 - next;
  const bool is_fresh = left == 1 && next == 0;
  if (read_at<std::int32_t>(bytes, kSeededAt) != 1 || left < 1 || next > kStateSize || !(is_block || is_fresh)) {
    return false;
  }
  seed_ = read_at<std::uint64_t>(bytes, kSeedAt);
  is_fresh_ = is_fresh;
  next_ = is_fresh ? kStateSize : static_cast<std::size_t>(next);
  for (std::size_t i = 0; i < kStateSize; ++i) {
    state_[i] = static_cast<std::uint32_t>(read_at<std::uint64_t>(bytes, kNumbersAt + 8 * i));
  }
  second_normal_.reset();
  if (read_at<std::int32_t>(bytes, kHasNormalAt) != 0) {
    if (bytes.size() == kLegacyStateBytes) {
      // Older versions kept the pair of uniform numbers that it is made of.
      constexpr double kTwoPi = 2.0 * 3.14159265358979323846;
      second_normal_ = read_at<double>(bytes, kNormalRhoAt) * std::sin(kTwoPi * read_at<double>(bytes, kNormalXAt));
    } else {
      second_normal_ = read_at<double>(bytes, kNormalYAt);
    }
  }
  return true;
}

}  // namespace nns::tensor
