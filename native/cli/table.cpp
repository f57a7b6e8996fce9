#include "native/cli/table.h"

#include <algorithm>

namespace nns::cli {

// Takes from the widest columns of words what the line is too long.
void Table::fit(std::vector<std::size_t>& widths, std::size_t columns) const {
  constexpr std::size_t kLeast = 12;
  constexpr std::size_t kGap = 2;
  std::size_t all = 0;
  for (const std::size_t width : widths) all += width == 0 ? 0 : width + kGap;
  for (std::size_t excess = all > columns + kGap ? all - columns - kGap : 0; excess > 0; --excess) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!columns_[i].is_number && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size() || widths[widest] <= kLeast) return;
    --widths[widest];
  }
}

void Table::print(std::FILE* out, const Terminal& terminal) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i].text));
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].title.size());
  }
  if (terminal.output_columns > 0) fit(widths, static_cast<std::size_t>(terminal.output_columns));
  std::string text;
  std::string gap;
  const auto put = [&](std::size_t i, const std::string& plain, const std::string& painted) {
    if (widths[i] == 0) return;
    const std::size_t width = display_width(plain);
    const std::string space(widths[i] - std::min(widths[i], width), ' ');
    if (columns_[i].is_number) {
      text += gap + space + painted;
      gap = "  ";
    } else {
      text += gap + (width > widths[i] ? cut_to_width(painted, widths[i]) : painted);
      gap = space + "  ";
    }
  };
  const auto end_line = [&] {
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), out);
    text.clear();
    gap.clear();
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string title(columns_[i].title);
    put(i, title, terminal.paint(Style::Dim, title));
  }
  end_line();
  for (const auto& line : lines_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      put(i, line[i].text, line[i].painted.empty() ? line[i].text : line[i].painted);
    }
    end_line();
  }
}

}  // namespace nns::cli
