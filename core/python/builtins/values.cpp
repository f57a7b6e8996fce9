// Builtin functions of one or a few values: len, repr, getattr, isinstance, round …
#include <fmt/format.h>

#include <algorithm>

#include "core/nn/arguments.h"
#include "core/object/format.h"
#include "core/object/instance.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/object/unicode.h"
#include "core/python/builtins/builtins.h"
#include "core/python/eval/attributes.h"

namespace nns::python {
namespace {

using object::Str;
using Args = std::span<const Value>;

PyResult<Value> in_base(Interpreter& in, const Value& given, std::string_view specification) {
  NNS_TRY_ASSIGN(const Value number, object::index_value(in, given));
  NNS_TRY_ASSIGN(const std::string text, object::format(in, number, specification));
  return in.text(text);
}

std::string ascii_of(std::string_view text) {
  std::string out;
  for (const char32_t c : object::code_points(text)) {
    const auto point = static_cast<std::uint32_t>(c);
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else {
      out += point > 0xFFFF ? fmt::format("\\U{:08x}", point)
             : point > 0xFF ? fmt::format("\\u{:04x}", point)
                            : fmt::format("\\x{:02x}", point);
    }
  }
  return out;
}

}  // namespace

void add_value_functions(Machine& machine) {
  add_builtin(machine, "len(obj, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t length, object::length(in, a[0]));
    return Value(length);
  });
  add_builtin(machine, "repr(obj, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, object::repr(in, a[0]));
    return in.text(text);
  });
  add_builtin(machine, "ascii(obj, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, object::repr(in, a[0]));
    return in.text(ascii_of(text));
  });
  add_builtin(machine, "format(value, format_spec='', /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Str* specification = a[1].as<Str>();
    if (specification == nullptr) {
      return object::type_error(in, "format() argument 2 must be str, not {}", in.type_of(a[1]).name());
    }
    NNS_TRY_ASSIGN(const std::string text, object::format(in, a[0], specification->view()));
    return in.text(text);
  });
  add_builtin(machine, "getattr(object, name, default=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, nn::name_of(in, a[1]));
    if (a[2].is_absent()) return object::getattr(in, a[0], name);
    NNS_TRY_ASSIGN(Value found, object::getattr_or_absent(in, a[0], name));
    return found.is_absent() ? a[2] : found;
  });
  add_builtin(machine, "hasattr(obj, name, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, nn::name_of(in, a[1]));
    NNS_TRY_ASSIGN(const bool has, object::hasattr(in, a[0], name));
    return Value(has);
  });
  add_builtin(machine, "setattr(obj, name, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, nn::name_of(in, a[1]));
    NNS_TRY(object::setattr(in, a[0], name, a[2]));
    return Value();
  });
  add_builtin(machine, "delattr(obj, name, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, nn::name_of(in, a[1]));
    NNS_TRY(object::delattr(in, a[0], name));
    return Value();
  });
  add_builtin(machine, "callable(obj, /)",
              [](Interpreter& in, Args a) -> PyResult<Value> { return Value(is_callable(in, a[0])); });
  add_builtin(machine, "isinstance(obj, class_or_tuple, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool is, object::is_instance(in, a[0], a[1]));
    return Value(is);
  });
  add_builtin(machine, "issubclass(cls, class_or_tuple, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool is, object::is_subclass(in, a[0], a[1]));
    return Value(is);
  });
  add_builtin(machine, "id(obj, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].is_object()) return Value(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a[0].object())));
    // Values in place have no address; equal ones are one.
    NNS_TRY_ASSIGN(const std::int64_t hash, object::hash(in, a[0]));
    return Value(hash);
  });
  add_builtin(machine, "hash(obj, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t hash, object::hash(in, a[0]));
    return Value(hash);
  });
  add_builtin(machine, "dir(object=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (!a[0].is_absent()) return object::dir(in, a[0]);
    const Frame* frame = Machine::of(in).frame();
    std::vector<Value> names;
    if (frame->names) {
      names = frame->names->keys();
    } else {
      for (std::size_t i = 0; i < frame->code->locals.size(); ++i) {
        if (!frame->slots[i].is_absent()) names.push_back(frame->code->locals[i].value());
      }
    }
    std::sort(names.begin(), names.end(),
              [](const Value& x, const Value& y) { return x.as<Str>()->view() < y.as<Str>()->view(); });
    return Value(in.list(std::move(names)));
  });
  add_builtin(machine, "abs(x, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Name name = in.intern("__abs__");
    if (in.type_of(a[0]).lookup(name) == nullptr) {
      return object::type_error(in, "bad operand type for abs(): '{}'", in.type_of(a[0]).name());
    }
    return in.call_special(a[0], name);
  });
  add_builtin(machine, "round(number, ndigits=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Name name = in.intern("__round__");
    if (in.type_of(a[0]).lookup(name) == nullptr) {
      return object::type_error(in, "type {} doesn't define __round__ method", in.type_of(a[0]).name());
    }
    if (a[1].is_none()) return in.call_special(a[0], name);
    return in.call_special(a[0], name, {a[1]});
  });
  add_builtin(machine, "divmod(x, y, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Name name = in.intern("__divmod__");
    if (in.type_of(a[0]).lookup(name) != nullptr) {
      NNS_TRY_ASSIGN(Value answer, in.call_special(a[0], name, {a[1]}));
      if (!answer.is(in.not_implemented())) return answer;
    }
    const Name reflected = in.intern("__rdivmod__");
    if (in.type_of(a[1]).lookup(reflected) != nullptr) {
      NNS_TRY_ASSIGN(Value answer, in.call_special(a[1], reflected, {a[0]}));
      if (!answer.is(in.not_implemented())) return answer;
    }
    return object::type_error(in, "unsupported operand type(s) for divmod(): '{}' and '{}'", in.type_of(a[0]).name(),
                              in.type_of(a[1]).name());
  });
  add_builtin(machine, "pow(base, exp, mod=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[2].is_none()) return object::binary(in, object::BinaryOperator::Pow, a[0], a[1]);
    return in.call_special(a[0], in.intern("__pow__"), {a[1], a[2]});
  });
  add_builtin(machine, "bin(number, /)", [](Interpreter& in, Args a) { return in_base(in, a[0], "#b"); });
  add_builtin(machine, "oct(number, /)", [](Interpreter& in, Args a) { return in_base(in, a[0], "#o"); });
  add_builtin(machine, "hex(number, /)", [](Interpreter& in, Args a) { return in_base(in, a[0], "#x"); });
  add_builtin(machine, "chr(i, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t code, object::index(in, a[0]));
    if (code < 0 || code > 0x10FFFF) return object::value_error(in, "chr() arg not in range(0x110000)");
    std::string text;
    object::append_code_point(text, static_cast<char32_t>(code));
    return in.text(text);
  });
  add_builtin(machine, "ord(c, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Str* text = a[0].as<Str>();
    if (text == nullptr) {
      return object::type_error(in, "ord() expected string of length 1, but {} found", in.type_of(a[0]).name());
    }
    if (text->length() != 1) {
      return object::type_error(in, "ord() expected a character, but string of length {} found", text->length());
    }
    return Value(static_cast<std::int64_t>(object::code_point_at(text->view(), 0)));
  });
}

}  // namespace nns::python
