#include "native/host/source_provider.h"

#include <chrono>

#include "native/host/folder_files.h"
#include "native/host/http_source.h"
#include "native/host/url.h"

namespace nns::host {

namespace {

base::Result<session::SourceProvider::Opened> as_opened(base::Result<OpenedFile> file) {
  if (!file.ok()) return std::move(file).error();
  return session::SourceProvider::Opened{std::move(file->source), std::move(file->siblings)};
}

}  // namespace

NativeSources::NativeSources() : client_(std::make_shared<HttpClient>()) {}
NativeSources::~NativeSources() { cancelled_ = true; }  // the futures in asked_ wait for their threads, which stop soon

std::uint64_t NativeSources::register_file(std::filesystem::path path) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_++;
  paths_.emplace(number, std::move(path));
  return number;
}

std::optional<base::Result<session::SourceProvider::Opened>> NativeSources::open(std::uint64_t source,
                                                                                 const std::string& name,
                                                                                 const std::string& url) {
  if (url.empty()) {
    std::filesystem::path path;
    {
      const std::lock_guard lock(mutex_);
      const auto found = paths_.find(source);
      if (found == paths_.end()) {
        return base::Error{
            .found = "is a file that was never chosen here", .expected = {}, .where = name, .offset = {}};
      }
      path = found->second;
    }
    return as_opened(open_path(path));
  }
  if (!is_url(url)) {
    return base::Error{.found = "is no web address", .expected = "http:// or https://", .where = url, .offset = {}};
  }
  auto asked = asked_.find(url);
  if (asked == asked_.end()) {
    asked_.emplace(
        url, std::async(std::launch::async, [this, url] { return as_opened(open_url(url, client_, &cancelled_)); }));
    return std::nullopt;
  }
  if (asked->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
  auto result = asked->second.get();
  asked_.erase(asked);
  return result;
}

}  // namespace nns::host
