#include "native/cli/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/base/utf8.h"

namespace nns::cli {

namespace {
constexpr std::size_t kFlushBytes = 64 * 1024;
}

void JsonWriter::flush() {
  if (!buffer_.empty()) std::fwrite(buffer_.data(), 1, buffer_.size(), out_);
  buffer_.clear();
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.is_empty) buffer_ += level.lines ? "," : ", ";
  if (level.lines) buffer_ += '\n';
  level.is_empty = false;
  if (buffer_.size() >= kFlushBytes) flush();
}

void JsonWriter::open(char bracket, bool lines) {
  separate();
  buffer_ += bracket;
  levels_.push_back(Level{.lines = lines});
}

void JsonWriter::close(char bracket) {
  if (levels_.back().lines && !levels_.back().is_empty) buffer_ += '\n';
  levels_.pop_back();
  buffer_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  buffer_ += ": ";
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  separate();
  if (shown_) {
    quote(shown_(value));
  } else {
    quote(value);
  }
}

void JsonWriter::boolean(bool value) {
  separate();
  buffer_ += value ? "true" : "false";
}

void JsonWriter::null() {
  separate();
  buffer_ += "null";
}

void JsonWriter::number(std::uint64_t value) {
  separate();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
}

void JsonWriter::number(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
}

void JsonWriter::number(double value) {
  separate();
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(buffer_), "{}", value);
  } else {
    buffer_ += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  }
}

void JsonWriter::quote(std::string_view value) {
  buffer_ += '"';
  while (!value.empty()) {
    const std::size_t good = base::find_invalid_utf8(value).value_or(value.size());
    for (const char letter : value.substr(0, good)) {
      if (letter == '"' || letter == '\\') {
        buffer_ += '\\';
        buffer_ += letter;
      } else if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) {
        fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}", static_cast<unsigned>(letter));
      } else {
        buffer_ += letter;
      }
    }
    value.remove_prefix(good);
    if (value.empty()) break;
    buffer_ += "\xEF\xBF\xBD";
    value.remove_prefix(1);
  }
  buffer_ += '"';
}

}  // namespace nns::cli
