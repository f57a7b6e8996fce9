#include "core/object/str.h"

#include <cstring>

#include "core/object/interpreter.h"

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

namespace {

// An instance of a program's class. Not a Container: a cycle through its __dict__ is freed with the interpreter.
class StrWithAttributes final : public Str {
 public:
  static Ref<Str> make(Class& cls, std::string_view text) {
    return Ref<Str>(new (text.size() + 1) StrWithAttributes(cls, text));
  }
  Dict* instance_dict(bool create) override {
    if (!type().instances_have_dict()) return nullptr;
    if (!attributes_ && create) attributes_ = interpreter().dict();
    return attributes_.get();
  }

 private:
  StrWithAttributes(Class& cls, std::string_view text) : Str(cls, text, sizeof(StrWithAttributes)) {}
  Ref<Dict> attributes_;
};

}  // namespace

Str::Str(Class& cls, std::string_view text, std::size_t own_size) noexcept
    : Object(cls, kKind),
      size_(text.size() & ((std::uint64_t{1} << 54U) - 1)),
      offset_(own_size & 0xFFU),
      ascii_(kUnknown) {
  char* own = reinterpret_cast<char*>(this) + own_size;
  if (!text.empty()) std::memcpy(own, text.data(), text.size());
  own[text.size()] = '\0';
}

Ref<Str> Str::make(Class& cls, std::string_view text) {
  if (&cls != cls.interpreter().builtins().str) return StrWithAttributes::make(cls, text);
  return Ref<Str>(new (text.size() + 1) Str(cls, text, sizeof(Str)));
}

std::uint64_t Str::compute_hash() const { return hash_bytes(view()); }

bool Str::is_ascii() const {
  if (ascii_ == kUnknown) {
    unsigned char all = 0;
    for (const char c : view()) all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
    ascii_ = all < 0x80 ? kAscii : kWide;
  }
  return ascii_ == kAscii;
}

std::size_t Str::length() const {
  if (is_ascii()) return view().size();
  std::size_t count = 0;
  for (const char c : view()) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace nns::object
