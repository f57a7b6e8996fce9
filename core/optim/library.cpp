#include "core/optim/library.h"

#include "core/nn/library.h"
#include "core/object/default_dict.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/swa_utils.h"

namespace nns::optim {
namespace {

Ref<object::Object> make_optimizer_object(Class& cls) { return object::make<Optimizer>(cls); }

}  // namespace

OptimLibrary::OptimLibrary(Interpreter& interpreter)
    : step_pre_hooks_(interpreter.ordered_dict()), step_post_hooks_(interpreter.ordered_dict()) {
#define NNS_NAME(id, text) names.id = interpreter.intern(text);
#include "core/optim/names.def"
#undef NNS_NAME
}

OptimLibrary& OptimLibrary::make(Interpreter& interpreter) {
  nn::NnLibrary::of(interpreter);
  ops::OpLibrary::of(interpreter);
  OptimLibrary& library = interpreter.extend(std::unique_ptr<OptimLibrary>(new OptimLibrary(interpreter)));
  library.default_dict = &object::define_default_dict(interpreter);
  library.optimizer = &interpreter.define_class(
      {.name = "Optimizer", .module = "torch.optim.optimizer", .make_instance = make_optimizer_object});
  add_optimizer_class(interpreter, library);
  const auto class_of = [&library](std::string_view name) {
    return name == "Optimizer" ? library.optimizer : library.find_class(name);
  };
#define NNS_OPTIMIZER(id, in_module, base)                                                       \
  library.optimizers_[static_cast<std::size_t>(OptimizerId::id)] =                               \
      &interpreter.define_class({.name = #id, .module = in_module, .bases = {class_of(#base)}}); \
  define<OptimizerId::id>(library.optimizer_class(OptimizerId::id));
#include "core/optim/optimizers.def"
#undef NNS_OPTIMIZER
  library.lr_scheduler = &interpreter.define_class({.name = "LRScheduler", .module = "torch.optim.lr_scheduler"});
  add_scheduler_class(*library.lr_scheduler);
#define NNS_SCHEDULER(id, in_module, base)                                                                            \
  library.schedulers_.push_back(                                                                                      \
      &interpreter.define_class({.name = #id, .module = in_module, .bases = {library.find_scheduler_class(#base)}})); \
  define_scheduler<SchedulerId::id>(*library.schedulers_.back());
#include "core/optim/schedulers.def"
#undef NNS_SCHEDULER
  library.averaged_model = &make_averaged_model_class(interpreter);
  // Where a program imports them.
  const auto add_to = [&interpreter](std::string_view module, Class& cls) {
    ops::python_module(interpreter, module)
        .set(interpreter.intern(cls.name()), Value(static_cast<object::Object*>(&cls)));
  };
  // Behaviour: torch/optim/optimizer.py, register_optimizer_step_pre_hook and _post_hook, which fill them.
  Dict& optimizer_module = ops::python_module(interpreter, "torch.optim.optimizer");
  optimizer_module.set(interpreter.intern(kGlobalPreHooks), Value(&library.step_pre_hooks()));
  optimizer_module.set(interpreter.intern(kGlobalPostHooks), Value(&library.step_post_hooks()));
  add_to("torch.optim", *library.optimizer);
  for (Class* cls : library.optimizers_) add_to("torch.optim", *cls);
  add_to("torch.optim.lr_scheduler", *library.lr_scheduler);
  for (Class* cls : library.schedulers_) add_to(cls->module(), *cls);
  add_to("torch.optim.swa_utils", *library.averaged_model);
  return library;
}

Class* OptimLibrary::find_class(std::string_view name) const {
  if (name == "Optimizer") return optimizer;
  for (Class* cls : optimizers_) {
    if (cls != nullptr && cls->name() == name) return cls;
  }
  return nullptr;
}

Class* OptimLibrary::find_scheduler_class(std::string_view name) const {
  if (name == "LRScheduler") return lr_scheduler;
  for (Class* cls : schedulers_) {
    if (cls->name() == name) return cls;
  }
  return nullptr;
}

}  // namespace nns::optim
