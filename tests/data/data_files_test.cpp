#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/data/cifar.h"
#include "core/data/gunzip.h"
#include "core/data/idx.h"

namespace nns::data {
namespace {

using namespace std::string_literals;

std::shared_ptr<base::ByteSource> source(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return base::make_memory_source("file", std::move(bytes));
}

std::string packed(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 256, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

const std::string kIdx = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "abcdef";

TEST(IdxRead, GivesSizesAndValuesPlainOrPacked) {
  for (const std::string& file : {kIdx, packed(kIdx)}) {
    const auto idx = read_idx(*source(file));
    ASSERT_TRUE(idx.ok()) << idx.error().message();
    EXPECT_EQ(idx.value().shape, (std::vector<std::uint64_t>{2, 3}));
    ASSERT_EQ(idx.value().values.size(), 6U);
    EXPECT_EQ(idx.value().values[5], std::byte{'f'});
  }
}

TEST(IdxRead, EveryTruncationIsRefused) {
  const std::string whole = packed(kIdx);
  for (std::size_t length = 0; length < kIdx.size(); ++length) {
    EXPECT_FALSE(read_idx(*source(kIdx.substr(0, length))).ok()) << length;
  }
  for (std::size_t length = 0; length < whole.size() - 8; ++length) {
    EXPECT_FALSE(read_idx(*source(whole.substr(0, length))).ok()) << length;
  }
}

TEST(IdxRead, SizesThatLieAreRefused) {
  EXPECT_FALSE(read_idx(*source("\0\0\x08\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s)).ok());
  EXPECT_FALSE(read_idx(*source("\0\0\x0D\x01\0\0\0\x01"s + "abcd")).ok());
  EXPECT_FALSE(read_idx(*source("\0\0\x08\x09"s)).ok());
}

TEST(CifarRead, TakesLabelsFromImagesApart) {
  std::string file;
  for (int i = 0; i < 2; ++i) file += static_cast<char>(i + 3) + std::string(3072, static_cast<char>('a' + i));
  const auto cifar = read_cifar(*source(file));
  ASSERT_TRUE(cifar.ok());
  EXPECT_EQ(cifar.value().count, 2U);
  EXPECT_EQ(cifar.value().labels[1], std::byte{4});
  EXPECT_EQ(cifar.value().images[3072], std::byte{'b'});
}

TEST(CifarRead, ACutRecordOrALabelAboveNineIsRefused) {
  EXPECT_FALSE(read_cifar(*source(std::string(3072, 'a'))).ok());
  EXPECT_FALSE(read_cifar(*source("\x0A" + std::string(3072, 'a'))).ok());
  EXPECT_FALSE(read_cifar(*source("")).ok());
}

TEST(GunzipRead, UnpacksNoMoreThanAllowed) {
  const std::string bomb = packed(std::string(1U << 22U, 'x'));
  EXPECT_FALSE(read_unpacked(*source(bomb), 1U << 20U).ok());
  EXPECT_TRUE(read_unpacked(*source(bomb), 1U << 23U).ok());
}

TEST(IdxRead, ReadsRealImages) {
  const char* const data = std::getenv("NNSCOPE_TEST_DATA");
  const auto path = std::filesystem::path(data == nullptr ? "" : data) / "datasets/mnist/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "NNSCOPE_TEST_DATA has no MNIST";
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const auto idx = read_idx(*source(text.str()));
  ASSERT_TRUE(idx.ok()) << idx.error().message();
  EXPECT_EQ(idx.value().shape, (std::vector<std::uint64_t>{10'000, 28, 28}));
}

}  // namespace
}  // namespace nns::data
