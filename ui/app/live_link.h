#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/live/endpoint.h"

namespace nns::app {

/// A connection to a host on the other side of a network, which the platform keeps: it is tried again when it is lost,
/// and then the host tells everything anew.
class LiveLink : public live::Endpoint {
 public:
  /// What a person should know of it now; empty while all is well.
  virtual std::string trouble() const = 0;
};

/// Makes one; the address is as the person gave it, and empty for this machine. Errors: no address.
using LiveConnector = std::function<base::Result<std::unique_ptr<LiveLink>>(const std::string& address)>;

}  // namespace nns::app
