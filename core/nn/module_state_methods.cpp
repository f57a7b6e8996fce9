#include <fmt/format.h>

#include "core/nn/arguments.h"
#include "core/nn/state_dict.h"

namespace nns::nn {
namespace {

using object::List;
using object::Tuple;

PyResult<Ref<List>> list_of(Interpreter& in, const Value& value) {
  if (List* list = value.as<List>()) return Ref<List>(list);
  return object::type_error(in, "expected list, not {}", in.type_of(value).name());
}

// Behaviour: Module.state_dict: destination, prefix, keep_vars also by position.
PyResult<Value> state_dict(Interpreter& in, Args a) {
  const auto& positional = *a[1].as<Tuple>();
  const Value destination = positional.size() > 0 ? positional[0] : a[2];
  NNS_TRY_ASSIGN(const std::string prefix, text_of(in, positional.size() > 1 ? positional[1] : a[3]));
  NNS_TRY_ASSIGN(const bool keep_vars, object::truth(in, positional.size() > 2 ? positional[2] : a[4]));
  return state_dict_into(self_of(a), destination, prefix, keep_vars);
}

PyResult<Value> load_from(Interpreter& in, Args a) {
  Dict* values = a[1].as<Dict>();
  Dict* metadata = a[3].as<Dict>();
  if (values == nullptr || metadata == nullptr) {
    return object::type_error(in, "_load_from_state_dict expects dicts for state_dict and local_metadata");
  }
  NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[2]));
  NNS_TRY_ASSIGN(const bool strict, object::truth(in, a[4]));
  LoadReport report;
  NNS_TRY_ASSIGN(report.missing_keys, list_of(in, a[5]));
  NNS_TRY_ASSIGN(report.unexpected_keys, list_of(in, a[6]));
  NNS_TRY_ASSIGN(report.error_messages, list_of(in, a[7]));
  NNS_TRY(load_from_state_dict(self_of(a), *values, prefix, *metadata, strict, report));
  return Value();
}

void add_incompatible_keys(Interpreter& interpreter, NnLibrary& library) {
  library.incompatible_keys = &interpreter.define_class(
      {.name = "_IncompatibleKeys", .module = "torch.nn.modules.module", .bases = {interpreter.builtins().tuple}});
  Class& cls = *library.incompatible_keys;
  cls.property("missing_keys",
               [](Interpreter&, const Value& self) -> PyResult<Value> { return (*self.as<Tuple>())[0]; });
  cls.property("unexpected_keys",
               [](Interpreter&, const Value& self) -> PyResult<Value> { return (*self.as<Tuple>())[1]; });
  const auto text = [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tuple& self = *a[0].as<Tuple>();
    if (self[0].as<List>()->size() == 0 && self[1].as<List>()->size() == 0) {
      return in.text("<All keys matched successfully>");
    }
    NNS_TRY_ASSIGN(const std::string missing, object::repr(in, self[0]));
    NNS_TRY_ASSIGN(const std::string unexpected, object::repr(in, self[1]));
    return in.text(fmt::format("_IncompatibleKeys(missing_keys={}, unexpected_keys={})", missing, unexpected));
  };
  cls.def("__repr__(self)", text);
  cls.def("__str__(self)", text);
}

}  // namespace

void add_module_state_methods(Interpreter& interpreter, NnLibrary& library) {
  add_incompatible_keys(interpreter, library);
  Class& cls = *library.module;
  cls.def("state_dict(self, *args, destination=None, prefix='', keep_vars=False)", state_dict);
  cls.def("_save_to_state_dict(self, destination, prefix, keep_vars)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[2]));
    NNS_TRY_ASSIGN(const bool keep_vars, object::truth(in, a[3]));
    NNS_TRY(save_to_state_dict(self_of(a), a[1], prefix, keep_vars));
    return Value();
  });
  cls.def("load_state_dict(self, state_dict, strict=True, assign=False)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const bool strict, object::truth(in, a[2]));
            NNS_TRY_ASSIGN(const bool assign, object::truth(in, a[3]));
            return load_state_dict_value(self_of(a), a[1], strict, assign);
          });
  cls.def(
      "_load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, "
      "error_msgs)",
      load_from);
  constexpr const char* kNeverCalled =
      "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
      "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.";
  for (const char* which : {"get", "set"}) {
    const std::string message = fmt::format(fmt::runtime(kNeverCalled), which);
    cls.def(std::string_view(which) == "get" ? "get_extra_state(self)" : "set_extra_state(self, state)",
            [message](Interpreter& in, Args) -> PyResult<Value> { return object::runtime_error(in, "{}", message); });
  }
}

void add_module_hook_methods(Interpreter&, NnLibrary& library) {
  Class& cls = *library.module;
  const auto flag = [](Interpreter& in, const Value& value) { return object::truth(in, value); };
  cls.def("register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False)",
          [flag](Interpreter& in, Args a) -> PyResult<Value> {
            ForwardHookOptions options;
            NNS_TRY_ASSIGN(options.prepend, flag(in, a[2]));
            NNS_TRY_ASSIGN(options.with_kwargs, flag(in, a[3]));
            return value_of(self_of(a).register_forward_pre_hook(a[1], options));
          });
  cls.def("register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False)",
          [flag](Interpreter& in, Args a) -> PyResult<Value> {
            ForwardHookOptions options;
            NNS_TRY_ASSIGN(options.prepend, flag(in, a[2]));
            NNS_TRY_ASSIGN(options.with_kwargs, flag(in, a[3]));
            NNS_TRY_ASSIGN(options.always_call, flag(in, a[4]));
            return value_of(self_of(a).register_forward_hook(a[1], options));
          });
  cls.def("register_full_backward_pre_hook(self, hook, prepend=False)",
          [flag](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const bool prepend, flag(in, a[2]));
            return value_of(self_of(a).register_full_backward_pre_hook(a[1], prepend));
          });
  cls.def("register_full_backward_hook(self, hook, prepend=False)", [flag](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool prepend, flag(in, a[2]));
    return value_of(self_of(a).register_full_backward_hook(a[1], prepend));
  });
  cls.def("register_backward_hook(self, hook)",
          [](Interpreter&, Args a) -> PyResult<Value> { return value_of(self_of(a).register_backward_hook(a[1])); });
  cls.def("register_state_dict_pre_hook(self, hook)", [](Interpreter&, Args a) -> PyResult<Value> {
    return value_of(self_of(a).register_state_dict_pre_hook(a[1]));
  });
  cls.def("register_state_dict_post_hook(self, hook)", [](Interpreter&, Args a) -> PyResult<Value> {
    return value_of(self_of(a).register_state_dict_post_hook(a[1]));
  });
  cls.def("_register_state_dict_hook(self, hook)", [](Interpreter&, Args a) -> PyResult<Value> {
    return value_of(self_of(a).register_state_dict_hook_private(a[1]));
  });
  cls.def("_register_load_state_dict_pre_hook(self, hook, with_module=False)",
          [flag](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const bool with_module, flag(in, a[2]));
            return value_of(self_of(a).register_load_state_dict_pre_hook(a[1], with_module));
          });
  cls.def("register_load_state_dict_pre_hook(self, hook)", [](Interpreter&, Args a) -> PyResult<Value> {
    return value_of(self_of(a).register_load_state_dict_pre_hook(a[1], true));
  });
  cls.def("register_load_state_dict_post_hook(self, hook)", [](Interpreter&, Args a) -> PyResult<Value> {
    return value_of(self_of(a).register_load_state_dict_post_hook(a[1]));
  });
  // Which backward hooks a call would fire: full ones, then regular ones.
  cls.def("_get_backward_hooks(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NnLibrary& lib = NnLibrary::of(in);
    std::vector<Value> full, regular;
    const auto add = [&](const Value& kind, Dict& table) {
      if (!kind.is_bool()) return;
      for (const auto& [id, hook] : snapshot(table)) (kind.as_bool() ? full : regular).push_back(hook);
    };
    add(lib.global_is_full_backward_hook, lib.hooks(GlobalHooks::Backward));
    NNS_TRY_ASSIGN(const Value kind, self_of(a).getattr(lib.key(Registry::IsFullBackwardHook)));
    NNS_TRY_ASSIGN(Dict* const own, self_of(a).required_registry(Registry::BackwardHooks));
    add(kind, *own);
    return Value(in.tuple({Value(in.list(std::move(full))), Value(in.list(std::move(regular)))}));
  });
  cls.def("_get_backward_pre_hooks(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::vector<Value> hooks;
    for (const auto& [id, hook] : snapshot(NnLibrary::of(in).hooks(GlobalHooks::BackwardPre))) hooks.push_back(hook);
    NNS_TRY_ASSIGN(Dict* const own, self_of(a).required_registry(Registry::BackwardPreHooks));
    for (const auto& [id, hook] : snapshot(*own)) hooks.push_back(hook);
    return Value(in.list(std::move(hooks)));
  });
  cls.def("_maybe_warn_non_full_backward_hook(self, inputs, result, grad_fn)",
          [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
}

}  // namespace nns::nn
