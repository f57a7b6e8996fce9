#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/text/text_buffer.h"

namespace nns::model {

/// What is looked for in a text, line by line.
struct TextQuery {
  std::string text;
  bool match_case = false;  ///< otherwise ASCII letters of either case are the same
  bool whole_word = false;
  friend bool operator==(const TextQuery&, const TextQuery&) = default;
};

/// Every place, without overlap, in order. Cost: one pass.
std::vector<text::TextRange> find_all(const text::TextBuffer& buffer, const TextQuery& query);
/// The one at `from` or behind it (or, backwards, in front of it), around the end of the text. SIZE_MAX: there is none.
std::size_t next_found(const std::vector<text::TextRange>& found, const text::TextPlace& from, bool forward);
/// Puts `replacement` in the place of each; one step to undo. Gives how many.
std::size_t replace_found(text::TextBuffer& buffer, const std::vector<text::TextRange>& found,
                          std::string_view replacement);

}  // namespace nns::model
