#include "core/python/eval/literals.h"

#include <cstdlib>
#include <string>

#include "core/object/big_int.h"
#include "core/object/bytes.h"
#include "core/object/numbers.h"

namespace nns::python {

using object::PyResult;
using object::Value;

PyResult<Value> literal(object::Interpreter& interpreter, ConstantKind kind, std::string_view text) {
  switch (kind) {
    case ConstantKind::None:
      return Value();
    case ConstantKind::False:
      return Value(false);
    case ConstantKind::True:
      return Value(true);
    case ConstantKind::Ellipsis:
      return interpreter.ellipsis();
    case ConstantKind::Str:
      return interpreter.intern(text).value();
    case ConstantKind::Float:
      return Value(std::strtod(std::string(text).c_str(), nullptr));
    case ConstantKind::Int:
      return object::read_integer(interpreter, text, 0);
    case ConstantKind::Imaginary:
      return Value(object::make<object::Complex>(
          interpreter, std::complex<double>(0, std::strtod(std::string(text).c_str(), nullptr))));
    case ConstantKind::Bytes:
      return Value(object::make_bytes(interpreter, text));
  }
  return Value();
}

}  // namespace nns::python
