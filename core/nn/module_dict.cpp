#include "core/nn/arguments.h"
#include "core/object/iterator.h"

namespace nns::nn {
namespace {

using View = object::DictView;

PyResult<Value> view_of(Interpreter& in, Args a, View::What what) {
  NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
  return Value(object::make<View>(in, Ref<Dict>(modules), what));
}

// Behaviour: ModuleDict.update.
PyResult<Value> update(Interpreter& in, Args a) {
  if (!object::is_iterable(in, a[1])) {
    return object::type_error(in, "ModuleDict.update should be called with an iterable of key/value pairs, but got {}",
                              in.type_of(a[1]).name());
  }
  const Class* own = NnLibrary::of(in).find_class("ModuleDict");
  if (a[1].as<Dict>() != nullptr || object::isinstance(in, a[1], *own)) {
    NNS_TRY_ASSIGN(const Value items, in.call_method(a[1], in.intern("items")));
    NNS_TRY_ASSIGN(const std::vector<Value> pairs, object::to_vector(in, items));
    for (const Value& pair : pairs) {
      const auto& two = *pair.as<object::Tuple>();
      NNS_TRY(object::setitem(in, a[0], two[0], two[1]));
    }
    return Value();
  }
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, a[1]));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!object::is_iterable(in, items[i])) {
      return object::type_error(in, "ModuleDict update sequence element #{} should be Iterable; is{}", i,
                                in.type_of(items[i]).name());
    }
    NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, items[i]));
    if (pair.size() != 2) {
      return object::value_error(in, "ModuleDict update sequence element #{} has length {}; 2 is required", i,
                                 pair.size());
    }
    NNS_TRY(object::setitem(in, a[0], pair[0], pair[1]));
  }
  return Value();
}

}  // namespace

void add_module_dict_class(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class(
      {.name = "ModuleDict", .module = "torch.nn.modules.container", .bases = {library.module}});
  library.add_class("ModuleDict", cls);
  cls.def("__init__(self, modules=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).init();
    if (!a[1].is_none()) NNS_TRY(in.call_method(a[0], in.intern("update"), {a[1]}));
    return Value();
  });
  cls.def("__getitem__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    return object::getitem(in, Value(modules), a[1]);
  });
  cls.def("__setitem__(self, key, module)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.call_method(a[0], in.intern("add_module"), {a[1], a[2]});
  });
  cls.def("__delitem__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    NNS_TRY(object::delitem(in, Value(modules), a[1]));
    return Value();
  });
  cls.def("__len__(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    return Value(modules->size());
  });
  cls.def("__iter__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    return Value(object::dict_iterator(in, Ref<Dict>(modules), View::What::Keys));
  });
  cls.def("__contains__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    NNS_TRY_ASSIGN(const bool there, object::contains(in, Value(modules), a[1]));
    return Value(there);
  });
  cls.def("clear(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    modules->clear();
    return Value();
  });
  cls.def("pop(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value taken, object::getitem(in, a[0], a[1]));
    NNS_TRY(object::delitem(in, a[0], a[1]));
    return taken;
  });
  cls.def("keys(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, View::What::Keys); });
  cls.def("values(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, View::What::Values); });
  cls.def("items(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, View::What::Items); });
  cls.def("update(self, modules)", update);
}

}  // namespace nns::nn
