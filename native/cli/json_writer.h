#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nns::cli {

/// Writes JSON as it is told, without building it in memory first; puts the commas.
/// Text that is no UTF-8 is written with U+FFFD where it is damaged.
class JsonWriter {
 public:
  explicit JsonWriter(std::FILE* out) : out_(out) {}
  /// Texts (not keys) are written as `shown` gives them.
  JsonWriter(std::FILE* out, std::function<std::string(std::string_view)> shown)
      : out_(out), shown_(std::move(shown)) {}
  ~JsonWriter() { flush(); }
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  /// `lines`: each item begins on a line of its own.
  void begin_list(bool lines = false) { open('[', lines); }
  void end_list() { close(']'); }

  void key(std::string_view name);
  void text(std::string_view value);
  void boolean(bool value);
  void null();
  void number(std::uint64_t value);
  void number(std::int64_t value);
  /// NaN and infinity, which JSON does not know, become "nan", "inf" and "-inf".
  void number(double value);

  void newline() { buffer_ += '\n'; }
  void flush();

 private:
  struct Level {
    bool lines = false;
    bool is_empty = true;
  };
  void open(char bracket, bool lines = false);
  void close(char bracket);
  void separate();
  void quote(std::string_view value);

  std::FILE* out_;
  std::function<std::string(std::string_view)> shown_;
  std::string buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace nns::cli
