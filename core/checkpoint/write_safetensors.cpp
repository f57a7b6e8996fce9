#include "core/checkpoint/write_safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/utf8.h"
#include "core/checkpoint/safetensors_header.h"

namespace nns::checkpoint {
namespace {

using tensor::Tensor;

// The reference implementation's dtypes, in its order: by the size of an item, which is the order of writing from the
// end.
constexpr std::array<std::string_view, 22> kOrder = {
    "BOOL", "F4",  "F6_E2M3", "F6_E3M2", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
    "I16",  "U16", "F16",     "BF16",    "I32", "U32", "F32",     "C64",     "F64",     "I64",         "U64"};

std::size_t rank_of(std::string_view dtype) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), dtype) - kOrder.begin());
}

void put_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (byte < 0x20) {
          out += fmt::format("\\u{:04x}", byte);
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

base::Error error(std::string found, std::string expected) {
  return base::Error{std::move(found), std::move(expected), {}, {}};
}

base::Result<std::string> header_of(std::span<const NamedBytes> tensors, SafetensorsMetadata metadata) {
  std::string header = "{";
  if (!metadata.empty()) {
    std::sort(metadata.begin(), metadata.end());
    header += "\"__metadata__\":{";
    for (std::size_t i = 0; i < metadata.size(); ++i) {
      if (i > 0) header += ',';
      put_text(header, metadata[i].first);
      header += ':';
      put_text(header, metadata[i].second);
    }
    header += '}';
  }
  std::uint64_t at = 0;
  for (const NamedBytes& tensor : tensors) {
    if (header.size() > 1) header += ',';
    put_text(header, tensor.name);
    header += fmt::format(":{{\"dtype\":\"{}\",\"shape\":[", tensor.dtype);
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (i > 0) header += ',';
      header += fmt::format("{}", tensor.shape[i]);
    }
    header += fmt::format("],\"data_offsets\":[{},{}]}}", at, at + tensor.nbytes);
    at += tensor.nbytes;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kMaxSafetensorsHeader) {
    return error(fmt::format("a header of {} bytes", header.size()),
                 fmt::format("at most {} bytes", kMaxSafetensorsHeader));
  }
  return header;
}

// Lets through what is written and counts it.
class CountingSink final : public base::ByteSink {
 public:
  explicit CountingSink(base::ByteSink& sink) : sink_(sink) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    count_ += bytes.size();
    return sink_.write(bytes);
  }
  std::uint64_t count() const { return count_; }

 private:
  base::ByteSink& sink_;
  std::uint64_t count_ = 0;
};

// What tensors are written that look at the same bytes: a format without sharing would store them twice, and whoever
// loads it could not tell. As safetensors.torch refuses it.
base::Result<void> refuse_sharing(std::span<const std::pair<std::string, tensor::Ref<Tensor>>> tensors) {
  std::unordered_map<const tensor::Storage*, const std::string*> owners;
  for (const auto& [name, tensor] : tensors) {
    if (tensor->numel() == 0) continue;
    const auto [found, is_new] = owners.try_emplace(tensor->storage().get(), &name);
    if (is_new) continue;
    return error(fmt::format("tensors '{}' and '{}' share memory", *found->second, name),
                 "tensors with memory of their own: the format cannot tell that they are one");
  }
  return {};
}

}  // namespace

base::Result<std::vector<std::int64_t>> safetensors_shape(tensor::DType dtype, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  if (dtype != tensor::DType::Float4E2M1FNX2) return sizes;
  if (sizes.empty()) return error("a tensor of float4_e2m1fn_x2 without dimensions", "at least one dimension");
  sizes.back() *= 2;
  return sizes;
}

base::Result<void> write_safetensors(base::ByteSink& sink, std::vector<NamedBytes> tensors,
                                     const SafetensorsMetadata& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const NamedBytes& a, const NamedBytes& b) {
    const std::size_t left = rank_of(a.dtype), right = rank_of(b.dtype);
    return left != right ? left > right : a.name < b.name;
  });
  std::vector<std::string_view> names;
  for (const NamedBytes& tensor : tensors) {
    if (tensor.name == "__metadata__")
      return error("a tensor '__metadata__'", "another name: the format keeps this one");
    if (base::find_invalid_utf8(tensor.name)) return error("a tensor's name that is no UTF-8", "UTF-8");
    if (rank_of(tensor.dtype) == kOrder.size()) {
      return error(fmt::format("dtype '{}' of tensor '{}'", tensor.dtype, tensor.name), "a dtype of safetensors");
    }
    names.push_back(tensor.name);
  }
  for (const auto& [key, value] : metadata) {
    if (base::find_invalid_utf8(key) || base::find_invalid_utf8(value))
      return error("metadata that is no UTF-8", "UTF-8");
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return error(fmt::format("two tensors '{}'", *twice), "each name once");
  }
  NNS_TRY_ASSIGN(const std::string header, header_of(tensors, metadata));
  std::string length;
  for (unsigned i = 0; i < 8; ++i) length += static_cast<char>((std::uint64_t{header.size()} >> (8 * i)) & 0xFFU);
  NNS_TRY(sink.write(std::string_view(length)));
  NNS_TRY(sink.write(std::string_view(header)));
  for (const NamedBytes& tensor : tensors) {
    CountingSink counting(sink);
    NNS_TRY(tensor.write(counting));
    if (counting.count() != tensor.nbytes) {
      return error(fmt::format("{} bytes of tensor '{}'", counting.count(), tensor.name),
                   fmt::format("{} bytes", tensor.nbytes));
    }
  }
  return {};
}

base::Result<void> write_safetensors(base::ByteSink& sink,
                                     std::span<const std::pair<std::string, tensor::Ref<Tensor>>> tensors,
                                     const SafetensorsMetadata& metadata) {
  NNS_TRY(refuse_sharing(tensors));
  std::vector<NamedBytes> rows;
  for (const auto& [name, tensor] : tensors) {
    const std::string_view dtype = tensor::info(tensor->dtype()).safetensors_name;
    if (dtype.empty()) {
      return error(fmt::format("tensor '{}' of {}", name, tensor::torch_dtype_text(tensor->dtype())),
                   "a dtype that safetensors has");
    }
    if (tensor->is_meta()) return error(fmt::format("tensor '{}' on meta", name), "a tensor with bytes");
    NNS_TRY_ASSIGN(std::vector<std::int64_t> shape, safetensors_shape(tensor->dtype(), tensor->shape().span()));
    rows.push_back({name, std::string(dtype), std::move(shape), tensor->nbytes(),
                    [kept = tensor](base::ByteSink& out) -> base::Result<void> {
                      const auto host = tensor::on_host(*kept);
                      if (!host.ok()) return error(host.error().message(), "a device that gives back what it holds");
                      const tensor::Ref<Tensor> packed =
                          host.value()->is_contiguous() ? host.value() : tensor::clone(*host.value());
                      if (packed->nbytes() == 0) return {};
                      return out.write(
                          std::span<const std::byte>(packed->data(), static_cast<std::size_t>(packed->nbytes())));
                    }});
  }
  return write_safetensors(sink, std::move(rows), metadata);
}

}  // namespace nns::checkpoint
