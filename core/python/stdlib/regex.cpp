// What patterns and matches are, and how a text is walked. Their methods: regex_pattern.cpp, regex_match.cpp.
#include "core/python/stdlib/regex.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {

using object::Str;

void RegexPattern::traverse(object::Visitor& visitor) const {
  visitor.visit(match_class);
  visitor.visit(pattern);
  visitor.visit(names);
  visitor.visit(group_index);
}

void RegexPattern::clear_references() {
  names = Value();
  group_index = Value();
}

void RegexMatch::traverse(object::Visitor& visitor) const { visitor.visit(pattern); }
void RegexMatch::clear_references() {}

Value RegexMatch::group(std::size_t number, const Value& otherwise) const {
  const RegexSpan& span = found.groups[number];
  return span.is_set() ? subject->slice(interpreter(), span.begin, span.end) : otherwise;
}

PyResult<RegexScan> RegexScan::make(RegexPattern& pattern, const Value& value, std::int64_t pos, std::int64_t endpos) {
  RegexScan made;
  made.pattern_ = Ref<RegexPattern>(&pattern);
  if (pattern.last_subject && pattern.last_subject->value().is(value) && value.as<Str>() != nullptr) {
    made.subject_ = pattern.last_subject;
  } else {
    NNS_TRY_ASSIGN(made.subject_, RegexSubject::make(pattern.interpreter(), value, pattern.is_text()));
    if (pos > 0) pattern.last_subject = made.subject_;
  }
  const auto length = static_cast<std::int64_t>(made.subject_->length());
  made.pos_ = static_cast<std::size_t>(std::clamp<std::int64_t>(pos, 0, length));
  made.endpos_ = static_cast<std::size_t>(std::clamp<std::int64_t>(endpos, 0, length));
  made.is_over_ = made.pos_ > made.endpos_;
  made.at_ = made.text_begin_ = made.subject_->offset_of(made.pos_);
  made.text_end_ = made.subject_->offset_of(made.endpos_);
  return made;
}

PyResult<bool> RegexScan::next(RegexProgram::Mode mode) {
  if (is_over_) return false;
  const std::string_view text = subject_->bytes().substr(0, text_end_);
  const RegexProgram::Status status = pattern_->program->match(text, at_, mode, must_advance_, found_);
  if (status == RegexProgram::Status::Found) {
    must_advance_ = begin() == end();
    at_ = end();
    return true;
  }
  is_over_ = true;
  if (status == RegexProgram::Status::NotFound) return false;
  Interpreter& in = pattern_->interpreter();
  NNS_TRY_ASSIGN(const std::string shown, object::repr(in, pattern_->pattern));
  if (status == RegexProgram::Status::TooMuchMemory) {
    return object::runtime_error(in, "nnscope stops a search that needs more than {} MiB: pattern {}",
                                 RegexProgram::kMostMemoryKib / 1024, shown);
  }
  if (status == RegexProgram::Status::TooSlow) {
    return object::runtime_error(in, "nnscope stops a search that takes more than {} seconds: pattern {}",
                                 RegexProgram::kMostSeconds, shown);
  }
  return object::runtime_error(in, "nnscope stops a search that needs more than {} steps at one place: pattern {}",
                               RegexProgram::kMostSteps, shown);
}

Value RegexScan::match() const {
  const Ref<RegexMatch> made = object::make<RegexMatch>(*pattern_->match_class);
  made->pattern = pattern_;
  made->subject = subject_;
  made->found = found_;
  made->pos = pos_;
  made->endpos = endpos_;
  return Value(made);
}

Value RegexScan::text_of(std::size_t group) const {
  const RegexSpan& span = found_.groups[group];
  return span.is_set() ? subject_->slice(pattern_->interpreter(), span.begin, span.end)
                       : subject_->slice(pattern_->interpreter(), 0, 0);
}

Value RegexScan::item() const {
  if (pattern_->group_count < 2) return text_of(pattern_->group_count);
  std::vector<Value> texts;
  for (std::size_t i = 1; i <= pattern_->group_count; ++i) texts.push_back(text_of(i));
  return Value(pattern_->interpreter().tuple(std::move(texts)));
}

PyResult<RegexPattern*> pattern_of(Interpreter& in, const Value& self) {
  if (RegexPattern* pattern = self.as<RegexPattern>()) return pattern;
  return object::type_error(in, "descriptor requires a 're.Pattern' object but received '{}'", in.type_of(self).name());
}

PyResult<RegexMatch*> match_of(Interpreter& in, const Value& self) {
  if (RegexMatch* match = self.as<RegexMatch>()) return match;
  return object::type_error(in, "descriptor requires a 're.Match' object but received '{}'", in.type_of(self).name());
}

PyResult<std::vector<Value>> template_parts(Machine& machine, RegexPattern& pattern, const Value& replacement) {
  Interpreter& in = machine.interpreter();
  const auto* bytes = replacement.as<object::Bytes>();
  if (replacement.as<Str>() == nullptr && bytes == nullptr) {
    return object::type_error(in, "decoding to str: need a bytes-like object, {} found",
                              in.type_of(replacement).name());
  }
  const std::string_view text = bytes != nullptr ? bytes->view() : replacement.as<Str>()->view();
  if ((bytes == nullptr) != pattern.is_text()) {
    return object::type_error(in, "sequence item 0: expected {}, {} found",
                              pattern.is_text() ? "str instance" : "a bytes-like object",
                              in.type_of(replacement).name());
  }
  if (text.find('\\') == std::string_view::npos) return std::vector<Value>{replacement};
  NNS_TRY_ASSIGN(const Value module, machine.import_module("_re_reader", 0, nullptr));
  NNS_TRY_ASSIGN(const Value parts, in.call_method(module, in.intern("read_template"), {Value(&pattern), replacement}));
  return object::to_vector(in, parts);
}

void fill_regex(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  Class& pattern_class = in.define_class({.name = "Pattern", .module = "re"});
  Class& match_class = in.define_class({.name = "Match", .module = "re"});
  add_pattern_methods(pattern_class);
  add_match_methods(match_class);
  attributes.set(in.intern("Pattern"), Value(static_cast<object::Object*>(&pattern_class)));
  attributes.set(in.intern("Match"), Value(static_cast<object::Object*>(&match_class)));
  for (Class* one : {&pattern_class, &match_class}) {
    one->def_class("__class_getitem__(cls, item, /)", [](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value generics, Machine::of(i).import_module("_generics", 0, nullptr));
      return i.call_method(generics, i.intern("GenericAlias"), {a[0], a[1]});
    });
  }
  Class* const cls = &pattern_class;
  Class* const of_matches = &match_class;
  // What module re calls when it has translated a pattern: `text` is PCRE2's, `names` the numbers of groups by name.
  add_native(machine, attributes, "compile(pattern, flags, text, ignores_case, groups, names, groupindex)",
             [cls, of_matches](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
               const Str* text = a[2].as<Str>();
               if (text == nullptr || !a[1].is_int() || !a[3].is_bool() || !a[4].is_int() ||
                   a[5].as<Dict>() == nullptr || (a[0].as<Str>() == nullptr && a[0].as<object::Bytes>() == nullptr)) {
                 return object::type_error(i, "_re.compile() takes what module re gives it");
               }
               const RegexProgram::Options options{
                   .is_text = a[0].as<Str>() != nullptr,
                   .ignores_case = a[3].as_bool(),
                   .group_count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(a[4].as_int(), 0, 65535))};
               std::string problem;
               std::unique_ptr<RegexProgram> program = RegexProgram::compile(text->view(), options, problem);
               if (program == nullptr) return object::value_error(i, "{}", problem);
               const Ref<RegexPattern> made = object::make<RegexPattern>(*cls, *of_matches, std::move(program));
               made->pattern = a[0];
               made->flags = a[1].as_int();
               made->group_count = options.group_count;
               made->names = a[5];
               made->group_index = a[6];
               return Value(made);
             });
}

}  // namespace nns::python
