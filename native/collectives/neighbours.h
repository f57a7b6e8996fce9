#pragma once

#include <chrono>
#include <vector>

#include "core/parallel/mesh.h"

namespace nns::collectives {

/// Which ranks of a mesh stand on one machine and can really see each other's memory.
class Neighbours {
 public:
  /// Every rank tells what it is and tries the memory of the first that is the same; all do this together.
  /// `shares_memory`: false: this rank takes part, and shares with nobody. Errors: those of the mesh.
  static base::Result<Neighbours> meet(parallel::Mesh& mesh, bool shares_memory, std::chrono::milliseconds timeout);
  /// Whether all of these do, as every rank of the mesh sees it.
  bool share_memory(const std::vector<int>& ranks) const;

 private:
  /// By rank: the first rank of its machine; -1: it is alone.
  std::vector<int> first_;
};

}  // namespace nns::collectives
