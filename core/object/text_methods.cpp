#include <algorithm>

#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/characters.h"
#include "core/object/format.h"
#include "core/object/numbers.h"
#include "core/object/text_codec.h"
#include "core/object/text_units.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

std::string_view view_of(const Value& value) { return value.as<Str>()->view(); }

// Behaviour: CPython Objects/unicodeobject.c, unicode_new_impl.
PyResult<Value> new_text(Interpreter& in, Args a) {
  Class& cls = *a[0].as<Class>();
  const bool decodes = !a[2].is_absent() || !a[3].is_absent();
  if (decodes) {
    if (a[1].as<Str>() != nullptr) return type_error(in, "decoding str is not supported");
    const Bytes* bytes = a[1].as<Bytes>();
    if (bytes == nullptr) {
      return type_error(in, "decoding to str: need a bytes-like object, {} found", in.type_of(a[1]).name());
    }
    NNS_TRY_ASSIGN(const std::string text, decode_bytes(in, bytes->view(), a[2], a[3]));
    return Value(Str::make(cls, text));
  }
  if (a[1].is_absent()) return Value(Str::make(cls, ""));
  if (cls.is_immutable() && is_exact(a[1]) && a[1].as<Str>() != nullptr) return a[1];
  NNS_TRY_ASSIGN(const std::string text, str(in, a[1]));
  return Value(Str::make(cls, text));
}

// A method that maps the text: lower, title.
void add_mapping(Class& cls, std::string_view name, std::string (*map)(std::string_view)) {
  cls.def(fmt::format("{}(self, /)", name),
          [map](Interpreter& in, Args a) -> PyResult<Value> { return in.text(map(view_of(a[0]))); });
}

// A method that asks whether every character has a property, and whether there is one.
void add_test(Class& cls, std::string_view name, bool (*test)(char32_t)) {
  cls.def(fmt::format("{}(self, /)", name), [test](Interpreter&, Args a) -> PyResult<Value> {
    const std::u32string points = code_points(view_of(a[0]));
    return Value(!points.empty() && std::all_of(points.begin(), points.end(), test));
  });
}

// islower and isupper: cased characters, all of one case.
PyResult<Value> is_all_of_case(Args a, bool (*wanted)(char32_t), bool (*unwanted)(char32_t)) {
  bool found = false;
  for (const char32_t point : code_points(view_of(a[0]))) {
    if (unwanted(point) || is_title(point)) return Value(false);
    found = found || wanted(point);
  }
  return Value(found);
}

PyResult<Value> is_titled(Interpreter&, Args a) {
  bool found = false, in_word = false;
  for (const char32_t point : code_points(view_of(a[0]))) {
    const bool upper = is_upper(point) || is_title(point), lower = is_lower(point);
    if ((upper && in_word) || (lower && !in_word)) return Value(false);
    in_word = upper || lower;
    found = found || in_word;
  }
  return Value(found);
}

PyResult<Value> is_identifier(Interpreter&, Args a) {
  const std::u32string points = code_points(view_of(a[0]));
  return Value(!points.empty() && is_identifier_start(points[0]) &&
               std::all_of(points.begin(), points.end(), is_identifier_part));
}

void add_tests(Class& cls) {
  add_test(cls, "isalpha", is_letter);
  add_test(cls, "isdecimal", is_decimal);
  add_test(cls, "isdigit", is_digit);
  add_test(cls, "isnumeric", is_numeric);
  add_test(cls, "isspace", is_space);
  add_test(cls, "isalnum", [](char32_t point) { return is_letter(point) || is_numeric(point); });
  cls.def("isprintable(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::u32string points = code_points(view_of(a[0]));
    return Value(std::all_of(points.begin(), points.end(), is_printable));
  });
  cls.def("isascii(self, /)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(a[0].as<Str>()->is_ascii()); });
  cls.def("islower(self, /)", [](Interpreter&, Args a) { return is_all_of_case(a, is_lower, is_upper); });
  cls.def("isupper(self, /)", [](Interpreter&, Args a) { return is_all_of_case(a, is_upper, is_lower); });
  cls.def("istitle(self, /)", is_titled);
  cls.def("isidentifier(self, /)", is_identifier);
}

// Behaviour: CPython Objects/unicodeobject.c, unicode_maketrans_impl.
PyResult<Value> make_table(Interpreter& in, Args a) {
  const Ref<Dict> table = in.dict();
  if (a[1].is_absent()) {
    Dict* given = a[0].as<Dict>();
    if (given == nullptr) return type_error(in, "if you give only one argument to maketrans it must be a dict");
    for (std::size_t at = 0; Dict::Entry* entry = given->next(at);) {
      if (const Str* key = entry->key.as<Str>()) {
        if (key->length() != 1) return value_error(in, "string keys in translate table must be of length 1");
        table->set(Value(static_cast<std::int64_t>(code_point_at(key->view(), 0))), entry->value);
      } else if (is_integer(plain_number(entry->key))) {
        table->set(entry->key, entry->value);
      } else {
        return type_error(in, "keys in translate table must be strings or integers");
      }
    }
    return Value(table);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (a[i].as<Str>() != nullptr || (i == 2 && a[i].is_absent())) continue;
    if (i == 0) return type_error(in, "first maketrans argument must be a string if there is a second argument");
    return type_error(in, "maketrans() argument {} must be str, not {}", i + 1, in.type_of(a[i]).name());
  }
  const std::u32string from = code_points(view_of(a[0])), to = code_points(view_of(a[1]));
  if (from.size() != to.size()) return value_error(in, "the first two maketrans arguments must have equal length");
  for (std::size_t i = 0; i < from.size(); ++i) {
    table->set(Value(static_cast<std::int64_t>(from[i])), Value(static_cast<std::int64_t>(to[i])));
  }
  if (!a[2].is_absent()) {
    for (const char32_t point : code_points(view_of(a[2])))
      table->set(Value(static_cast<std::int64_t>(point)), Value());
  }
  return Value(table);
}

PyResult<Value> translate(Interpreter& in, Args a) {
  std::string out;
  for (const char32_t point : code_points(view_of(a[0]))) {
    PyResult<Value> found = getitem(in, a[1], Value(static_cast<std::int64_t>(point)));
    if (!found.ok()) {
      if (!found.error().is(ErrorKind::LookupError)) return found;
      append_code_point(out, point);
      continue;
    }
    if (found->is_none()) continue;
    if (const Str* text = found->as<Str>()) {
      out += text->view();
      continue;
    }
    const Value& number = plain_number(*found);
    if (!is_integer(number)) return type_error(in, "character mapping must return integer, None or str");
    if (number.as<BigInt>() != nullptr || number.as_int() < 0 || number.as_int() > 0x10FFFF) {
      return value_error(in, "character mapping must be in range(0x110000)");
    }
    append_code_point(out, static_cast<char32_t>(number.as_int()));
  }
  return in.text(out);
}

void add_formatting(Class& cls) {
  cls.def("format(self, /, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, format_fields(in, view_of(a[0]), a[1].as<Tuple>()->items(), a[2]));
    return in.text(text);
  });
  cls.def("format_map(self, mapping, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, format_fields(in, view_of(a[0]), {}, a[1], true));
    return in.text(text);
  });
  cls.def("__format__(self, format_spec, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Str* spec = a[1].as<Str>();
    if (spec == nullptr) return type_error(in, "__format__() argument must be str, not {}", in.type_of(a[1]).name());
    if (spec->view().empty()) return in.text(view_of(a[0]));
    NNS_TRY_ASSIGN(const std::string text, builtin_format(in, a[0], spec->view()));
    return in.text(text);
  });
  cls.def("encode(self, /, encoding='utf-8', errors='strict')", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string bytes, encode_text(in, view_of(a[0]), a[1], a[2]));
    return Value(make_bytes(in, bytes));
  });
}

}  // namespace

void add_text_methods(Interpreter& interpreter) {
  Class& cls = *interpreter.builtins().str;
  cls.def_static("__new__(cls, /, object=absent, encoding=absent, errors=absent)", new_text);
  cls.def("__str__(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return is_exact(a[0]) ? a[0] : in.text(view_of(a[0])); });
  add_container_methods(cls, true);
  add_item_methods(cls, false);
  add_comparison_methods(cls);
  add_operator_methods(cls, {Op::Add, Op::Mul, Op::Mod}, false);
  cls.def("__rmul__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value made, builtin_operation(in, Op::Mul, a[0], a[1]));
    return made.is_absent() ? in.not_implemented() : made;
  });
  cls.def("__rmod__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<Str>() == nullptr) return in.not_implemented();
    return builtin_operation(in, Op::Mod, a[1], a[0]);
  });
  add_text_search_methods(cls);
  add_mapping(cls, "lower", lower_text);
  add_mapping(cls, "upper", upper_text);
  add_mapping(cls, "casefold", casefold_text);
  add_mapping(cls, "title", title_text);
  add_mapping(cls, "swapcase", swapcase_text);
  add_mapping(cls, "capitalize", capitalized_text);
  add_tests(cls);
  add_formatting(cls);
  cls.def("translate(self, table, /)", translate);
  cls.def_static("maketrans(x, y=absent, z=absent, /)", make_table);
}

}  // namespace nns::object
