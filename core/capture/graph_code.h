#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/capture/capture.h"

namespace nns::capture {

/// Nodes of one graph; what is beyond is counted and left out.
inline constexpr std::size_t kMostNodes = 100'000;

/// Reads FX graphs from their code as GraphModule.print_readable() writes it: one graph for each `def forward`, those
/// of inner modules (of torch.cond and its like) too, named behind `stage`. Lines that are no assignment of a node are
/// passed over. Behaviour: torch/fx/graph.py, CodeGen._gen_python_code.
std::vector<Graph> read_graph_code(std::string_view text, std::string_view stage, FileTable& files);

}  // namespace nns::capture
