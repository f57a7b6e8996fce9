// The methods of re.Match. Behaviour: CPython Modules/_sre/sre.c.
#include <fmt/format.h>

#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"
#include "core/python/stdlib/regex.h"

namespace nns::python {
namespace {

using object::Str;
using object::Tuple;
using Args = std::span<const Value>;

// The number of the group that an int or a name means.
PyResult<std::size_t> number_of(Interpreter& in, const RegexMatch& self, const Value& given) {
  std::int64_t number = -1;
  if (given.is_int() || given.is_bool() || in.type_of(given).lookup(in.intern("__index__")) != nullptr) {
    const PyResult<std::int64_t> index = object::index(in, given);
    if (index.ok()) number = index.value();
  } else if (Dict* names = self.pattern->names.as<Dict>(); names != nullptr && given.as<Str>() != nullptr) {
    if (const Value* found = names->find(given); found != nullptr && found->is_int()) number = found->as_int();
  }
  if (number < 0 || static_cast<std::size_t>(number) >= self.found.groups.size()) {
    return object::make_error(in, object::ErrorKind::IndexError, "no such group");
  }
  return static_cast<std::size_t>(number);
}

std::pair<Value, Value> span_of(const RegexMatch& self, std::size_t number) {
  const RegexSpan& span = self.found.groups[number];
  if (!span.is_set()) return {Value(-1), Value(-1)};
  return {Value(self.subject->index_of(span.begin)), Value(self.subject->index_of(span.end))};
}

Value span_tuple(Interpreter& in, const RegexMatch& self, std::size_t number) {
  auto [begin, end] = span_of(self, number);
  return Value(in.tuple({std::move(begin), std::move(end)}));
}

PyResult<Value> group(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
  const auto wanted = a[1].as<Tuple>()->items();
  if (wanted.empty()) return self->group(0, Value());
  std::vector<Value> texts;
  for (const Value& one : wanted) {
    NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, one));
    texts.push_back(self->group(number, Value()));
  }
  if (texts.size() == 1) return texts[0];
  return Value(in.tuple(std::move(texts)));
}

PyResult<Value> groups(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
  std::vector<Value> texts;
  for (std::size_t i = 1; i < self->found.groups.size(); ++i) texts.push_back(self->group(i, a[1]));
  return Value(in.tuple(std::move(texts)));
}

PyResult<Value> group_dict(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
  const Ref<Dict> made = in.dict();
  if (Dict* names = self->pattern->names.as<Dict>()) {
    for (std::size_t at = 0; const Dict::Entry* entry = names->next(at);) {
      NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, entry->key));
      made->set(entry->key, self->group(number, a[1]));
    }
  }
  return Value(made);
}

// Behaviour: match_expand.
PyResult<Value> expand(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
  NNS_TRY_ASSIGN(const std::vector<Value> parts, template_parts(Machine::of(in), *self->pattern, a[1]));
  std::string made;
  const std::string_view text = self->subject->bytes();
  for (const Value& part : parts) {
    if (part.is_int()) {
      const RegexSpan& span = self->found.groups[static_cast<std::size_t>(part.as_int())];
      if (span.is_set()) made += text.substr(span.begin, span.end - span.begin);
    } else {
      made += part.as<Str>() != nullptr ? part.as<Str>()->view() : part.as<object::Bytes>()->view();
    }
    if (object::is_too_much(1, made.size())) return object::make_error(in, object::ErrorKind::MemoryError, "");
  }
  return self->pattern->is_text() ? in.text(made) : Value(object::make_bytes(in, made));
}

PyResult<Value> show(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
  NNS_TRY_ASSIGN(std::string text, object::repr(in, self->group(0, Value())));
  // Fifty characters of it.
  if (text.size() > 50) text.resize(object::byte_offset(text, 50));
  const auto [begin, end] = span_of(*self, 0);
  return in.text(fmt::format("<re.Match object; span=({}, {}), match={}>", begin.as_int(), end.as_int(), text));
}

template <class Get>
void add_property(Class& cls, std::string_view name, Get) {
  cls.property(name, [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const RegexMatch* const match, match_of(in, self));
    return Get{}(in, *match);
  });
}

}  // namespace

void add_match_methods(Class& cls) {
  cls.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::type_error(in, "cannot create 're.Match' instances");
  });
  cls.def("group(self, *args)", group);
  cls.def("groups(self, default=None)", groups);
  cls.def("groupdict(self, default=None)", group_dict);
  cls.def("expand(self, template)", expand);
  cls.def("start(self, group=0, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, a[1]));
    return span_of(*self, number).first;
  });
  cls.def("end(self, group=0, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, a[1]));
    return span_of(*self, number).second;
  });
  cls.def("span(self, group=0, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, a[1]));
    return span_tuple(in, *self, number);
  });
  cls.def("__getitem__(self, key, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(RegexMatch* const self, match_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::size_t number, number_of(in, *self, a[1]));
    return self->group(number, Value());
  });
  cls.def("__repr__(self)", show);
  cls.def("__copy__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__deepcopy__(self, memo, /)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  add_property(cls, "re", [](Interpreter&, const RegexMatch& self) -> PyResult<Value> { return Value(self.pattern); });
  add_property(cls, "string",
               [](Interpreter&, const RegexMatch& self) -> PyResult<Value> { return self.subject->value(); });
  add_property(cls, "pos", [](Interpreter&, const RegexMatch& self) -> PyResult<Value> { return Value(self.pos); });
  add_property(cls, "endpos",
               [](Interpreter&, const RegexMatch& self) -> PyResult<Value> { return Value(self.endpos); });
  add_property(cls, "lastindex", [](Interpreter&, const RegexMatch& self) -> PyResult<Value> {
    return self.found.last_group == 0 ? Value() : Value(self.found.last_group);
  });
  add_property(cls, "lastgroup", [](Interpreter&, const RegexMatch& self) -> PyResult<Value> {
    Dict* names = self.pattern->names.as<Dict>();
    for (std::size_t at = 0; const Dict::Entry* entry = names == nullptr ? nullptr : names->next(at);) {
      if (entry->value.is_int() && entry->value.as_int() == self.found.last_group) return entry->key;
    }
    return Value();
  });
  add_property(cls, "regs", [](Interpreter& in, const RegexMatch& self) -> PyResult<Value> {
    std::vector<Value> spans;
    for (std::size_t i = 0; i < self.found.groups.size(); ++i) spans.push_back(span_tuple(in, self, i));
    return Value(in.tuple(std::move(spans)));
  });
}

}  // namespace nns::python
