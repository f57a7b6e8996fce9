#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/session/host.h"
#include "native/server/live_service.h"

namespace nns::server {

/// A file, folder or program that each viewer sees.
struct ServedInput {
  std::uint64_t source = 0;  ///< its number at the SourceProvider
  std::string name;
};

/// More have to wait until one leaves.
inline constexpr std::size_t kMostViewers = 64;

/// Viewers of files and programs: a Host for each, which opens the inputs at once; they take turns on one thread.
/// Viewers open nothing else: no address, and no file by another number than one of `inputs`; who may not control runs
/// no code of its own. Trainings that they start are kept by `keep_run`, if given. For a viewer that does not read what
/// it asked for nothing more is worked.
std::unique_ptr<LiveService> make_host_service(std::shared_ptr<session::SourceProvider> sources,
                                               std::vector<ServedInput> inputs, std::size_t most_viewers = kMostViewers,
                                               session::RunKeeper keep_run = nullptr);

}  // namespace nns::server
