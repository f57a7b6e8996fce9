#pragma once

#include "core/parallel/connector.h"

namespace nns::collectives {

/// What of the network a program may reach, and what the process was started with.
struct NetworkPermissions {
  /// The one host beside this machine at which a store may be kept or asked; empty: none.
  std::string master_host;
  /// A socket that listens at MASTER_PORT already, or -1. Only rank 0 of ranks that nnscope started has one.
  int listening_socket = -1;
  int listening_port = 0;
  /// The real path of a file that the program may write; empty: it may not.
  std::function<std::string(const std::string& path)> writable_path;
  /// Whether ranks of one machine may share memory; otherwise all go over the network.
  bool shares_memory = true;
  /// A rank of which nothing is heard for so long is gone, whatever collectives may wait. 0: none is.
  std::chrono::milliseconds longest_silence = std::chrono::minutes(2);
  /// Connector::spawn.
  std::function<base::Result<parallel::Connector::Spawned>(int count, const std::string& pickled)> spawn;
};

/// Ranks as processes: a store over TCP or in a file, TCP connections between all ranks, and shared memory in groups
/// whose ranks all stand on one machine. Off this machine a program reaches only the host of the permissions, and the
/// ranks that are there.
std::shared_ptr<parallel::Connector> make_network_connector(NetworkPermissions permissions);

}  // namespace nns::collectives
