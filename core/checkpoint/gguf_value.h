#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/gguf_cursor.h"

namespace nns::checkpoint {

/// The type of a metadata value, by its number in the file. Behaviour: ggml/docs/gguf.md, gguf_metadata_value_type.
enum class GgufType : std::uint32_t {
  UInt8,
  Int8,
  UInt16,
  Int16,
  UInt32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  UInt64,
  Int64,
  Float64,
};
/// "UINT8", "STRING", ...
std::string_view gguf_type_name(GgufType type);

/// Reads one metadata value, in slices, and keeps as much of it as a person can look at: a string of up to 64 KiB, the
/// first elements of an array with its length. What is not shown is walked over, not kept.
class GgufValueReader {
 public:
  /// `wide`: lengths have 64 bits, as since version 2.
  GgufValueReader(GgufCursor& cursor, bool wide) : cursor_(cursor), wide_(wide) {}

  /// Begins with the value's type, which is read. `what` names it in errors ("the value of general.name").
  /// Errors: a type that there is not.
  base::Result<void> start(std::string what);
  /// True when the value was read. Errors: it ends outside the file; a type that there is not; arrays in arrays deeper
  /// than 16; a truth value that is neither 0 nor 1; with the byte offset.
  base::Result<bool> step(const base::Budget& budget);

  GgufType type() const { return type_; }
  /// The value as text: a string as it is, "[1, 2, 3]", "[1, 2, 3, 4, 5, ... 32000 INT32 values]". UTF-8.
  std::string take_text() { return std::move(text_); }
  /// The value, if it is an unsigned integer.
  std::uint64_t unsigned_value() const { return unsigned_value_; }
  /// Whether bytes of a text were not UTF-8 and are shown as numbers.
  bool was_escaped() const { return was_escaped_; }

 private:
  struct Array {
    GgufType type{};
    std::uint64_t count = 0;
    std::uint64_t left = 0;
    bool is_shown = false;
  };

  base::Result<GgufType> read_type();
  base::Result<std::uint64_t> read_length(std::string_view what);
  base::Result<void> read_scalar(GgufType type, bool is_shown);
  base::Result<void> read_string(bool is_shown);
  base::Result<void> open_array(bool is_shown);
  void close_array();
  bool shows_next() const;

  GgufCursor& cursor_;
  bool wide_;
  std::string what_;
  GgufType type_{};
  bool is_begun_ = false;
  std::vector<Array> arrays_;  // that are open, outermost first
  std::string text_;
  std::uint64_t unsigned_value_ = 0;
  bool was_escaped_ = false;
};

}  // namespace nns::checkpoint
