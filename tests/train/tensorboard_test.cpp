#include "core/train/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace nns::train {
namespace {

// A sink whose bytes outlive it.
class Kept final : public base::ByteSink {
 public:
  explicit Kept(std::string& to) : to_(to) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    to_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }

 private:
  std::string& to_;
};

std::uint64_t fixed(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}
std::uint32_t masked(std::string_view bytes) {
  const std::uint32_t crc = crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}
// The records of a TFRecord file, each frame checked.
std::vector<std::string> records(std::string_view file) {
  std::vector<std::string> found;
  while (!file.empty()) {
    const auto length = static_cast<std::size_t>(fixed(file.substr(0, 8)));
    EXPECT_EQ(fixed(file.substr(8, 4)), masked(file.substr(0, 8)));
    found.emplace_back(file.substr(12, length));
    EXPECT_EQ(fixed(file.substr(12 + length, 4)), masked(found.back()));
    file.remove_prefix(16 + length);
  }
  return found;
}

TEST(Crc32c, IsThatOfItsStandard) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits.data(), digits.size()))), 0xE3069283U);
}

TEST(TensorBoardFileAdd, FramesEventsAsReadersExpectThem) {
  std::string file;
  TensorBoardFile board(std::make_unique<Kept>(file));
  ASSERT_TRUE(board.begin(1.0).ok());
  ASSERT_TRUE(board.restart(2.0, 300).ok());
  ASSERT_TRUE(board.add(3.0, 300, "loss", 0.5).ok());
  const std::vector<std::string> found = records(file);
  ASSERT_EQ(found.size(), 3U);
  using namespace std::string_literals;
  // Bytes as protocol buffers encode them: keys are field * 8 + wire type.
  EXPECT_EQ(found[0], "\x09\0\0\0\0\0\0\xF0\x3F\x1A\x0D"s + "brain.Event:2");
  EXPECT_EQ(found[1], "\x09\0\0\0\0\0\0\0\x40\x10\xAC\x02\x3A\x02\x08\x01"s);
  EXPECT_EQ(found[2], "\x09\0\0\0\0\0\0\x08\x40\x10\xAC\x02\x2A\x0D\x0A\x0B\x0A\x04"s + "loss" + "\x15\0\0\0\x3F"s);
}

}  // namespace
}  // namespace nns::train
