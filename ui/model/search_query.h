#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/regex.h"

namespace nns::model {

/// A range of whole numbers, both ends included.
struct NumberRange {
  std::uint64_t low = 0;
  std::uint64_t high = UINT64_MAX;
  bool contains(std::uint64_t number) const { return number >= low && number <= high; }
};

/// One extent of a shape that is looked for.
struct WantedExtent {
  NumberRange range;
  bool is_rest = false;  ///< "...": any number of extents
};

/// One condition of a query; all of them must hold.
struct QueryTerm {
  enum class Kind : std::uint8_t {
    Word,     ///< in the name or class of the row, or of one above it
    Path,     ///< a word with "." or "/", or a pattern: in the path; in `regex`
    Dtype,    ///< `dtype:`
    Name,     ///< `name:`, as Word
    Class,    ///< `class:`, as Word
    RowKind,  ///< `kind:`
    Flag,     ///< `is:`
    Shape,    ///< `shape:`
    Rank,     ///< `rank:`
    Count,    ///< `size:`, or just `>1M`: elements of a tensor; with `kind:module` parameters of a module
    Bytes,    ///< `bytes:`, or just `>1MB`
    Metadata  ///< `meta:`
  };
  Kind kind = Kind::Word;
  bool is_negated = false;
  bool is_exact = false;  ///< `name:=weight`: the whole of it
  bool is_plain = false;  ///< a word without a field: may be the text of a value, too
  std::string text;       ///< in lower case
  std::string dtype;      ///< of a Word that is short for an element type, too: what its name begins with
  std::uint8_t bits = 0;  ///< of RowKind: 1 << live::RowKind; of Flag: live::RowFlag
  NumberRange range;      ///< of Rank, Count, Bytes
  std::vector<WantedExtent> shape;
  std::optional<Regex> regex;
};

/// What a person looks for.
struct SearchQuery {
  std::vector<QueryTerm> terms;
  std::optional<TextError> error;  ///< then there are no terms
  bool is_empty() const { return terms.empty() && !error; }
};

/// Most conditions that a query may have.
inline constexpr std::size_t kMostTerms = 32;

/// Reads a query: `attn weight bf16 >1M shape:4096,* -bias /h\.[0-3]\./`.
/// Words in quotes may have spaces; `-` or `!` in front turns a condition around. In numbers k, M, G (or B) and T are
/// powers of 1000; with a B behind these (KB, MB, KiB ...) they are bytes.
/// Errors: in SearchQuery::error, with the place in `text`.
SearchQuery parse_query(std::string_view text);

/// Whether the text is meant for the list of commands: `>` with no number behind it; gives what follows.
std::optional<std::string_view> command_text(std::string_view text);

/// `text` with the case of ASCII letters taken away.
std::string lowered(std::string_view text);

}  // namespace nns::model
