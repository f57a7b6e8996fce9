#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/session/host.h"
#include "native/host/http_client.h"

namespace nns::host {

/// Files and addresses for a Host in this process.
/// Threads: register_file() on any (the window's), open() on the Host's.
class NativeSources final : public session::SourceProvider {
 public:
  NativeSources();
  ~NativeSources() override;

  /// Remembers a path that the person chose; open() finds it by the number given here.
  std::uint64_t register_file(std::filesystem::path path);

  /// A path answers at once; an address is asked on a thread of its own and answers after some calls.
  /// Errors: as open_path() and open_url(); a number that register_file() did not give.
  std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                           const std::string& url) override;

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::filesystem::path> paths_;

  std::shared_ptr<HttpClient> client_;
  std::atomic<bool> cancelled_ = false;
  std::map<std::string, std::future<base::Result<Opened>>> asked_;
};

}  // namespace nns::host
