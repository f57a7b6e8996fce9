#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/live/endpoint.h"

namespace nns::session {

/// What a platform gives a Host: how to get at the bytes that a viewer names.
class SourceProvider {
 public:
  virtual ~SourceProvider() = default;
  struct Opened {
    std::shared_ptr<base::ByteSource> source;
    std::shared_ptr<checkpoint::FileSet> siblings;
  };
  /// The file (or folder's first file) registered as `source`, or the one at `url`. Nothing while it is on its way.
  virtual std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                                   const std::string& url) = 0;
};

/// Serves one viewer: carries out its commands in slices and answers through `endpoint`.
/// Sessions: a file session a checkpoint, a program session a sample model.
/// Threads: one; every call returns within about the budget.
class Host {
 public:
  Host(std::unique_ptr<live::Endpoint> endpoint, std::shared_ptr<SourceProvider> sources);
  ~Host();

  /// Takes waiting commands, then works on jobs, newest first, until the budget is spent.
  /// True if there is more to do now; false: call again when a message came (or, if waiting(), after a moment).
  bool run(const base::Budget& budget);
  /// A job waits for bytes on their way.
  bool waiting() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::session
