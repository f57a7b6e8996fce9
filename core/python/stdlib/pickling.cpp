// What the modules pickle and copyreg need from C++: numbers as bytes, and which objects a class and a state rebuild.
#include <typeinfo>

#include "core/base/bits.h"
#include "core/nn/module.h"
#include "core/object/bytes.h"
#include "core/object/copy.h"
#include "core/object/instance.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/python/eval/function.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// Whether what cls.__new__(cls) makes, given the state, is the object again: nothing of it is kept in C++ alone.
bool is_rebuilt_from_state(Interpreter& in, const Value& value) {
  if (!value.is_object()) return true;
  const object::Object& object = *value.object();
  const object::Class& cls = in.type_of(value);
  if (cls.is_subclass_of(*in.builtins().complex_number) || cls.is_subclass_of(*in.builtins().bytes)) return true;
  if (cls.make_instance() == nullptr) return false;
  const bool takes_state = in.type_of(value).lookup(in.names().dunder_setstate) != nullptr;
  if (dynamic_cast<const object::DeepCopyable*>(&object) != nullptr && !takes_state) return false;
  if (value.as<ModuleObject>() != nullptr) return false;
  switch (object.kind()) {
    case object::ObjectKind::Other:
      // Classes of C++ below Instance have members of their own. Those of optimisers come back with __setstate__.
      return typeid(object) == typeid(object::Instance) || value.as<object::Exception>() != nullptr || takes_state;
    case object::ObjectKind::Class:
    case object::ObjectKind::NativeFunction:
    case object::ObjectKind::Iterator:
    case object::ObjectKind::Tensor:
      return false;
    default:
      return true;
  }
}

PyResult<Value> call_copyreg(Interpreter& in, std::string_view name, Args arguments) {
  NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("copyreg", 0, nullptr));
  return in.call_method(module, in.intern(name), arguments);
}

}  // namespace

void fill_pickle(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "is_rebuilt_from_state(object, /)",
             [](Interpreter& in, Args a) -> PyResult<Value> { return Value(is_rebuilt_from_state(in, a[0])); });
  // The eight bytes of a float, the highest first, and back.
  add_native(machine, attributes, "float_bytes(number, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double number, object::to_float(in, a[0]));
    const auto bits = base::bit_cast<std::uint64_t>(number);
    std::string bytes;
    for (unsigned i = 8; i-- > 0;) bytes += static_cast<char>((bits >> (8 * i)) & 0xFFU);
    return Value(object::make_bytes(in, bytes));
  });
  add_native(machine, attributes, "bytes_float(bytes, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto* bytes = a[0].as<object::Bytes>();
    if (bytes == nullptr || bytes->view().size() != 8) return object::value_error(in, "a float has eight bytes");
    std::uint64_t bits = 0;
    for (const char c : bytes->view()) bits = bits << 8U | static_cast<unsigned char>(c);
    return Value(base::bit_cast<double>(bits));
  });
}

// Behaviour: CPython Objects/typeobject.c, object___reduce_ex__.
void add_reduction(Machine& machine) {
  Class& object = *machine.interpreter().builtins().object;
  object.def("__reduce__(self, /)", [](Interpreter& in, Args a) { return call_copyreg(in, "_reduce", a); });
  object.def("__reduce_ex__(self, protocol, /)",
             [](Interpreter& in, Args a) { return call_copyreg(in, "_reduce_by_protocol", a); });
}

}  // namespace nns::python
