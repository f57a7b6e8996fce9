#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/text/source_looks.h"

namespace nns::app {

/// Asks the host what one text looks like, each time that it has changed, and keeps the answer with its letters.
class SourceCheck {
 public:
  SourceCheck(Requests& requests, const live::Mirror& mirror) : requests_(requests), mirror_(mirror) {}

  /// Takes in what has come, and asks if the text is another now. Before drawing; always of the same text.
  void follow(const text::TextBuffer& buffer, std::string_view name);
  const text::SourceLooks& looks() const { return looks_; }
  /// The text as part of a link; empty: it is too long for one, or not known yet.
  std::string_view code(const text::TextBuffer& buffer) const {
    return looks_.computed_version() == buffer.version() ? std::string_view(code_) : std::string_view();
  }
  bool is_waiting() const { return asked_ != 0; }
  /// No answer will come: that version of the text stays as it looks.
  void job_failed(std::uint64_t request) {
    if (request != asked_) return;
    asked_ = 0;
    given_up_version_ = asked_version_;
  }

 private:
  void take(const text::TextBuffer& buffer);

  Requests& requests_;
  const live::Mirror& mirror_;
  text::SourceLooks looks_;
  std::string code_;  ///< of the version that looks_ was computed for
  std::uint64_t asked_ = 0;
  std::uint64_t asked_version_ = 0;
  std::uint64_t given_up_version_ = 0;
  std::uint32_t asked_lines_ = 0;
};

}  // namespace nns::app
