#include "core/checkpoint/ggml_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/checkpoint/ggml_blocks.h"

namespace nns::checkpoint {

namespace {

using tensor::DType;

constexpr GgmlType plain(std::uint32_t id, std::string_view name, DType dtype) {
  return {id, name, 1, tensor::item_bytes(dtype), dtype, nullptr};
}
constexpr GgmlType blocks(std::uint32_t id, std::string_view name, std::uint32_t values, std::uint32_t bytes,
                          GgmlDecode decode) {
  return {id, name, values, bytes, DType::Float32, decode};
}

/// The types in files.
constexpr GgmlType kTypes[] = {
    plain(0, "F32", DType::Float32),
    plain(1, "F16", DType::Float16),
    blocks(2, "Q4_0", 32, 18, ggml::q4_0),
    blocks(3, "Q4_1", 32, 20, ggml::q4_1),
    blocks(6, "Q5_0", 32, 22, ggml::q5_0),
    blocks(7, "Q5_1", 32, 24, ggml::q5_1),
    blocks(8, "Q8_0", 32, 34, ggml::q8_0),
    blocks(9, "Q8_1", 32, 36, ggml::q8_1),
    blocks(10, "Q2_K", 256, 84, ggml::q2_k),
    blocks(11, "Q3_K", 256, 110, ggml::q3_k),
    blocks(12, "Q4_K", 256, 144, ggml::q4_k),
    blocks(13, "Q5_K", 256, 176, ggml::q5_k),
    blocks(14, "Q6_K", 256, 210, ggml::q6_k),
    blocks(15, "Q8_K", 256, 292, ggml::q8_k),
    blocks(16, "IQ2_XXS", 256, 66, ggml::iq2_xxs),
    blocks(17, "IQ2_XS", 256, 74, ggml::iq2_xs),
    blocks(18, "IQ3_XXS", 256, 98, ggml::iq3_xxs),
    blocks(19, "IQ1_S", 256, 50, ggml::iq1_s),
    blocks(20, "IQ4_NL", 32, 18, ggml::iq4_nl),
    blocks(21, "IQ3_S", 256, 110, ggml::iq3_s),
    blocks(22, "IQ2_S", 256, 82, ggml::iq2_s),
    blocks(23, "IQ4_XS", 256, 136, ggml::iq4_xs),
    plain(24, "I8", DType::Int8),
    plain(25, "I16", DType::Int16),
    plain(26, "I32", DType::Int32),
    plain(27, "I64", DType::Int64),
    plain(28, "F64", DType::Float64),
    blocks(29, "IQ1_M", 256, 56, ggml::iq1_m),
    plain(30, "BF16", DType::BFloat16),
    blocks(34, "TQ1_0", 256, 54, ggml::tq1_0),
    blocks(35, "TQ2_0", 256, 66, ggml::tq2_0),
    blocks(39, "MXFP4", 32, 17, ggml::mxfp4),
    blocks(40, "NVFP4", 64, 36, ggml::nvfp4),
    blocks(41, "Q1_0", 128, 18, ggml::q1_0),
    blocks(42, "Q2_0", 64, 18, ggml::q2_0),
};

struct RemovedType {
  std::uint32_t id;
  std::string_view name;
};
constexpr RemovedType kRemoved[] = {
    {4, "Q4_2"},      {5, "Q4_3"},        {31, "Q4_0_4_4"},   {32, "Q4_0_4_8"},
    {33, "Q4_0_8_8"}, {36, "IQ4_NL_4_4"}, {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"},
};

class GgmlSource final : public base::ByteSource {
 public:
  GgmlSource(std::shared_ptr<base::ByteSource> blocks, const GgmlType& type, bool big_endian)
      : blocks_(std::move(blocks)),
        type_(type),
        big_endian_(big_endian),
        size_(blocks_->size() / type.block_bytes * type.block_values * sizeof(float)) {}
  const std::string& name() const override { return blocks_->name(); }
  std::uint64_t size() const override { return size_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    const std::uint64_t decoded_bytes = std::uint64_t{type_.block_values} * sizeof(float);
    std::array<float, kMaxGgmlBlock> values{};
    while (!into.empty()) {
      // 1. The blocks that the range touches, at most a piece of them.
      const std::uint64_t first = offset / decoded_bytes;
      const std::uint64_t end = (offset + into.size() + decoded_bytes - 1) / decoded_bytes;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - first, kPiece / type_.block_bytes));
      const std::size_t length = count * type_.block_bytes;
      const std::byte* raw = nullptr;
      if (const auto view = blocks_->view(first * type_.block_bytes, length)) {
        raw = view->data();
      } else {
        buffer_.resize(std::max(buffer_.size(), length));
        NNS_TRY(blocks_->read(first * type_.block_bytes, std::span(buffer_).first(length)));
        raw = buffer_.data();
      }
      // 2. Of each the part that was asked for.
      for (std::size_t at = 0; at < count; ++at) {
        type_.decode({raw + at * type_.block_bytes, big_endian_}, values.data());
        const auto skip = static_cast<std::size_t>(offset % decoded_bytes);
        const std::size_t part = std::min(static_cast<std::size_t>(decoded_bytes) - skip, into.size());
        std::memcpy(into.data(), reinterpret_cast<const std::byte*>(values.data()) + skip, part);
        into = into.subspan(part);
        offset += part;
      }
    }
    return {};
  }

  static constexpr std::size_t kPiece = std::size_t{256} << 10U;
  std::shared_ptr<base::ByteSource> blocks_;
  const GgmlType& type_;
  bool big_endian_;
  std::uint64_t size_;
  std::vector<std::byte> buffer_;
};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) {
  const auto* const found = std::lower_bound(std::begin(kTypes), std::end(kTypes), id,
                                             [](const GgmlType& row, std::uint32_t wanted) { return row.id < wanted; });
  return found != std::end(kTypes) && found->id == id ? found : nullptr;
}

std::string unknown_ggml_type(std::uint32_t id) {
  for (const RemovedType& removed : kRemoved) {
    if (removed.id == id) return fmt::format("type {} ({}, which ggml has removed)", id, removed.name);
  }
  return fmt::format("type {}", id);
}

std::shared_ptr<base::ByteSource> make_ggml_source(std::shared_ptr<base::ByteSource> blocks, const GgmlType& type,
                                                   bool big_endian) {
  return std::make_shared<GgmlSource>(std::move(blocks), type, big_endian);
}

}  // namespace nns::checkpoint
