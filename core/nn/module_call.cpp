#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/nn/backward_hook.h"
#include "core/nn/module.h"
#include "core/nn/module_events.h"
#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/ops/training_observer.h"
#include "core/tensor/capture.h"

namespace nns::nn {
namespace {

constexpr Registry kCallTables[] = {Registry::BackwardHooks, Registry::BackwardPreHooks, Registry::ForwardHooks,
                                    Registry::ForwardPreHooks};

// One call with hooks: the arguments and the result as the hooks leave them.
class HookedCall {
 public:
  // `arguments` outlives the call.
  HookedCall(Module& module, const object::Arguments& arguments)
      : in_(module.interpreter()),
        library_(NnLibrary::of(in_)),
        self_(&module),
        positional_(arguments.positional),
        keywords_(arguments.keywords) {}

  // Behaviour: Module._call_impl, inner.
  PyResult<Value> run() {
    Module& module = *as_module(self_);
    // 1. Forward pre-hooks: global ones first, then the module's own.
    if (Dict& global = library_.hooks(GlobalHooks::ForwardPre); !global.empty()) {
      for (const auto& [id, hook] : snapshot(global)) {
        NNS_TRY(run_pre_hook("_global_forward_pre_hooks", id, hook, false));
      }
    }
    if (Dict* own = module.filled_registry(Registry::ForwardPreHooks)) {
      const Ref<Dict> with_kwargs(module.filled_registry(Registry::ForwardPreHooksWithKwargs));
      for (const auto& [id, hook] : snapshot(*own)) {
        NNS_TRY(run_pre_hook("_forward_pre_hooks", id, hook, is_in(with_kwargs, id)));
      }
    }
    // 2. Full backward hooks see the gradients at the arguments. 3. forward. 4. Forward hooks, as before it.
    NNS_TRY(find_backward_hooks(module));
    if (backward_) {
      std::vector<Value> seen(positional_.begin(), positional_.end());
      NNS_TRY(backward_->setup_input_hook(seen));
      take_positional(std::move(seen));
    }
    NNS_TRY_ASSIGN(result_, module.call_forward({positional_, keywords_}));
    if (Dict& global = library_.hooks(GlobalHooks::Forward); !global.empty()) {
      for (const auto& [id, hook] : snapshot(global)) {
        if (library_.hooks(GlobalHooks::ForwardAlwaysCalled).contains(Value(id))) called_global_.push_back(id);
        const bool with_kwargs = library_.hooks(GlobalHooks::ForwardWithKwargs).contains(Value(id));
        NNS_TRY(run_forward_hook("_global_forward_hooks", id, hook, with_kwargs));
      }
    }
    if (Dict* own = module.filled_registry(Registry::ForwardHooks)) {
      const Ref<Dict> always_called(module.filled_registry(Registry::ForwardHooksAlwaysCalled));
      const Ref<Dict> with_kwargs(module.filled_registry(Registry::ForwardHooksWithKwargs));
      for (const auto& [id, hook] : snapshot(*own)) {
        if (is_in(always_called, id)) called_own_.push_back(id);
        NNS_TRY(run_forward_hook("_forward_hooks", id, hook, is_in(with_kwargs, id)));
      }
    }
    // 5. Full backward hooks see the gradients at the result. 6. Those of the old kind sit on its node.
    if (backward_) {
      if (result_.as<Tensor>() == nullptr && result_.as<object::Tuple>() == nullptr) {
        NNS_TRY_ASSIGN(const std::string shown,
                       object::str(in_, Value(static_cast<object::Object*>(&in_.type_of(result_)))));
        in_.warn(object::ErrorKind::UserWarning,
                 fmt::format("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                             "but received {}",
                             shown));
      }
      NNS_TRY_ASSIGN(result_, backward_->setup_output_hook(result_));
    }
    if (!legacy_hooks_.empty()) {
      NNS_TRY(attach_legacy_hooks(in_, self_, legacy_hooks_, positional_, result_));
    }
    return result_;
  }

  // After an exception: the always-call hooks that have not run yet. Their own exceptions become warnings.
  void run_always_called() {
    Module& module = *as_module(self_);
    for (const auto& [id, hook] : snapshot(library_.hooks(GlobalHooks::Forward))) {
      if (!library_.hooks(GlobalHooks::ForwardAlwaysCalled).contains(Value(id)) || was_called(called_global_, id)) {
        continue;
      }
      silence(run_forward_hook("_global_forward_hooks", id, hook, false), "global module");
    }
    Dict* own = module.filled_registry(Registry::ForwardHooks);
    if (own == nullptr) return;
    const Ref<Dict> always_called(module.filled_registry(Registry::ForwardHooksAlwaysCalled));
    const Ref<Dict> with_kwargs(module.filled_registry(Registry::ForwardHooksWithKwargs));
    for (const auto& [id, hook] : snapshot(*own)) {
      if (!is_in(always_called, id) || was_called(called_own_, id)) continue;
      silence(run_forward_hook("_forward_hooks", id, hook, is_in(with_kwargs, id)), "module");
    }
  }

 private:
  // Behaviour: Module._get_backward_hooks and _get_backward_pre_hooks.
  PyResult<void> find_backward_hooks(Module& module) {
    std::vector<BackwardHook::Entry> full, before;
    const auto add_all = [](std::string_view name, Dict& table, std::vector<BackwardHook::Entry>& to) {
      for (const auto& [id, hook] : snapshot(table)) to.push_back({name, id, hook});
    };
    const auto add_legacy = [this](Dict& table) {
      for (const auto& [id, hook] : snapshot(table)) legacy_hooks_.push_back(hook);
    };
    const Value& global_kind = library_.global_is_full_backward_hook;
    add_all("_global_backward_pre_hooks", library_.hooks(GlobalHooks::BackwardPre), before);
    if (Dict* own = module.filled_registry(Registry::BackwardPreHooks)) add_all("_backward_pre_hooks", *own, before);
    if (global_kind.is_bool()) {
      Dict& global = library_.hooks(GlobalHooks::Backward);
      if (global_kind.as_bool()) {
        add_all("_global_backward_hooks", global, full);
      } else {
        add_legacy(global);
      }
    }
    if (Dict* own = module.filled_registry(Registry::BackwardHooks)) {
      const Value* kind = module.dict_if_made()->find(library_.key(Registry::IsFullBackwardHook));
      const bool is_full = kind != nullptr && kind->is_bool() && kind->as_bool();
      if (is_full) {
        add_all("_backward_hooks", *own, full);
      } else {
        add_legacy(*own);
      }
    }
    if (!full.empty() || !before.empty()) {
      backward_ = object::make<BackwardHook>(self_, std::move(full), std::move(before));
    }
    return {};
  }

  static bool was_called(const std::vector<std::int64_t>& called, std::int64_t id) {
    return std::find(called.begin(), called.end(), id) != called.end();
  }

  // Whether a table beside that of the hooks names this one; null: it is empty.
  static bool is_in(const Ref<Dict>& side, std::int64_t id) { return side && side->contains(Value(id)); }

  void report(std::string_view table, std::int64_t id) { tell_hook_fires(*as_module(self_), table, id); }

  // The same tuple for all hooks between two changes.
  const Value& arguments_tuple() {
    if (tuple_.is_none()) tuple_ = Value(in_.tuple({positional_.begin(), positional_.end()}));
    return tuple_;
  }

  void take_positional(std::vector<Value> positional) {
    changed_positional_ = std::move(positional);
    positional_ = changed_positional_;
    tuple_ = Value();
  }

  Value keywords_dict() {
    const Ref<Dict> dict = in_.dict();
    for (const Keyword& keyword : keywords_) dict->set(keyword.name, keyword.value);
    return Value(dict);
  }

  // What a pre-hook returned becomes the arguments: *args must be iterable, **kwargs a mapping.
  PyResult<void> take_arguments(const Value& arguments, const Value* keywords) {
    const auto forward_name = [this] { return fmt::format("{}.forward", self_.object()->type().full_name()); };
    if (!object::is_iterable(in_, arguments)) {
      return object::type_error(in_, "{}() argument after * must be an iterable, not {}", forward_name(),
                                in_.type_of(arguments).name());
    }
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in_, arguments));
    take_positional(std::move(items));
    if (keywords == nullptr) return {};
    Dict* dict = keywords->as<Dict>();
    if (dict == nullptr) {
      return object::type_error(in_, "{}() argument after ** must be a mapping, not {}", forward_name(),
                                in_.type_of(*keywords).name());
    }
    std::vector<Keyword> changed;
    for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) {
      object::Str* name = entry->key.as<object::Str>();
      if (name == nullptr) return object::type_error(in_, "keywords must be strings");
      changed.push_back({in_.intern(*name), entry->value});
    }
    changed_keywords_ = std::move(changed);
    keywords_ = changed_keywords_;
    return {};
  }

  PyResult<void> run_pre_hook(std::string_view table, std::int64_t id, const Value& hook, bool with_kwargs) {
    report(table, id);
    if (with_kwargs) {
      NNS_TRY_ASSIGN(const Value answer, in_.call(hook, {self_, arguments_tuple(), keywords_dict()}));
      if (answer.is_none()) return {};
      const auto* pair = answer.as<object::Tuple>();
      if (pair == nullptr || pair->size() != 2) {
        NNS_TRY_ASSIGN(const std::string shown, object::str(in_, answer));
        return object::runtime_error(
            in_, "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {}.", shown);
      }
      return take_arguments((*pair)[0], &(*pair)[1]);
    }
    NNS_TRY_ASSIGN(const Value answer, in_.call(hook, {self_, arguments_tuple()}));
    if (answer.is_none()) return {};
    if (answer.as<object::Tuple>() != nullptr) return take_arguments(answer, nullptr);
    take_positional({answer});
    return {};
  }

  PyResult<void> run_forward_hook(std::string_view table, std::int64_t id, const Value& hook, bool with_kwargs) {
    report(table, id);
    NNS_TRY_ASSIGN(const Value answer, with_kwargs
                                           ? in_.call(hook, {self_, arguments_tuple(), keywords_dict(), result_})
                                           : in_.call(hook, {self_, arguments_tuple(), result_}));
    if (!answer.is_none()) result_ = answer;
    return {};
  }

  void silence(const PyResult<void>& outcome, std::string_view kind) {
    if (outcome.ok()) return;
    in_.warn(object::ErrorKind::UserWarning,
             fmt::format("{} forward hook with ``always_call=True`` raised an exception that was silenced as another "
                         "error was raised in forward: {}",
                         kind, outcome.error().message()));
  }

  Interpreter& in_;
  NnLibrary& library_;
  Value self_;
  // The caller's, until a hook gives others.
  std::span<const Value> positional_;
  std::span<const Keyword> keywords_;
  std::vector<Value> changed_positional_;
  std::vector<Keyword> changed_keywords_;
  Value tuple_;
  Value result_;
  std::vector<std::int64_t> called_global_, called_own_;
  Ref<BackwardHook> backward_;
  std::vector<Value> legacy_hooks_;
};

// With anomaly detection, ops note in which modules they are recorded.
class RunningModule {
 public:
  explicit RunningModule(const Module& module) : library_(ops::OpLibrary::of(module.interpreter())) {
    library_.running_modules.emplace_back(module.type().name());
  }
  ~RunningModule() { library_.running_modules.pop_back(); }
  RunningModule(const RunningModule&) = delete;
  RunningModule& operator=(const RunningModule&) = delete;

 private:
  ops::OpLibrary& library_;
};

}  // namespace

Module::CallParts Module::call_parts() const {
  CallParts parts;
  const Dict* const own = dict_if_made();
  if (own == nullptr) return {.has_own_names = true};
  know_names(*own);
  for (const Registry table : kCallTables) {
    const Value* const found = find_registry(table);
    if (found == nullptr) [[unlikely]] {
      parts.has_own_names = true;
    } else if (!found->is_empty_container()) {
      const Dict* const dict = found->as<Dict>();
      parts.has_hooks = parts.has_hooks || dict == nullptr || !dict->empty();
    }
  }
  parts.has_own_names = parts.has_own_names || names_.has_forward || names_.has_compiled_call;
  return parts;
}

void Module::replace_dict(Ref<Dict> dict) {
  names_ = {};
  Instance::replace_dict(std::move(dict));
}

void Module::drop_uncopied(Dict& state) const { state.erase(NnLibrary::of(interpreter()).names.compiled_call_impl); }

PyResult<Value> Module::call(const object::Arguments& arguments) {
  if (NnLibrary::of(interpreter()).leaves_to_module(type(), NnLibrary::Way::Call)) [[likely]] {
    return wrapped_call_impl(arguments);
  }
  return Instance::call(arguments);
}

// Behaviour: Module._wrapped_call_impl and _call_impl.
PyResult<Value> Module::run_call(const object::Arguments& arguments, Entry entry) {
  Interpreter& in = interpreter();
  NnLibrary& library = NnLibrary::of(in);
  const ops::OpLibrary& ops = ops::OpLibrary::of(in);
  ops::TrainingObserver* const training = ops.training;
  const bool is_watched = in.events().watched() || training != nullptr || ops.grad_mode.detects_anomalies;
  const CallParts parts = call_parts();
  // 1. Nobody looks and nobody has a say: forward of the class, at once where that is a function of ours.
  if (!parts.has_own_names && !parts.has_hooks && !is_watched && !library.has_global_call_hooks()) [[likely]] {
    constexpr std::size_t kMostAtHand = 3;
    const std::span<const Value> given = arguments.positional;
    if (library.leaves_to_module(type(), NnLibrary::Way::Read) && given.size() <= kMostAtHand &&
        arguments.keywords.empty()) {
      const Value* const found = type().lookup(in.names().forward);
      auto* const function = found == nullptr ? nullptr : found->as<object::NativeFunction>();
      if (function != nullptr && function->signature().takes_positional(given.size() + 1)) {
        const Interpreter::Depth depth(in);
        if (depth.too_deep()) return in.recursion_error();
        const Value self(this);
        const auto run = [&](std::initializer_list<Value> all) { return function->run(in, {all.begin(), all.size()}); };
        switch (given.size()) {
          case 0:
            return run({self});
          case 1:
            return run({self, given[0]});
          case 2:
            return run({self, given[0], given[1]});
          default:
            return run({self, given[0], given[1], given[2]});
        }
      }
    }
    return call_forward(arguments);
  }
  // 2. What stands in the way of that, in PyTorch's order.
  std::optional<RunningModule> running;
  if (ops.grad_mode.detects_anomalies) [[unlikely]]
    running.emplace(*this);
  if (parts.has_own_names) {
    if (names_.has_compiled_call && entry == Entry::Wrapped) {
      NNS_TRY_ASSIGN(const Value compiled, getattr(library.names.compiled_call_impl));
      if (!compiled.is_none()) return in.call(compiled, arguments.positional, arguments.keywords);
    }
    for (const Registry table : kCallTables) {
      // Where Module.__init__ has not run, reading the table says so.
      if (find_registry(table) == nullptr) NNS_TRY(required_registry(table));
    }
  }
  const bool hooked = parts.has_hooks || library.has_global_call_hooks();
  if (!hooked && !in.events().watched() && training == nullptr) return call_forward(arguments);

  const Ref<Module> alive(this);
  if (training != nullptr) training->module_entered(*this);
  const events::Subject subject =
      in.events().watched() ? events::Subject{in.id_of(*this), type().name()} : events::Subject{};
  in.events().report([&] { return events::CallEntered{subject}; });
  PyResult<Value> result = hooked ? call_with_hooks(arguments) : call_forward(arguments);
  in.events().report([&] { return events::CallLeft{subject, !result.ok()}; });
  if (training != nullptr) training->module_left(*this, result.ok() ? &result.value() : nullptr);
  return result;
}

PyResult<Value> Module::call_with_hooks(const object::Arguments& arguments) {
  tensor::Capture::refuse_current("a hook of a module ran");
  HookedCall call(*this, arguments);
  PyResult<Value> result = call.run();
  if (!result.ok() && result.error().is(object::ErrorKind::Exception)) call.run_always_called();
  return result;
}

PyResult<Value> Module::call_forward(const object::Arguments& arguments) {
  // A class's own __getattribute__ says which function that is.
  const Value* reader = type().lookup(interpreter().names().dunder_getattribute);
  if (reader != nullptr && reader->as<object::NativeFunction>() == nullptr) {
    NNS_TRY_ASSIGN(const Value forward, object::getattr(interpreter(), Value(this), interpreter().names().forward));
    return interpreter().call(forward, arguments.positional, arguments.keywords);
  }
  return interpreter().call_method(Value(this), interpreter().names().forward, arguments.positional,
                                   arguments.keywords);
}

}  // namespace nns::nn
