#include "native/cli/table.h"

#include <algorithm>

namespace nns::cli {

void Table::print(std::FILE* out, const Terminal& terminal) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i].text));
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].title.size());
  }
  std::string text;
  std::string gap;
  const auto put = [&](std::size_t i, const std::string& plain, const std::string& painted) {
    if (widths[i] == 0) return;
    const std::string space(widths[i] - display_width(plain), ' ');
    if (columns_[i].is_number) {
      text += gap + space + painted;
      gap = "  ";
    } else {
      text += gap + painted;
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
