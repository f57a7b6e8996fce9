#include "core/optim/momentum_cycle.h"

#include "core/object/operations.h"

namespace nns::optim {

PyResult<MomentumBounds> begin_momentum_cycle(const SchedulerSelf& self, const Value& least, const Value& most,
                                              bool is_new) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value owner, self.optimizer());
  NNS_TRY_ASSIGN(Optimizer* const optimizer, require_optimizer(in, owner));
  NNS_TRY_ASSIGN(Dict* const defaults, optimizer->defaults());
  const bool uses_beta1 = defaults->find("betas") != nullptr;
  if (!uses_beta1 && defaults->find("momentum") == nullptr) {
    return object::value_error(in, "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
  }
  self.set("use_beta1", Value(uses_beta1));
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  MomentumBounds bounds;
  NNS_TRY_ASSIGN(bounds.least, one_for_each_group(in, "base_momentum", groups.size(), least));
  NNS_TRY_ASSIGN(bounds.most, one_for_each_group(in, "max_momentum", groups.size(), most));
  for (std::size_t i = 0; is_new && i < groups.size(); ++i) {
    NNS_TRY(set_momentum(in, *groups[i], uses_beta1, bounds.most[i]));
    groups[i]->set(in.intern("max_momentum"), bounds.most[i]);
    groups[i]->set(in.intern("base_momentum"), bounds.least[i]);
  }
  return bounds;
}

PyResult<void> set_momentum(Interpreter& interpreter, Dict& group, bool uses_beta1, const Value& momentum) {
  if (!uses_beta1) {
    group.set(interpreter.intern("momentum"), momentum);
    return {};
  }
  const Name name = interpreter.intern("betas");
  const Value* found = group.find(name);
  if (found == nullptr) return object::key_error(interpreter, name.value());
  NNS_TRY_ASSIGN(std::vector<Value> betas, object::to_vector(interpreter, Value(*found)));
  if (!betas.empty()) betas[0] = momentum;
  group.set(name, Value(interpreter.tuple(std::move(betas))));
  return {};
}

}  // namespace nns::optim
