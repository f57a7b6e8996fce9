#include "core/capture/schema_texts.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/capture/texts.h"
#include "core/checkpoint/pt2_schema.h"
#include "core/tensor/dtype_abbreviation.h"

namespace nns::capture {
namespace {

// Behaviour: schema.py, MemoryFormat and Layout.
constexpr std::array<std::string_view, 5> kMemoryFormats = {"?", "torch.contiguous_format", "torch.channels_last",
                                                            "torch.channels_last_3d", "torch.preserve_format"};
constexpr std::array<std::string_view, 8> kLayouts = {"?",
                                                      "torch.sparse_coo",
                                                      "torch.sparse_csr",
                                                      "torch.sparse_csc",
                                                      "torch.sparse_bsr",
                                                      "torch.sparse_bsc",
                                                      "torch._mkldnn",
                                                      "torch.strided"};

template <std::size_t n>
std::string_view named(const std::array<std::string_view, n>& names, std::int64_t number) {
  return number > 0 && number < static_cast<std::int64_t>(n) ? names[static_cast<std::size_t>(number)] : names[0];
}

std::int64_t number_of(const Json& value) {
  std::int64_t number = 0;
  return value.value.get(number) == simdjson::SUCCESS ? number : 0;
}

}  // namespace

std::string joined(std::string text, std::string_view more) {
  if (!text.empty()) text += ", ";
  return text.append(more);
}

std::string plain_text(const Json& value) {
  std::int64_t number = 0;
  if (value.value.get(number) == simdjson::SUCCESS) return std::to_string(number);
  return cut(simdjson::minify(value.value));
}

std::string number_text(const Json& value) {
  std::string text;
  value.each_field([&](std::string_view key, const Json& inner) {
    if (key == "as_expr") text = cut(inner.text("expr_str"));
    if (key != "as_expr" && text.empty()) text = plain_text(inner);
  });
  return text;
}

std::string tensor_text(const Json& meta) {
  const auto dtype = checkpoint::pt2_dtype(static_cast<std::uint64_t>(meta.number("dtype")));
  std::string sizes;
  meta.each_item("sizes", [&](const Json& size) { sizes = joined(std::move(sizes), number_text(size)); });
  return fmt::format("{}[{}]", dtype ? tensor::dtype_abbreviation(*dtype) : "?", sizes);
}

std::optional<std::string> constant_text(std::string_view key, const Json& value) {
  if (key == "as_scalar_type") {
    const auto dtype = checkpoint::pt2_dtype(static_cast<std::uint64_t>(number_of(value)));
    return dtype ? tensor::torch_dtype_text(*dtype) : plain_text(value);
  }
  if (key == "as_layout") return std::string(named(kLayouts, number_of(value)));
  if (key == "as_memory_format") return std::string(named(kMemoryFormats, number_of(value)));
  if (key == "as_device") {
    const std::string index = value.at("index") ? fmt::format(", index={}", value.number("index")) : "";
    return fmt::format("device(type='{}'{})", cut(value.text("type")), index);
  }
  if (key == "as_complex") {
    const auto part = [&](std::string_view which) {
      const auto number = value.at(which);
      return number ? plain_text(*number) : std::string("0");
    };
    return fmt::format("complex({}, {})", part("real"), part("imag"));
  }
  return std::nullopt;
}

}  // namespace nns::capture
