#include "core/summary/summary.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <unordered_set>

#include "core/nn/hooks.h"
#include "core/ops/flops.h"

namespace nns::summary {
namespace {

using nn::Module;
using nn::Registry;
using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

// How deep lists, tuples and dicts are looked into.
constexpr int kNesting = 16;

void add_specs(const Value& value, std::vector<TensorSpec>& to, int depth = 0) {
  if (const Tensor* const one = value.as<Tensor>()) {
    to.push_back({{one->shape().begin(), one->shape().end()}, one->dtype()});
    return;
  }
  if (depth == kNesting) return;
  if (const auto* tuple = value.as<object::Tuple>()) {
    for (const Value& item : tuple->items()) add_specs(item, to, depth + 1);
  } else if (const auto* list = value.as<object::List>()) {
    for (const Value& item : list->items()) add_specs(item, to, depth + 1);
  } else if (auto* dict = value.as<object::Dict>()) {
    for (std::size_t at = 0; const object::Dict::Entry* entry = dict->next(at);) {
      add_specs(entry->value, to, depth + 1);
    }
  }
}

std::uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.numel()) * tensor::item_bytes(tensor.dtype());
}

// Tensors, each once, and what they come to.
class Holding {
 public:
  void add_parameter(const Tensor& one) {
    if (parameters_.insert(&one).second) count_parameter(one);
  }
  void add_buffer(const Tensor& one) {
    if (buffers_.insert(&one).second) count_buffer(one);
  }

  // Both become one. Cost: that of the smaller one.
  void merge(Holding& other) {
    if (other.size() > size()) std::swap(*this, other);
    for (const Tensor* const one : other.parameters_) add_parameter(*one);
    for (const Tensor* const one : other.buffers_) add_buffer(*one);
    other = {};
  }

  void tell(ModuleRow& row) const {
    row.parameters = items_;
    row.trainable = trainable_;
    row.buffers = buffer_items_;
    row.parameter_bytes = bytes_;
    row.buffer_bytes = buffer_bytes_;
  }

 private:
  std::size_t size() const { return parameters_.size() + buffers_.size(); }
  void count_parameter(const Tensor& one) {
    const auto items = static_cast<std::uint64_t>(one.numel());
    items_ += items;
    bytes_ += bytes_of(one);
    if (one.requires_grad()) trainable_ += items;
  }
  void count_buffer(const Tensor& one) {
    buffer_items_ += static_cast<std::uint64_t>(one.numel());
    buffer_bytes_ += bytes_of(one);
  }

  std::unordered_set<const Tensor*> parameters_, buffers_;
  std::uint64_t items_ = 0, bytes_ = 0, trainable_ = 0, buffer_items_ = 0, buffer_bytes_ = 0;
};

// The rows, and which of them modules have.
class Tree {
 public:
  // Not by recursion: a program may nest modules without end.
  explicit Tree(Module& model) {
    std::vector<Place> open{{&model, "", kNone, 0}};
    while (!open.empty()) {
      const Place place = std::move(open.back());
      open.pop_back();
      add(place, open);
    }
  }

  std::vector<ModuleRow> rows;
  std::vector<Ref<Module>> modules;

  std::uint32_t find(const Value& module) const {
    const Module* const one = module.as<Module>();
    const auto found = one == nullptr ? places_.end() : places_.find(one);
    return found == places_.end() ? kNone : found->second;
  }

  // What each module and those below it hold.
  void count() {
    std::vector<Holding> held(rows.size());
    for (std::size_t i = rows.size(); i-- > 0;) {
      ModuleRow& row = rows[i];
      if (row.same_as == kNone) {
        for_each(*modules[i], Registry::Parameters, [&](const Tensor& one) { held[i].add_parameter(one); });
        for_each(*modules[i], Registry::Buffers, [&](const Tensor& one) { held[i].add_buffer(one); });
        held[i].tell(row);
      }
      if (row.parent != kNone) held[row.parent].merge(held[i]);
    }
    std::unordered_set<const Tensor*> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].same_as != kNone) continue;
      for_each(*modules[i], Registry::Parameters, [&](const Tensor& one) {
        if (seen.insert(&one).second) rows[i].own_parameters += static_cast<std::uint64_t>(one.numel());
      });
    }
  }

 private:
  struct Place {
    Module* module;
    std::string path;
    std::uint32_t parent;
    std::uint32_t depth;
  };

  // Adds a row and what is below it to `open`, the first child last.
  void add(const Place& place, std::vector<Place>& open) {
    const auto row = static_cast<std::uint32_t>(rows.size());
    const auto [known, is_new] = places_.try_emplace(place.module, row);
    const std::size_t dot = place.path.rfind('.');
    ModuleRow& made = rows.emplace_back();
    made.path = place.path;
    made.name = dot == std::string::npos ? place.path : place.path.substr(dot + 1);
    made.class_name = place.module->type().name();
    made.parent = place.parent;
    made.depth = place.depth;
    if (!is_new) made.same_as = known->second;
    modules.emplace_back(place.module);
    object::Dict* const children = is_new ? place.module->filled_registry(Registry::Modules) : nullptr;
    if (children == nullptr) return;
    const std::size_t first = open.size();
    for (std::size_t at = 0; const object::Dict::Entry* entry = children->next(at);) {
      const auto* const name = entry->key.as<object::Str>();
      Module* const child = entry->value.as<Module>();
      if (name == nullptr || child == nullptr) continue;
      std::string path = place.path.empty() ? std::string() : place.path + ".";
      path += name->view();
      open.push_back({child, std::move(path), row, place.depth + 1});
    }
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
  }

  template <class Use>
  static void for_each(Module& module, Registry registry, const Use& use) {
    object::Dict* const held = module.filled_registry(registry);
    if (held == nullptr) return;
    for (std::size_t at = 0; const object::Dict::Entry* entry = held->next(at);) {
      if (const Tensor* const one = entry->value.as<Tensor>()) use(*one);
    }
  }

  std::unordered_map<const Module*, std::uint32_t> places_;
};

// Sees calls of modules and ops while it lives.
class Watch final : public ops::OpObserver {
 public:
  Watch(Interpreter& interpreter, Tree& tree)
      : interpreter_(interpreter), tree_(tree), observer_before_(ops::OpLibrary::of(interpreter).observer) {
    enter_ = nn::register_module_forward_pre_hook(
        interpreter,
        Value(interpreter.function("enter(module, args)", [this](Interpreter&, nn::Args a) -> PyResult<Value> {
          enter(a[0]);
          return Value();
        })));
    leave_ = nn::register_module_forward_hook(
        interpreter,
        Value(interpreter.function("leave(module, args, kwargs, result=absent)",
                                   [this](Interpreter&, nn::Args a) -> PyResult<Value> {
                                     leave(a);
                                     return Value();
                                   })),
        {.prepend = false, .with_kwargs = true, .always_call = true});
    ops::OpLibrary::of(interpreter).observer = this;
  }
  ~Watch() override {
    ops::OpLibrary::of(interpreter_).observer = observer_before_;
    enter_->remove();
    leave_->remove();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void ran(const ops::OpCall& call) override {
    const std::uint64_t flops = ops::flops_of(call);
    if (flops == 0) return;
    // A module that calls itself counts once.
    std::unordered_set<std::uint32_t> counted;
    for (const Running& one : running_) {
      if (one.row != kNone && counted.insert(one.row).second) tree_.rows[one.row].flops += flops;
    }
  }

  std::uint64_t leaf_output_bytes = 0;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::uint32_t row;
    Clock::time_point since;
  };

  void enter(const Value& module) { running_.push_back({tree_.find(module), Clock::now()}); }

  // The innermost call is over.
  void add_time() {
    const Running ended = running_.back();
    running_.pop_back();
    const auto is_same = [&](const Running& one) { return one.row == ended.row; };
    if (ended.row == kNone || std::any_of(running_.begin(), running_.end(), is_same)) return;
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - ended.since);
    tree_.rows[ended.row].nanoseconds += static_cast<std::uint64_t>(took.count());
  }

  // After an exception the keywords are not handed over: then the third argument is the result.
  void leave(nn::Args a) {
    if (!running_.empty()) add_time();
    const std::uint32_t at = tree_.find(a[0]);
    if (at == kNone || a[3].is_absent()) return;
    ModuleRow& row = tree_.rows[at];
    std::vector<TensorSpec> outputs;
    add_specs(a[3], outputs);
    std::uint64_t bytes = 0;
    for (const TensorSpec& one : outputs) bytes += one.bytes();
    row.output_bytes += bytes;
    if (tree_.modules[at]->filled_registry(Registry::Modules) == nullptr) leaf_output_bytes += bytes;
    if (row.calls++ > 0) return;
    add_specs(a[1], row.inputs);
    add_specs(a[2], row.inputs);
    row.outputs = std::move(outputs);
  }

  Interpreter& interpreter_;
  Tree& tree_;
  Ref<nn::RemovableHandle> enter_, leave_;
  ops::OpObserver* observer_before_;
  std::vector<Running> running_;
};

}  // namespace

std::uint64_t TensorSpec::bytes() const {
  std::uint64_t items = 1;
  for (const std::int64_t size : shape) items *= static_cast<std::uint64_t>(size);
  return items * tensor::item_bytes(dtype);
}

PyResult<Summary> summarize(Interpreter& interpreter, Module& model, const object::Arguments& arguments) {
  Summary made;
  Tree tree(model);
  {
    Watch watch(interpreter, tree);
    NNS_TRY(interpreter.call(Value(&model), arguments.positional, arguments.keywords));
    made.leaf_output_bytes = watch.leaf_output_bytes;
  }
  // Lazy modules know their parameters only now.
  tree.count();
  for (const Value& one : arguments.positional) add_specs(one, made.inputs);
  for (const object::Keyword& one : arguments.keywords) add_specs(one.value, made.inputs);
  // Other places of a module tell the same.
  for (ModuleRow& row : tree.rows) {
    if (row.same_as == kNone) continue;
    const ModuleRow& first = tree.rows[row.same_as];
    row.inputs = first.inputs;
    row.outputs = first.outputs;
  }
  made.rows = std::move(tree.rows);
  return made;
}

}  // namespace nns::summary
