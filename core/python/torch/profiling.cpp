#include <fmt/format.h>

#include <chrono>
#include <map>

#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/ops/flops.h"
#include "core/ops/node.h"
#include "core/ops/training_observer.h"
#include "core/python/torch/parts.h"

// What torch.profiler records. Behaviour: torch/csrc/autograd/profiler_kineto.cpp, aten/src/ATen/record_function.h.
namespace nns::python {
namespace {

using ops::OpLibrary;
using tensor::Tensor;
using Args = std::span<const Value>;

struct ProfiledRange {
  std::string name;
  std::int64_t begin = 0, end = 0;  // ns
  std::int64_t parent = -1;
  /// Of a step backward: the op whose step it is; -1: not known, or no such step.
  std::int64_t forward = -1;
  std::uint64_t flops = 0;
  std::int64_t bytes = 0;
  Value shapes;  // None where none are recorded
  Value stack;
  bool is_of_program = false;
};

struct ProfilerOptions {
  bool shapes = false, memory = false, stack = false, flops = false, modules = false;
};

// Ops, walks backward, optimisers' steps and named ranges of one interpreter, while it lives. What others watch goes on
// being told to them, but for the walks: there only one may look.
class Recording final : public ops::OpObserver, public ops::TrainingObserver {
 public:
  Recording(Machine& machine, ProfilerOptions options)
      : machine_(machine), in_(machine.interpreter()), options_(options), library_(OpLibrary::of(in_)) {
    observer_before_ = std::exchange(library_.observer, this);
    watches_training_ = library_.training == nullptr;
    if (watches_training_) library_.training = this;
  }
  ~Recording() override {
    if (library_.observer == this) library_.observer = observer_before_;
    if (watches_training_ && library_.training == this) library_.training = nullptr;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void begins(const ops::OpCall& call) override {
    drop_failed();
    running_op_ = push(fmt::format("aten::{}{}", call.op.name, call.target ? "_" : ""), false);
    ops_.emplace_back(library_.next_node, running_op_);
    ProfiledRange& range = ranges_[running_op_];
    if (options_.shapes) range.shapes = shapes_of(call.args);
    if (observer_before_ != nullptr) observer_before_->begins(call);
  }
  void ran(const ops::OpCall& call) override {
    if (running_op_ == kNone) return;
    pop_to(running_op_);
    ProfiledRange& range = ranges_[std::exchange(running_op_, kNone)];
    if (options_.flops) range.flops = ops::flops_of(call);
    if (options_.memory && !call.op.bodies.is_view && !call.target) {
      for (const Ref<Tensor>& output : call.outputs) {
        if (!output->is_meta()) range.bytes += output->numel() * tensor::item_bytes(output->dtype());
      }
    }
    if (observer_before_ != nullptr) observer_before_->ran(call);
  }

  void module_entered(object::Object& module) override {
    if (!options_.modules) return;
    // Modules of one class are told apart by a number.
    std::vector<const object::Object*>& seen = modules_[std::string(module.type().name())];
    const auto place = std::find(seen.begin(), seen.end(), &module);
    const auto number = place - seen.begin();
    if (place == seen.end()) seen.push_back(&module);
    open_modules_.push_back(push(fmt::format("nn.Module: {}_{}", module.type().name(), number), false));
  }
  void module_left(object::Object&, const Value*) override {
    if (open_modules_.empty()) return;
    pop_to(open_modules_.back());
    open_modules_.pop_back();
  }
  bool wants_attention() const override { return false; }
  void attended(const Ref<Tensor>&) override {}
  void backward_began(std::span<const Ref<Tensor>>) override {}
  void backward_ended(bool) override {}
  void node_began(ops::Node& node, std::span<const Ref<Tensor>>) override {
    open_nodes_.push_back(push(fmt::format("autograd::engine::evaluate_function: {}", node.type().name()), false));
    // The last op that was begun before the node was made.
    const auto behind = std::upper_bound(ops_.begin(), ops_.end(), node.sequence,
                                         [](std::uint64_t sequence, const auto& op) { return sequence < op.first; });
    const bool is_of_op = node.sequence < library_.next_node && behind != ops_.begin();
    if (is_of_op) ranges_[open_nodes_.back()].forward = static_cast<std::int64_t>(std::prev(behind)->second);
  }
  void node_ended(ops::Node&, std::span<const Ref<Tensor>>) override {
    if (open_nodes_.empty()) return;
    pop_to(open_nodes_.back());
    open_nodes_.pop_back();
  }
  void step_began(object::Object& optimizer) override {
    open_steps_.push_back(push(fmt::format("Optimizer.step#{0}.step", optimizer.type().name()), true));
  }
  void step_ended(object::Object&, bool) override {
    if (open_steps_.empty()) return;
    pop_to(open_steps_.back());
    open_steps_.pop_back();
  }
  ops::UpdateMoments* update_of(Tensor&) override { return nullptr; }
  void updated(Tensor&, ops::UpdateMoments&) override {}
  void touched(const Tensor&, ops::Touch) override {}

  // The number of a new range inside of those that are open.
  std::size_t push(std::string name, bool is_of_program) {
    drop_failed();
    ProfiledRange range;
    range.name = std::move(name);
    range.is_of_program = is_of_program;
    range.parent = open_.empty() ? -1 : static_cast<std::int64_t>(open_.back());
    if (options_.stack) range.stack = stack_now();
    range.begin = now();
    open_.push_back(ranges_.size());
    ranges_.push_back(std::move(range));
    return ranges_.size() - 1;
  }
  // Ends a range and those inside of it that an exception left open.
  void pop_to(std::size_t number) {
    if (std::find(open_.begin(), open_.end(), number) == open_.end()) return;
    const std::int64_t time = now();
    while (!open_.empty()) {
      const std::size_t last = open_.back();
      open_.pop_back();
      ranges_[last].end = time;
      if (last == number) return;
    }
  }

  // (name, begin, end, parent, shapes, flops, bytes, stack, whether the program named it, of a step backward the row of
  // its op), in the order of begin.
  Value finish() {
    if (!open_.empty()) pop_to(open_.front());
    return rows();
  }
  // The same of what ran so far; what is open ends now.
  Value rows() {
    const std::int64_t time = now();
    std::vector<Value> rows;
    rows.reserve(ranges_.size());
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const ProfiledRange& range = ranges_[i];
      const bool is_open = std::find(open_.begin(), open_.end(), i) != open_.end();
      const std::int64_t end = is_open ? time : range.end;
      rows.emplace_back(in_.tuple({in_.text(range.name), Value(range.begin), Value(end), Value(range.parent),
                                   range.shapes, Value(static_cast<std::int64_t>(range.flops)), Value(range.bytes),
                                   range.stack, Value(range.is_of_program), Value(range.forward)}));
    }
    return Value(in_.list(std::move(rows)));
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  // An op that failed is over when something else begins.
  void drop_failed() {
    if (running_op_ != kNone) pop_to(std::exchange(running_op_, kNone));
  }

  Value shapes_of(std::span<const Value> args) {
    std::vector<Value> shapes;
    for (const Value& arg : args) {
      if (const Tensor* const one = arg.as<Tensor>()) {
        shapes.push_back(shape_of(*one));
        continue;
      }
      std::vector<Value> inner;
      if (const auto* items = arg.as<object::Tuple>()) {
        for (const Value& item : items->items()) {
          if (const Tensor* const one = item.as<Tensor>()) inner.push_back(shape_of(*one));
        }
      }
      shapes.emplace_back(in_.list(std::move(inner)));
    }
    return Value(in_.list(std::move(shapes)));
  }
  Value shape_of(const Tensor& tensor) {
    std::vector<Value> sizes;
    for (const std::int64_t size : tensor.shape()) sizes.emplace_back(size);
    return Value(in_.list(std::move(sizes)));
  }

  // "net.py(12): forward", innermost first.
  Value stack_now() {
    std::vector<Value> lines;
    for (std::int64_t depth = 0;; ++depth) {
      const Value frame = machine_.frame_view(depth);
      if (frame.is_absent()) break;
      const PyResult<Value> code = object::getattr(in_, frame, in_.intern("f_code"));
      const PyResult<Value> line = object::getattr(in_, frame, in_.intern("f_lineno"));
      if (!code.ok() || !line.ok()) break;
      const PyResult<Value> file = object::getattr(in_, *code, in_.intern("co_filename"));
      const PyResult<Value> name = object::getattr(in_, *code, in_.intern("co_name"));
      const auto* file_text = file.ok() ? file.value().as<object::Str>() : nullptr;
      const auto* name_text = name.ok() ? name.value().as<object::Str>() : nullptr;
      if (file_text == nullptr || name_text == nullptr || !line.value().is_int()) break;
      lines.push_back(in_.text(fmt::format("{}({}): {}", file_text->view(), line.value().as_int(), name_text->view())));
    }
    return Value(in_.list(std::move(lines)));
  }

  Machine& machine_;
  Interpreter& in_;
  ProfilerOptions options_;
  OpLibrary& library_;
  ops::OpObserver* observer_before_ = nullptr;
  bool watches_training_ = false;
  std::vector<ProfiledRange> ranges_;
  std::vector<std::size_t> open_, open_modules_, open_nodes_, open_steps_;
  /// The ops, with the number that the next node of autograd had when they began.
  std::vector<std::pair<std::uint64_t, std::size_t>> ops_;
  std::size_t running_op_ = kNone;
  std::map<std::string, std::vector<const object::Object*>> modules_;
};

}  // namespace

void fill_profiling(Machine& machine) {
  Interpreter& in = machine.interpreter();
  const auto recording = std::make_shared<std::unique_ptr<Recording>>();
  constexpr std::string_view kPlace = "torch._C";
  add_module_function(
      in, kPlace, "_profiler_start(shapes, memory, stack, flops, modules)",
      [&machine, recording](Interpreter& i, Args a) -> PyResult<Value> {
        if (*recording != nullptr) return object::runtime_error(i, "Profiler is already enabled on this thread");
        *recording = std::make_unique<Recording>(
            machine, ProfilerOptions{a[0].as_bool(), a[1].as_bool(), a[2].as_bool(), a[3].as_bool(), a[4].as_bool()});
        return Value();
      });
  add_module_function(in, kPlace, "_profiler_stop()", [recording](Interpreter& i, Args) -> PyResult<Value> {
    if (*recording == nullptr) return object::runtime_error(i, "Can't disable Kineto profiler when it's not running");
    const std::unique_ptr<Recording> ended = std::move(*recording);
    return ended->finish();
  });
  add_module_function(in, kPlace, "_profiler_rows()", [recording](Interpreter& i, Args) -> PyResult<Value> {
    if (*recording == nullptr) return Value(i.list(std::vector<Value>()));
    return (*recording)->rows();
  });
  add_module_function(in, "torch._C._autograd", "_profiler_enabled()",
                      [recording](Interpreter&, Args) -> PyResult<Value> { return Value(*recording != nullptr); });
  // The steps of the program that are under way, for anomaly detection.
  add_module_function(in, "torch._C._autograd", "_format_stack()", [&machine](Interpreter& i, Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value module, machine.import_module("traceback", 0, nullptr));
    NNS_TRY_ASSIGN(const Value format, object::getattr(i, module, i.intern("format_stack")));
    return i.call(format, {});
  });
  // None where nothing is recorded.
  add_module_function(in, kPlace, "_profiler_enter(name)", [recording](Interpreter& i, Args a) -> PyResult<Value> {
    if (*recording == nullptr) return Value();
    NNS_TRY_ASSIGN(const std::string name, object::str(i, a[0]));
    return Value(static_cast<std::int64_t>((*recording)->push(name, true)));
  });
  add_module_function(in, kPlace, "_profiler_leave(range)", [recording](Interpreter&, Args a) -> PyResult<Value> {
    if (*recording != nullptr && a[0].is_int()) (*recording)->pop_to(static_cast<std::size_t>(a[0].as_int()));
    return Value();
  });
}

}  // namespace nns::python
