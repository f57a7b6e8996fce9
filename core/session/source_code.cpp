#include "core/session/source_code.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstdint>

#include "core/base/utf8.h"

namespace nns::session {

namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kRaw = -MAX_WBITS;

base::Error damaged(std::string found) {
  return {.found = std::move(found),
          .expected = "the link as it was copied, with all of its letters",
          .where = "the program in the link",
          .offset = std::nullopt};
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kLetters[(bits >> static_cast<unsigned>(count - 6)) & 63U];
  }
  if (count > 0) text += kLetters[(bits << static_cast<unsigned>(6 - count)) & 63U];
  return text;
}

base::Result<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const std::size_t value = kLetters.find(letter);
    if (value == std::string_view::npos)
      return damaged(fmt::format("a letter of code {}", static_cast<unsigned char>(letter)));
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 255U);
  }
  return bytes;
}

}  // namespace

std::string pack_source(std::string_view name, std::string_view text) {
  if (name.size() + 1 + text.size() > kMostShared || name.find('\0') != std::string_view::npos) return {};
  std::string plain(name);
  plain += '\0';
  plain += text;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRaw, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return ended == Z_STREAM_END ? to_base64(packed) : std::string();
}

base::Result<NamedSource> unpack_source(std::string_view code) {
  // What deflate cannot make smaller becomes a little larger.
  if (code.size() > kMostShared * 3 / 2) return damaged(fmt::format("{} letters", code.size()));
  NNS_TRY_ASSIGN(std::string packed, from_base64(code));
  z_stream stream = {};
  if (inflateInit2(&stream, kRaw) != Z_OK) return damaged("no memory to unpack it");
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  std::array<char, 16384> piece{};
  int state = Z_OK;
  while (state == Z_OK && plain.size() <= kMostShared) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (plain.size() > kMostShared) return damaged(fmt::format("a program of more than {} bytes", kMostShared));
  if (state != Z_STREAM_END) return damaged("a packed text that is damaged or cut off");
  if (base::find_invalid_utf8(plain)) return damaged("bytes that are no text");
  const std::size_t zero = plain.find('\0');
  if (zero == std::string::npos) return damaged("a text without a name");
  NamedSource source{plain.substr(0, zero), plain.substr(zero + 1)};
  // It stands in tracebacks and on the screen: a file's name, and no path.
  const std::size_t cut = source.name.find_last_of("/\\");
  if (cut != std::string::npos) source.name.erase(0, cut + 1);
  if (source.name.empty() || source.name.size() > 255) source.name = "program.py";
  return source;
}

}  // namespace nns::session
