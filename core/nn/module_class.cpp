#include <fmt/format.h>

#include <algorithm>

#include "core/nn/arguments.h"
#include "core/nn/module_text.h"

namespace nns::nn {
namespace {

Ref<object::Object> make_module(Class& cls) { return object::make<Module>(cls); }

// Behaviour: Module.__init__.
PyResult<Value> module_init(Interpreter& in, Args a) {
  const NnLibrary& library = NnLibrary::of(in);
  Module& self = self_of(a);
  const auto& positional = *a[1].as<object::Tuple>();
  Dict& keywords = *a[2].as<Dict>();
  NNS_TRY_ASSIGN(const Value flag, self.getattr(library.names.call_super_init));
  NNS_TRY_ASSIGN(const bool goes_on, object::truth(in, flag));
  if (!goes_on && !keywords.empty()) {
    std::size_t at = 0;
    NNS_TRY_ASSIGN(const std::string name, object::str(in, Value(keywords.next(at)->key)));
    return object::type_error(in, "{}.__init__() got an unexpected keyword argument '{}'", self.type().name(), name);
  }
  if (!goes_on && positional.size() > 0) {
    return object::type_error(in, "{}.__init__() takes 1 positional argument but {} were given", self.type().name(),
                              positional.size() + 1);
  }
  self.init();
  if (!goes_on) return Value();
  // The classes behind Module in the order get their turn.
  const Value* next = self.type().lookup_after(in.names().dunder_init, *library.module);
  if (next == nullptr) return Value();
  std::vector<Value> arguments{a[0]};
  arguments.insert(arguments.end(), positional.items().begin(), positional.items().end());
  NNS_TRY(in.call(Value(*next), arguments, keywords_of(in, keywords)));
  return Value();
}

// Behaviour: Module.__dir__.
PyResult<Value> dir(Interpreter& in, Args a) {
  Module& self = self_of(a);
  std::vector<std::string> names = object::generic_dir(in, Value(static_cast<object::Object*>(&self.type())));
  const auto add_keys = [&names](Dict* dict) {
    if (dict == nullptr) return;
    for (const Value& key : dict->keys()) {
      if (const object::Str* text = key.as<object::Str>()) names.emplace_back(text->view());
    }
  };
  add_keys(self.dict_if_made());
  for (const Registry registry : {Registry::Parameters, Registry::Modules, Registry::Buffers}) {
    NNS_TRY_ASSIGN(Dict* const dict, self.required_registry(registry));
    add_keys(dict);
  }
  std::erase_if(names, [](const std::string& name) { return !name.empty() && name[0] >= '0' && name[0] <= '9'; });
  std::sort(names.begin(), names.end());
  std::vector<Value> texts;
  for (const std::string& name : names) texts.push_back(in.text(name));
  return Value(in.list(std::move(texts)));
}

// Behaviour: Module.__setstate__: what older files lack is filled in.
PyResult<Value> setstate(Interpreter& in, Args a) {
  const NnLibrary& library = NnLibrary::of(in);
  Dict* state = a[1].as<Dict>();
  if (state == nullptr) return object::type_error(in, "'{}' object is not iterable", in.type_of(a[1]).name());
  Dict& own = self_of(a).dict();
  if (&own != state) {
    for (std::size_t at = 0; Dict::Entry* entry = state->next(at);) own.set(entry->key, entry->value);
  }
  for (const Registry registry :
       {Registry::ForwardPreHooks, Registry::ForwardPreHooksWithKwargs, Registry::ForwardHooksWithKwargs,
        Registry::ForwardHooksAlwaysCalled, Registry::StateDictHooks, Registry::StateDictPreHooks,
        Registry::LoadStateDictPreHooks, Registry::LoadStateDictPostHooks, Registry::NonPersistentBuffersSet,
        Registry::IsFullBackwardHook, Registry::BackwardPreHooks}) {
    const Name key = library.key(registry);
    if (!own.contains(key)) own.set(key, *library.fresh_dict().find_raw(key));
  }
  return Value();
}

}  // namespace

void add_module_class(Interpreter& interpreter, NnLibrary& library) {
  library.module =
      &interpreter.define_class({.name = "Module", .module = "torch.nn.modules.module", .make_instance = make_module});
  Class& cls = *library.module;
  library.add_class("Module", cls);
  cls.attribute("dump_patches", Value(false));
  cls.attribute("_version", Value(1));
  cls.attribute("call_super_init", Value(false));
  cls.attribute("_compiled_call_impl", Value());
  cls.attribute("T_destination", Value());
  cls.def("__init__(self, *args, **kwargs)", module_init);
  cls.def("__getattr__(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    return self_of(a).registered_attribute(name);
  });
  cls.def("__setattr__(self, name, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    NNS_TRY(self_of(a).module_setattr(name, a[2]));
    return Value();
  });
  cls.def("__delattr__(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    NNS_TRY(self_of(a).module_delattr(name));
    return Value();
  });
  cls.def("__dir__(self)", dir);
  cls.def("__getstate__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> state = in.dict();
    state->copy_from(self_of(a).dict());
    self_of(a).drop_uncopied(*state);
    return Value(state);
  });
  cls.def("__setstate__(self, state)", setstate);
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, module_text(self_of(a)));
    return in.text(text);
  });
  cls.def("extra_repr(self)", [](Interpreter& in, Args) -> PyResult<Value> { return in.text(""); });
  cls.def("_get_name(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return in.text(in.type_of(a[0]).name()); });
  // Calling.
  for (const char* signature : {"__call__(self, *args, **kwargs)", "_wrapped_call_impl(self, *args, **kwargs)"}) {
    cls.def(signature, [](Interpreter& in, Args a) -> PyResult<Value> {
      const std::vector<Keyword> keywords = keywords_of(in, a[2]);
      return self_of(a).wrapped_call_impl({a[1].as<object::Tuple>()->items(), keywords});
    });
  }
  for (const char* signature : {"_call_impl(self, *args, **kwargs)", "_slow_forward(self, *args, **kwargs)"}) {
    cls.def(signature, [](Interpreter& in, Args a) -> PyResult<Value> {
      const std::vector<Keyword> keywords = keywords_of(in, a[2]);
      return self_of(a).call_impl({a[1].as<object::Tuple>()->items(), keywords});
    });
  }
  cls.def("forward(self, *input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "Module [{}] is missing the required \"forward\" function", in.type_of(a[0]).name());
  });
}

}  // namespace nns::nn
