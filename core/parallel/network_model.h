#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nns::parallel {

/// How the ranks of a collective hand on their parts.
enum class NetworkAlgorithm : std::uint8_t {
  Auto,          ///< the fastest of the others for that many ranks and bytes
  Ring,          ///< in a circle: all links work all the time, as many steps as ranks
  Tree,          ///< halving and doubling: as many steps as the logarithm of the ranks
  Hierarchical,  ///< within nodes first, then between them, then within nodes
};
std::string_view name_of(NetworkAlgorithm algorithm);
/// None: there is no algorithm of that name.
std::optional<NetworkAlgorithm> network_algorithm(std::string_view name);

/// Nodes of equally many ranks, all as far from each other. Units: seconds, bytes a second.
struct Network {
  /// Of a message between two nodes, and what a node sends at most while it receives as much; its ranks share it.
  double latency = 5e-6, bandwidth = 50e9;
  /// The same between two ranks of a node; each rank has it.
  double intra_latency = 1e-6, intra_bandwidth = 450e9;
  std::int64_t ranks_per_node = 8;
  NetworkAlgorithm algorithm = NetworkAlgorithm::Auto;
};

/// How long a collective of `ranks` ranks takes of which each has `bytes` before an all-reduce or reduce-scatter, or
/// behind an all-gather. 0 for one rank. Units: seconds.
/// Behaviour: the alpha-beta model of Thakur, Rabenseifner and Gropp, "Optimization of collective communication
/// operations in MPICH" (2005): a step takes its latency and its bytes by the bandwidth of the slowest link in it.
double all_reduce_seconds(const Network& network, double bytes, std::int64_t ranks);
double all_gather_seconds(const Network& network, double bytes, std::int64_t ranks);
double reduce_scatter_seconds(const Network& network, double bytes, std::int64_t ranks);

}  // namespace nns::parallel
