#include "native/host/http_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <thread>

#include "native/host/url.h"

namespace nns::host {

namespace {

using base::Error;
using base::Result;

constexpr std::uint64_t kBlockBytes = 64 * 1024;
constexpr std::size_t kKeptBlocks = 64;
constexpr std::uint64_t kMostBlocksPerRequest = 128;

class HttpSource final : public base::ByteSource {
 public:
  HttpSource(std::string name, std::string url, std::shared_ptr<HttpClient> client)
      : name_(std::move(name)), url_(std::move(url)), current_url_(url_), client_(std::move(client)) {}

  /// Asks for the first block; must succeed before anything is read.
  std::optional<HttpFailure> probe(const std::atomic<bool>* cancelled) {
    HttpRange range;
    if (auto failure = client_->get(url_, name_, 0, kBlockBytes, cancelled, range)) return failure;
    size_ = range.total;
    validator_ = std::move(range.validator);
    current_url_ = std::move(range.effective_url);
    if (range.bytes.size() == std::min(kBlockBytes, size_)) keep(0, std::move(range.bytes));
    return std::nullopt;
  }

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  struct Block {
    std::vector<std::byte> bytes;
    std::uint64_t used = 0;  // when it was last of use
  };

  Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    while (!into.empty()) {
      const std::uint64_t block = offset / kBlockBytes;
      if (const auto kept = blocks_.find(block); kept != blocks_.end()) {
        kept->second.used = ++clock_;
        const std::size_t skip = static_cast<std::size_t>(offset % kBlockBytes);
        const std::size_t count = std::min(into.size(), kept->second.bytes.size() - skip);
        std::memcpy(into.data(), kept->second.bytes.data() + skip, count);
        into = into.subspan(count);
        offset += count;
        continue;
      }
      const std::uint64_t last = (offset + into.size() - 1) / kBlockBytes;
      std::uint64_t count = 1;
      while (count < kMostBlocksPerRequest && block + count <= last && !blocks_.contains(block + count)) ++count;
      NNS_TRY_ASSIGN(const std::vector<std::byte> bytes, fetch(block, count));

      const std::size_t skip = static_cast<std::size_t>(offset - block * kBlockBytes);
      const std::size_t copied = std::min(into.size(), bytes.size() - skip);
      std::memcpy(into.data(), bytes.data() + skip, copied);
      into = into.subspan(copied);
      offset += copied;
      // Of a long read only the end can be of use again, to whoever reads on.
      const std::uint64_t first_kept = count <= kKeptBlocks / 4 ? 0 : count - 1;
      for (std::uint64_t i = first_kept; i < count; ++i) {
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(i * kBlockBytes);
        const auto length = std::min<std::uint64_t>(kBlockBytes, bytes.size() - i * kBlockBytes);
        keep(block + i, std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(length)));
      }
    }
    return {};
  }

  /// All bytes of `count` blocks (the file's last one may be short).
  Result<std::vector<std::byte>> fetch(std::uint64_t block, std::uint64_t count) {
    const std::uint64_t begin = block * kBlockBytes;
    const std::uint64_t end = std::min((block + count) * kBlockBytes, size_);
    std::vector<std::byte> bytes;
    bytes.reserve(static_cast<std::size_t>(end - begin));
    while (begin + bytes.size() < end) {  // a server may give less than was asked for
      HttpRange range;
      const std::uint64_t first = begin + bytes.size();
      auto failure = client_->get(current_url_, name_, first, end - first, nullptr, range);
      const bool may_have_expired = failure && (failure->status == 401 || failure->status == 403 ||
                                                failure->status == 404 || failure->status == 410);
      if (may_have_expired && current_url_ != url_) {
        current_url_ = url_;
        failure = client_->get(current_url_, name_, first, end - first, nullptr, range);
      }
      if (failure) return std::move(failure->error);
      if (range.total != size_ || range.validator != validator_) {
        return Error{.found = "the file changed on the server since it was opened",
                     .expected = "the same file; open it again",
                     .where = name_,
                     .offset = first};
      }
      current_url_ = std::move(range.effective_url);
      bytes.insert(bytes.end(), range.bytes.begin(), range.bytes.end());
    }
    return bytes;
  }

  void keep(std::uint64_t block, std::vector<std::byte> bytes) {
    if (blocks_.size() >= kKeptBlocks && !blocks_.contains(block)) {
      blocks_.erase(std::min_element(blocks_.begin(), blocks_.end(),
                                     [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    blocks_[block] = Block{std::move(bytes), ++clock_};
  }

  std::string name_;
  std::string url_;
  std::string current_url_;
  std::shared_ptr<HttpClient> client_;
  std::uint64_t size_ = 0;
  std::string validator_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t clock_ = 0;
};

using Opening = std::optional<Result<std::shared_ptr<base::ByteSource>>>;

/// Files beside a URL. Each is asked for on a thread of its own, so that 72 shards do not wait for one another
/// (HttpClient limits how many run at a time).
class UrlFiles final : public checkpoint::FileSet {
 public:
  UrlFiles(std::string url, std::shared_ptr<HttpClient> client) : url_(std::move(url)), client_(std::move(client)) {}
  ~UrlFiles() override {
    cancelled_ = true;
    for (auto& [name, pending] : pending_) pending->thread.join();
  }

  Opening open(std::string_view name) override {
    const auto found = pending_.find(name);
    if (found == pending_.end()) {
      auto url = sibling_url(url_, name);
      if (!url.ok()) return Opening(std::move(url).error());
      start(std::string(name), std::move(url).value());
      return std::nullopt;
    }
    if (!found->second->done.load(std::memory_order_acquire)) return std::nullopt;
    found->second->thread.join();
    Opening result = std::move(found->second->result);
    pending_.erase(found);
    return result;
  }

  std::vector<std::string> names() override { return {}; }  // a web server lists no folder

 private:
  struct Pending {
    std::thread thread;
    std::atomic<bool> done = false;
    Opening result;
  };

  void start(std::string name, std::string url) {
    auto pending = std::make_unique<Pending>();
    Pending& job = *pending;
    job.thread = std::thread([this, &job, url = std::move(url)] {
      auto source = std::make_shared<HttpSource>(shown_url(url), url, client_);
      if (auto failure = source->probe(&cancelled_)) {
        job.result.emplace(std::move(failure->error));
      } else {
        job.result.emplace(std::shared_ptr<base::ByteSource>(std::move(source)));
      }
      job.done.store(true, std::memory_order_release);
    });
    pending_.emplace(std::move(name), std::move(pending));
  }

  std::string url_;
  std::shared_ptr<HttpClient> client_;
  std::atomic<bool> cancelled_ = false;
  std::map<std::string, std::unique_ptr<Pending>, std::less<>> pending_;
};

}  // namespace

Result<OpenedFile> open_url(const std::string& url, std::shared_ptr<HttpClient> client,
                            const std::atomic<bool>* cancelled) {
  const std::vector<std::string> candidates = raw_urls(url);
  for (const std::string& candidate : candidates) {
    auto source = std::make_shared<HttpSource>(shown_url(candidate), candidate, client);
    if (auto failure = source->probe(cancelled)) {
      if (failure->status == 404 && candidates.size() > 1 && &candidate != &candidates.back()) continue;
      if (failure->status == 404 && candidates.size() > 1) {
        failure->error.where = shown_url(url);
        failure->error.found = "the repository has none of the usual checkpoint files at its top";
        failure->error.expected = "a link to one of its files";
      }
      return std::move(failure->error);
    }
    return OpenedFile{std::move(source), std::make_shared<UrlFiles>(candidate, client)};
  }
  return Error{.found = "is no address", .expected = "http:// or https://", .where = shown_url(url), .offset = {}};
}

}  // namespace nns::host
