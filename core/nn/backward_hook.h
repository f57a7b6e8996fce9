#pragma once

#include "core/nn/hooks.h"

namespace nns::nn {

/// What the full backward hooks of one call of a module need: identity nodes behind its arguments and its result, which
/// see the gradients on their way.
/// Behaviour: torch/utils/hooks.py, class BackwardHook.
class BackwardHook final : public object::Container {
 public:
  /// A hook, and where it stands: events say so when it runs.
  struct Entry {
    std::string_view table;  ///< a literal: "_backward_hooks"
    std::int64_t id = 0;
    Value hook;
  };
  /// `hooks` and `pre_hooks` as they are now, global ones first.
  BackwardHook(Value module, std::vector<Entry> hooks, std::vector<Entry> pre_hooks);

  /// Passes the tensors among the arguments through an identity node, if one of them requires grad.
  PyResult<void> setup_input_hook(std::vector<Value>& arguments);
  /// The same for what forward gave: a tensor or a tuple.
  PyResult<Value> setup_output_hook(const Value& result);

  /// The gradients at the result arrived: runs the pre-hooks. Returns what goes on.
  PyResult<Value> at_output(const Value& grad_output);
  /// Those at the arguments did: runs the hooks.
  PyResult<Value> at_input(const Value& grad_input);

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  /// Which of some values are tensors; `count` of all of them.
  struct Places {
    std::vector<std::size_t> tensors;
    std::size_t count = 0;
  };
  enum class End : std::uint8_t { Input, Output };
  PyResult<bool> attach(std::vector<Value>& values, End end, Places& places);
  PyResult<Value> fire_without_input_gradients();
  /// A hook is about to run.
  void report(const Entry& entry);

  Value module_;
  std::vector<Entry> hooks_, pre_hooks_;
  Places inputs_, outputs_;
  bool has_input_node_ = false;
  /// The gradients at the result, from their arrival until the hooks ran.
  Value grad_outputs_;
};

/// Registers backward hooks of the old kind on the node that made the result, and warns where they miss something.
/// Behaviour: Module._call_impl and _maybe_warn_non_full_backward_hook.
PyResult<void> attach_legacy_hooks(Interpreter& interpreter, const Value& module, std::span<const Value> hooks,
                                   std::span<const Value> arguments, const Value& result);

}  // namespace nns::nn
