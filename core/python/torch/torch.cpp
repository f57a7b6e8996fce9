// The module torch and those below it, put together from what the libraries bind.
#include "core/python/torch/torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/nn/functional.h"
#include "core/nn/hooks.h"
#include "core/nn/packed_sequence.h"
#include "core/nn/utility.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/optim/library.h"
#include "core/python/builtins/builtins.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/inner_functions.h"
#include "core/python/torch/numpy_bridge.h"
#include "core/python/torch/parts.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// Packages and modules that exist even where nothing of theirs is bound.
constexpr std::string_view kModules[] = {
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules",
    "torch.nn.modules.module",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.prune",
    "torch.nn.utils.stateless",
    "torch.optim",
    "torch.optim.optimizer",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.autograd",
    "torch.autograd.function",
    "torch.autograd.graph",
    "torch.utils",
    "torch.utils.hooks",
    "torch.func",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.cuda",
};

Value class_value(Class& cls) { return Value(static_cast<object::Object*>(&cls)); }

Dict& module_dict(Interpreter& in, std::string_view name) { return ops::python_module(in, name); }

// Every class derived from `cls`, and itself, as attributes of the modules that they say they come from.
void add_classes(Interpreter& in, Class& cls, std::set<const Class*>& seen, std::string_view also_in) {
  if (!seen.insert(&cls).second) return;
  const Name name = in.intern(cls.name());
  if (cls.module().starts_with("torch")) {
    module_dict(in, cls.module()).set(name, class_value(cls));
    // torch.nn shows what its modules define under names without an underscore.
    if (!also_in.empty() && !cls.name().starts_with('_') && cls.module().starts_with("torch.nn.modules")) {
      module_dict(in, also_in).set(name, class_value(cls));
      module_dict(in, "torch.nn.modules").set(name, class_value(cls));
    }
  }
  const std::vector<Class*> derived(cls.subclasses().begin(), cls.subclasses().end());
  for (Class* one : derived) add_classes(in, *one, seen, also_in);
}

void fill_torch(Interpreter& in) {
  const auto& library = tensor::TensorLibrary::of(in);
  Dict& torch = module_dict(in, "torch");
  const auto set = [&](std::string_view name, Value value) { torch.set(in.intern(name), std::move(value)); };
  set("Tensor", class_value(*library.tensor));
  set("device", class_value(*library.device));
  set("dtype", class_value(*library.dtype));
  set("Size", class_value(*library.size));
  for (const tensor::DTypeInfo& info : tensor::kDTypes) set(info.torch_name, library.dtype_value(info.dtype));
  constexpr std::pair<std::string_view, tensor::DType> kAliases[] = {
      {"float", tensor::DType::Float32},     {"double", tensor::DType::Float64},
      {"half", tensor::DType::Float16},      {"long", tensor::DType::Int64},
      {"int", tensor::DType::Int32},         {"short", tensor::DType::Int16},
      {"chalf", tensor::DType::Complex32},   {"cfloat", tensor::DType::Complex64},
      {"cdouble", tensor::DType::Complex128}};
  for (const auto& [name, dtype] : kAliases) set(name, library.dtype_value(dtype));
  set("inf", Value(std::numeric_limits<double>::infinity()));
  set("nan", Value(std::numeric_limits<double>::quiet_NaN()));
  set("pi", Value(3.141592653589793));
  set("e", Value(2.718281828459045));
  set("newaxis", Value());
  set("__version__", in.text("2.14.1+debian"));
  for (const object::ErrorKind kind : {object::ErrorKind::OutOfMemoryError, object::ErrorKind::AcceleratorError}) {
    Class& cls = in.builtins().exception(kind);
    cls.set_module("torch");
    cls.attribute("__module__", in.text("torch"));
    set(cls.name(), class_value(cls));
  }
  Class& linalg_error = in.builtins().exception(object::ErrorKind::LinAlgError);
  linalg_error.rename("_LinAlgError");
  linalg_error.set_module("torch._C");
  linalg_error.attribute("__module__", in.text("torch._C"));
  module_dict(in, "torch.linalg").set(in.intern("LinAlgError"), class_value(linalg_error));
  module_dict(in, "torch._C").set(in.intern("_LinAlgError"), class_value(linalg_error));
  add_module_function(in, "torch", "is_tensor(obj)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(a[0].as<tensor::Tensor>() != nullptr);
  });
  // What tensors bound before the ops were.
  for (const std::string_view name : {"zeros",
                                      "ones",
                                      "full",
                                      "empty",
                                      "tensor",
                                      "full_like",
                                      "zeros_like",
                                      "ones_like",
                                      "empty_like",
                                      "arange",
                                      "manual_seed",
                                      "initial_seed",
                                      "seed",
                                      "typename",
                                      "rand",
                                      "randn",
                                      "equal",
                                      "get_rng_state",
                                      "set_rng_state",
                                      "set_default_dtype",
                                      "get_default_dtype",
                                      "set_default_device",
                                      "get_default_device"}) {
    if (torch.contains(in.intern(name))) continue;
    if (Value function = tensor::torch_function(in, name); !function.is_none()) set(name, std::move(function));
  }
}

void fill_nn(Interpreter& in) {
  nn::NnLibrary& library = nn::NnLibrary::of(in);
  const auto& tensors = tensor::TensorLibrary::of(in);
  for (const std::string_view module : {"torch.nn", "torch.nn.parameter"}) {
    module_dict(in, module).set(in.intern("Parameter"), class_value(*tensors.parameter));
    module_dict(in, module).set(in.intern("Buffer"), class_value(*tensors.buffer));
  }
  std::set<const Class*> seen;
  add_classes(in, *library.module, seen, "torch.nn");
  module_dict(in, library.wrapped_hook->module())
      .set(in.intern(library.wrapped_hook->name()), class_value(*library.wrapped_hook));
  // The classes of torch.nn that are no modules.
  for (const std::string_view name : {"UninitializedParameter", "UninitializedBuffer"}) {
    if (const Value* found = module_dict(in, "torch.nn.parameter").find(name)) {
      const Value keep = *found;
      module_dict(in, "torch.nn").set(in.intern(name), keep);
    }
  }
  if (library.packed_sequence != nullptr) {
    module_dict(in, "torch.nn.utils.rnn").set(in.intern("PackedSequence"), class_value(*library.packed_sequence));
  }
  for (const std::string_view name : nn::functional_names()) {
    module_dict(in, "torch.nn.functional").set(in.intern(name), nn::functional(in, name));
  }
  for (const nn::FunctionRow& row : nn::rnn_utility_functions()) {
    const std::string_view name = row.signature.substr(0, row.signature.find('('));
    module_dict(in, "torch.nn.utils.rnn").set(in.intern(name), nn::rnn_utility(in, name));
  }
  nn::add_utilities(in);
}

// Each optimiser as an attribute of the module that it says it comes from: torch.optim.adam.Adam.
void fill_optim(Interpreter& in) {
  Machine& machine = Machine::of(in);
  optim::OptimLibrary::of(in).differentiable_step = [&machine](object::Object& optimizer) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value module, machine.import_module("torch.optim._differentiable", 0, nullptr));
    Interpreter& i = machine.interpreter();
    NNS_TRY_ASSIGN(const Value step, object::getattr(i, module, i.intern("step")));
    NNS_TRY(i.call(step, {Value(&optimizer)}));
    return {};
  };
  const Value* optimizer = module_dict(in, "torch.optim").find(in.intern("Optimizer"));
  std::set<const Class*> seen;
  if (Class* cls = optimizer == nullptr ? nullptr : optimizer->as<Class>()) add_classes(in, *cls, seen, "");
}

// Hooks that run for every module. Source: torch/nn/modules/module.py.
// torch.nn.modules.__all__: the layers, those among them that are loaded when they are asked for, too.
void name_layers(Interpreter& in) {
  Dict& modules = module_dict(in, "torch.nn.modules");
  const Class& base = *nn::NnLibrary::of(in).module;
  std::vector<std::string> names{"AdaptiveLogSoftmaxWithLoss", "Container"};
  for (std::size_t at = 0; const Dict::Entry* entry = modules.next(at);) {
    const auto* const name = entry->key.as<object::Str>();
    const auto* const cls = entry->value.as<Class>();
    if (name == nullptr || cls == nullptr || name->view() == "NonDynamicallyQuantizableLinear") continue;
    if (cls == &base || cls->is_subclass_of(base)) names.emplace_back(name->view());
  }
  std::sort(names.begin(), names.end());
  std::vector<Value> items;
  for (const std::string& name : names) items.push_back(in.text(name));
  modules.set(in.intern("__all__"), Value(in.list(std::move(items))));
}

void fill_global_hooks(Interpreter& in) {
  constexpr std::string_view kModule = "torch.nn.modules.module";
  nn::NnLibrary::of(in).show_global_hooks(module_dict(in, kModule));
  add_module_function(
      in, kModule, "register_module_forward_pre_hook(hook)",
      [](Interpreter& i, Args a) -> PyResult<Value> { return Value(nn::register_module_forward_pre_hook(i, a[0])); });
  add_module_function(in, kModule, "register_module_forward_hook(hook, *, with_kwargs=False, always_call=False)",
                      [](Interpreter& i, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(const bool with_kwargs, object::truth(i, a[1]));
                        NNS_TRY_ASSIGN(const bool always_call, object::truth(i, a[2]));
                        return Value(nn::register_module_forward_hook(i, a[0], {false, with_kwargs, always_call}));
                      });
  add_module_function(in, kModule, "register_module_full_backward_pre_hook(hook)",
                      [](Interpreter& i, Args a) -> PyResult<Value> {
                        return Value(nn::register_module_full_backward_pre_hook(i, a[0]));
                      });
  add_module_function(in, kModule, "register_module_full_backward_hook(hook)",
                      [](Interpreter& i, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(auto handle, nn::register_module_backward_hook(i, a[0], true));
                        return Value(std::move(handle));
                      });
  add_module_function(in, kModule, "register_module_backward_hook(hook)",
                      [](Interpreter& i, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(auto handle, nn::register_module_backward_hook(i, a[0], false));
                        return Value(std::move(handle));
                      });
  add_module_function(
      in, kModule, "register_module_parameter_registration_hook(hook)", [](Interpreter& i, Args a) -> PyResult<Value> {
        return Value(nn::register_module_registration_hook(i, nn::GlobalHooks::ParameterRegistration, a[0]));
      });
  add_module_function(
      in, kModule, "register_module_buffer_registration_hook(hook)", [](Interpreter& i, Args a) -> PyResult<Value> {
        return Value(nn::register_module_registration_hook(i, nn::GlobalHooks::BufferRegistration, a[0]));
      });
  add_module_function(
      in, kModule, "register_module_module_registration_hook(hook)", [](Interpreter& i, Args a) -> PyResult<Value> {
        return Value(nn::register_module_registration_hook(i, nn::GlobalHooks::ModuleRegistration, a[0]));
      });
}

// Switches that programs set. Source: torch/__future__.py.
void fill_switches(Interpreter& in) {
  add_module_function(in, "torch._C", "_virtual_device_count()", [](Interpreter& i, Args) -> PyResult<Value> {
    return Value(std::int64_t{tensor::TensorLibrary::of(i).virtual_devices});
  });
  add_module_function(in, "torch._C", "_swap_tensor_impl(t1, t2)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto* const first = a[0].as<tensor::Tensor>();
    auto* const second = a[1].as<tensor::Tensor>();
    if (first == nullptr || second == nullptr) return object::type_error(i, "_swap_tensor_impl() takes two tensors");
    first->swap(*second);
    return Value();
  });
  constexpr std::pair<std::string_view, bool nn::NnLibrary::*> kOfConversion[] = {
      {"overwrite", &nn::NnLibrary::overwrite_params_on_conversion},
      {"swap", &nn::NnLibrary::swap_params_on_conversion}};
  for (const auto& row : kOfConversion) {
    const std::string_view name = row.first;
    bool nn::NnLibrary::*const flag = row.second;
    add_module_function(in, "torch.__future__", fmt::format("set_{}_module_params_on_conversion(value)", name),
                        [flag](Interpreter& i, Args a) -> PyResult<Value> {
                          NNS_TRY_ASSIGN(nn::NnLibrary::of(i).*flag, object::truth(i, a[0]));
                          return Value();
                        });
    add_module_function(
        in, "torch.__future__", fmt::format("get_{}_module_params_on_conversion()", name),
        [flag](Interpreter& i, Args) -> PyResult<Value> { return Value(bool{nn::NnLibrary::of(i).*flag}); });
  }
}

// Module objects over the dicts, each bound in its parent.
void make_modules(Machine& machine) {
  Interpreter& in = machine.interpreter();
  std::set<std::string> names(std::begin(kModules), std::end(kModules));
  names.insert("torch.__future__");
  for (const std::string& name : ops::python_module_names(in)) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      names.insert(name.substr(0, dot));
    }
    names.insert(name);
  }
  for (const std::string& name : names) {
    if (name != "torch" && !name.starts_with("torch.")) continue;
    const Ref<ModuleObject> module = machine.new_module(name);
    Dict& attributes = module_dict(in, name);
    for (const std::string_view key : {"__name__", "__doc__", "__package__", "__spec__"}) {
      const Value* own = module->dict().find(key);
      if (!attributes.contains(in.intern(key))) attributes.set(in.intern(key), *own);
    }
    attributes.set(machine.names.dunder_path, Value(in.list()));
    module->replace_dict(Ref<Dict>(&attributes));
    machine.modules().set(in.intern(name), Value(module));
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
      // torch imports itself.
      attributes.set(in.intern(name), Value(module));
      continue;
    }
    // A class or function of that name stays what it is: torch.nn.utils.weight_norm.
    Dict& parent = module_dict(in, name.substr(0, dot));
    const Name last = in.intern(name.substr(dot + 1));
    if (!parent.contains(last)) parent.set(last, Value(module));
  }
}

}  // namespace

void add_module_function(Interpreter& interpreter, std::string_view module, std::string_view signature,
                         object::NativeBody body) {
  const Ref<object::NativeFunction> function = interpreter.function(signature, std::move(body));
  module_dict(interpreter, module).set(interpreter.intern(function->name()), Value(function));
}

void add_torch(Machine& machine) {
  machine.add_finder(Machine::FinderOrder::Torch, [&machine](std::string_view name) -> PyResult<Value> {
    if (name != "torch") return Value::absent();
    Interpreter& in = machine.interpreter();
    fill_torch(in);
    fill_nn(in);
    name_layers(in);
    fill_global_hooks(in);
    fill_switches(in);
    fill_cuda(in);
    fill_optim(in);
    fill_storage(in);
    fill_archives(in);
    fill_reductions(in);
    fill_sparse(in);
    fill_python_methods(in);
    fill_profiling(machine);
    fill_op_recording(in);
    fill_inner_functions(in);
    fill_distributed(machine);
    add_numpy_bridge(machine);
    make_modules(machine);
    // From now on the module itself is where programs may put other tables.
    const Value* const shows_hooks = machine.modules().find("torch.nn.modules.module");
    nn::NnLibrary::of(in).show_global_hooks(*shows_hooks->object()->instance_dict(true));
    fill_lazy_names(machine);
    return *machine.modules().find("torch");
  });
  add_python_modules(machine);
}

}  // namespace nns::python
