#include "core/parallel/collective.h"

#include <fmt/format.h>

namespace nns::parallel {
namespace {

base::Error error(std::string found) { return {std::move(found), {}, {}, {}}; }

bool is_reducing(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::Reduce || kind == CollectiveKind::ReduceScatter;
}
bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce || kind == CollectiveKind::Gather ||
         kind == CollectiveKind::Scatter;
}

}  // namespace

std::string_view collective_name(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {"all_reduce", "broadcast",      "reduce",     "all_gather", "gather",
                                         "scatter",    "reduce_scatter", "all_to_all", "barrier"};
  return kNames[static_cast<std::size_t>(kind)];
}

CollectiveSignature signature_of(const Collective& collective) {
  CollectiveSignature signature;
  signature.kind = collective.kind;
  if (is_reducing(collective.kind)) signature.op = collective.op;
  if (has_root(collective.kind)) signature.root = collective.root;
  if (collective.kind == CollectiveKind::Barrier) return signature;
  signature.dtype = collective.dtype;
  if (collective.kind == CollectiveKind::AllToAll) return signature;
  const bool shares_inputs = collective.kind == CollectiveKind::AllGather || collective.kind == CollectiveKind::Gather;
  signature.bytes = shares_inputs ? collective.inputs[0].size() : collective.outputs[0].size();
  return signature;
}

std::string signature_text(const CollectiveSignature& signature) {
  std::string text(collective_name(signature.kind));
  if (signature.kind == CollectiveKind::Barrier) return text;
  const std::string dtype = tensor::torch_dtype_text(signature.dtype);
  if (signature.kind == CollectiveKind::AllToAll) {
    text += " of " + dtype;
  } else {
    text += fmt::format(" of {} {}", signature.bytes / tensor::item_bytes(signature.dtype), dtype);
  }
  if (is_reducing(signature.kind)) text += fmt::format(" ({})", reduce_op_name(signature.op));
  if (has_root(signature.kind)) text += fmt::format(" with root {}", signature.root);
  return text;
}

base::Result<void> check_collective(const Collective& collective, int rank, int size) {
  if (has_root(collective.kind) && (collective.root < 0 || collective.root >= size)) {
    return error(fmt::format("{}: invalid root rank: {}", collective_name(collective.kind), collective.root));
  }
  const auto all = static_cast<std::size_t>(size);
  const bool is_root = rank == collective.root;
  std::size_t inputs = 0;
  std::size_t outputs = 1;
  switch (collective.kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
      break;
    case CollectiveKind::AllGather:
      inputs = 1, outputs = all;
      break;
    case CollectiveKind::Gather:
      inputs = 1, outputs = is_root ? all : 0;
      break;
    case CollectiveKind::Scatter:
      inputs = is_root ? all : 0;
      break;
    case CollectiveKind::ReduceScatter:
      inputs = all;
      break;
    case CollectiveKind::AllToAll:
      inputs = all, outputs = all;
      break;
    case CollectiveKind::Barrier:
      outputs = 0;
      break;
  }
  if (collective.inputs.size() != inputs || collective.outputs.size() != outputs) {
    return error(fmt::format("{}: expected {} inputs and {} outputs, got {} and {}", collective_name(collective.kind),
                             inputs, outputs, collective.inputs.size(), collective.outputs.size()));
  }
  if (is_reducing(collective.kind) && tensor::is_cpu(collective.device)) {
    NNS_TRY(check_reduction(collective.dtype, collective.op));
  }
  if (collective.kind == CollectiveKind::AllToAll || collective.kind == CollectiveKind::Barrier) return {};
  const std::uint64_t bytes = signature_of(collective).bytes;
  bool fits = true;
  for (const auto& one : collective.inputs) fits = fits && one.size() == bytes;
  for (const auto& one : collective.outputs) fits = fits && one.size() == bytes;
  if (fits) return {};
  return error(fmt::format("{}: the tensors of all ranks must have the same size", collective_name(collective.kind)));
}

}  // namespace nns::parallel
