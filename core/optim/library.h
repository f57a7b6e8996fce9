#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "core/object/interpreter.h"
#include "core/tensor/tensor.h"

namespace nns::optim {

using object::Class;
using object::Dict;
using object::Interpreter;
using object::List;
using object::Name;
using object::PyError;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

using Args = std::span<const Value>;

/// The rows of optimizers.def.
enum class OptimizerId : std::uint8_t {
#define NNS_OPTIMIZER(name, module, base) name,
#include "core/optim/optimizers.def"
#undef NNS_OPTIMIZER
  Count
};

enum class SchedulerId : std::uint8_t;

/// The tables of the hooks that all optimisers share, in torch.optim.optimizer.
inline constexpr std::string_view kGlobalPreHooks = "_global_optimizer_pre_hooks";
inline constexpr std::string_view kGlobalPostHooks = "_global_optimizer_post_hooks";

/// What torch.optim needs of an interpreter: its classes, names and the hooks that all optimisers share.
class OptimLibrary final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Optim;

  /// The library of `interpreter`, made at the first question.
  static OptimLibrary& of(Interpreter& interpreter) {
    if (OptimLibrary* made = interpreter.extension<OptimLibrary>()) [[likely]]
      return *made;
    return make(interpreter);
  }

  struct Names {
#define NNS_NAME(id, text) Name id;
#include "core/optim/names.def"
#undef NNS_NAME
  } names;

  /// Carries out the step of an optimiser that gradients flow through (differentiable=True); empty: nobody can.
  std::function<PyResult<void>(object::Object& optimizer)> differentiable_step = {};
  Class* optimizer = nullptr;
  /// collections.defaultdict.
  Class* default_dict = nullptr;
  Class& optimizer_class(OptimizerId id) const { return *optimizers_[static_cast<std::size_t>(id)]; }

  /// A class of torch.optim by name: "Adam"; null if there is none.
  Class* find_class(std::string_view name) const;

  /// torch.optim.swa_utils.AveragedModel.
  Class* averaged_model = nullptr;
  Class* lr_scheduler = nullptr;
  Class& scheduler_class(SchedulerId id) const { return *schedulers_[static_cast<std::size_t>(id)]; }
  /// A class of torch.optim.lr_scheduler by name: "StepLR"; null if there is none.
  Class* find_scheduler_class(std::string_view name) const;

  /// Goes up with each change of a module that a CapturedStep looks at.
  std::uint64_t captured_changes = 0;

  /// register_optimizer_step_pre_hook and _post_hook: hooks that run around the step of every optimiser.
  Dict& step_pre_hooks() { return *step_pre_hooks_; }
  Dict& step_post_hooks() { return *step_post_hooks_; }

 private:
  static OptimLibrary& make(Interpreter& interpreter);
  explicit OptimLibrary(Interpreter& interpreter);

  std::array<Class*, static_cast<std::size_t>(OptimizerId::Count)> optimizers_{};
  /// By SchedulerId.
  std::vector<Class*> schedulers_;
  Ref<Dict> step_pre_hooks_, step_post_hooks_;
};

inline const OptimLibrary::Names& names_of(Interpreter& interpreter) { return OptimLibrary::of(interpreter).names; }

/// Adds the methods of a class of optimizers.def. Each row has its specialisation in the file of its family.
template <OptimizerId id>
void define(Class& cls);
#define NNS_OPTIMIZER(name, module, base) \
  template <>                             \
  void define<OptimizerId::name>(Class & cls);
#include "core/optim/optimizers.def"
#undef NNS_OPTIMIZER

/// torch.optim.Optimizer's own methods; called once each, by OptimLibrary.
void add_optimizer_class(Interpreter& interpreter, OptimLibrary& library);
void add_optimizer_state_methods(Class& cls);

}  // namespace nns::optim
