#include "core/nn/backward_hook.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nn/module_events.h"
#include "core/object/operations.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

namespace nns::nn {
namespace {

// Gives every gradient on as it came: torch's BackwardHookFunction.
class IdentityNode final : public ops::Node {
 public:
  explicit IdentityNode(Class& cls) : Node(cls) {}
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override {
    return std::vector<Ref<Tensor>>(grads.begin(), grads.end());
  }
};

// What a node calls: one end of a BackwardHook.
class HookEnd final : public object::Container {
 public:
  HookEnd(Interpreter& in, Ref<BackwardHook> hook, bool at_input)
      : Container(*in.builtins().function), hook_(std::move(hook)), at_input_(at_input) {}
  PyResult<Value> call(const object::Arguments& arguments) override {
    const Ref<BackwardHook> hook = hook_;
    return at_input_ ? hook->at_input(arguments.positional[0]) : hook->at_output(arguments.positional[0]);
  }
  void traverse(object::Visitor& visitor) const override { visitor.visit(hook_); }
  void clear_references() override { hook_ = nullptr; }

 private:
  Ref<BackwardHook> hook_;
  bool at_input_;
};

std::vector<Value> as_items(const Value& value) {
  if (const auto* tuple = value.as<object::Tuple>()) return {tuple->items().begin(), tuple->items().end()};
  return {value};
}

// The gradients in their places among `count` values, None in the others.
Value spread(Interpreter& in, std::span<const std::size_t> places, const Value& grads, std::size_t count) {
  std::vector<Value> items(count);
  const auto& tuple = *grads.as<object::Tuple>();
  for (std::size_t i = 0; i < places.size() && i < tuple.size(); ++i) items[places[i]] = tuple[i];
  return Value(in.tuple(std::move(items)));
}
Value gather(Interpreter& in, std::span<const std::size_t> places, const Value& spread) {
  std::vector<Value> items;
  for (const std::size_t place : places) items.push_back((*spread.as<object::Tuple>())[place]);
  return Value(in.tuple(std::move(items)));
}

// What a hook returned in place of `before`, which has as many items.
PyResult<Value> replaced(Interpreter& in, const Value& made, const Value& before, std::string_view kind,
                         std::string_view what) {
  if (made.is_none()) return before;
  const std::size_t expected = before.as<object::Tuple>()->size();
  std::vector<Value> items = as_items(made);
  if (items.size() != expected) {
    return object::runtime_error(in, "Backward {} returned an invalid number of {}, got {}, but expected {}", kind,
                                 what, items.size(), expected);
  }
  return Value(in.tuple(std::move(items)));
}

}  // namespace

BackwardHook::BackwardHook(Value module, std::vector<Entry> hooks, std::vector<Entry> pre_hooks)
    : Container(*module.object()->interpreter().builtins().object),
      module_(std::move(module)),
      hooks_(std::move(hooks)),
      pre_hooks_(std::move(pre_hooks)) {}

void BackwardHook::report(const Entry& entry) { tell_hook_fires(*as_module(module_), entry.table, entry.id); }

PyResult<bool> BackwardHook::attach(std::vector<Value>& values, End end, Places& places) {
  Interpreter& in = module_.object()->interpreter();
  places = {{}, values.size()};
  bool asks_gradient = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Tensor* const one = values[i].as<Tensor>();
    if (one == nullptr) continue;
    places.tensors.push_back(i);
    asks_gradient = asks_gradient || ops::needs_gradient(*one);
  }
  if (!asks_gradient || !ops::OpLibrary::of(in).grad_mode.is_enabled) return false;
  const auto node = object::make<IdentityNode>(ops::node_class(in, "BackwardHookFunctionBackward"));
  for (const std::size_t i : places.tensors) {
    Tensor& before = *values[i].as<Tensor>();
    NNS_TRY_ASSIGN(ops::Edge edge, ops::gradient_edge(before));
    const bool is_asked = static_cast<bool>(edge.node);
    node->next.push_back(std::move(edge));
    Ref<Tensor> passed = tensor::detach(before);
    if (is_asked) {
      tensor::AutogradMeta& meta = passed->autograd_meta();
      meta.view_base = Ref<Tensor>(&before);
      meta.view_version = passed->version();
      meta.view_origin = tensor::ViewOrigin::CustomFunction;
      passed->set_grad_fn(Ref<object::Object>(node.get()), static_cast<std::uint32_t>(node->outputs.size()));
    }
    node->outputs.push_back({before.shape(), before.strides(), before.offset(), before.dtype(), before.device()});
    values[i] = Value(std::move(passed));
  }
  Ref<Dict>& table = end == End::Input ? node->post_hooks : node->pre_hooks;
  table = in.ordered_dict();
  // These are torch's own hooks: they take ids of the common counter, too. Below 0 nobody is told of them.
  table->set(Value(-1 - in.next_hook_id()),
             Value(object::make<HookEnd>(in, Ref<BackwardHook>(this), end == End::Input)));
  return true;
}

PyResult<void> BackwardHook::setup_input_hook(std::vector<Value>& arguments) {
  NNS_TRY_ASSIGN(has_input_node_, attach(arguments, End::Input, inputs_));
  return {};
}

PyResult<Value> BackwardHook::setup_output_hook(const Value& result) {
  Interpreter& in = module_.object()->interpreter();
  const bool is_tuple = result.as<object::Tuple>() != nullptr;
  std::vector<Value> items = as_items(result);
  NNS_TRY(attach(items, End::Output, outputs_));
  if (!is_tuple) return items[0];
  // A named tuple stays one.
  Class& cls = in.type_of(result);
  if (&cls != in.builtins().tuple) return in.call(Value(static_cast<object::Object*>(&cls)), items);
  return Value(in.tuple(std::move(items)));
}

PyResult<Value> BackwardHook::at_output(const Value& grad_output) {
  Interpreter& in = module_.object()->interpreter();
  grad_outputs_ = spread(in, outputs_.tensors, grad_output, outputs_.count);
  for (const Entry& entry : pre_hooks_) {
    report(entry);
    NNS_TRY_ASSIGN(const Value made, in.call(entry.hook, {module_, grad_outputs_}));
    NNS_TRY_ASSIGN(grad_outputs_, replaced(in, made, grad_outputs_, "pre hook", "grad_output"));
  }
  const Value seen = grad_outputs_;
  if (!has_input_node_) NNS_TRY(fire_without_input_gradients());
  return gather(in, outputs_.tensors, seen);
}

PyResult<Value> BackwardHook::fire_without_input_gradients() {
  Interpreter& in = module_.object()->interpreter();
  const Value nothing(in.tuple(std::vector<Value>(inputs_.count)));
  if (!hooks_.empty()) {
    in.warn(object::ErrorKind::UserWarning,
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_"
            "hook for more details.");
  }
  for (const Entry& entry : hooks_) {
    report(entry);
    NNS_TRY_ASSIGN(const Value made, in.call(entry.hook, {module_, nothing, grad_outputs_}));
    if (made.is_none()) continue;
    const auto* tuple = made.as<object::Tuple>();
    const bool is_empty = tuple != nullptr && std::all_of(tuple->items().begin(), tuple->items().end(),
                                                          [](const Value& item) { return item.is_none(); });
    if (!is_empty) {
      return object::runtime_error(
          in,
          "Backward hook for Modules where no input requires gradient should always return None "
          "or None for all gradients.");
    }
  }
  grad_outputs_ = Value();
  return Value();
}

PyResult<Value> BackwardHook::at_input(const Value& grad_input) {
  // The result's gradient did not come this way: the hooks have nothing to show.
  if (grad_outputs_.is_none()) return Value();
  Interpreter& in = module_.object()->interpreter();
  Value grads = spread(in, inputs_.tensors, grad_input, inputs_.count);
  for (const Entry& entry : hooks_) {
    report(entry);
    NNS_TRY_ASSIGN(const Value made, in.call(entry.hook, {module_, grads, grad_outputs_}));
    NNS_TRY_ASSIGN(grads, replaced(in, made, grads, "hook", "grad_input"));
  }
  grad_outputs_ = Value();
  return gather(in, inputs_.tensors, grads);
}

void BackwardHook::traverse(object::Visitor& visitor) const {
  visitor.visit(module_);
  for (const Entry& entry : hooks_) visitor.visit(entry.hook);
  for (const Entry& entry : pre_hooks_) visitor.visit(entry.hook);
  visitor.visit(grad_outputs_);
}

void BackwardHook::clear_references() {
  module_ = grad_outputs_ = Value();
  hooks_.clear();
  pre_hooks_.clear();
}

namespace {

// A hook of the old kind with its module in front: hook(module, grad_input, grad_output).
Value with_module(Interpreter& in, const Value& hook, const Value& module) {
  return in.function("hook(grad_input, grad_output)", [hook, module](Interpreter& inner, Args a) {
    return inner.call(hook, {module, a[0], a[1]});
  });
}

// The nodes that made the tensors; leaves have none.
PyResult<std::vector<ops::Node*>> makers_of(std::span<const Value> values) {
  std::vector<ops::Node*> makers;
  for (const Value& value : values) {
    Tensor* const tensor = value.as<Tensor>();
    if (tensor == nullptr) continue;
    NNS_TRY_ASSIGN(const Ref<ops::Node> node, ops::grad_node(*tensor));
    if (node && std::find(makers.begin(), makers.end(), node.get()) == makers.end()) makers.push_back(node.get());
  }
  return makers;
}

bool are_tensors(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(), [](const Value& value) { return value.as<Tensor>() != nullptr; });
}

constexpr std::string_view kUseFull = " Please use register_full_backward_hook to get the documented behavior.";

PyResult<void> warn_if_incomplete(Interpreter& in, std::span<const Value> arguments, const Value& result,
                                  ops::Node& node) {
  const auto warn = [&in](std::string_view start, std::string_view missing, std::string_view end) {
    in.warn(object::ErrorKind::FutureWarning,
            fmt::format("{} is deprecated and will be removed in future versions. This hook will be missing some {}.{}",
                        start, missing, end));
  };
  const std::vector<Value> results = as_items(result);
  if (!are_tensors(results)) {
    warn("Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors",
         "of the grad_output", kUseFull);
    return {};
  }
  if (!are_tensors(arguments)) {
    warn("Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors",
         "of the grad_input", kUseFull);
    return {};
  }
  NNS_TRY_ASSIGN(const std::vector<ops::Node*> made, makers_of(results));
  if (made.empty() || (made.size() == 1 && made[0] != &node)) {
    warn("Using a non-full backward hook when outputs are nested in python data structure", "grad_output", "");
    return {};
  }
  if (made.size() > 1) {
    warn("Using a non-full backward hook when outputs are generated by different autograd Nodes", "grad_output",
         kUseFull);
    return {};
  }
  NNS_TRY_ASSIGN(std::vector<ops::Node*> taken, makers_of(arguments));
  std::vector<ops::Node*> next;
  for (const ops::Edge& edge : node.next) {
    if (std::find(next.begin(), next.end(), edge.node.get()) == next.end()) next.push_back(edge.node.get());
  }
  std::sort(taken.begin(), taken.end());
  std::sort(next.begin(), next.end());
  if (taken != next) {
    warn("Using a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input", kUseFull);
  }
  return {};
}

}  // namespace

PyResult<void> attach_legacy_hooks(Interpreter& interpreter, const Value& module, std::span<const Value> hooks,
                                   std::span<const Value> arguments, const Value& result) {
  Value found = result;
  while (found.as<Tensor>() == nullptr) {
    if (Dict* dict = found.as<Dict>()) {
      Value inner = Value::absent();
      for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) {
        if (inner.is_absent() && entry->value.as<Tensor>() != nullptr) inner = entry->value;
      }
      if (inner.is_absent()) return object::make_error(interpreter, object::ErrorKind::StopIteration, "");
      found = inner;
    } else {
      NNS_TRY_ASSIGN(found, object::getitem(interpreter, Value(found), Value(0)));
    }
  }
  NNS_TRY_ASSIGN(const Ref<ops::Node> node, ops::grad_node(*found.as<Tensor>()));
  if (!node) return {};
  for (const Value& hook : hooks) {
    if (!node->post_hooks) node->post_hooks = interpreter.ordered_dict();
    node->post_hooks->set(Value(interpreter.next_hook_id()), with_module(interpreter, hook, module));
  }
  return warn_if_incomplete(interpreter, arguments, result, *node);
}

}  // namespace nns::nn
