#include <fmt/format.h>

#include <memory>

#include "core/nn/arguments.h"
#include "core/nn/overridden.h"
#include "core/nn/place.h"
#include "core/nn/traversal.h"
#include "core/object/iterator.h"
#include "core/ops/layouts.h"
#include "core/ops/python_function.h"
#include "core/tensor/order.h"

namespace nns::nn {
namespace {

Value names_and_modules(Interpreter& in, const Value& self, std::string_view prefix, bool remove_duplicate,
                        bool with_names) {
  auto walk = std::make_shared<ModuleWalk>(*as_module(self), prefix, remove_duplicate);
  return object::make_iterator(in, {self}, [walk, with_names, &in](Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Module* const module, walk->next());
    if (module == nullptr) return Value::absent();
    if (!with_names) return Value(module);
    return Value(in.tuple({in.text(walk->path()), Value(module)}));
  });
}

Value names_and_members(Interpreter& in, const Value& self, Registry registry, std::string_view prefix, bool recurse,
                        bool remove_duplicate, bool with_names) {
  auto walk = std::make_shared<MemberWalk>(*as_module(self), registry, prefix, recurse, remove_duplicate);
  return object::make_iterator(in, {self}, [walk, with_names, &in](Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value member, walk->next());
    if (member.is_absent() || !with_names) return member;
    return Value(in.tuple({in.text(walk->name()), member}));
  });
}

// Behaviour: Module.named_children.
Value names_and_children(Interpreter& in, const Value& self, bool with_names) {
  auto seen = std::make_shared<std::unordered_set<const Module*>>();
  return object::make_iterator(
      in, {self}, [seen, with_names, &in, walk = Value()](Args kept) mutable -> PyResult<Value> {
        if (walk.is_none()) {
          NNS_TRY_ASSIGN(Dict* const modules, as_module(kept[0])->required_registry(Registry::Modules));
          walk = object::dict_iterator(in, Ref<Dict>(modules), object::DictView::What::Items);
        }
        while (true) {
          NNS_TRY_ASSIGN(Value item, walk.as<object::Iterator>()->next());
          if (item.is_absent()) return item;
          const Value& child = (*item.as<object::Tuple>())[1];
          if (as_module(child) == nullptr || !seen->insert(as_module(child)).second) continue;
          return with_names ? item : Value(child);
        }
      });
}

// What torch.nn.DataParallel makes of a module on each device, before it gives it children and tensors of its own.
// Behaviour: Module._replicate_for_data_parallel.
PyResult<Value> replicate(Module& self) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(const Value made, self.type().new_instance());
  Module& replica = *as_module(made);
  const auto copy_of = [&in](Dict& dict) {
    const Ref<Dict> copy = in.dict();
    for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) copy->set(entry->key, entry->value);
    return copy;
  };
  replica.replace_dict(copy_of(self.dict()));
  const auto replace = [&](std::string_view name, Registry registry) -> PyResult<void> {
    NNS_TRY_ASSIGN(Dict* const before, self.required_registry(registry));
    replica.dict().set(in.intern(name), registry == Registry::Parameters ? Value(in.dict()) : Value(copy_of(*before)));
    return {};
  };
  NNS_TRY(replace("_parameters", Registry::Parameters));
  NNS_TRY(replace("_buffers", Registry::Buffers));
  NNS_TRY(replace("_modules", Registry::Modules));
  replica.dict().set(in.intern("_is_replica"), Value(true));
  return made;
}

// Behaviour: Module.compile.
PyResult<Value> compile(Interpreter& in, Args a) {
  const Value* const torch_compile = ops::python_module(in, "torch").find(in.intern("compile"));
  if (torch_compile == nullptr) {
    return object::runtime_error(in, "torch.compile is not available in this session");
  }
  NNS_TRY_ASSIGN(const Value call_impl, self_of(a).getattr("_call_impl"));
  std::vector<Value> positional = {call_impl};
  const std::span<const Value> rest = a[1].as<object::Tuple>()->items();
  positional.insert(positional.end(), rest.begin(), rest.end());
  NNS_TRY_ASSIGN(const Value compiled, in.call(*torch_compile, positional, keywords_of(in, a[2])));
  NNS_TRY(self_of(a).setattr(NnLibrary::of(in).names.compiled_call_impl, compiled));
  return Value();
}

void warn_of_replica(Interpreter& in) {
  in.warn(
      object::ErrorKind::UserWarning,
      "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are copied "
      "(in a differentiable manner) from the original module. This means they are not leaf nodes in autograd and so "
      "don't accumulate gradients. If you need gradients in your forward method, consider using autograd.grad "
      "instead.");
}

void add_registration(Class& cls) {
  cls.def("register_parameter(self, name, param)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(self_of(a).register_parameter(a[1], a[2]));
    return Value();
  });
  cls.def("register_buffer(self, name, tensor, persistent=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool persistent, object::truth(in, a[3]));
    NNS_TRY(self_of(a).register_buffer(a[1], a[2], persistent));
    return Value();
  });
  cls.def("add_module(self, name, module)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(self_of(a).add_module(a[1], a[2]));
    return Value();
  });
  cls.def("register_module(self, name, module)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.call_method(a[0], in.intern("add_module"), {a[1], a[2]});
  });
  cls.def("get_submodule(self, target)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string target, text_of(in, a[1]));
    NNS_TRY_ASSIGN(Ref<Module> found, self_of(a).get_submodule(target));
    return Value(found);
  });
  cls.def("set_submodule(self, target, module, strict=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string target, text_of(in, a[1]));
    NNS_TRY_ASSIGN(const bool strict, object::truth(in, a[3]));
    NNS_TRY(self_of(a).set_submodule(target, a[2], strict));
    return Value();
  });
  cls.def("get_parameter(self, target)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string target, text_of(in, a[1]));
    NNS_TRY_ASSIGN(Ref<Tensor> found, self_of(a).get_parameter(target));
    return Value(found);
  });
  cls.def("get_buffer(self, target)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string target, text_of(in, a[1]));
    NNS_TRY_ASSIGN(Ref<Tensor> found, self_of(a).get_buffer(target));
    return Value(found);
  });
}

void add_walks(Class& cls) {
  cls.def("children(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value own, seconds_of_own(self_of(a), "named_children", {}));
    return own.is_absent() ? names_and_children(in, a[0], false) : own;
  });
  cls.def("named_children(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return names_and_children(in, a[0], true); });
  cls.def("modules(self, remove_duplicate=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool once, object::truth(in, a[1]));
    const object::Keyword keywords[] = {{in.intern("remove_duplicate"), Value(bool{once})}};
    NNS_TRY_ASSIGN(Value own, seconds_of_own(self_of(a), "named_modules", keywords));
    return own.is_absent() ? names_and_modules(in, a[0], "", once, false) : own;
  });
  cls.def("named_modules(self, memo=None, prefix='', remove_duplicate=True)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[2]));
            NNS_TRY_ASSIGN(const bool once, object::truth(in, a[3]));
            return names_and_modules(in, a[0], prefix, once, true);
          });
  struct Row {
    Registry registry;
    const char* plain;
    const char* named;
  };
  for (const Row& row : {Row{Registry::Parameters, "parameters(self, recurse=True)",
                             "named_parameters(self, prefix='', recurse=True, remove_duplicate=True)"},
                         Row{Registry::Buffers, "buffers(self, recurse=True)",
                             "named_buffers(self, prefix='', recurse=True, remove_duplicate=True)"}}) {
    cls.def(row.plain, [row](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const bool recurse, object::truth(in, a[1]));
      const std::string_view named(row.named);
      const object::Keyword keywords[] = {{in.intern("recurse"), Value(bool{recurse})}};
      NNS_TRY_ASSIGN(Value own, seconds_of_own(self_of(a), named.substr(0, named.find('(')), keywords));
      if (!own.is_absent()) return own;
      NNS_TRY_ASSIGN(own, recurse ? members_of_own_modules(self_of(a), row.registry, "", true) : Value::absent());
      if (own.is_absent()) return names_and_members(in, a[0], row.registry, "", recurse, true, false);
      return seconds_of(in, own);
    });
    cls.def(row.named, [registry = row.registry](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[1]));
      NNS_TRY_ASSIGN(const bool recurse, object::truth(in, a[2]));
      NNS_TRY_ASSIGN(const bool once, object::truth(in, a[3]));
      if (recurse) {
        NNS_TRY_ASSIGN(Value own, members_of_own_modules(self_of(a), registry, prefix, once));
        if (!own.is_absent()) return own;
      }
      return names_and_members(in, a[0], registry, prefix, recurse, once, true);
    });
  }
  cls.def("_named_members(self, get_members_fn, prefix='', recurse=True, remove_duplicate=True)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[2]));
            NNS_TRY_ASSIGN(const bool recurse, object::truth(in, a[3]));
            NNS_TRY_ASSIGN(const bool once, object::truth(in, a[4]));
            // What the function gives for each module, under its path.
            std::vector<NamedModule> modules{{prefix, Ref<Module>(&self_of(a))}};
            if (recurse) {
              NNS_TRY_ASSIGN(modules, self_of(a).named_modules(prefix, once));
            }
            std::vector<Value> found;
            std::unordered_set<const object::Object*> seen;
            for (const NamedModule& module : modules) {
              NNS_TRY_ASSIGN(const Value members, in.call(a[1], {Value(module.module)}));
              NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, members));
              for (const Value& item : items) {
                NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, item));
                if (pair.size() != 2 || pair[1].is_none()) continue;
                if (once && !seen.insert(pair[1].object()).second) continue;
                NNS_TRY_ASSIGN(const std::string name, object::str(in, pair[0]));
                found.emplace_back(in.tuple({in.text(joined_path(module.name, name)), pair[1]}));
              }
            }
            return object::iter(in, in.list(std::move(found)));
          });
}

void add_modes(Class& cls) {
  cls.def("apply(self, fn)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Name apply = NnLibrary::of(in).names.apply;
    NNS_TRY_ASSIGN(const std::vector<Ref<Module>> children, children_by_class(self_of(a)));
    for (const Ref<Module>& child : children) NNS_TRY(in.call_method(Value(child), apply, {a[1]}));
    NNS_TRY(in.call(a[1], {a[0]}));
    return a[0];
  });
  cls.def("train(self, mode=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (!a[1].is_bool()) return object::value_error(in, "training mode is expected to be boolean");
    NNS_TRY(self_of(a).train(a[1].as_bool()));
    return a[0];
  });
  cls.def("eval(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.call_method(a[0], NnLibrary::of(in).names.train, {Value(false)});
  });
  cls.def("requires_grad_(self, requires_grad=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[1]));
    NNS_TRY(self_of(a).requires_grad_(wanted));
    return a[0];
  });
  cls.def("zero_grad(self, set_to_none=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool to_none, object::truth(in, a[1]));
    if (const Dict* own = self_of(a).dict_if_made(); own != nullptr && own->contains(in.intern("_is_replica"))) {
      warn_of_replica(in);
    }
    NNS_TRY(self_of(a).zero_grad(to_none));
    return Value();
  });
  cls.def("_replicate_for_data_parallel(self)", [](Interpreter&, Args a) { return replicate(self_of(a)); });
  cls.def("compile(self, *args, **kwargs)", compile);
}

// fn of a program as a Conversion.
Module::Conversion program_conversion(Interpreter& in, Value fn) {
  return [&in, fn](Tensor& self) -> PyResult<Ref<Tensor>> {
    NNS_TRY_ASSIGN(const Value made, in.call(fn, {Value(&self)}));
    if (Tensor* tensor = made.as<Tensor>()) return Ref<Tensor>(tensor);
    return object::type_error(in, "_apply: fn must return a Tensor, not {}", in.type_of(made).name());
  };
}

void add_conversions(Class& cls) {
  cls.def("_apply(self, fn, recurse=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool recurse, object::truth(in, a[2]));
    NNS_TRY(self_of(a).convert(program_conversion(in, a[1]), recurse));
    return a[0];
  });
  struct Row {
    const char* signature;
    tensor::DType dtype;
  };
  for (const Row& row : {Row{"float(self)", tensor::DType::Float32}, Row{"double(self)", tensor::DType::Float64},
                         Row{"half(self)", tensor::DType::Float16}, Row{"bfloat16(self)", tensor::DType::BFloat16}}) {
    // Unlike to(), these leave complex tensors alone.
    cls.def(row.signature, [dtype = row.dtype](Interpreter&, Args a) -> PyResult<Value> {
      NNS_TRY(apply_by_class(self_of(a), [dtype](Tensor& self) -> PyResult<Ref<Tensor>> {
        return tensor::to_in_order(self, tensor::is_floating(self.dtype()) ? dtype : self.dtype(), place_of(self));
      }));
      return a[0];
    });
  }
  cls.def("type(self, dst_type)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const tensor::DType dtype, tensor::dtype_of(in, a[1]));
    NNS_TRY(
        apply_by_class(self_of(a), [dtype](Tensor& self) { return tensor::to_in_order(self, dtype, place_of(self)); }));
    return a[0];
  });
  cls.def("to(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Value parse = *ops::python_module(in, "torch._C._nn").find("_parse_to");
    const std::vector<object::Keyword> keywords = object::keywords_of(in, *a[2].as<Dict>());
    NNS_TRY_ASSIGN(const Value parsed, in.call(parse, a[1].as<object::Tuple>()->items(), keywords));
    const object::Tuple& parts = *parsed.as<object::Tuple>();
    std::optional<tensor::DType> dtype;
    std::optional<tensor::Device> device;
    std::optional<ops::MemoryFormat> format;
    if (!parts[0].is_none()) {
      NNS_TRY_ASSIGN(device, tensor::device_of(in, parts[0]));
    }
    if (!parts[1].is_none()) {
      NNS_TRY_ASSIGN(dtype, tensor::dtype_of(in, parts[1]));
    }
    if (!parts[3].is_none()) format = ops::format_of(parts[3]);
    NNS_TRY(self_of(a).to(dtype, device, format));
    return a[0];
  });
  cls.def("cpu(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(apply_by_class(self_of(a),
                           [](Tensor& self) { return tensor::to_in_order(self, self.dtype(), tensor::Device::Cpu); }));
    return a[0];
  });
  cls.def("cuda(self, device=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const tensor::Device device, tensor::device_of(in, a[1].is_none() ? in.text("cuda") : a[1]));
    NNS_TRY(
        apply_by_class(self_of(a), [device](Tensor& self) { return tensor::to_in_order(self, self.dtype(), device); }));
    return a[0];
  });
  for (const char* signature : {"ipu(self, device=None)", "xpu(self, device=None)", "mtia(self, device=None)"}) {
    cls.def(signature, [](Interpreter& in, Args) -> PyResult<Value> {
      return object::make_error(in, object::ErrorKind::AssertionError, "Torch not compiled with CUDA enabled");
    });
  }
  cls.def("to_empty(self, *, device, recurse=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const tensor::Device device, tensor::device_of(in, a[1]));
    NNS_TRY_ASSIGN(const bool recurse, object::truth(in, a[2]));
    NNS_TRY(apply_by_class(
        self_of(a),
        [&in, device](Tensor& self) -> PyResult<Ref<Tensor>> {
          return tensor::empty(in, self.shape(), self.dtype(), device);
        },
        recurse));
    return a[0];
  });
  cls.def("share_memory(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    const auto share = [](Tensor& self) -> PyResult<Ref<Tensor>> {
      NNS_TRY(self.interpreter().call_method(Value(&self), self.interpreter().intern("share_memory_")));
      return Ref<Tensor>(&self);
    };
    NNS_TRY(apply_by_class(self_of(a), share));
    return a[0];
  });
  cls.def("_replicate_for_data_parallel(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const NnLibrary& library = NnLibrary::of(in);
    Module& self = self_of(a);
    auto replica = object::make<Module>(self.type());
    for (std::size_t at = 0; Dict::Entry* entry = self.dict().next(at);) replica->dict().set(entry->key, entry->value);
    replica->dict().set(library.key(Registry::Parameters), Value(in.dict()));
    for (const Registry registry : {Registry::Buffers, Registry::Modules}) {
      NNS_TRY_ASSIGN(Dict* const old, self.required_registry(registry));
      const Ref<Dict> copy = in.dict();
      for (std::size_t at = 0; Dict::Entry* entry = old->next(at);) copy->set(entry->key, entry->value);
      replica->dict().set(library.key(registry), Value(copy));
    }
    replica->dict().set(in.intern("_is_replica"), Value(true));
    return Value(replica);
  });
}

}  // namespace

void add_module_methods(Interpreter&, NnLibrary& library) {
  Class& cls = *library.module;
  add_registration(cls);
  add_walks(cls);
  add_modes(cls);
  add_conversions(cls);
}

}  // namespace nns::nn
