#include "core/nn/library.h"

#include <algorithm>

#include "core/autograd/python_api.h"
#include "core/nn/layers.h"
#include "core/nn/module.h"
#include "core/ops/overrides.h"
#include "core/ops/python_function.h"

namespace nns::nn {
namespace {

// The tables of hooks that take part in calls.
constexpr std::array kGlobalCallTables = {GlobalHooks::Forward, GlobalHooks::ForwardPre, GlobalHooks::Backward,
                                          GlobalHooks::BackwardPre};

}  // namespace

std::string_view registry_key(Registry registry) {
  static constexpr std::string_view kKeys[] = {
#define NNS_REGISTRY(id, key, start) key,
#include "core/nn/registries.def"
#undef NNS_REGISTRY
  };
  return kKeys[static_cast<std::size_t>(registry)];
}

NnLibrary::NnLibrary(Interpreter& interpreter)
    : fresh_dict_(interpreter.dict()),
      classes_(interpreter.dict()),
      functions_(interpreter.dict()),
      rnn_utilities_(interpreter.dict()) {
#define NNS_NAME(id, text) names.id = interpreter.intern(text);
#include "core/nn/names.def"
#undef NNS_NAME
  std::size_t i = 0;
#define NNS_REGISTRY(id, key, start)  \
  keys_[i] = interpreter.intern(key); \
  fresh_dict_->set(keys_[i++], start);
#include "core/nn/registries.def"
#undef NNS_REGISTRY
  for (Ref<Dict>& table : hooks_) table = interpreter.ordered_dict();
  for (std::size_t k = 0; k < hooks_.size(); ++k) hook_keys_[k] = interpreter.intern(kGlobalHooksNames[k]);
  for (const GlobalHooks table : kGlobalCallTables) hooks_[static_cast<std::size_t>(table)]->watch(&global_changes_);
}

NnLibrary::~NnLibrary() {
  // A program may hold a table for longer.
  for (const GlobalHooks table : kGlobalCallTables) hooks_[static_cast<std::size_t>(table)]->watch(nullptr);
  if (hook_names_) hook_names_->watch(nullptr);
}

void NnLibrary::show_global_hooks(Dict& shown) {
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    shown.set(hook_keys_[i], Value(static_cast<object::Object*>(hooks_[i].get())));
  }
  if (hook_names_) hook_names_->watch(nullptr);
  hook_names_ = Ref<Dict>(&shown);
  hook_names_->watch(&global_changes_);
}

void NnLibrary::look_at_global_hooks() {
  seen_global_changes_ = global_changes_;
  for (std::size_t i = 0; hook_names_ && i < hooks_.size(); ++i) {
    const Value* const now = hook_names_->find(hook_keys_[i]);
    auto* const table = now == nullptr ? nullptr : now->as<Dict>();
    if (table == nullptr || table == hooks_[i].get()) continue;
    const bool is_of_calls = std::find(kGlobalCallTables.begin(), kGlobalCallTables.end(),
                                       static_cast<GlobalHooks>(i)) != kGlobalCallTables.end();
    if (is_of_calls) hooks_[i]->watch(nullptr);
    hooks_[i] = Ref<Dict>(table);
    if (is_of_calls) table->watch(&global_changes_);
  }
  has_global_call_hooks_ = std::any_of(kGlobalCallTables.begin(), kGlobalCallTables.end(), [this](GlobalHooks table) {
    return !hooks_[static_cast<std::size_t>(table)]->empty();
  });
}

Class* NnLibrary::find_class(std::string_view name) const {
  const Value* found = classes_->find(name);
  return found == nullptr ? nullptr : found->as<Class>();
}

std::uint32_t NnLibrary::find_facts(const Class& cls) const {
  const object::Names& of_language = cls.interpreter().names();
  constexpr std::uint32_t kKnown = std::uint32_t{1} << 31U;
  std::uint32_t facts = kKnown;
  const auto note = [&](Way way, bool is_left) {
    facts |= static_cast<std::uint32_t>(is_left) << static_cast<unsigned>(way);
  };
  note(Way::Read,
       is_modules_own(cls, of_language.dunder_getattr) && is_modules_own(cls, of_language.dunder_getattribute));
  const std::pair<Way, Name> methods[] = {{Way::Write, of_language.dunder_setattr},
                                          {Way::Call, of_language.dunder_call},
                                          {Way::RegisterParameter, names.register_parameter},
                                          {Way::RegisterBuffer, names.register_buffer},
                                          {Way::Train, names.train},
                                          {Way::Apply, names.apply_internal},
                                          {Way::StateDict, names.state_dict},
                                          {Way::SaveToStateDict, names.save_to_state_dict},
                                          {Way::GetExtraState, names.get_extra_state},
                                          {Way::LoadFromStateDict, names.load_from_state_dict},
                                          {Way::SetExtraState, names.set_extra_state}};
  for (const auto& [way, name] : methods) note(way, is_modules_own(cls, name));
  cls.remember_facts(facts);
  return facts;
}

namespace {

// Layers of C++ compute without the functions of torch.nn.functional: their forward asks in those functions' place.
void ask_before_forward(Class& cls) {
  ops::ask_before_methods(cls, "forward");
  const std::vector<Class*> derived(cls.subclasses().begin(), cls.subclasses().end());
  for (Class* one : derived) ask_before_forward(*one);
}

}  // namespace

NnLibrary& NnLibrary::make(Interpreter& interpreter) {
  ops::add_python_bindings(interpreter);
  autograd::add_python_bindings(interpreter);
  NnLibrary& library = interpreter.extend(std::unique_ptr<NnLibrary>(new NnLibrary(interpreter)));
  add_hook_classes(interpreter, library);
  add_module_class(interpreter, library);
  add_module_methods(interpreter, library);
  add_module_hook_methods(interpreter, library);
  add_module_state_methods(interpreter, library);
  add_sequential_classes(interpreter, library);
  add_module_dict_class(interpreter, library);
  add_parameter_containers(interpreter, library);
  add_layer_classes(interpreter, library);
  add_lazy_classes(interpreter, library);
  ops::overrides_of(interpreter).when_begun.emplace_back([](Interpreter& in) {
    ask_before_forward(*NnLibrary::of(in).module);
  });
  return library;
}

}  // namespace nns::nn
