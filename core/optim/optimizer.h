#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/object/collector.h"
#include "core/object/instance.h"
#include "core/optim/library.h"

namespace nns::optim {

class StepPlan;

/// torch.optim.Optimizer: parameters in groups, each with its options, and what the optimiser keeps for each parameter.
/// Its attributes (`param_groups`, `state`, `defaults`, the tables of hooks) lie in __dict__, where a program may
/// change them; a step reads them anew. Behaviour: torch/optim/optimizer.py.
class Optimizer : public object::Instance {
 public:
  explicit Optimizer(Class& cls);
  ~Optimizer() override;

  /// self.step(closure), as a program calls it.
  PyResult<Value> step(const Value& closure = {});
  /// self.zero_grad(set_to_none).
  PyResult<void> zero_grad(bool set_to_none = true);
  /// self.add_param_group(group).
  PyResult<void> add_param_group(const Value& group);
  PyResult<Value> state_dict();
  PyResult<void> load_state_dict(const Value& state_dict);

  // The attributes. Errors: AttributeError  not there (Optimizer.__init__ has not run); TypeError  of another kind.
  PyResult<List*> param_groups();
  PyResult<Dict*> state();
  PyResult<Dict*> defaults();

  /// The schedulers that were made for it, in their order; some may be gone.
  std::vector<Ref<object::WeakReference>> schedulers;

  /// What the steps of the fused optimisers remember from one to the next; made at the first question.
  StepPlan& plan();

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  PyResult<Value> attribute(Name name);
  std::unique_ptr<StepPlan> plan_;
};

/// Arguments by name.
using Keywords = std::vector<std::pair<std::string_view, Value>>;
/// The same as a call takes them.
std::vector<object::Keyword> keywords_of(Interpreter& interpreter, const Keywords& keywords);

/// torch.optim.<name>(params, **keywords): the class is called as a program calls it.
/// Errors: what its constructor raises; AttributeError  torch.optim has no such class.
PyResult<Ref<Optimizer>> make_optimizer(Interpreter& interpreter, std::string_view name, const Value& params,
                                        const Keywords& keywords = {});

// For the files of the classes.

/// Optimizer.__init__(self, params, defaults).
PyResult<void> init_optimizer(Optimizer& self, const Value& params, Ref<Dict> defaults);
/// Optimizer.__setstate__(self, state).
PyResult<void> set_optimizer_state(Optimizer& self, const Value& state);

/// Wraps type(self).step so that hooks run around it, once a class that has a step of its own.
PyResult<void> patch_step(Optimizer& self);
/// Notes that hooks are run by `cls`'s own step.
void mark_step_hooked(Class& cls);
using StepBody = PyResult<Value> (*)(Optimizer& self, const Value& closure);
/// Runs `body` between the step hooks of `self` and those of all optimisers.
PyResult<Value> step_with_hooks(Optimizer& self, const Value& closure, StepBody body);

/// An empty state: defaultdict(dict).
Ref<Dict> make_state(Interpreter& interpreter);
/// The optimiser that a method was called on.
inline Optimizer& self_of(Args a) { return static_cast<Optimizer&>(*a[0].object()); }
/// closure() with gradients recorded; None where there is none.
PyResult<Value> call_closure(Interpreter& interpreter, const Value& closure);
/// The tensors of group["params"]. Errors: KeyError, TypeError.
PyResult<List*> params_of(Interpreter& interpreter, Dict& group);

}  // namespace nns::optim
