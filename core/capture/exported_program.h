#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/capture/reader.h"

namespace nns::capture {

/// Reads programs of torch.export, in slices: what torch.export.save writes (a .pt2 package), or the JSON of one
/// program. Each program is a frame: its graph and those of inner modules (of torch.cond and its like), shapes, modules
/// around nodes, lines of source; constraints of sizes are its guards, the signature stands in its facts. Read are the
/// schemas of PyTorch 2.1 and newer. Behaviour: torch/_export/serde/schema.py, torch/export/graph_signature.py.
class ExportedProgramReader final : public Reader {
 public:
  explicit ExportedProgramReader(std::shared_ptr<base::ByteSource> package, ReadLimits limits = {});
  /// `name`: of the program; `where`: of the text, for messages.
  ExportedProgramReader(std::string json, std::string_view name, std::string where, ReadLimits limits = {});
  ~ExportedProgramReader() override;

  /// Errors beside the reader's own: no program is in the package.
  base::Result<bool> step(const base::Budget& budget) override;
  Capture take() override;
  std::uint64_t done() const override;
  std::uint64_t total() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::capture
