#include "tests/support/make_gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nns::tests {

std::string GgufWriter::ordered(const void* value, std::size_t size) const {
  std::string bytes(static_cast<const char*>(value), size);
  if (big_endian_) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string GgufWriter::length(std::uint64_t value) const {
  return version_ == 1 ? number(static_cast<std::uint32_t>(value)) : number(value);
}

GgufWriter& GgufWriter::key(std::string_view name, std::uint32_t type, std::string_view value) {
  metadata_ += string(name) + number(type);
  metadata_ += value;
  ++keys_;
  return *this;
}

GgufWriter& GgufWriter::array(std::string_view name, std::uint32_t type, std::uint64_t count,
                              std::string_view elements) {
  return key(name, kArray, (number(type) + length(count)).append(elements));
}

GgufWriter& GgufWriter::alignment(std::uint32_t value) {
  alignment_ = value;
  return key("general.alignment", kU32, number(value));
}

GgufWriter& GgufWriter::tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                               std::string_view data) {
  tensor_at(name, dims, type, data_.size());
  data_ += data;
  data_.resize((data_.size() + alignment_ - 1) / alignment_ * alignment_, '\0');
  return *this;
}

GgufWriter& GgufWriter::tensor_at(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                                  std::uint64_t offset) {
  std::string info = string(name) + number(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t size : dims) info += length(size);
  infos_.push_back(info + number(type) + number(offset));
  return *this;
}

std::uint64_t GgufWriter::info_begin(std::size_t tensor) const {
  std::uint64_t at = 8 + 2 * length(0).size() + metadata_.size();
  for (std::size_t i = 0; i < tensor; ++i) at += infos_[i].size();
  return at;
}

std::string GgufWriter::header() const {
  std::string bytes = "GGUF" + number(version_) + length(infos_.size()) + length(keys_) + metadata_;
  for (const std::string& info : infos_) bytes += info;
  return bytes;
}

std::string GgufWriter::whole() const {
  std::string bytes = header();
  if (!infos_.empty()) bytes.resize((bytes.size() + alignment_ - 1) / alignment_ * alignment_, '\0');
  return bytes + data_;
}

std::string quantised_blocks(std::size_t blocks, std::size_t block_bytes, const std::vector<std::size_t>& halves) {
  std::uint32_t state = 12345;
  const auto next = [&] {
    state = state * 1664525U + 1013904223U;
    return state >> 24U;
  };
  std::string bytes;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::string one(block_bytes, '\0');
    for (char& c : one) c = static_cast<char>(next());
    for (const std::size_t at : halves) {
      // Between 1/64 and 1/8, of both signs.
      const std::uint32_t sign = next() & 1U;
      const std::uint32_t exponent = 9U + next() % 3U;
      const std::uint32_t half = sign << 15U | exponent << 10U | next() << 2U;
      one[at] = static_cast<char>(half & 0xFFU);
      one[at + 1] = static_cast<char>(half >> 8U);
    }
    bytes += one;
  }
  return bytes;
}

std::string gguf_of(std::size_t count) {
  GgufWriter file;
  file.text("general.architecture", "llama");
  const std::string data(18, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    file.tensor(fmt::format("blk.{}.ffn_{}.{}.weight", i / 768,
                            i % 3 == 0   ? "gate"
                            : i % 3 == 1 ? "up"
                                         : "down",
                            i / 3 % 256),
                {32, 1}, 2, data);
  }
  return file.whole();
}

}  // namespace nns::tests
