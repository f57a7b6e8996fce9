#include "web/host/browser_sources.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "web/host/browser_source.h"
#include "web/host/core_imports.h"
#include "web/host/worker_text.h"

namespace nns::web {

namespace {

using base::ByteSource;
using base::Error;
using base::Result;

/// A trip to a File costs about 0.2 ms, one to a server some ten or hundred.
constexpr std::uint64_t kFileWindow_bytes = 64 << 10;
constexpr std::uint64_t kUrlWindow_bytes = 256 << 10;

enum class State { Pending = 0, Ready = 1, Failed = 2 };

/// What a handle of an address has come to: nothing while it is on its way. Takes the handle over once it is not.
std::optional<Result<std::shared_ptr<BrowserSource>>> arrival(int handle, const std::string& where) {
  switch (static_cast<State>(nns_core_state(handle))) {
    case State::Pending:
      return std::nullopt;
    case State::Ready:
      return std::make_shared<BrowserSource>(handle, kUrlWindow_bytes);
    case State::Failed:
      break;
  }
  nns_core_error(handle);
  Error error = source_error(where);
  nns_core_close(handle);
  return error;
}

/// Files that were picked or dropped together.
class GivenFiles final : public checkpoint::FileSet {
 public:
  explicit GivenFiles(std::uint64_t source) : source_(source) {}

  std::optional<Result<std::shared_ptr<ByteSource>>> open(std::string_view name) override {
    const int handle = nns_core_file_open(static_cast<double>(source_), name.data(), name.size());
    if (handle == 0) {
      return Error{.found = "this file was not given along with the others",
                   .expected = "all files of the model at once: drop the folder, or choose them together",
                   .where = std::string(name),
                   .offset = {}};
    }
    return std::shared_ptr<ByteSource>(std::make_shared<BrowserSource>(handle, kFileWindow_bytes));
  }

  std::vector<std::string> names() override {
    nns_core_file_names(static_cast<double>(source_));
    const std::string& text = worker_text();
    std::vector<std::string> names;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }

 private:
  std::uint64_t source_;
};

/// Files beside an address; a server does not list them.
class FilesBeside final : public checkpoint::FileSet {
 public:
  explicit FilesBeside(std::shared_ptr<BrowserSource> first) : first_(std::move(first)) {}
  ~FilesBeside() override {
    for (const auto& [name, handle] : asked_) nns_core_close(handle);
  }

  std::optional<Result<std::shared_ptr<ByteSource>>> open(std::string_view name) override {
    const std::string key(name);
    auto asked = asked_.find(key);
    if (asked == asked_.end()) {
      asked = asked_.emplace(key, nns_core_url_beside(first_->handle(), name.data(), name.size())).first;
    }
    auto arrived = arrival(asked->second, key);
    if (!arrived) return std::nullopt;
    asked_.erase(asked);
    if (!arrived->ok()) return std::move(*arrived).error();
    return std::shared_ptr<ByteSource>(std::move(**arrived));
  }

  Result<std::shared_ptr<ByteSource>> open_now(std::string_view name) override {
    const int handle = nns_core_url_beside_now(first_->handle(), name.data(), name.size());
    auto arrived = arrival(handle, std::string(name));
    if (!arrived->ok()) return std::move(*arrived).error();
    return std::shared_ptr<ByteSource>(std::move(**arrived));
  }

  std::vector<std::string> names() override { return {}; }

 private:
  std::shared_ptr<BrowserSource> first_;
  std::map<std::string, int> asked_;
};

}  // namespace

std::optional<Result<session::SourceProvider::Opened>> BrowserSources::open(std::uint64_t source,
                                                                            const std::string& name,
                                                                            const std::string& url) {
  if (url.empty()) {
    auto siblings = std::make_shared<GivenFiles>(source);
    // A name that is none of the files' is that of their folder.
    const std::vector<std::string> names = siblings->names();
    if (std::find(names.begin(), names.end(), name) == names.end() && !names.empty())
      return Opened{.source = nullptr, .siblings = std::move(siblings)};
    auto opened = siblings->open(name);
    if (!opened->ok()) return std::move(*opened).error();
    return Opened{.source = std::move(**opened), .siblings = std::move(siblings)};
  }
  auto asked = asked_.find(url);
  if (asked == asked_.end()) asked = asked_.emplace(url, nns_core_url_open(url.data(), url.size())).first;
  auto arrived = arrival(asked->second, url);
  if (!arrived) return std::nullopt;
  asked_.erase(asked);
  if (!arrived->ok()) return std::move(*arrived).error();
  std::shared_ptr<BrowserSource> first = std::move(**arrived);
  return Opened{.source = first, .siblings = std::make_shared<FilesBeside>(first)};
}

}  // namespace nns::web
