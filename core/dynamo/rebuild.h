#pragma once

#include <unordered_map>

#include "core/dynamo/engine.h"

namespace nns::dynamo {

/// Makes real values of trackers after a graph has run, and writes back what the frame changed.
/// Behaviour: torch/_dynamo/codegen.py, side_effects.py.
class Rebuilder {
 public:
  /// `results`: one value an output of the graph. `cells`: those of the frame by name; they must outlive this.
  Rebuilder(Engine& engine, const CompiledFrame& compiled, Scope scope, std::vector<Value> results,
            const std::vector<std::pair<Name, Value>>& cells);

  /// Errors: what a constructor raises.
  PyResult<Value> value(Variable* variable);
  /// Replays the writes. Must be called after all values were asked for.
  PyResult<void> write_back();

 private:
  PyResult<Value> make(Variable& variable);
  Value existing_cell(const Variable& variable);
  PyResult<std::vector<Value>> items(const std::vector<Variable*>& variables);
  PyResult<void> write_container(Variable& variable);

  Engine& engine_;
  Interpreter& in_;
  const CompiledFrame& compiled_;
  SourceReader reader_;
  std::vector<Value> results_;
  const std::vector<std::pair<Name, Value>>* cells_;
  std::unordered_map<const Variable*, Value> made_;
};

}  // namespace nns::dynamo
