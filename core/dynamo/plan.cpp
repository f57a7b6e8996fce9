#include "core/dynamo/plan.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>

#include "core/base/parallel.h"
#include "core/dynamo/guard.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using ops::ElementTrace;
using tensor::Dims;
using tensor::Tensor;

namespace {

// Numbers of one block: with the ones between the ops of a chain they stay in the first cache.
constexpr std::int64_t kBlock = 1024;
// Numbers that another thread is worth while for.
constexpr std::int64_t kPartOfThread = 16384;
// Calls with and without the plan before it is decided.
constexpr int kMeasured = 6;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Counts the ops that are no loop over items, or write over what they are given.
class OpCounter final : public ops::OpObserver {
 public:
  void ran(const ops::OpCall& call) override {
    ++ops;
    all_elementwise = all_elementwise && call.op.bodies.is_elementwise && call.target == nullptr;
  }
  std::size_t ops = 0;
  bool all_elementwise = true;
};

class Observed {
 public:
  Observed(Interpreter& in, ops::OpObserver& observer)
      : library_(ops::OpLibrary::of(in)), before_(std::exchange(library_.observer, &observer)) {}
  ~Observed() { library_.observer = before_; }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

 private:
  ops::OpLibrary& library_;
  ops::OpObserver* before_;
};

bool is_direct(tensor::DType dtype, ops::Compute compute) {
  const bool is_plain =
      compute == ops::Compute::Float || compute == ops::Compute::Double || compute == ops::Compute::Int64;
  return is_plain && ops::compute_of(dtype) == compute &&
         tensor::item_bytes(dtype) == static_cast<std::int64_t>(ops::compute_bytes(compute));
}

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.shape() == b.shape() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

}  // namespace

/// What a kernel of a chain reads.
struct Plan::Operand {
  enum class Kind : std::uint8_t {
    /// A value of the graph, item for item.
    Whole,
    /// A value that is repeated along the leading dimensions; one item is the shortest of these.
    Repeated,
    /// What an earlier launch of the chain wrote.
    Launch,
    Number,
  };
  Kind kind = Kind::Number;
  /// The node of a value, or the launch.
  std::size_t at = 0;
  std::int64_t period = 0;
  /// Of a Number: a block of equal ones.
  std::vector<double> numbers = {};
};

struct Plan::Launch {
  std::vector<Operand> inputs;
  ops::Compute in, written;
  ops::ElementKernel kernel;
  std::optional<ops::Settings> settings;
  /// The node whose value this is, where it is used outside of the chain; else the register that it is written to.
  std::optional<std::size_t> output;
  std::size_t reg = 0;
};

struct Plan::Chain {
  Dims shape;
  std::int64_t count = 0;
  std::vector<Launch> launches;
  /// Which node has the value of which launch.
  std::vector<std::pair<const Node*, std::size_t>> nodes;
  /// What every value that it reads must be like, by node.
  struct Read {
    std::size_t node;
    Dims shape, strides;
    tensor::DType dtype;
  };
  std::vector<Read> reads;
  std::size_t registers = 0;
};

struct Plan::Step {
  /// The chain that runs, or null: the node.
  const Chain* chain = nullptr;
  const Node* node = nullptr;
  /// Nodes whose values nobody reads any more.
  std::vector<std::size_t> dead = {};
};

Plan::Plan(Interpreter& interpreter, std::shared_ptr<Graph> graph, std::shared_ptr<PlanRecord> record)
    : in_(interpreter), graph_(std::move(graph)), record_(std::move(record)), nodes_(graph_->ordered()) {
  record_->ops = graph_->call_count();
}

Plan::~Plan() = default;

std::vector<Value> Plan::begin(std::span<const Value> inputs) const {
  std::vector<Value> values(graph_->all().size());
  std::size_t next = 0;
  for (const Node* node : nodes_) {
    if (node->op == Node::Op::Placeholder) values[node->number] = inputs[next++];
  }
  return values;
}

std::vector<Value> Plan::results(const std::vector<Value>& values) const {
  return output_values(in_, *nodes_.back(), values);
}

// Adds what one node ran to a chain, if it was nothing but loops over items of the chain's shape.
bool Plan::add_to_chain(Chain& chain, const Node& node, const Value& value, const ElementTrace& trace,
                        const std::vector<Value>& values) {
  const auto* result = value.as<Tensor>();
  if (result == nullptr || trace.launches().empty() || !result->is_contiguous() || result->numel() == 0) return false;
  if (chain.launches.empty()) {
    chain.shape = result->shape();
    chain.count = result->numel();
  }
  if (result->shape() != chain.shape) return false;
  std::vector<Launch> added;
  std::vector<Chain::Read> reads;
  std::unordered_map<const std::byte*, std::size_t> made;
  const std::size_t first = chain.launches.size();
  // The values that its arguments name, and those that the chain makes.
  std::vector<const Node*> arguments;
  const auto note = [&](const Node& one) { arguments.push_back(&one); };
  for_each_argument(node, note);
  // A number that is another one at the next call is no part of a kernel.
  const bool has_number =
      std::any_of(arguments.begin(), arguments.end(), [](const Node* one) { return !one->hint.is_absent(); });
  if (has_number) return false;
  for (const ElementTrace::Launch& one : trace.launches()) {
    if (one.out->shape() != chain.shape || !one.out->is_contiguous() || !is_direct(one.out->dtype(), one.written) ||
        one.out->device() != tensor::Device::Cpu)
      return false;
    Launch launch{.inputs = {},
                  .in = one.in,
                  .written = one.written,
                  .kernel = one.kernel,
                  .settings = one.settings,
                  .output = std::nullopt,
                  .reg = 0};
    for (const ElementTrace::Input& input : one.inputs) {
      Operand operand;
      if (!input.tensor) {
        operand.numbers.resize(static_cast<std::size_t>(kBlock));
        if (ops::compute_bytes(one.in) > sizeof(double)) return false;
        input.number.fill(one.in, operand.numbers.data(), kBlock);
        launch.inputs.push_back(std::move(operand));
        continue;
      }
      const Tensor& read = *input.tensor;
      if (!is_direct(read.dtype(), one.in)) return false;
      if (const auto known = made.find(read.data()); known != made.end() && read.shape() == chain.shape) {
        operand.kind = Operand::Kind::Launch;
        operand.at = known->second;
        launch.inputs.push_back(std::move(operand));
        continue;
      }
      const auto argument = std::find_if(arguments.begin(), arguments.end(), [&](const Node* named) {
        const auto* held = values[named->number].as<Tensor>();
        return held != nullptr && is_same_memory(*held, read);
      });
      if (argument == arguments.end() || !read.is_contiguous()) return false;
      const auto inner = std::find_if(chain.nodes.begin(), chain.nodes.end(),
                                      [&](const auto& known) { return known.first == *argument; });
      if (inner != chain.nodes.end()) {
        operand.kind = Operand::Kind::Launch;
        operand.at = inner->second;
      } else {
        // Repeated: all dimensions that it has are the last ones of the chain's, behind ones of size 1.
        const Dims& dims = read.shape();
        std::size_t ones = 0;
        while (ones < dims.size() && dims[ones] == 1) ++ones;
        const std::size_t trailing = dims.size() - ones;
        bool repeats = trailing <= chain.shape.size();
        for (std::size_t dim = 0; repeats && dim < trailing; ++dim)
          repeats = dims[ones + dim] == chain.shape[chain.shape.size() - trailing + dim];
        if (!repeats) return false;
        operand.kind = read.numel() == chain.count ? Operand::Kind::Whole : Operand::Kind::Repeated;
        operand.at = (*argument)->number;
        operand.period = read.numel();
        reads.push_back({(*argument)->number, read.shape(), read.strides(), read.dtype()});
      }
      launch.inputs.push_back(std::move(operand));
    }
    made[one.out->data()] = first + added.size();
    added.push_back(std::move(launch));
  }
  if (trace.launches().back().out->data() != result->data() || result->dtype() != trace.launches().back().out->dtype())
    return false;
  for (Launch& launch : added) chain.launches.push_back(std::move(launch));
  chain.nodes.emplace_back(&node, chain.launches.size() - 1);
  chain.reads.insert(chain.reads.end(), reads.begin(), reads.end());
  return true;
}

void Plan::close_chain(Chain chain, std::vector<Step>& steps) {
  if (chain.nodes.size() < 2) {
    for (const auto& [node, launch] : chain.nodes) steps.push_back({.chain = nullptr, .node = node});
    return;
  }
  // What is used outside is written whole.
  for (const auto& [node, launch] : chain.nodes) {
    std::size_t inside = 0;
    for (const auto& [other, at] : chain.nodes) {
      bool uses = false;
      const auto note = [&, own = node](const Node& one) { uses = uses || &one == own; };
      for_each_argument(*other, note);
      inside += uses ? 1 : 0;
    }
    if (inside < node->users || node->users == 0) chain.launches[launch].output = node->number;
  }
  // The others share registers: one is free behind the last launch that reads it.
  std::vector<std::size_t> last(chain.launches.size(), 0);
  for (std::size_t i = 0; i < chain.launches.size(); ++i) {
    for (const Operand& operand : chain.launches[i].inputs) {
      if (operand.kind == Operand::Kind::Launch) last[operand.at] = i;
    }
  }
  std::vector<std::size_t> busy_until;
  for (std::size_t i = 0; i < chain.launches.size(); ++i) {
    Launch& launch = chain.launches[i];
    if (launch.output) continue;
    const auto is_free = std::find_if(busy_until.begin(), busy_until.end(), [&](std::size_t end) { return end < i; });
    launch.reg = static_cast<std::size_t>(is_free - busy_until.begin());
    if (is_free == busy_until.end()) busy_until.push_back(0);
    busy_until[launch.reg] = std::max(last[i], i);
  }
  chain.registers = busy_until.size();
  ++record_->chains;
  record_->fused_ops += chain.nodes.size();
  chains_.push_back(std::make_unique<Chain>(std::move(chain)));
  steps.push_back({.chain = chains_.back().get(), .node = nullptr});
}

// Runs the graph once, node by node, and puts neighbours that are loops over items into chains.
PyResult<void> Plan::make(std::vector<Value>& values) {
  double spent = 0;
  Chain open;
  const auto close = [&] {
    close_chain(std::move(open), steps_);
    open = Chain();
  };
  for (const Node* node : nodes_) {
    if (node->op == Node::Op::Placeholder || node->op == Node::Op::Output) continue;
    if (node->op == Node::Op::GetAttr) {
      NNS_TRY(run_node(in_, *node, values));
      steps_.insert(steps_.begin(), {.chain = nullptr, .node = node});
      continue;
    }
    OpCounter counter;
    ElementTrace trace;
    {
      const Observed observed(in_, counter);
      NNS_TRY(run_node(in_, *node, values));
    }
    const auto begun = std::chrono::steady_clock::now();
    const Value& value = values[node->number];
    const bool is_loop = counter.all_elementwise && counter.ops > 0 && counter.ops == trace.launches().size();
    if (!is_loop || !add_to_chain(open, *node, value, trace, values)) {
      close();
      if (!is_loop || !add_to_chain(open, *node, value, trace, values)) {
        open = Chain();
        steps_.push_back({.chain = nullptr, .node = node});
      }
    }
    spent += seconds_since(begun);
  }
  const auto begun = std::chrono::steady_clock::now();
  close();
  free_dead_values();
  count_bytes(values);
  is_made_ = true;
  record_->making = spent + seconds_since(begun);
  record_->state = record_->chains == 0 ? PlanRecord::State::NothingToFuse : PlanRecord::State::Measuring;
  return {};
}

void Plan::free_dead_values() {
  std::vector<std::ptrdiff_t> last(graph_->all().size(), -1);
  const auto reads = [&](const Node& node, std::size_t step) {
    last[node.number] = static_cast<std::ptrdiff_t>(step);
    const auto note = [&](const Node& one) { last[one.number] = static_cast<std::ptrdiff_t>(step); };
    for_each_argument(node, note);
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].node != nullptr) reads(*steps_[i].node, i);
    if (steps_[i].chain == nullptr) continue;
    for (const auto& [node, launch] : steps_[i].chain->nodes) reads(*node, i);
  }
  const auto keep = [&](const Node& one) { last[one.number] = -1; };
  for_each_argument(*nodes_.back(), keep);
  for (std::size_t node = 0; node < last.size(); ++node) {
    if (last[node] >= 0) steps_[static_cast<std::size_t>(last[node])].dead.push_back(node);
  }
}

void Plan::count_bytes(const std::vector<Value>& values) {
  const auto bytes_of = [&](const Node& node) -> std::uint64_t {
    const auto* held = values[node.number].as<Tensor>();
    const bool is_made = node.op != Node::Op::Placeholder && node.op != Node::Op::GetAttr;
    return held == nullptr || !is_made ? 0 : held->nbytes();
  };
  std::uint64_t now = 0;
  for (const Node* node : nodes_) record_->eager_bytes += bytes_of(*node);
  const auto& all = graph_->all();
  for (const Step& step : steps_) {
    if (step.node != nullptr) now += bytes_of(*step.node);
    for (std::size_t i = 0; step.chain != nullptr && i < step.chain->nodes.size(); ++i) {
      const auto& [node, launch] = step.chain->nodes[i];
      if (step.chain->launches[launch].output) now += bytes_of(*node);
    }
    record_->planned_bytes = std::max(record_->planned_bytes, now);
    for (const std::size_t dead : step.dead) {
      bool is_inside = false;
      for (std::size_t i = 0; step.chain != nullptr && i < step.chain->nodes.size(); ++i) {
        const auto& [node, launch] = step.chain->nodes[i];
        is_inside = is_inside || (node->number == dead && !step.chain->launches[launch].output);
      }
      if (!is_inside) now -= bytes_of(all[dead]);
    }
  }
}

PyResult<bool> Plan::run_chain(const Chain& chain, std::vector<Value>& values) {
  const bool with_grad = grad_is_enabled(in_);
  for (const Chain::Read& read : chain.reads) {
    const auto* held = values[read.node].as<Tensor>();
    const bool fits = held != nullptr && held->shape() == read.shape && held->strides() == read.strides &&
                      held->dtype() == read.dtype && held->device() == tensor::Device::Cpu &&
                      !(with_grad && held->requires_grad());
    if (!fits) return false;
  }
  // Where each launch writes: the first item of a value, or null for a register.
  std::vector<std::byte*> outputs(chain.launches.size(), nullptr);
  for (const auto& [node, at] : chain.nodes) {
    const Launch& launch = chain.launches[at];
    if (!launch.output) continue;
    const tensor::DType dtype = launch.written == ops::Compute::Float    ? tensor::DType::Float32
                                : launch.written == ops::Compute::Double ? tensor::DType::Float64
                                                                         : tensor::DType::Int64;
    NNS_TRY_ASSIGN(const Ref<Tensor> made, tensor::try_empty(in_, chain.shape, dtype, tensor::Device::Cpu));
    outputs[at] = made->data();
    values[node->number] = Value(made);
  }
  // What is repeated lies in blocks that hold it as often as it fits, or is walked along with. All of it is of the last
  // dimensions of one shape, so that the periods are multiples of each other.
  struct Walked {
    const std::byte* data = nullptr;
    std::int64_t period = 0;
    std::vector<std::byte> block = {};
  };
  std::int64_t step = kBlock;
  std::vector<std::vector<Walked>> sources(chain.launches.size());
  for (const Launch& launch : chain.launches) {
    for (const Operand& operand : launch.inputs) {
      if (operand.kind == Operand::Kind::Repeated && operand.period > 1 && operand.period < step)
        step = std::max<std::int64_t>(operand.period, step / operand.period * operand.period);
    }
  }
  for (std::size_t i = 0; i < chain.launches.size(); ++i) {
    for (const Operand& operand : chain.launches[i].inputs) {
      Walked& source = sources[i].emplace_back();
      if (operand.kind != Operand::Kind::Whole && operand.kind != Operand::Kind::Repeated) continue;
      const auto& held = *values[operand.at].as<Tensor>();
      source.data = held.data();
      if (operand.kind == Operand::Kind::Whole) continue;
      source.period = operand.period;
      if (operand.period > step) continue;
      const auto bytes = static_cast<std::size_t>(operand.period) * ops::compute_bytes(chain.launches[i].in);
      source.block.resize(static_cast<std::size_t>(step / operand.period) * bytes);
      for (std::size_t at = 0; at < source.block.size(); at += bytes)
        std::memcpy(&source.block[at], source.data, bytes);
    }
  }
  base::run_ranges(chain.count, kPartOfThread, step, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::array<double, kBlock>> registers(chain.registers);
    for (std::int64_t at = begin; at < end;) {
      std::int64_t count = std::min(step, end - at);
      // A long period is never crossed within a block.
      for (const auto& launch : sources) {
        for (const Walked& source : launch) {
          if (source.period > step) count = std::min(count, source.period - at % source.period);
        }
      }
      for (std::size_t i = 0; i < chain.launches.size(); ++i) {
        const Launch& launch = chain.launches[i];
        const auto in_bytes = static_cast<std::int64_t>(ops::compute_bytes(launch.in));
        ops::ElementRow row{};
        row.count = count;
        row.settings = launch.settings ? &*launch.settings : nullptr;
        for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
          const Operand& operand = launch.inputs[k];
          const Walked& source = sources[i][k];
          switch (operand.kind) {
            case Operand::Kind::Number:
              row.in[k] = operand.numbers.data();
              break;
            case Operand::Kind::Whole:
              row.in[k] = source.data + at * in_bytes;
              break;
            case Operand::Kind::Repeated:
              row.in[k] = source.block.empty() ? source.data + at % source.period * in_bytes : source.block.data();
              break;
            case Operand::Kind::Launch:
              row.in[k] = outputs[operand.at] != nullptr
                              ? static_cast<const void*>(outputs[operand.at] + at * in_bytes)
                              : static_cast<const void*>(registers[chain.launches[operand.at].reg].data());
              break;
          }
        }
        const auto out_bytes = static_cast<std::int64_t>(ops::compute_bytes(launch.written));
        row.out = outputs[i] != nullptr ? static_cast<void*>(outputs[i] + at * out_bytes)
                                        : static_cast<void*>(registers[launch.reg].data());
        launch.kernel(row);
      }
      at += count;
    }
  });
  return true;
}

PyResult<void> Plan::run_steps(std::vector<Value>& values, bool is_fused) {
  for (const Step& step : steps_) {
    if (step.node != nullptr) NNS_TRY(run_node(in_, *step.node, values));
    if (step.chain != nullptr) {
      bool is_done = false;
      if (is_fused) {
        NNS_TRY_ASSIGN(is_done, run_chain(*step.chain, values));
      }
      has_run_chain_ = has_run_chain_ || is_done;
      for (std::size_t i = 0; !is_done && i < step.chain->nodes.size(); ++i)
        NNS_TRY(run_node(in_, *step.chain->nodes[i].first, values));
    }
    for (const std::size_t dead : step.dead) values[dead] = Value();
  }
  return {};
}

PyResult<std::vector<Value>> Plan::run(std::span<const Value> inputs) {
  if (nodes_.empty() || nodes_.back()->op != Node::Op::Output) return std::vector<Value>();
  std::vector<Value> values = begin(inputs);
  if (!is_made_) {
    steps_.clear();
    chains_.clear();
    record_->chains = record_->fused_ops = 0;
    NNS_TRY(make(values));
    return results(values);
  }
  if (record_->state != PlanRecord::State::Measuring) {
    NNS_TRY(run_steps(values, record_->state == PlanRecord::State::Used));
    return results(values);
  }
  // With and without it in turn: the graph as torch.compile(backend="eager") runs it is what it is compared with.
  const bool is_fused = measured_ % 2 == 0;
  const auto begun = std::chrono::steady_clock::now();
  std::vector<Value> given;
  if (is_fused) {
    NNS_TRY(run_steps(values, true));
    given = results(values);
  } else {
    NNS_TRY_ASSIGN(given, graph_->run(in_, inputs));
  }
  const double taken = seconds_since(begun);
  double& best = is_fused ? record_->planned : record_->eager;
  best = measured_ < 2 ? taken : std::min(best, taken);
  if (++measured_ == kMeasured) {
    record_->state = !has_run_chain_                     ? PlanRecord::State::NothingToFuse
                     : record_->planned < record_->eager ? PlanRecord::State::Used
                                                         : PlanRecord::State::Slower;
  }
  return given;
}

}  // namespace nns::dynamo
