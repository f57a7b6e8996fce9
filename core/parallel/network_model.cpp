#include "core/parallel/network_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nns::parallel {

namespace {

constexpr std::array<std::pair<NetworkAlgorithm, std::string_view>, 4> kAlgorithms = {
    {{NetworkAlgorithm::Auto, "auto"},
     {NetworkAlgorithm::Ring, "ring"},
     {NetworkAlgorithm::Tree, "tree"},
     {NetworkAlgorithm::Hierarchical, "hierarchical"}}};

// One link: what a message waits, and how fast it goes.
struct Link {
  double latency, bandwidth;
};

// Each rank passes on all but one of `count` parts, one a step.
double ring_seconds(const Link& link, double bytes, double count) {
  return (count - 1) * (link.latency + bytes / count / link.bandwidth);
}

// Half of what is left, to a rank that is twice as far in each step.
double tree_seconds(const Link& link, double bytes, double count) {
  return std::ceil(std::log2(count)) * link.latency + bytes * (count - 1) / count / link.bandwidth;
}

Link inside(const Network& network) { return {network.intra_latency, network.intra_bandwidth}; }
Link between(const Network& network) { return {network.latency, network.bandwidth}; }

// All-gather and reduce-scatter are the same way in two directions, and one behind the other they are an all-reduce.
double half_seconds(const Network& network, double bytes, std::int64_t ranks, NetworkAlgorithm algorithm) {
  const std::int64_t local = std::max<std::int64_t>(1, std::min(network.ranks_per_node, ranks));
  const auto count = static_cast<double>(ranks);
  const bool is_one_node = local >= ranks;
  // What all ranks of a node send to other nodes goes through its one link.
  const Link slowest = is_one_node ? inside(network) : between(network);
  switch (algorithm) {
    case NetworkAlgorithm::Ring:
      // Of a circle through all nodes one rank of each sends to another node.
      return ring_seconds(slowest, bytes, count);
    case NetworkAlgorithm::Tree: {
      if (is_one_node) return tree_seconds(slowest, bytes, count);
      // The near steps of a reduce-scatter come first: what is left for the far ones is a part for each rank of a node.
      const double nodes = std::ceil(count / static_cast<double>(local));
      return tree_seconds(inside(network), bytes, static_cast<double>(local)) +
             tree_seconds(between(network), bytes, nodes);
    }
    case NetworkAlgorithm::Hierarchical: {
      const double nodes = std::ceil(count / static_cast<double>(local));
      const double within = ring_seconds(inside(network), bytes, static_cast<double>(local));
      if (nodes <= 1) return within;
      // Each rank of a node has its part of the bytes; together they send all of them.
      return within + ring_seconds(between(network), bytes, nodes);
    }
    case NetworkAlgorithm::Auto:
      break;
  }
  return std::min({half_seconds(network, bytes, ranks, NetworkAlgorithm::Ring),
                   half_seconds(network, bytes, ranks, NetworkAlgorithm::Tree),
                   half_seconds(network, bytes, ranks, NetworkAlgorithm::Hierarchical)});
}

}  // namespace

std::string_view name_of(NetworkAlgorithm algorithm) { return kAlgorithms[static_cast<std::size_t>(algorithm)].second; }

std::optional<NetworkAlgorithm> network_algorithm(std::string_view name) {
  for (const auto& [algorithm, known] : kAlgorithms) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

double all_reduce_seconds(const Network& network, double bytes, std::int64_t ranks) {
  return ranks <= 1 ? 0 : 2 * half_seconds(network, bytes, ranks, network.algorithm);
}

double all_gather_seconds(const Network& network, double bytes, std::int64_t ranks) {
  return ranks <= 1 ? 0 : half_seconds(network, bytes, ranks, network.algorithm);
}

double reduce_scatter_seconds(const Network& network, double bytes, std::int64_t ranks) {
  return all_gather_seconds(network, bytes, ranks);
}

}  // namespace nns::parallel
