// Module unicodedata. Behaviour: Modules/unicodedata.c of CPython 3.14.
#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/object/unicode.h"
#include "core/python/stdlib/stdlib.h"
#include "core/unicode/characters.h"
#include "core/unicode/names.h"
#include "core/unicode/normalization.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// The one character that an argument holds. `place`: "argument" or "argument 1".
PyResult<char32_t> character(Interpreter& in, std::string_view function, std::string_view place, const Value& value) {
  const auto* const text = value.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(in, "{}() {} must be a unicode character, not {}", function, place,
                              value.is_none() ? "None" : in.type_of(value).name());
  }
  const std::u32string points = object::code_points(text->view());
  if (points.size() != 1) {
    return object::type_error(in, "{}(): {} must be a unicode character, not a string of length {}", function, place,
                              points.size());
  }
  return points[0];
}

// A function of one character, which every character has a value for.
template <class Use>
void add_property(Machine& machine, Dict& attributes, std::string_view name, Use use) {
  add_native(machine, attributes, fmt::format("{}(chr, /)", name),
             [name, use](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const char32_t point, character(in, name, "argument", a[0]));
               if constexpr (std::is_convertible_v<decltype(use(point)), std::string_view>) {
                 return Value(in.str(use(point)));
               } else {
                 return Value(static_cast<std::int64_t>(use(point)));
               }
             });
}

// A function of a character and of what is given where it has no value. `find` gives that value, or nothing.
template <class Find>
void add_choice(Machine& machine, Dict& attributes, std::string_view name, std::string_view error, Find find) {
  add_native(machine, attributes, fmt::format("{}(chr, default=absent, /)", name),
             [name, error, find](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const char32_t point, character(in, name, "argument 1", a[0]));
               if (std::optional<Value> found = find(in, point)) return std::move(*found);
               if (!a[1].is_absent()) return a[1];
               return object::value_error(in, "{}", error);
             });
}

std::string decomposition_text(char32_t point) {
  const auto parts = unicode::decomposition(point);
  if (!parts) return {};
  std::string text(parts->tag);
  for (const char32_t part : parts->points)
    text += fmt::format("{}{:04X}", text.empty() ? "" : " ", static_cast<std::uint32_t>(part));
  return text;
}

PyResult<unicode::Form> form_of(Interpreter& in, std::string_view function, const Value& value) {
  const auto* const name = value.as<object::Str>();
  if (name == nullptr)
    return object::type_error(in, "{}() argument 1 must be str, not {}", function, in.type_of(value).name());
  if (name->view() == "NFC") return unicode::Form::Nfc;
  if (name->view() == "NFD") return unicode::Form::Nfd;
  if (name->view() == "NFKC") return unicode::Form::Nfkc;
  if (name->view() == "NFKD") return unicode::Form::Nfkd;
  return object::value_error(in, "invalid normalization form");
}

PyResult<std::string> normalized(Interpreter& in, std::string_view function, Args a) {
  NNS_TRY_ASSIGN(const unicode::Form form, form_of(in, function, a[0]));
  const auto* const text = a[1].as<object::Str>();
  if (text == nullptr)
    return object::type_error(in, "{}() argument 2 must be str, not {}", function, in.type_of(a[1]).name());
  return object::from_code_points(unicode::normalized(object::code_points(text->view()), form));
}

PyResult<Value> lookup(Interpreter& in, Args a) {
  const auto* const name = a[0].as<object::Str>();
  if (name == nullptr) return object::type_error(in, "lookup() argument must be str, not {}", in.type_of(a[0]).name());
  if (const auto found = unicode::named(name->view(), true)) return Value(in.str(object::from_code_points(*found)));
  return object::key_error(in, Value(in.str(fmt::format("undefined character name '{}'", name->view()))));
}

}  // namespace

void fill_unicodedata(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  attributes.set(in.intern("unidata_version"), Value(in.str(unicode::kVersion)));
  add_property(machine, attributes, "category", unicode::category);
  add_property(machine, attributes, "bidirectional", unicode::bidirectional);
  add_property(machine, attributes, "east_asian_width", unicode::east_asian_width);
  add_property(machine, attributes, "combining", unicode::combining_class);
  add_property(machine, attributes, "mirrored", unicode::is_mirrored);
  add_property(machine, attributes, "decomposition", decomposition_text);
  const auto whole = [](int (*value_of)(char32_t)) {
    return [value_of](Interpreter&, char32_t point) -> std::optional<Value> {
      const int value = value_of(point);
      return value < 0 ? std::nullopt : std::optional(Value(std::int64_t{value}));
    };
  };
  add_choice(machine, attributes, "decimal", "not a decimal", whole(unicode::decimal_value));
  add_choice(machine, attributes, "digit", "not a digit", whole(unicode::digit_value));
  add_choice(machine, attributes, "numeric", "not a numeric character",
             [](Interpreter&, char32_t point) -> std::optional<Value> {
               const auto value = unicode::numeric_value(point);
               if (!value) return std::nullopt;
               return Value(static_cast<double>(value->numerator) / static_cast<double>(value->denominator));
             });
  add_choice(machine, attributes, "name", "no such name", [](Interpreter& to, char32_t point) -> std::optional<Value> {
    const auto name = unicode::name_of(point);
    return name ? std::optional(Value(to.str(*name))) : std::nullopt;
  });
  add_native(machine, attributes, "lookup(name, /)", lookup);
  add_native(machine, attributes, "normalize(form, unistr, /)", [](Interpreter& to, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, normalized(to, "normalize", a));
    return Value(to.str(text));
  });
  add_native(machine, attributes, "is_normalized(form, unistr, /)", [](Interpreter& to, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, normalized(to, "is_normalized", a));
    return Value(text == a[1].as<object::Str>()->view());
  });
}

}  // namespace nns::python
