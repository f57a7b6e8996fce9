#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/dynamo/graph.h"
#include "core/ops/element_trace.h"

namespace nns::dynamo {

/// What backend="nnscope" makes of one graph, and what came of it.
struct PlanRecord {
  std::string frame;
  std::string compile_id;
  /// Chains of elementwise ops that run as one loop, the ops in them, and all ops of the graph.
  std::size_t chains = 0, fused_ops = 0, ops = 0;
  /// Units: bytes of values that are alive together at most: where all live to the end, and where each is freed behind
  /// its last use and what lies inside of chains is never made.
  std::uint64_t eager_bytes = 0, planned_bytes = 0;
  /// Units: seconds. Making the plan, beside the call that it was made from; the shortest call without and with it.
  double making = 0, eager = 0, planned = 0;
  /// NothingToFuse: also where all chains ask for gradients.
  enum class State : std::uint8_t { Waiting, Measuring, Used, Slower, NothingToFuse };
  State state = State::Waiting;
};

/// Runs one graph on the CPU: chains of elementwise ops go through memory once, block by block, with the kernels that
/// they have alone, so that the results are the same bit for bit; values are freed behind their last use.
/// The plan is made from the first call. The next calls run with and without it in turn, and only if it is faster it is
/// kept. What asks for gradients runs as if there were no plan.
/// Threads: one.
class Plan {
 public:
  Plan(Interpreter& interpreter, std::shared_ptr<Graph> graph, std::shared_ptr<PlanRecord> record);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// As Graph::run.
  PyResult<std::vector<Value>> run(std::span<const Value> inputs);

 private:
  struct Operand;
  struct Launch;
  struct Chain;
  struct Step;

  PyResult<void> make(std::vector<Value>& values);
  void free_dead_values();
  bool add_to_chain(Chain& chain, const Node& node, const Value& value, const ops::ElementTrace& trace,
                    const std::vector<Value>& values);
  void close_chain(Chain chain, std::vector<Step>& steps);
  void count_bytes(const std::vector<Value>& values);
  PyResult<void> run_steps(std::vector<Value>& values, bool is_fused);
  /// False: the values are not those that the chain was made for.
  PyResult<bool> run_chain(const Chain& chain, std::vector<Value>& values);
  std::vector<Value> begin(std::span<const Value> inputs) const;
  std::vector<Value> results(const std::vector<Value>& values) const;

  Interpreter& in_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<PlanRecord> record_;
  std::vector<const Node*> nodes_;
  std::vector<std::unique_ptr<Chain>> chains_;
  std::vector<Step> steps_;
  bool is_made_ = false, has_run_chain_ = false;
  int measured_ = 0;
};

}  // namespace nns::dynamo
