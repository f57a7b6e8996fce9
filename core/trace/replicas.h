#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/moment.h"

namespace nns::trace {

/// How what a replica has under a name stands to what the module has that it was made of.
enum class ReplicaFate : std::uint8_t {
  Shared,     ///< the same object
  SameBytes,  ///< a tensor over the same bytes
  Copied,     ///< a tensor with bytes of its own
  Lost,       ///< bound since the replica was made: goes with it
  Missing,    ///< nothing
};

/// A name of the module at `path` ("" is the root), and what each replica has under it.
struct ReplicaRow {
  std::string path;
  std::string name;
  /// Absent: only replicas have it.
  Shown original;
  std::vector<Shown> values;
  std::vector<ReplicaFate> fates;
};

/// The replicas that a forward of torch.nn.DataParallel has made and not left yet.
struct Replicas {
  ObjectId module = kNone;
  std::vector<ObjectId> objects;
  std::vector<ReplicaRow> rows;
  bool has_more = false;
};

/// Those of the innermost such forward among the moment's calls; none: there is none. Names that Module itself has
/// (hook tables, `training`) are told where a replica has bound them. At most `most` rows. Behaviour:
/// torch/nn/parallel/replicate.py, Module._replicate_for_data_parallel.
std::optional<Replicas> replicas_at(const Trace& trace, const Moment& moment, std::size_t most = 512);

}  // namespace nns::trace
