#include <fmt/format.h>

#include <algorithm>

#include "core/nn/arguments.h"
#include "core/object/iterator.h"

namespace nns::nn {
namespace {

using object::Slice;

// A tensor that is no Parameter becomes one; everything else stays what it is.
PyResult<Value> as_parameter(Interpreter& in, const Value& value) {
  const Tensor* tensor = value.as<Tensor>();
  if (tensor == nullptr || tensor->is_parameter()) return value;
  // The class decides what becomes of tensors of other classes.
  return in.call(Value(tensor::TensorLibrary::of(in).parameter), {value});
}

// One line of extra_repr: the list shows the dtype, the dict the type's old name.
std::string line_of(Interpreter& in, std::string_view name, const Value& value, bool shows_dtype) {
  const Tensor* tensor = value.as<Tensor>();
  if (tensor == nullptr) return fmt::format("  ({}): Object of type: {}", name, in.type_of(value).name());
  return fmt::format("  ({}): {} containing: [{} of size {}]", name, tensor->is_parameter() ? "Parameter" : "Tensor",
                     shows_dtype ? tensor::torch_dtype_text(tensor->dtype()) : tensor->type_string(),
                     fmt::join(tensor->shape().span(), "x"));
}

PyResult<std::int64_t> size_of(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(const Value size, object::getattr(in, self, NnLibrary::of(in).names.count_attribute));
  return object::index(in, size);
}

PyResult<Name> name_at(Interpreter& in, const Value& self, const Value& index) {
  NNS_TRY_ASSIGN(std::int64_t at, object::index(in, index));
  NNS_TRY_ASSIGN(const std::int64_t size, size_of(in, self));
  if (at < -size || at >= size) return object::error<object::ErrorKind::IndexError>(in, "index {} is out of range", at);
  return in.intern(fmt::format("{}", at < 0 ? at + size : at));
}

PyResult<Value> append(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t size, size_of(in, a[0]));
  // The size grows first: a value that is refused has raised it already.
  NNS_TRY(object::setattr(in, a[0], NnLibrary::of(in).names.count_attribute, Value(size + 1)));
  NNS_TRY(object::setitem(in, a[0], Value(size), a[1]));
  return a[0];
}

PyResult<Value> extend(Interpreter& in, Args a) {
  if (!object::is_iterable(in, a[1]) || a[1].as<Tensor>() != nullptr) {
    return object::type_error(in, "ParameterList.extend should be called with an iterable, but got {}",
                              in.type_of(a[1]).name());
  }
  NNS_TRY_ASSIGN(const std::vector<Value> values, object::to_vector(in, a[1]));
  for (const Value& value : values) NNS_TRY(append(in, std::vector<Value>{a[0], value}));
  return a[0];
}

PyResult<Value> list_item(Interpreter& in, Args a) {
  if (const Slice* slice = a[1].as<Slice>()) {
    NNS_TRY_ASSIGN(const std::int64_t size, size_of(in, a[0]));
    NNS_TRY_ASSIGN(const auto taken, slice->indices(in, size));
    NNS_TRY_ASSIGN(Value out, in.call(Value(static_cast<object::Object*>(&in.type_of(a[0]))), Args()));
    for (const std::int64_t at : taken) {
      NNS_TRY_ASSIGN(const Value item, object::getitem(in, a[0], Value(at)));
      NNS_TRY(in.call_method(out, in.intern("append"), {item}));
    }
    return out;
  }
  NNS_TRY_ASSIGN(const Name name, name_at(in, a[0], a[1]));
  return object::getattr(in, a[0], name);
}

PyResult<Value> refuse_call(Interpreter& in, std::string_view name) {
  return object::runtime_error(in, "{} should not be called.", name);
}

void add_parameter_list(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class(
      {.name = "ParameterList", .module = "torch.nn.modules.container", .bases = {library.module}});
  library.add_class("ParameterList", cls);
  cls.def("__init__(self, values=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).init();
    NNS_TRY(object::setattr(in, a[0], NnLibrary::of(in).names.count_attribute, Value(0)));
    if (!a[1].is_none()) NNS_TRY(extend(in, a));
    return Value();
  });
  cls.def("__getitem__(self, idx)", list_item);
  cls.def("__setitem__(self, idx, param)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_at(in, a[0], a[1]));
    NNS_TRY_ASSIGN(const Value stored, as_parameter(in, a[2]));
    NNS_TRY(object::setattr(in, a[0], name, stored));
    return Value();
  });
  cls.def("__len__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t size, size_of(in, a[0]));
    return Value(size);
  });
  cls.def("__iter__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(object::make_iterator(in, {a[0]}, [&in, at = std::int64_t{0}](Args kept) mutable -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::int64_t size, size_of(in, kept[0]));
      if (at >= size) return Value::absent();
      return object::getitem(in, kept[0], Value(at++));
    }));
  });
  cls.def("__dir__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.call(Value(*NnLibrary::of(in).find_class("Sequential")->lookup(in.names().dunder_dir)), {a[0]});
  });
  cls.def("append(self, value)", append);
  cls.def("extend(self, values)", extend);
  cls.def("__iadd__(self, parameters)", extend);
  cls.def("extra_repr(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, a[0]));
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < items.size(); ++i) lines.push_back(line_of(in, fmt::format("{}", i), items[i], true));
    return in.text(fmt::format("{}", fmt::join(lines, "\n")));
  });
  cls.def("__call__(self, *args, **kwargs)",
          [](Interpreter& in, Args) -> PyResult<Value> { return refuse_call(in, "ParameterList"); });
}

PyResult<Name> key_name(Interpreter& in, const Value& key) {
  if (object::Str* text = key.as<object::Str>()) return in.intern(*text);
  return object::type_error(in,
                            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                            "'{}'). Open an issue on github if you need non-string keys.",
                            in.type_of(key).name());
}

PyResult<Dict*> keys_of(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(const Value keys, object::getattr(in, self, NnLibrary::of(in).names.keys_attribute));
  if (Dict* dict = keys.as<Dict>()) return dict;
  return object::type_error(in, "'{}' object is not a dict", in.type_of(keys).name());
}

PyResult<Value> dict_item(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Name name, key_name(in, a[1]));
  return object::getattr(in, a[0], name);
}

PyResult<Value> delete_key(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
  NNS_TRY(object::delitem(in, Value(keys), a[1]));
  NNS_TRY_ASSIGN(const Name name, key_name(in, a[1]));
  NNS_TRY(object::delattr(in, a[0], name));
  return Value();
}

// Behaviour: ParameterDict.update: plain dicts are sorted by key.
PyResult<Value> dict_update(Interpreter& in, Args a) {
  if (!object::is_iterable(in, a[1])) {
    return object::type_error(in,
                              "ParametersDict.update should be called with an iterable of key/value pairs, but got {}",
                              in.type_of(a[1]).name());
  }
  std::vector<Value> pairs;
  const bool is_own = object::isinstance(in, a[1], *NnLibrary::of(in).find_class("ParameterDict"));
  Dict* const given = a[1].as<Dict>();
  if (given != nullptr || is_own) {
    NNS_TRY_ASSIGN(const Value items, in.call_method(a[1], in.intern("items")));
    NNS_TRY_ASSIGN(pairs, object::to_vector(in, items));
    if (given != nullptr && !given->type().is_subclass_of(*in.builtins().ordered_dict)) {
      std::stable_sort(pairs.begin(), pairs.end(), [](const Value& x, const Value& y) {
        const object::Str* left = (*x.as<object::Tuple>())[0].as<object::Str>();
        const object::Str* right = (*y.as<object::Tuple>())[0].as<object::Str>();
        return left != nullptr && right != nullptr && left->view() < right->view();
      });
    }
  } else {
    NNS_TRY_ASSIGN(pairs, object::to_vector(in, a[1]));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!object::is_iterable(in, pairs[i])) {
      return object::type_error(in, "ParameterDict update sequence element #{} should be Iterable; is{}", i,
                                in.type_of(pairs[i]).name());
    }
    NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, pairs[i]));
    if (pair.size() != 2) {
      return object::value_error(in, "ParameterDict update sequence element #{} has length {}; 2 is required", i,
                                 pair.size());
    }
    NNS_TRY(object::setitem(in, a[0], pair[0], pair[1]));
  }
  return Value();
}

enum class Part : std::uint8_t { Values, Items };

PyResult<Value> walk(Interpreter& in, Args a, Part part) {
  NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
  const Value iterator = object::dict_iterator(in, Ref<Dict>(keys), object::DictView::What::Keys);
  return Value(object::make_iterator(in, {a[0], iterator}, [&in, part](Args kept) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value key, object::next(in, kept[1]));
    if (key.is_absent()) return key;
    NNS_TRY_ASSIGN(const Value value, object::getitem(in, kept[0], key));
    return part == Part::Values ? value : Value(in.tuple({key, value}));
  }));
}

void add_dict_items(Class& cls) {
  cls.def("__getitem__(self, key)", dict_item);
  cls.def("__setitem__(self, key, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    NNS_TRY(object::setitem(in, Value(keys), a[1], Value()));
    NNS_TRY_ASSIGN(const Name name, key_name(in, a[1]));
    NNS_TRY_ASSIGN(const Value stored, as_parameter(in, a[2]));
    NNS_TRY(object::setattr(in, a[0], name, stored));
    return Value();
  });
  cls.def("__delitem__(self, key)", delete_key);
  cls.def("__len__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    return Value(keys->size());
  });
  cls.def("__iter__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    return Value(object::dict_iterator(in, Ref<Dict>(keys), object::DictView::What::Keys));
  });
  cls.def("__reversed__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    return Value(object::dict_iterator(in, Ref<Dict>(keys), object::DictView::What::Keys, true));
  });
  cls.def("__contains__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    NNS_TRY_ASSIGN(const bool there, object::contains(in, Value(keys), a[1]));
    return Value(there);
  });
  cls.def("keys(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    return Value(object::make<object::DictView>(in, Ref<Dict>(keys), object::DictView::What::Keys));
  });
  cls.def("items(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return walk(in, a, Part::Items); });
  cls.def("values(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return walk(in, a, Part::Values); });
}

void add_dict_changes(Class& cls) {
  cls.def("update(self, parameters)", dict_update);
  cls.def("pop(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value taken, object::getitem(in, a[0], a[1]));
    NNS_TRY(object::delitem(in, a[0], a[1]));
    return taken;
  });
  cls.def("popitem(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    std::size_t at = keys->slot_count();
    const Dict::Entry* last = keys->previous(at);
    if (last == nullptr) return object::key_error(in, in.text("popitem(): dictionary is empty"));
    const Value key = last->key;
    NNS_TRY_ASSIGN(const Value value, object::getitem(in, a[0], key));
    NNS_TRY(object::delitem(in, a[0], key));
    return Value(in.tuple({key, value}));
  });
  cls.def("get(self, key, default=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool there, object::contains(in, a[0], a[1]));
    return there ? object::getitem(in, a[0], a[1]) : PyResult<Value>(a[2]);
  });
  cls.def("setdefault(self, key, default=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool there, object::contains(in, a[0], a[1]));
    if (!there) NNS_TRY(object::setitem(in, a[0], a[1], a[2]));
    return object::getitem(in, a[0], a[1]);
  });
  cls.def("clear(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    for (const Value& key : keys->keys()) NNS_TRY(object::delitem(in, a[0], key));
    return Value();
  });
  cls.def("copy(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value items, walk(in, a, Part::Items));
    Class* own = NnLibrary::of(in).find_class("ParameterDict");
    return in.call(Value(static_cast<object::Object*>(own)), {items});
  });
  cls.def("fromkeys(self, keys, default=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Class* own = NnLibrary::of(in).find_class("ParameterDict");
    NNS_TRY_ASSIGN(Value made, in.call(Value(static_cast<object::Object*>(own)), Args()));
    NNS_TRY_ASSIGN(const std::vector<Value> keys, object::to_vector(in, a[1]));
    for (const Value& key : keys) NNS_TRY(object::setitem(in, made, key, a[2]));
    return made;
  });
  cls.def("__ior__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(dict_update(in, a));
    return a[0];
  });
  cls.def("__or__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value copy, in.call_method(a[0], in.intern("copy")));
    NNS_TRY(dict_update(in, std::vector<Value>{copy, a[1]}));
    return copy;
  });
}

void add_parameter_dict(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class(
      {.name = "ParameterDict", .module = "torch.nn.modules.container", .bases = {library.module}});
  library.add_class("ParameterDict", cls);
  cls.def("__init__(self, parameters=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).init();
    NNS_TRY(object::setattr(in, a[0], NnLibrary::of(in).names.keys_attribute, Value(in.dict())));
    if (!a[1].is_none()) NNS_TRY(dict_update(in, a));
    return Value();
  });
  add_dict_items(cls);
  add_dict_changes(cls);
  cls.def("extra_repr(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const keys, keys_of(in, a[0]));
    std::vector<std::string> lines;
    for (const Value& key : keys->keys()) {
      NNS_TRY_ASSIGN(const Value value, object::getitem(in, a[0], key));
      NNS_TRY_ASSIGN(const std::string name, object::str(in, key));
      lines.push_back(line_of(in, name, value, false));
    }
    return in.text(fmt::format("{}", fmt::join(lines, "\n")));
  });
  cls.def("__call__(self, *args, **kwargs)",
          [](Interpreter& in, Args) -> PyResult<Value> { return refuse_call(in, "ParameterDict"); });
}

}  // namespace

void add_parameter_containers(Interpreter& interpreter, NnLibrary& library) {
  add_parameter_list(interpreter, library);
  add_parameter_dict(interpreter, library);
}

}  // namespace nns::nn
