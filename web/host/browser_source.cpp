#include "web/host/browser_source.h"

#include <algorithm>
#include <cstring>

#include "web/host/core_imports.h"
#include "web/host/worker_text.h"

namespace nns::web {

std::string& worker_text() {
  static std::string text;
  return text;
}

base::Error source_error(const std::string& where) {
  const std::string& text = worker_text();
  const std::size_t end = text.find('\n');
  base::Error error;
  error.found = text.substr(0, end);
  if (end != std::string::npos) error.expected = text.substr(end + 1);
  error.where = where;
  return error;
}

BrowserSource::BrowserSource(int handle, std::uint64_t window)
    : handle_(handle), size_(static_cast<std::uint64_t>(nns_core_size(handle))), window_size_(window) {
  nns_core_name(handle);
  name_ = worker_text();
}

BrowserSource::~BrowserSource() { nns_core_close(handle_); }

base::Result<void> BrowserSource::do_read(std::uint64_t offset, std::span<std::byte> into) {
  if (offset < window_size_) {
    // Whoever begins with a large piece wants no more than that.
    if (head_.empty() && into.size() >= window_size_) return fetch(offset, into);
    if (head_.empty()) NNS_TRY(fill(head_, 0));
    const std::size_t there = std::min(into.size(), head_.size() - static_cast<std::size_t>(offset));
    std::memcpy(into.data(), head_.data() + static_cast<std::size_t>(offset), there);
    offset += there;
    into = into.subspan(there);
  }
  if (into.empty()) return {};
  if (into.size() >= window_size_) return fetch(offset, into);
  const auto is_inside = [&] {
    return offset >= window_begin_ && offset - window_begin_ <= window_.size() &&
           into.size() <= window_.size() - static_cast<std::size_t>(offset - window_begin_);
  };
  if (!is_inside()) {
    NNS_TRY(fill(window_, offset));
    window_begin_ = offset;
  }
  std::memcpy(into.data(), window_.data() + static_cast<std::size_t>(offset - window_begin_), into.size());
  return {};
}

base::Result<void> BrowserSource::fill(std::vector<std::byte>& window, std::uint64_t offset) {
  window.resize(static_cast<std::size_t>(std::min(window_size_, size_ - offset)));
  auto read = fetch(offset, window);
  if (!read.ok()) window.clear();
  return read;
}

base::Result<void> BrowserSource::fetch(std::uint64_t offset, std::span<std::byte> into) {
  // Offsets are exact in a double up to 9 PB.
  if (nns_core_read(handle_, static_cast<double>(offset), into.data(), into.size())) return {};
  base::Error error = source_error(name_);
  error.offset = offset;
  return error;
}

}  // namespace nns::web
