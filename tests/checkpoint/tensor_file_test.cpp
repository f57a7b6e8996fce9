#include "core/checkpoint/tensor_file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/checkpoint/npy_header.h"
#include "tests/support/files.h"

namespace nns::checkpoint {
namespace {

template <class T>
ElementSource source_of(tensor::DType dtype, const std::vector<T>& values, std::vector<std::int64_t> shape,
                        std::vector<std::int64_t> stride) {
  const auto bytes = std::as_bytes(std::span(values));
  return {base::make_memory_source("values", {bytes.begin(), bytes.end()}), dtype, std::move(shape), std::move(stride),
          0};
}

/// The whole file, asked for in pieces of `count` values.
std::string file_of(const ElementSource& source, TensorFile format, std::uint64_t count) {
  std::string file;
  for (std::uint64_t next = 0, total = 1; next < total;) {
    const auto piece = read_tensor_file(source, format, next, count);
    if (!piece.ok()) return piece.error().message();
    file += piece->bytes;
    next = piece->next;
    total = piece->total;
  }
  return file;
}

TEST(TensorFileCsv, RowsOfTheLastDimensionAreLinesWhateverTheStridesAndThePieces) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 0.1F};
  const auto rows = source_of(tensor::DType::Float32, values, {2, 3}, {3, 1});
  const auto turned = source_of(tensor::DType::Float32, values, {3, 2}, {1, 3});
  for (const std::uint64_t count : {1U, 2U, 4U, 100U}) {
    EXPECT_EQ(file_of(rows, TensorFile::Csv, count), "0,1,2\n3,4,0.1\n");
    EXPECT_EQ(file_of(turned, TensorFile::Csv, count), "0,3\n1,4\n2,0.1\n");
  }
  EXPECT_EQ(file_of(source_of(tensor::DType::Float32, values, {}, {}), TensorFile::Csv, 9), "0\n");
  EXPECT_EQ(file_of(source_of(tensor::DType::Float32, values, {0, 3}, {3, 1}), TensorFile::Csv, 9), "");
}

TEST(TensorFileCsv, EachNumberReadsBackAsTheSame) {
  const std::vector<std::int64_t> large = {INT64_MAX, INT64_MIN, 9007199254740993};
  EXPECT_EQ(file_of(source_of(tensor::DType::Int64, large, {3}, {1}), TensorFile::Csv, 2),
            "9223372036854775807,-9223372036854775808,9007199254740993\n");
  const std::vector<double> reals = {0.1, -1e300, INFINITY};
  EXPECT_EQ(file_of(source_of(tensor::DType::Float64, reals, {3}, {1}), TensorFile::Csv, 2), "0.1,-1e+300,inf\n");
  const std::vector<float> complex = {1, -2, 0.5F, 3};
  EXPECT_EQ(file_of(source_of(tensor::DType::Complex64, complex, {2}, {1}), TensorFile::Csv, 2), "(1-2j),(0.5+3j)\n");
  const std::vector<std::uint16_t> half = {0x3C00, 0x3F80};
  EXPECT_EQ(file_of(source_of(tensor::DType::BFloat16, half, {2}, {1}), TensorFile::Csv, 2), "0.0078125,1\n");
  EXPECT_EQ(file_of(source_of(tensor::DType::Float16, half, {2}, {1}), TensorFile::Csv, 2), "1,1.875\n");
}

TEST(TensorFileNpy, IsReadBackWithItsShapeAndItsBytes) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const auto turned = source_of(tensor::DType::Float32, values, {3, 2}, {1, 3});
  const std::string file = file_of(turned, TensorFile::Npy, 4);
  EXPECT_EQ(file.size() % 64, 24U);
  auto bytes = base::make_memory_source("a.npy", tests::to_bytes(file));
  const auto header = read_npy_header(*bytes);
  ASSERT_TRUE(header.ok()) << header.error().message();
  EXPECT_EQ(header->descr, "<f4");
  EXPECT_THAT(header->shape, testing::ElementsAre(3, 2));
  std::vector<float> read(6);
  std::memcpy(read.data(), file.data() + header->data_begin, 24);
  EXPECT_THAT(read, testing::ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TensorFileNpy, TypesThatNumpyHasNotBecomeFloat32) {
  const std::vector<std::uint16_t> bf16 = {0x3F80, 0xC000};
  const std::string file = file_of(source_of(tensor::DType::BFloat16, bf16, {2}, {1}), TensorFile::Npy, 1);
  auto bytes = base::make_memory_source("a.npy", tests::to_bytes(file));
  const auto header = read_npy_header(*bytes);
  ASSERT_TRUE(header.ok()) << header.error().message();
  EXPECT_EQ(header->descr, "<f4");
  std::vector<float> read(2);
  std::memcpy(read.data(), file.data() + header->data_begin, 8);
  EXPECT_THAT(read, testing::ElementsAre(1, -2));
  // Two numbers a byte: the last dimension doubles.
  const std::vector<std::uint8_t> fp4 = {0x21};
  const std::string doubled = file_of(source_of(tensor::DType::Float4E2M1FNX2, fp4, {1}, {1}), TensorFile::Csv, 9);
  EXPECT_EQ(doubled, "0.5,1\n");
}

TEST(TensorFileNpy, ATensorBeyondItsStorageIsRefused) {
  const std::vector<float> values = {1, 2};
  EXPECT_FALSE(read_tensor_file(source_of(tensor::DType::Float32, values, {3}, {1}), TensorFile::Npy, 0, 10).ok());
  EXPECT_FALSE(read_tensor_file(source_of(tensor::DType::Float32, values, {2}, {1}), TensorFile::Npy, 3, 10).ok());
}

}  // namespace
}  // namespace nns::checkpoint
