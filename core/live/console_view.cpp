#include "core/live/console_view.h"

#include <algorithm>

namespace nns::live {

void ConsoleView::add(wire::OutputKind kind, std::string_view text) {
  ++version_;
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().kind != kind) pieces_.push_back({kind, {}});
  pieces_.back().text += text;
  kept_ += text.size();
  if (kept_ <= kMost) return;
  // Half of it goes at a time, so that a program which writes without end does not move all of it again and again.
  while (kept_ > kMost / 2) {
    std::string& first = pieces_.front().text;
    std::size_t cut = std::min(first.size(), kept_ - kMost / 2);
    // Whole lines, where there are any.
    if (const std::size_t end = first.find('\n', cut - 1); end != std::string::npos) cut = end + 1;
    kept_ -= cut;
    dropped_ += cut;
    if (cut == first.size()) {
      pieces_.pop_front();
    } else {
      first.erase(0, cut);
    }
  }
}

}  // namespace nns::live
