#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/session/host.h"

namespace nns::web {

/// What the worker gives the core: files that the page handed over, and addresses.
class BrowserSources final : public session::SourceProvider {
 public:
  std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                           const std::string& url) override;

 private:
  std::map<std::string, int> asked_;  ///< addresses on their way: handles
};

}  // namespace nns::web
