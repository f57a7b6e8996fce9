// torch.Size: a tuple of sizes. Behaviour: torch/csrc/Size.cpp.
#include "core/tensor/size_class.h"

#include "core/object/instance.h"
#include "core/object/operations.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;
using object::Class;

}  // namespace

void add_size_class(Interpreter& interpreter, TensorLibrary& library) {
  library.size =
      &interpreter.define_class({.name = "Size", .module = "torch", .bases = {interpreter.builtins().tuple}});
  library.size->def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::vector<std::int64_t> sizes;
    for (const Value& one : a[0].as<object::Tuple>()->items()) sizes.push_back(one.as_int());
    return in.text(size_text(Dims(sizes)));
  });
  // Behaviour: torch/csrc/Size.cpp, THPSize_pynew.
  library.size->def_static("__new__(cls, iterable=(), /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, a[1]));
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_int() && !items[i].is_bool()) continue;
      PyResult<Value> number = object::index_value(in, items[i]);
      if (!number.ok()) {
        return object::type_error(in, "torch.Size() takes an iterable of 'int' (item {} is '{}')", i,
                                  in.type_of(items[i]).name());
      }
      items[i] = *std::move(number);
    }
    return Value(object::make_tuple(a[0].as<Class>() == nullptr ? *TensorLibrary::of(in).size : *a[0].as<Class>(),
                                    std::move(items)));
  });
  // Slices, sums and repetitions stay sizes. Behaviour: torch/csrc/Size.cpp, wrap_tuple_fn.
  const auto as_size = [&library](std::string_view signature, std::string_view of_tuple) {
    library.size->def(signature, [name = std::string(of_tuple)](Interpreter& in, Args a) -> PyResult<Value> {
      const Value* method = in.builtins().tuple->lookup(in.intern(name));
      NNS_TRY_ASSIGN(Value made, in.call(*method, a));
      const auto* items = made.as<object::Tuple>();
      if (items == nullptr) return made;
      return Value(object::make_tuple(*TensorLibrary::of(in).size, {items->items().begin(), items->items().end()}));
    });
  };
  as_size("__getitem__(self, key)", "__getitem__");
  as_size("__add__(self, other)", "__add__");
  as_size("__mul__(self, count)", "__mul__");
  as_size("__rmul__(self, count)", "__rmul__");
  library.size->def("numel(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    std::int64_t count = 1;
    for (const Value& one : a[0].as<object::Tuple>()->items()) count *= one.as_int();
    return Value(count);
  });
}

}  // namespace nns::tensor
