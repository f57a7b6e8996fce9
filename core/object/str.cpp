#include "core/object/str.h"

#include <cstring>

namespace nns::object {

std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    return hash ^ (hash >> 32U);
  };
  std::uint64_t hash = kMultiplier ^ bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = mix(hash, word);
    bytes.remove_prefix(8);
  }
  if (!bytes.empty()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    hash = mix(hash, word);
  }
  hash ^= hash >> 29U;
  return hash == 0 ? 1 : hash;
}

Str::Str(Class& cls, std::string_view text) noexcept : Object(cls, kKind), size_(text.size()) {
  char* own = reinterpret_cast<char*>(this + 1);
  if (!text.empty()) std::memcpy(own, text.data(), text.size());
  own[text.size()] = '\0';
}

Ref<Str> Str::make(Class& cls, std::string_view text) { return Ref<Str>(new (text.size() + 1) Str(cls, text)); }

std::uint64_t Str::compute_hash() const { return hash_bytes(view()); }

std::size_t Str::length() const {
  std::size_t count = 0;
  for (const char c : view()) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace nns::object
