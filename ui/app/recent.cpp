#include "ui/app/recent.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "ui/host/host.h"

namespace nns::app {

void Recent::load() {
  links_.clear();
  const std::string text = host::load_setting("recent").value_or("");
  // Links have no spaces.
  for (std::string_view rest = text; !rest.empty() && links_.size() < kMost;) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    model::Link link = model::Link::parse(rest.substr(0, end));
    if (!link.is_empty()) links_.push_back(std::move(link));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void Recent::add(model::Link link) {
  const std::string text = link.text();
  std::erase_if(links_, [&](const model::Link& known) { return known.text() == text; });
  links_.insert(links_.begin(), std::move(link));
  if (links_.size() > kMost) links_.resize(kMost);
  save();
}

void Recent::remove(std::size_t index) {
  if (index >= links_.size()) return;
  links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(index));
  save();
}

void Recent::save() const {
  std::string text;
  for (const model::Link& link : links_) text.append(text.empty() ? "" : " ").append(link.text());
  host::save_setting("recent", text);
}

}  // namespace nns::app
