#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/format.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

const Value& number_of(Args a) { return plain_number(a[0]); }

// The number as an instance of `cls`: itself, or what a program's class makes of it.
Value as_instance(const Value& cls, Value plain) {
  Class& wanted = *cls.as<Class>();
  if (wanted.is_immutable()) return plain;
  return Value(make<Number>(wanted, std::move(plain)));
}

// Behaviour: CPython Objects/longobject.c, long_new_impl.
PyResult<Value> new_integer(Interpreter& in, Args a) {
  if (a[2].is_absent()) {
    if (a[1].is_absent()) return as_instance(a[0], Value(0));
    NNS_TRY_ASSIGN(Value number, to_integer(in, a[1]));
    return as_instance(a[0], std::move(number));
  }
  if (a[1].is_absent()) return type_error(in, "int() missing string argument");
  NNS_TRY_ASSIGN(const std::int64_t base, index(in, a[2]));
  if (base != 0 && (base < 2 || base > 36)) return value_error(in, "int() base must be >= 2 and <= 36, or 0");
  std::string_view text;
  if (const Str* str = a[1].as<Str>()) {
    text = str->view();
  } else if (const Bytes* bytes = a[1].as<Bytes>()) {
    text = bytes->view();
  } else {
    return type_error(in, "int() can't convert non-string with explicit base");
  }
  NNS_TRY_ASSIGN(Value number, read_integer(in, text, static_cast<int>(base)));
  return as_instance(a[0], std::move(number));
}

PyResult<bool> is_little(Interpreter& in, const Value& order) {
  const Str* text = order.as<Str>();
  if (text != nullptr && text->view() == "little") return true;
  if (text != nullptr && text->view() == "big") return false;
  return value_error(in, "byteorder must be either 'little' or 'big'");
}

PyResult<Value> to_bytes(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t size, index(in, a[1]));
  NNS_TRY_ASSIGN(const bool little, is_little(in, a[2]));
  NNS_TRY_ASSIGN(const bool is_signed, truth(in, a[3]));
  if (size < 0) return value_error(in, "length argument must be non-negative");
  if (is_too_much(size, 1)) return make_error(in, ErrorKind::MemoryError, "");
  auto bytes = integer_to_bytes(number_of(a), static_cast<std::size_t>(size), is_signed);
  if (!bytes) {
    const bool negative = !is_signed && integer_sign(number_of(a)) < 0;
    return error<ErrorKind::OverflowError>(
        in, "{}", negative ? "can't convert negative int to unsigned" : "int too big to convert");
  }
  if (!little) std::reverse(bytes->begin(), bytes->end());
  return Value(make_bytes(in, std::string(bytes->begin(), bytes->end())));
}

PyResult<Value> from_bytes(Interpreter& in, Args a) {
  std::vector<std::uint8_t> bytes;
  if (const Bytes* given = a[1].as<Bytes>()) {
    bytes.assign(given->view().begin(), given->view().end());
  } else {
    if (a[1].as<Str>() != nullptr || !can_iterate(in, a[1])) {
      return type_error(in, "cannot convert '{}' object to bytes", in.type_of(a[1]).name());
    }
    NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, a[1]));
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, item, "bytes"));
      bytes.push_back(byte);
    }
  }
  NNS_TRY_ASSIGN(const bool little, is_little(in, a[2]));
  NNS_TRY_ASSIGN(const bool is_signed, truth(in, a[3]));
  if (!little) std::reverse(bytes.begin(), bytes.end());
  Value number = integer_of_bytes(in, bytes, is_signed);
  if (a[0].as<Class>()->is_immutable()) return number;
  return in.call(a[0], {number});
}

// pow(a, b[, modulus]).
PyResult<Value> power(Interpreter& in, const Value& a, const Value& b, const Value& modulus) {
  const Value &x = plain_number(a), &y = plain_number(b), &m = plain_number(modulus);
  if (!is_plain_number(x) || !is_plain_number(y)) return in.not_implemented();
  if (m.is_none()) return number_operation(in, Op::Pow, x, y);
  if (is_integer(x) && is_integer(y) && is_integer(m)) return integer_power_modulo(in, x, y, m);
  if (!is_plain_number(m)) return in.not_implemented();
  return type_error(in, "pow() 3rd argument not allowed unless all arguments are integers");
}

std::string float_hex(double number) {
  if (!std::isfinite(number)) return float_repr(number);
  const char* sign = std::signbit(number) ? "-" : "";
  if (number == 0) return fmt::format("{}0x0.0p+0", sign);
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(number), &exponent);
  // Numbers near zero keep the least exponent, and begin with 0.
  constexpr int kLeast = -1021;
  const int shift = 1 - std::max(kLeast - exponent, 0);
  const double shown = std::ldexp(mantissa, shift);
  exponent -= shift;
  const auto whole = static_cast<std::uint64_t>(shown);
  const auto rest = static_cast<std::uint64_t>(std::ldexp(shown - static_cast<double>(whole), 52));
  return fmt::format("{}0x{}.{:013x}p{}{}", sign, whole, rest, exponent < 0 ? "-" : "+", std::abs(exponent));
}

PyResult<Value> float_from_hex(Interpreter& in, Args a) {
  const Str* text = a[1].as<Str>();
  if (text == nullptr) return type_error(in, "fromhex() argument must be str, not {}", in.type_of(a[1]).name());
  const auto wrong = [&in] { return value_error(in, "invalid hexadecimal floating-point string"); };
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  std::string_view all = text->view();
  const std::size_t first = all.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return wrong();
  all = all.substr(first, all.find_last_not_of(kSpace) + 1 - first);
  std::string low;
  for (const char c : all) low += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  std::string_view body = low;
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  double number = 0;
  if (body == "inf" || body == "infinity" || body == "nan") {
    number = *read_float(body);
  } else {
    if (body.starts_with("0x")) body.remove_prefix(2);
    const std::size_t mark = body.find('p');
    const std::string_view digits = body.substr(0, mark);
    if (digits.find_first_not_of("0123456789abcdef.") != std::string_view::npos || digits.empty() || digits == "." ||
        std::count(digits.begin(), digits.end(), '.') > 1) {
      return wrong();
    }
    std::string_view power = mark == std::string_view::npos ? "0" : body.substr(mark + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (power.empty() || power.find_first_not_of("0123456789") != std::string_view::npos) return wrong();
    number = std::strtod(("0x" + std::string(body)).c_str(), nullptr);
    if (std::isinf(number)) {
      return error<ErrorKind::OverflowError>(in, "hexadecimal value too large to represent as a float");
    }
  }
  const Value plain(negative ? -number : number);
  if (a[0].as<Class>()->is_immutable()) return plain;
  return in.call(a[0], {plain});
}

PyResult<Value> integer_ratio(Interpreter& in, Args a) {
  const Value& self = number_of(a);
  const double number = self.as_float();
  if (std::isinf(number)) return error<ErrorKind::OverflowError>(in, "cannot convert Infinity to integer ratio");
  if (std::isnan(number)) return value_error(in, "cannot convert NaN to integer ratio");
  int exponent = 0;
  double mantissa = std::frexp(number, &exponent);
  for (; mantissa != std::floor(mantissa); mantissa *= 2) --exponent;
  NNS_TRY_ASSIGN(const Value scale, integer_operation(in, Op::LShift, Value(1), Value(std::abs(exponent))));
  const Value top = integer_of_float(in, mantissa);
  if (exponent <= 0) return Value(in.tuple({top, scale}));
  NNS_TRY_ASSIGN(const Value number_itself, integer_operation(in, Op::Mul, top, scale));
  return Value(in.tuple({number_itself, Value(1)}));
}

PyResult<Value> format_method(Interpreter& in, Args a) {
  const Str* spec = a[1].as<Str>();
  if (spec == nullptr) return type_error(in, "__format__() argument must be str, not {}", in.type_of(a[1]).name());
  NNS_TRY_ASSIGN(const std::string text, builtin_format(in, a[0], spec->view()));
  return in.text(text);
}

// What int, float and complex share.
void add_common_methods(Class& cls) {
  add_operator_methods(cls, {Op::Add, Op::Sub, Op::Mul, Op::TrueDiv}, true);
  add_value_methods(cls);
  cls.def("__pow__(self, value, mod=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return leaves_to_other(a[0], a[1]) ? in.not_implemented() : power(in, a[0], a[1], a[2]);
  });
  cls.def("__rpow__(self, value, mod=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return leaves_to_other(a[0], a[1]) ? in.not_implemented() : power(in, a[1], a[0], a[2]);
  });
  cls.def("__neg__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Neg, number_of(a));
  });
  cls.def("__pos__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Pos, number_of(a));
  });
  cls.def("__abs__(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return number_absolute(in, number_of(a)); });
  cls.def("__bool__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool answer, truth(in, number_of(a)));
    return Value(answer);
  });
  cls.def("__format__(self, format_spec, /)", format_method);
}

void add_real_methods(Class& cls) {
  add_common_methods(cls);
  add_comparison_methods(cls);
  add_operator_methods(cls, {Op::FloorDiv, Op::Mod}, true);
  const auto divide = [](Interpreter& in, const Value& a, const Value& b) -> PyResult<Value> {
    const Value &x = plain_number(a), &y = plain_number(b);
    const auto is_real = [](const Value& value) { return is_integer(value) || value.is_float(); };
    if (!is_real(x) || !is_real(y)) return in.not_implemented();
    return number_divmod(in, x, y);
  };
  cls.def("__divmod__(self, value, /)", [divide](Interpreter& in, Args a) { return divide(in, a[0], a[1]); });
  cls.def("__rdivmod__(self, value, /)", [divide](Interpreter& in, Args a) { return divide(in, a[1], a[0]); });
  cls.def("__round__(self, ndigits=None, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return number_round(in, number_of(a), a[1]); });
  const NativeBody whole = [](Interpreter& in, Args a) -> PyResult<Value> { return to_integer(in, number_of(a)); };
  cls.def("__int__(self, /)", whole).def("__trunc__(self, /)", whole);
  cls.def("__float__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double number, to_float(in, number_of(a)));
    return Value(number);
  });
  cls.def("conjugate(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Pos, number_of(a));
  });
  cls.property("real", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Pos, plain_number(self));
  });
  cls.property("imag", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return plain_number(self).is_float() ? Value(0.0) : Value(0);
  });
}

void add_integer_methods(Class& cls) {
  add_real_methods(cls);
  add_operator_methods(cls, {Op::LShift, Op::RShift, Op::And, Op::Or, Op::Xor}, true);
  cls.def_static("__new__(cls, x=absent, /, base=absent)", new_integer);
  cls.def("__invert__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Invert, number_of(a));
  });
  const NativeBody itself = [](Interpreter& in, Args a) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Pos, number_of(a));
  };
  cls.def("__index__(self, /)", itself).def("__floor__(self, /)", itself).def("__ceil__(self, /)", itself);
  cls.def("bit_length(self, /)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(integer_bit_length(number_of(a))); });
  cls.def("bit_count(self, /)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(integer_bit_count(number_of(a))); });
  cls.def("is_integer(self, /)", [](Interpreter&, Args) -> PyResult<Value> { return Value(true); });
  cls.def("as_integer_ratio(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(in.tuple({number_operation(in, UnaryOperator::Pos, number_of(a)), Value(1)}));
  });
  cls.def("to_bytes(self, /, length=1, byteorder='big', *, signed=False)", to_bytes);
  cls.def_class("from_bytes(cls, /, bytes, byteorder='big', *, signed=False)", from_bytes);
  cls.property("numerator", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return number_operation(in, UnaryOperator::Pos, plain_number(self));
  });
  cls.property("denominator", [](Interpreter&, const Value&) -> PyResult<Value> { return Value(1); });
}

void add_float_methods(Class& cls) {
  add_real_methods(cls);
  cls.def_static("__new__(cls, x=0.0, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double number, to_float(in, a[1]));
    return as_instance(a[0], Value(number));
  });
  cls.def("is_integer(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    const double number = number_of(a).as_float();
    return Value(std::isfinite(number) && number == std::floor(number));
  });
  cls.def("as_integer_ratio(self, /)", integer_ratio);
  cls.def("hex(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return in.text(float_hex(number_of(a).as_float())); });
  cls.def_class("fromhex(cls, string, /)", float_from_hex);
  cls.def_class("from_number(cls, number, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<Str>() != nullptr) return type_error(in, "must be real number, not str");
    NNS_TRY_ASSIGN(const double number, to_float(in, a[1]));
    return as_instance(a[0], Value(number));
  });
  cls.def("__floor__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return float_to_integer(in, std::floor(number_of(a).as_float()));
  });
  cls.def("__ceil__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return float_to_integer(in, std::ceil(number_of(a).as_float()));
  });
}

// Behaviour: CPython Objects/complexobject.c, complex_new_impl.
PyResult<Value> new_complex(Interpreter& in, Args a) {
  if (const Str* text = a[1].as<Str>()) {
    if (!a[2].is_absent()) return type_error(in, "complex() can't take second arg if first is a string");
    const auto number = read_complex_number(text->view());
    if (!number) return value_error(in, "complex() arg is a malformed string");
    return as_instance(a[0], Value(make<Complex>(in, *number)));
  }
  std::complex<double> parts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    Value given = a[i + 1];
    if (given.is_absent()) continue;
    if (const Name method = in.find_name("__complex__"); method && own_special(in, given, method) != nullptr) {
      NNS_TRY_ASSIGN(given, in.call_special(given, method));
    }
    if (const Complex* number = plain_number(given).as<Complex>()) {
      parts[i] = number->number();
      continue;
    }
    if (given.as<Str>() != nullptr ||
        !(is_plain_number(plain_number(given)) || own_special(in, given, in.names().dunder_float) != nullptr ||
          own_special(in, given, in.names().dunder_index) != nullptr)) {
      if (i == 1)
        return type_error(in, "complex() argument 'imag' must be a real number, not {}", in.type_of(given).name());
      return type_error(in, "complex() argument must be a string or a number, not {}", in.type_of(given).name());
    }
    NNS_TRY_ASSIGN(parts[i], to_float(in, given));
  }
  const std::complex<double> number(parts[0].real() - parts[1].imag(), parts[0].imag() + parts[1].real());
  return as_instance(a[0], Value(make<Complex>(in, number)));
}

void add_complex_methods(Class& cls) {
  add_common_methods(cls);
  add_operator_methods(cls, {Op::Eq, Op::Ne}, false);
  cls.def_static("__new__(cls, /, real=absent, imag=absent)", new_complex);
  cls.def("conjugate(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(make<Complex>(in, std::conj(number_of(a).as<Complex>()->number())));
  });
  cls.def("__complex__(self, /)", [](Interpreter&, Args a) -> PyResult<Value> { return number_of(a); });
  cls.property("real", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(plain_number(self).as<Complex>()->number().real());
  });
  cls.property("imag", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(plain_number(self).as<Complex>()->number().imag());
  });
}

}  // namespace

// Behaviour: CPython Objects/abstract.c, PyNumber_Long.
PyResult<Value> to_integer(Interpreter& in, const Value& value) {
  const Value& plain = plain_number(value);
  const bool own = !is_exact(value) && own_special(in, value, in.names().dunder_int) != nullptr;
  if (value.as<Number>() == nullptr || !own) {
    if (is_integer(plain)) return plain.is_bool() ? Value(plain.as_int()) : plain;
    if (plain.is_float()) return float_to_integer(in, plain.as_float());
  }
  if (const Str* text = value.as<Str>()) return read_integer(in, text->view(), 10);
  if (const Bytes* bytes = value.as<Bytes>()) return read_integer(in, bytes->view(), 10);
  if (own) {
    NNS_TRY_ASSIGN(const Value answer, in.call_special(value, in.names().dunder_int));
    if (is_integer(plain_number(answer))) return index_value(in, answer);
    return type_error(in, "__int__ returned non-int (type {})", in.type_of(answer).name());
  }
  if (own_special(in, value, in.names().dunder_index) != nullptr) return index_value(in, value);
  return type_error(in, "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                    in.type_of(value).name());
}

// Behaviour: CPython Objects/abstract.c, PyNumber_Float.
PyResult<double> to_float(Interpreter& in, const Value& value) {
  const Value& plain = plain_number(value);
  const bool own = !is_exact(value) && own_special(in, value, in.names().dunder_float) != nullptr;
  if (value.as<Number>() == nullptr || !own) {
    if (plain.is_float()) return plain.as_float();
    if (is_integer(plain)) return integer_to_float(in, plain);
  }
  const Str* text = value.as<Str>();
  const Bytes* bytes = value.as<Bytes>();
  if (text != nullptr || bytes != nullptr) {
    const auto number = read_float(text != nullptr ? text->view() : bytes->view());
    if (number) return *number;
    NNS_TRY_ASSIGN(const std::string shown, repr(in, value));
    return value_error(in, "could not convert string to float: {}", shown);
  }
  if (own) {
    NNS_TRY_ASSIGN(const Value answer, in.call_special(value, in.names().dunder_float));
    if (plain_number(answer).is_float()) return plain_number(answer).as_float();
    return type_error(in, "{}.__float__ returned non-float (type {})", in.type_of(value).name(),
                      in.type_of(answer).name());
  }
  if (own_special(in, value, in.names().dunder_index) != nullptr) {
    NNS_TRY_ASSIGN(const Value whole, index_value(in, value));
    return integer_to_float(in, whole);
  }
  return type_error(in, "float() argument must be a string or a real number, not '{}'", in.type_of(value).name());
}

void add_number_methods(Interpreter& interpreter) {
  add_integer_methods(*interpreter.builtins().integer);
  add_float_methods(*interpreter.builtins().floating);
  add_complex_methods(*interpreter.builtins().complex_number);
  interpreter.builtins().boolean->def_static("__new__(cls, x=False, /)",
                                             [](Interpreter& in, Args a) -> PyResult<Value> {
                                               NNS_TRY_ASSIGN(const bool answer, truth(in, a[1]));
                                               return Value(answer);
                                             });
}

}  // namespace nns::object
