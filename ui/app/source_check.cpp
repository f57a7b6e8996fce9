#include "ui/app/source_check.h"

#include <utility>
#include <vector>

namespace nns::app {

using text::SourceLooks;
using text::SourceProblem;

void SourceCheck::follow(const text::TextBuffer& buffer, std::string_view name) {
  take(buffer);
  // One question at a time: while it is answered what is typed adds up.
  const std::uint64_t version = buffer.version();
  if (asked_ == 0 && looks_.computed_version() != version && given_up_version_ != version) {
    asked_version_ = version;
    asked_lines_ = buffer.line_count();
    asked_ = requests_.check_source(buffer.text(), name);
  }
  looks_.follow(buffer);
}

void SourceCheck::take(const text::TextBuffer& buffer) {
  if (asked_ == 0) return;
  const live::wire::SourceLooks* answer = mirror_.source_looks(asked_);
  if (answer == nullptr) return;
  asked_ = 0;
  std::vector<SourceLooks::LineSpan> spans;
  spans.reserve(answer->tokens()->size());
  for (const live::wire::SourceToken* token : *answer->tokens()) {
    if (token->line() >= asked_lines_) continue;  // no line of that text, whoever says so
    spans.push_back({token->line(), {token->begin(), token->end(), static_cast<text::TokenKind>(token->kind())}});
  }
  std::vector<SourceProblem> problems;
  for (const live::wire::SourceProblem* one : *answer->problems()) {
    problems.push_back({{{one->line(), one->begin()}, {one->end_line(), one->end()}},
                        one->is_warning() ? text::Severity::Warning : text::Severity::Error,
                        std::string(live::text_of(one->message()))});
  }
  code_ = live::text_of(answer->code());
  looks_.set(buffer, asked_version_, spans, std::move(problems));
}

}  // namespace nns::app
