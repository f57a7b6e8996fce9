#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/model/search_list.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct CommandLine {
  std::uint32_t number = 0;
  std::string_view title;
  std::string_view keys;
};
struct SearchModel {
  const model::SearchList* answers = nullptr;
  std::span<const CommandLine> commands;
  std::size_t documents = 0;  ///< how many are open
};
struct SearchState {
  int number = 0;    ///< another one each time that the box is opened: its field has no past
  std::string text;  ///< as in the field; with `>` in front it is about commands
  widgets::RowListState list;
  std::uint32_t cursor = 0;
  /// Enter (Go) or Ctrl+Enter (Filter) that was pressed before the answers to the text were there.
  enum class Entered : std::uint8_t { No, Go, Filter } entered = Entered::No;
  bool focus_text = true;
};

/// Whether the letters of `text` occur in `title` in that order (case ignored).
bool matches_fuzzily(std::string_view title, std::string_view text);

/// The search box over everything: answers to a query, or commands behind `>`, as one types. Up and Down choose, Enter
/// goes there, Ctrl+Enter shows all answers in the tree, Escape closes. Enter is about the whole text, however fast it
/// was typed: it waits for the answers to it.
std::optional<Intent> draw_search(widgets::Ui& ui, const widgets::Rect& area, const SearchModel& model,
                                  SearchState& state);

}  // namespace nns::panels
