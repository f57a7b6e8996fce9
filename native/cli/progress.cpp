#include "native/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::cli {

ProgressLine::ProgressLine(const Terminal& terminal, std::string verb, std::string_view what)
    : terminal_(terminal),
      verb_(std::move(verb)),
      what_(printable(what)),
      next_(Clock::now() + std::chrono::milliseconds(500)) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressLine::show(std::uint64_t done, std::uint64_t total) {
  if (!terminal_.progress || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  is_shown_ = true;
  constexpr std::size_t kBar = 24;
  const double share = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBar));
  std::string line = fmt::format("{}  {}{}  {:3.0f}%  ", verb_, fmt::format("{:━<{}}", "", filled),
                                 fmt::format("{:┄<{}}", "", kBar - filled), share * 100);
  if (total == 0) line = fmt::format("{}  ", verb_);
  // A line that wraps could not be taken back.
  const auto room = static_cast<std::size_t>(std::max(terminal_.columns - 1, 20));
  const std::size_t used = display_width(line);
  if (used + display_width(what_) <= room) line += what_;
  fmt::print(stderr, "\r\x1b[K{}", used <= room ? line : std::string(verb_));
  std::fflush(stderr);
}

}  // namespace nns::cli
