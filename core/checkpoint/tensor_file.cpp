#include "core/checkpoint/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace nns::checkpoint {

namespace {

using tensor::DType;
using tensor::DTypeKind;

/// What NumPy calls items that it has a dtype for; empty for the others.
std::string numpy_descr(DType dtype) {
  const auto& row = tensor::info(dtype);
  const std::uint32_t bytes = row.item_bytes;
  const std::string_view order = bytes == 1 ? "|" : "<";
  switch (row.kind) {
    case DTypeKind::Signed:
      return fmt::format("{}i{}", order, bytes);
    case DTypeKind::Unsigned:
      return fmt::format("{}u{}", order, bytes);
    case DTypeKind::Boolean:
      return "|b1";
    case DTypeKind::Quantized:
      return fmt::format("{}{}{}", order, dtype == DType::QUInt8 ? 'u' : 'i', bytes);
    case DTypeKind::Complex:
      return dtype == DType::Complex32 ? std::string() : fmt::format("<c{}", bytes);
    case DTypeKind::Floating:
      if (dtype == DType::Float16 || dtype == DType::Float32 || dtype == DType::Float64)
        return fmt::format("<f{}", bytes);
      return {};
  }
  return {};
}

std::string npy_head(const ElementSource& source, std::string_view descr) {
  std::string shape;
  const std::uint64_t per_item = values_per_item(source.dtype);
  for (std::size_t i = 0; i < source.shape.size(); ++i) {
    const bool is_last = i + 1 == source.shape.size();
    const std::uint64_t size = static_cast<std::uint64_t>(source.shape[i]) * (is_last ? per_item : 1);
    shape += fmt::format("{}{}", size, is_last && i != 0 ? "" : is_last ? "," : ", ");
  }
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The data begins at a multiple of 64; ten bytes come before the text, and a newline ends it.
  text.resize((text.size() + 11 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFFU);
  head += static_cast<char>(text.size() >> 8U);
  return head + text;
}

}  // namespace

base::Result<TensorPiece> read_tensor_file(const ElementSource& source, TensorFile format, std::uint64_t first,
                                           std::uint64_t count) {
  NNS_TRY(source.check());
  TensorPiece piece;
  const std::string descr = numpy_descr(source.dtype);
  const bool as_items = !descr.empty();
  piece.total = as_items ? source.numel() : source.value_count();
  if (first > piece.total) {
    return base::Error{fmt::format("value {} was wanted of {}", first, piece.total), "one of them",
                       source.bytes->name(), std::nullopt};
  }
  count = std::min({count, kMostPieceValues, piece.total - first});
  piece.next = first + count;
  if (source.dtype == DType::Complex32) {
    return base::Error{"complex32: NumPy has no such dtype, and no file of values is made of it", "complex64",
                       source.bytes->name(), std::nullopt};
  }
  if (format == TensorFile::Npy && first == 0) piece.bytes = npy_head(source, as_items ? descr : "<f4");
  if (count == 0) return piece;

  const std::uint32_t item_bytes = tensor::item_bytes(source.dtype);
  OrderedItems ordered(source);
  const std::byte* items = nullptr;
  std::vector<double> values;
  if (as_items) {
    NNS_TRY_ASSIGN(items, ordered.read(first, static_cast<std::size_t>(count)));
  } else {
    values.resize(static_cast<std::size_t>(count));
    NNS_TRY(read_values(source, first, values));
  }
  if (format == TensorFile::Npy) {
    if (as_items)
      piece.bytes.append(reinterpret_cast<const char*>(items), static_cast<std::size_t>(count) * item_bytes);
    for (const double exact : values) {
      const auto value = static_cast<float>(exact);
      char bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      piece.bytes.append(bytes, sizeof value);
    }
    return piece;
  }
  const std::uint64_t columns = source.shape.empty() ? 1
                                                     : static_cast<std::uint64_t>(source.shape.back()) *
                                                           (as_items ? 1 : values_per_item(source.dtype));
  for (std::size_t i = 0; i < count; ++i) {
    if (as_items) {
      piece.bytes += item_text(source.dtype, items + i * item_bytes);
    } else {
      const auto value = static_cast<float>(values[i]);
      piece.bytes += item_text(DType::Float32, reinterpret_cast<const std::byte*>(&value));
    }
    piece.bytes += (first + i + 1) % columns == 0 ? '\n' : ',';
  }
  return piece;
}

}  // namespace nns::checkpoint
