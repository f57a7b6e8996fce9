#include <fmt/format.h>

#include "core/nn/arguments.h"
#include "core/nn/module_text.h"
#include "core/object/iterator.h"

namespace nns::nn {
namespace {

using object::Slice;
using object::Tuple;

std::string digits(std::int64_t number) { return fmt::format("{}", number); }

PyResult<Value> add(Interpreter& in, const Value& self, std::int64_t number, const Value& module) {
  return in.call_method(self, in.intern("add_module"), {in.text(digits(number)), module});
}

// The children in order, as a program's iter(self) gives them.
PyResult<std::vector<Value>> children_of(const Value& self) {
  NNS_TRY_ASSIGN(Dict* const modules, as_module(self)->required_registry(Registry::Modules));
  std::vector<Value> children;
  for (std::size_t at = 0; Dict::Entry* entry = modules->next(at);) children.push_back(entry->value);
  return children;
}

PyResult<std::int64_t> count_of(const Value& self) {
  NNS_TRY_ASSIGN(Dict* const modules, as_module(self)->required_registry(Registry::Modules));
  return static_cast<std::int64_t>(modules->size());
}

// Behaviour: container.py, _get_item_by_idx: the place of an index, negative from the end.
PyResult<std::size_t> place_of(Interpreter& in, const Value& index, std::int64_t size) {
  NNS_TRY_ASSIGN(std::int64_t at, object::index(in, index));
  if (at < -size || at >= size) return object::error<object::ErrorKind::IndexError>(in, "index {} is out of range", at);
  return static_cast<std::size_t>(at < 0 ? at + size : at);
}

PyResult<Value> get_item(Interpreter& in, Args a, bool keeps_names) {
  NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
  const std::vector<Value> keys = modules->keys();
  if (const Slice* slice = a[1].as<Slice>()) {
    NNS_TRY_ASSIGN(const auto taken, slice->indices(in, static_cast<std::int64_t>(keys.size())));
    const Ref<Dict> named = in.ordered_dict();
    std::vector<Value> plain;
    for (const std::int64_t at : taken) {
      const Value& key = keys[static_cast<std::size_t>(at)];
      if (keeps_names) named->set(key, *modules->find(key));
      plain.push_back(*modules->find(key));
    }
    const Value argument = keeps_names ? Value(named) : Value(in.list(std::move(plain)));
    return in.call(Value(static_cast<object::Object*>(&in.type_of(a[0]))), {argument});
  }
  NNS_TRY_ASSIGN(const std::size_t at, place_of(in, a[1], static_cast<std::int64_t>(keys.size())));
  // A list looks its index up as a name, a Sequential by position.
  const Value key = keeps_names ? keys[at] : in.text(digits(static_cast<std::int64_t>(at)));
  if (const Value* found = modules->find(key)) return *found;
  return object::key_error(in, key);
}

PyResult<Value> set_item(Interpreter& in, Args a, bool keeps_names) {
  NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
  const std::vector<Value> keys = modules->keys();
  NNS_TRY_ASSIGN(const std::size_t at, place_of(in, a[1], static_cast<std::int64_t>(keys.size())));
  const Value key = keeps_names ? keys[at] : in.text(digits(static_cast<std::int64_t>(at)));
  NNS_TRY(object::setattr(in, a[0], in.intern(*key.as<object::Str>()), a[2]));
  return Value();
}

PyResult<Value> delete_item(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Dict * modules, self_of(a).required_registry(Registry::Modules));
  const std::vector<Value> keys = modules->keys();
  std::vector<std::int64_t> places;
  if (const Slice* slice = a[1].as<Slice>()) {
    NNS_TRY_ASSIGN(places, slice->indices(in, static_cast<std::int64_t>(keys.size())));
  } else {
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, a[1], static_cast<std::int64_t>(keys.size())));
    places.push_back(static_cast<std::int64_t>(at));
  }
  for (const std::int64_t at : places) {
    const Value& key = keys[static_cast<std::size_t>(at)];
    NNS_TRY(object::delattr(in, a[0], in.intern(*key.as<object::Str>())));
  }
  // All that is left is numbered anew.
  NNS_TRY_ASSIGN(const std::vector<Value> left, children_of(a[0]));
  const Ref<Dict> renumbered = in.ordered_dict();
  for (std::size_t i = 0; i < left.size(); ++i) {
    renumbered->set(in.intern(digits(static_cast<std::int64_t>(i))), left[i]);
  }
  NNS_TRY(object::setattr(in, a[0], NnLibrary::of(in).key(Registry::Modules), Value(renumbered)));
  return Value();
}

PyResult<Value> append_module(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t size, count_of(a[0]));
  NNS_TRY(add(in, a[0], size, a[1]));
  return a[0];
}

PyResult<Value> pop(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Value taken, object::getitem(in, a[0], a[1]));
  NNS_TRY(object::delitem(in, a[0], a[1]));
  return taken;
}

PyResult<Value> iterate(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
  return Value(object::dict_iterator(in, Ref<Dict>(modules), object::DictView::What::Values));
}

PyResult<Value> size(Interpreter&, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t count, count_of(a[0]));
  return Value(count);
}

// __dir__ without the names made of digits only.
PyResult<Value> dir_without_digits(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value all, in.call(Value(*NnLibrary::of(in).module->lookup(in.names().dunder_dir)), {a[0]}));
  auto& items = all.as<object::List>()->items();
  std::erase_if(items, [](const Value& item) {
    const std::string_view name = item.as<object::Str>()->view();
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  });
  return all;
}

// Moves the entries from `index` on one up and puts the module into the gap.
PyResult<Value> shift_in(Interpreter& in, Args a, std::int64_t index) {
  NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
  for (auto i = static_cast<std::int64_t>(modules->size()); i > index; --i) {
    const Value before = in.text(digits(i - 1));
    const Value* moved = modules->find(before);
    if (moved == nullptr) return object::key_error(in, before);
    modules->set(in.intern(digits(i)), Value(*moved));
  }
  modules->set(in.intern(digits(index)), a[2]);
  return a[0];
}

Class* sequential_class(Interpreter& in) { return NnLibrary::of(in).find_class("Sequential"); }

bool is_sequential(Interpreter& in, const Value& value) { return object::isinstance(in, value, *sequential_class(in)); }

PyResult<void> require_sequential(Interpreter& in, const Value& other) {
  if (is_sequential(in, other)) return {};
  return object::value_error(in, "add operator supports only objects of Sequential class, but {} is given.",
                             object::class_repr(in.type_of(other)));
}

PyResult<std::int64_t> factor_of(Interpreter& in, Args a) {
  if (!a[1].is_int() && !a[1].is_bool()) {
    return object::type_error(in, "unsupported operand type(s) for *: {} and {}", object::class_repr(in.type_of(a[0])),
                              object::class_repr(in.type_of(a[1])));
  }
  if (a[1].as_int() <= 0) {
    return object::value_error(in, "Non-positive multiplication factor {} for {}", a[1].as_int(),
                               object::class_repr(in.type_of(a[0])));
  }
  return a[1].as_int();
}

PyResult<Value> new_sequential(Interpreter& in, const std::vector<Value>& children) {
  NNS_TRY_ASSIGN(Value made, in.call(Value(static_cast<object::Object*>(sequential_class(in))), Args()));
  for (std::size_t i = 0; i < children.size(); ++i) NNS_TRY(add(in, made, static_cast<std::int64_t>(i), children[i]));
  return made;
}

PyResult<Value> multiply(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t factor, factor_of(in, a));
  NNS_TRY_ASSIGN(const std::vector<Value> children, children_of(a[0]));
  std::vector<Value> all;
  for (std::int64_t i = 0; i < factor; ++i) all.insert(all.end(), children.begin(), children.end());
  return new_sequential(in, all);
}

void add_sequential(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class(
      {.name = "Sequential", .module = "torch.nn.modules.container", .bases = {library.module}});
  library.add_class("Sequential", cls);
  cls.def("__init__(self, *args)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).init();
    const auto items = a[1].as<Tuple>()->items();
    Dict* named = items.size() == 1 ? items[0].as<Dict>() : nullptr;
    if (named != nullptr && named->type().is_subclass_of(*in.builtins().ordered_dict)) {
      for (std::size_t at = 0; Dict::Entry* entry = named->next(at);) {
        NNS_TRY(in.call_method(a[0], in.intern("add_module"), {entry->key, entry->value}));
      }
      return Value();
    }
    for (std::size_t i = 0; i < items.size(); ++i) NNS_TRY(add(in, a[0], static_cast<std::int64_t>(i), items[i]));
    return Value();
  });
  cls.def("__getitem__(self, idx)", [](Interpreter& in, Args a) -> PyResult<Value> { return get_item(in, a, true); });
  cls.def("__setitem__(self, idx, module)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return set_item(in, a, true); });
  cls.def("__delitem__(self, idx)", delete_item);
  cls.def("__len__(self)", size);
  cls.def("__iter__(self)", iterate);
  cls.def("__dir__(self)", dir_without_digits);
  cls.def("append(self, module)", append_module);
  cls.def("pop(self, key)", pop);
  cls.def("insert(self, index, module)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (as_module(a[2]) == nullptr) {
      return object::make_error(in, object::ErrorKind::AssertionError,
                                "module should be of type: <class 'torch.nn.modules.module.Module'>");
    }
    NNS_TRY_ASSIGN(const std::int64_t count, count_of(a[0]));
    NNS_TRY_ASSIGN(std::int64_t index, object::index(in, a[1]));
    if (index < -count || index > count) {
      return object::error<object::ErrorKind::IndexError>(in, "Index out of range: {}", index);
    }
    return shift_in(in, a, index < 0 ? index + count : index);
  });
  cls.def("extend(self, sequential)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value iterator, object::iter(in, a[1]));
    while (true) {
      NNS_TRY_ASSIGN(const Value layer, object::next(in, iterator));
      if (layer.is_absent()) return a[0];
      NNS_TRY(in.call_method(a[0], in.intern("append"), {layer}));
    }
  });
  cls.def("__add__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_sequential(in, a[1]));
    NNS_TRY_ASSIGN(std::vector<Value> all, children_of(a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> more, children_of(a[1]));
    all.insert(all.end(), more.begin(), more.end());
    return new_sequential(in, all);
  });
  cls.def("__iadd__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_sequential(in, a[1]));
    NNS_TRY_ASSIGN(const std::int64_t offset, count_of(a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> more, children_of(a[1]));
    for (std::size_t i = 0; i < more.size(); ++i) {
      NNS_TRY(add(in, a[0], offset + static_cast<std::int64_t>(i), more[i]));
    }
    return a[0];
  });
  cls.def("__mul__(self, other)", multiply);
  cls.def("__rmul__(self, other)", multiply);
  cls.def("__imul__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t factor, factor_of(in, a));
    NNS_TRY_ASSIGN(Dict* const modules, self_of(a).required_registry(Registry::Modules));
    const auto original = static_cast<std::int64_t>(modules->size());
    for (std::int64_t round = 1; round < factor; ++round) {
      for (std::int64_t i = 0; i < original; ++i) {
        const Value* found = modules->find(std::string_view(digits(i)));
        if (found == nullptr) return object::key_error(in, in.text(digits(i)));
        NNS_TRY(add(in, a[0], round * original + i, Value(*found)));
      }
    }
    return a[0];
  });
  cls.def("forward(self, input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> children, children_of(a[0]));
    Value flowing = a[1];
    for (const Value& child : children) {
      NNS_TRY_ASSIGN(flowing, in.call(child, std::span<const Value>(&flowing, 1)));
    }
    return flowing;
  });
}

// Behaviour: ModuleList.__repr__: consecutive equal texts are folded.
PyResult<Value> list_text(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> children, children_of(a[0]));
  struct Block {
    std::size_t first, last;
    std::string text;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < children.size(); ++i) {
    NNS_TRY_ASSIGN(std::string text, object::repr(in, children[i]));
    if (!blocks.empty() && blocks.back().text == text) {
      blocks.back().last = i;
    } else {
      blocks.push_back({i, i, std::move(text)});
    }
  }
  std::vector<std::string> lines;
  for (const Block& block : blocks) {
    const std::string text = block.first == block.last ? fmt::format("({}): {}", block.first, block.text)
                                                       : fmt::format("({}-{}): {} x {}", block.first, block.last,
                                                                     block.last - block.first + 1, block.text);
    lines.push_back(add_indent(text, true));
  }
  NNS_TRY_ASSIGN(const std::string name, shown_name(self_of(a)));
  return in.text(framed(name, lines));
}

PyResult<Value> extend_list(Interpreter& in, Args a) {
  if (!object::is_iterable(in, a[1])) {
    return object::type_error(in, "ModuleList.extend should be called with an iterable, but got {}",
                              in.type_of(a[1]).name());
  }
  NNS_TRY_ASSIGN(std::int64_t number, count_of(a[0]));
  NNS_TRY_ASSIGN(const std::vector<Value> more, object::to_vector(in, a[1]));
  for (const Value& module : more) NNS_TRY(add(in, a[0], number++, module));
  return a[0];
}

void add_module_list(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class(
      {.name = "ModuleList", .module = "torch.nn.modules.container", .bases = {library.module}});
  library.add_class("ModuleList", cls);
  cls.def("__init__(self, modules=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).init();
    if (!a[1].is_none()) NNS_TRY(extend_list(in, a));
    return Value();
  });
  cls.def("__getitem__(self, idx)", [](Interpreter& in, Args a) -> PyResult<Value> { return get_item(in, a, false); });
  cls.def("__setitem__(self, idx, module)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return set_item(in, a, false); });
  cls.def("__delitem__(self, idx)", delete_item);
  cls.def("__len__(self)", size);
  cls.def("__iter__(self)", iterate);
  cls.def("__dir__(self)", dir_without_digits);
  cls.def("__repr__(self)", list_text);
  cls.def("append(self, module)", append_module);
  cls.def("pop(self, key)", pop);
  cls.def("extend(self, modules)", extend_list);
  cls.def("__iadd__(self, modules)", extend_list);
  cls.def("insert(self, index, module)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t index, object::index(in, a[1]));
    NNS_TRY(shift_in(in, a, index));
    return Value();
  });
  cls.def("__add__(self, other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> all, children_of(a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> more, object::to_vector(in, a[1]));
    all.insert(all.end(), more.begin(), more.end());
    Class* list = NnLibrary::of(in).find_class("ModuleList");
    NNS_TRY_ASSIGN(Value made, in.call(Value(static_cast<object::Object*>(list)), Args()));
    for (std::size_t i = 0; i < all.size(); ++i) NNS_TRY(add(in, made, static_cast<std::int64_t>(i), all[i]));
    return made;
  });
}

}  // namespace

void add_sequential_classes(Interpreter& interpreter, NnLibrary& library) {
  add_sequential(interpreter, library);
  add_module_list(interpreter, library);
}

}  // namespace nns::nn
