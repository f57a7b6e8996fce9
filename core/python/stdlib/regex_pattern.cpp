// The methods of re.Pattern. Behaviour: CPython Modules/_sre/sre.c.
#include <fmt/format.h>

#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"
#include "core/python/stdlib/regex.h"

namespace nns::python {
namespace {

using object::Str;
using Args = std::span<const Value>;
using Mode = RegexProgram::Mode;

PyResult<RegexScan> scan_of(Interpreter& in, const Value& self, const Value& text, const Value& pos,
                            const Value& endpos) {
  NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, self));
  NNS_TRY_ASSIGN(const std::int64_t begin, object::index(in, pos));
  NNS_TRY_ASSIGN(const std::int64_t end, object::index(in, endpos));
  return RegexScan::make(*pattern, text, begin, end);
}

template <Mode mode>
PyResult<Value> match_once(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexScan scan, scan_of(in, a[0], a[1], a[2], a[3]));
  NNS_TRY_ASSIGN(const bool is_there, scan.next(mode));
  return is_there ? scan.match() : Value();
}

PyResult<Value> find_all(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexScan scan, scan_of(in, a[0], a[1], a[2], a[3]));
  std::vector<Value> items;
  while (true) {
    NNS_TRY_ASSIGN(const bool is_there, scan.next(Mode::Search));
    if (!is_there) return Value(in.list(std::move(items)));
    items.push_back(scan.item());
  }
}

PyResult<Value> find_iter(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexScan scan, scan_of(in, a[0], a[1], a[2], a[3]));
  const Ref<object::Iterator> made = object::make_iterator(
      in, {a[0]}, [walk = std::make_shared<RegexScan>(std::move(scan))](std::span<const Value>) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const bool is_there, walk->next(Mode::Search));
        return is_there ? walk->match() : Value::absent();
      });
  made->set_type(object::iterator_class(in, object::IteratorKind::Callable));
  return Value(made);
}

PyResult<Value> split(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexScan scan, scan_of(in, a[0], a[1], Value(0), Value(INT64_MAX)));
  NNS_TRY_ASSIGN(const std::int64_t most, object::index(in, a[2]));
  std::vector<Value> parts;
  std::size_t last = 0;
  for (std::int64_t count = 0; most == 0 || count < most; ++count) {
    NNS_TRY_ASSIGN(const bool is_there, scan.next(Mode::Search));
    if (!is_there) break;
    parts.push_back(scan.subject().slice(in, last, scan.begin()));
    for (std::size_t i = 1; i < scan.found().groups.size(); ++i) {
      parts.push_back(scan.found().groups[i].is_set() ? scan.text_of(i) : Value());
    }
    last = scan.end();
  }
  parts.push_back(scan.subject().slice(in, last, scan.text_end()));
  return Value(in.list(std::move(parts)));
}

std::string_view bytes_of(const Value& text) {
  const auto* bytes = text.as<object::Bytes>();
  return bytes != nullptr ? bytes->view() : text.as<Str>()->view();
}

// sub() and subn(): the new text, and how often something was replaced.
PyResult<std::pair<Value, std::int64_t>> replace(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, a[0]));
  NNS_TRY_ASSIGN(const std::int64_t most, object::index(in, a[3]));
  const bool is_template = a[1].as<Str>() != nullptr || a[1].as<object::Bytes>() != nullptr;
  const bool is_called =
      !is_template &&
      (a[1].as<Class>() != nullptr || a[1].as<object::NativeFunction>() != nullptr || as_function(a[1]) != nullptr ||
       in.type_of(a[1]).lookup(in.names().dunder_call) != nullptr || &in.type_of(a[1]) == in.builtins().method);
  NNS_TRY_ASSIGN(RegexScan scan, RegexScan::make(*pattern, a[2], 0, INT64_MAX));
  std::vector<Value> parts;
  if (!is_called) {
    NNS_TRY_ASSIGN(parts, template_parts(Machine::of(in), *pattern, a[1]));
  }
  const std::string_view text = scan.subject().bytes();
  std::string made;
  std::size_t last = 0;
  std::int64_t count = 0;
  while (most == 0 || count < most) {
    NNS_TRY_ASSIGN(const bool is_there, scan.next(Mode::Search));
    if (!is_there) break;
    made += text.substr(last, scan.begin() - last);
    if (is_called) {
      NNS_TRY_ASSIGN(const Value given, in.call(a[1], {scan.match()}));
      const bool fits = pattern->is_text() ? given.as<Str>() != nullptr : given.as<object::Bytes>() != nullptr;
      if (!fits && !given.is_none()) {
        return object::type_error(in, "sequence item {}: expected {}, {} found", count,
                                  pattern->is_text() ? "str instance" : "a bytes-like object",
                                  in.type_of(given).name());
      }
      if (fits) made += bytes_of(given);
    }
    for (const Value& part : parts) {
      if (part.is_int()) {
        const RegexSpan& span = scan.found().groups[static_cast<std::size_t>(part.as_int())];
        if (span.is_set()) made += text.substr(span.begin, span.end - span.begin);
      } else {
        made += bytes_of(part);
      }
    }
    if (object::is_too_much(1, made.size())) return object::make_error(in, object::ErrorKind::MemoryError, "");
    last = scan.end();
    ++count;
  }
  made += text.substr(last);
  return std::pair(pattern->is_text() ? in.text(made) : Value(object::make_bytes(in, made)), count);
}

// Behaviour: pattern_repr.
PyResult<Value> show_pattern(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexPattern* const self, pattern_of(in, a[0]));
  constexpr std::int64_t kUnicode = 32;
  constexpr std::pair<std::int64_t, std::string_view> kFlags[] = {
      {2, "re.IGNORECASE"}, {4, "re.LOCALE"},   {8, "re.MULTILINE"}, {16, "re.DOTALL"},
      {32, "re.UNICODE"},   {64, "re.VERBOSE"}, {128, "re.DEBUG"},   {256, "re.ASCII"}};
  NNS_TRY_ASSIGN(std::string pattern, object::repr(in, self->pattern));
  if (const Ref<Str> shown = in.str(pattern); shown->length() > 200) {
    pattern.resize(object::byte_offset(pattern, 200));
  }
  std::int64_t flags = self->flags;
  if (self->is_text()) flags &= ~kUnicode;
  std::string names;
  for (const auto& [flag, name] : kFlags) {
    if ((flags & flag) != 0) names += fmt::format("{}{}", names.empty() ? "" : "|", name);
    flags &= ~flag;
  }
  if (flags != 0) names += fmt::format("{}0x{:x}", names.empty() ? "" : "|", flags);
  return in.text(names.empty() ? fmt::format("re.compile({})", pattern)
                               : fmt::format("re.compile({}, {})", pattern, names));
}

}  // namespace

void add_pattern_methods(Class& cls) {
  cls.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::type_error(in, "cannot create 're.Pattern' instances");
  });
  cls.def("match(self, string, pos=0, endpos=9223372036854775807)", match_once<Mode::Match>);
  cls.def("fullmatch(self, string, pos=0, endpos=9223372036854775807)", match_once<Mode::FullMatch>);
  cls.def("search(self, string, pos=0, endpos=9223372036854775807)", match_once<Mode::Search>);
  cls.def("findall(self, string, pos=0, endpos=9223372036854775807)", find_all);
  cls.def("finditer(self, string, pos=0, endpos=9223372036854775807)", find_iter);
  cls.def("split(self, string, maxsplit=0)", split);
  cls.def("sub(self, repl, string, count=0)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(auto made, replace(in, a));
    return std::move(made.first);
  });
  cls.def("subn(self, repl, string, count=0)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(auto made, replace(in, a));
    return Value(in.tuple({std::move(made.first), Value(made.second)}));
  });
  cls.def("__repr__(self)", show_pattern);
  cls.def("__eq__(self, other, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const self, pattern_of(in, a[0]));
    const auto* other = a[1].as<RegexPattern>();
    if (other == nullptr) return in.not_implemented();
    return Value(self->flags == other->flags && self->is_text() == other->is_text() &&
                 bytes_of(self->pattern) == bytes_of(other->pattern));
  });
  cls.def("__hash__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const self, pattern_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::int64_t hash, object::hash(in, self->pattern));
    return Value(hash ^ self->flags);
  });
  cls.def("__copy__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__deepcopy__(self, memo, /)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.property("pattern", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, self));
    return pattern->pattern;
  });
  cls.property("flags", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, self));
    return Value(pattern->flags);
  });
  cls.property("groups", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, self));
    return Value(pattern->group_count);
  });
  cls.property("groupindex", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexPattern* const pattern, pattern_of(in, self));
    return pattern->group_index;
  });
}

}  // namespace nns::python
