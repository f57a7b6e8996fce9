#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"

// torch.return_types: tuples with names. Behaviour: torch/csrc/autograd/python_return_types.cpp, CPython's structseq.
namespace nns::ops {
namespace {

template <std::size_t i>
PyResult<Value> item(Interpreter&, const Value& self) {
  return (*self.as<object::Tuple>())[i];
}
constexpr object::NativeGetter kItems[] = {item<0>, item<1>, item<2>, item<3>, item<4>};

object::Class& result_class(Interpreter& in, std::string_view name, std::string_view fields) {
  object::Dict& known = python_module(in, "torch.return_types");
  const object::Name key = in.intern(name);
  if (const Value* found = known.find(key)) return *found->as<object::Class>();
  object::Class& cls =
      in.define_class({.name = key.view(), .module = "torch.return_types", .bases = {in.builtins().tuple}});
  std::vector<Value> names;
  for (std::string_view rest = fields; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    const object::Name field = in.intern(rest.substr(0, space));
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    cls.property(field.view(), kItems[names.size()]);
    names.emplace_back(field.value());
  }
  cls.attribute("_fields", Value(in.tuple(std::move(names))));
  cls.def("__repr__(self)", [](Interpreter& interpreter, std::span<const Value> a) -> PyResult<Value> {
    const object::Class& own = interpreter.type_of(a[0]);
    const auto* field_names = own.lookup(interpreter.intern("_fields"))->as<object::Tuple>();
    const auto& values = *a[0].as<object::Tuple>();
    std::string out = fmt::format("torch.return_types.{}(\n", own.name());
    for (std::size_t i = 0; i < values.size(); ++i) {
      NNS_TRY_ASSIGN(const std::string text, object::repr(interpreter, values[i]));
      out += fmt::format("{}={}{}", (*field_names)[i].as<object::Str>()->view(), text,
                         i + 1 < values.size() ? ",\n" : ")");
    }
    return interpreter.text(out);
  });
  known.set(key, Value(static_cast<object::Object*>(&cls)));
  return cls;
}

}  // namespace

Value named_result(Interpreter& interpreter, std::string_view name, std::string_view fields, std::vector<Value> items) {
  return object::make<object::Tuple>(result_class(interpreter, name, fields), std::move(items));
}

}  // namespace nns::ops
