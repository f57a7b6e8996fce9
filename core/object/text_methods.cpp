#include <algorithm>
#include <cstdlib>

#include "core/object/builtin_methods.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

std::string_view view_of(const Value& value) {
  const Str* text = value.as<Str>();
  return text == nullptr ? std::string_view() : text->view();
}

PyResult<void> require_text(Interpreter& interpreter, const Value& value, std::string_view method) {
  if (value.as<Str>() != nullptr) return {};
  return type_error(interpreter, "{} argument must be str, not {}", method, interpreter.type_of(value).name());
}

Value split(Interpreter& in, std::string_view text, const Value& separator, std::int64_t limit) {
  std::vector<Value> parts;
  if (separator.is_none()) {
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t\n\r\f\v", at)) != std::string_view::npos) {
      const std::size_t end = std::min(text.find_first_of(" \t\n\r\f\v", at), text.size());
      parts.push_back(in.text(text.substr(at, end - at)));
      at = end;
    }
    return in.list(std::move(parts));
  }
  const std::string_view mark = view_of(separator);
  std::size_t at = 0;
  for (std::size_t found; limit-- != 0 && (found = text.find(mark, at)) != std::string_view::npos;) {
    parts.push_back(in.text(text.substr(at, found - at)));
    at = found + mark.size();
  }
  parts.push_back(in.text(text.substr(at)));
  return in.list(std::move(parts));
}

Value strip(Interpreter& in, std::string_view text, const Value& characters, bool left, bool right) {
  const std::string_view set = characters.is_none() ? std::string_view(" \t\n\r\f\v") : view_of(characters);
  while (left && !text.empty() && set.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (right && !text.empty() && set.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return in.text(text);
}

// startswith and endswith take a text or a tuple of texts.
template <class Test>
PyResult<Value> any_of(Interpreter& in, const Value& wanted, std::string_view method, Test test) {
  if (const Tuple* tuple = wanted.as<Tuple>()) {
    return Value(std::any_of(tuple->items().begin(), tuple->items().end(),
                             [&test](const Value& one) { return test(view_of(one)); }));
  }
  NNS_TRY(require_text(in, wanted, method));
  return Value(test(view_of(wanted)));
}

std::string mapped(std::string_view text, int (*map)(int)) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x80) c = static_cast<char>(map(c));
  }
  return out;
}

}  // namespace

void add_text_methods(Interpreter& interpreter) {
  using Args = std::span<const Value>;
  Class& cls = *interpreter.builtins().str;
  cls.def_static("__new__(cls, object='')", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, str(in, a[1]));
    return in.text(text);
  });
  cls.def("startswith(self, prefix)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return any_of(in, a[1], "startswith", [&a](std::string_view p) { return view_of(a[0]).starts_with(p); });
  });
  cls.def("endswith(self, suffix)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return any_of(in, a[1], "endswith", [&a](std::string_view p) { return view_of(a[0]).ends_with(p); });
  });
  cls.def("split(self, sep=None, maxsplit=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (!a[1].is_none() && view_of(a[1]).empty()) return value_error(in, "empty separator");
    NNS_TRY_ASSIGN(const std::int64_t limit, index(in, a[2]));
    return split(in, view_of(a[0]), a[1], limit);
  });
  cls.def("join(self, iterable)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, a[1]));
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].as<Str>() == nullptr) {
        return type_error(in, "sequence item {}: expected str instance, {} found", i, in.type_of(items[i]).name());
      }
      if (i > 0) out += view_of(a[0]);
      out += view_of(items[i]);
    }
    return in.text(out);
  });
  cls.def("replace(self, old, new)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_text(in, a[1], "replace()"));
    NNS_TRY(require_text(in, a[2], "replace()"));
    std::string out;
    std::string_view rest = view_of(a[0]);
    const std::string_view old = view_of(a[1]);
    for (std::size_t at; !old.empty() && (at = rest.find(old)) != std::string_view::npos;) {
      out += rest.substr(0, at);
      out += view_of(a[2]);
      rest.remove_prefix(at + old.size());
    }
    return in.text(out.append(rest));
  });
  cls.def("removeprefix(self, prefix)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::string_view text = view_of(a[0]);
    if (text.starts_with(view_of(a[1]))) text.remove_prefix(view_of(a[1]).size());
    return in.text(text);
  });
  cls.def("removesuffix(self, suffix)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::string_view text = view_of(a[0]);
    if (text.ends_with(view_of(a[1]))) text.remove_suffix(view_of(a[1]).size());
    return in.text(text);
  });
  cls.def("strip(self, chars=None)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return strip(in, view_of(a[0]), a[1], true, true); });
  cls.def("lstrip(self, chars=None)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return strip(in, view_of(a[0]), a[1], true, false); });
  cls.def("rstrip(self, chars=None)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return strip(in, view_of(a[0]), a[1], false, true); });
  cls.def("lower(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(mapped(view_of(a[0]), [](int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }));
  });
  cls.def("upper(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(mapped(view_of(a[0]), [](int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }));
  });
  cls.def("isdigit(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::string_view text = view_of(a[0]);
    return Value(!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }));
  });
  cls.def("__getitem__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> characters, to_vector(in, a[0]));
    NNS_TRY_ASSIGN(const Value taken, getitem(in, in.tuple(std::move(characters)), a[1]));
    const Tuple* several = taken.as<Tuple>();
    if (several == nullptr) return taken;
    std::string out;
    for (const Value& one : several->items()) out += view_of(one);
    return in.text(out);
  });

  interpreter.builtins().integer->def_static("__new__(cls, x=0)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_float()) return Value(static_cast<std::int64_t>(a[1].as_float()));
    if (const Str* text = a[1].as<Str>()) {
      const std::string copy(text->view());
      char* end = nullptr;
      const long long number = std::strtoll(copy.c_str(), &end, 10);
      if (!copy.empty() && *end == '\0') return Value(static_cast<std::int64_t>(number));
      return value_error(in, "invalid literal for int() with base 10: {}", str_repr(copy));
    }
    NNS_TRY_ASSIGN(const std::int64_t number, index(in, a[1]));
    return Value(number);
  });
  interpreter.builtins().boolean->def_static("__new__(cls, x=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool answer, truth(in, a[1]));
    return Value(answer);
  });
  interpreter.builtins().floating->def_static("__new__(cls, x=0.0)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_float()) return a[1];
    NNS_TRY_ASSIGN(const std::int64_t number, index(in, a[1]));
    return Value(static_cast<double>(number));
  });
}

}  // namespace nns::object
