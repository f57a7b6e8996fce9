#pragma once

#include "core/python/eval/machine.h"
#include "core/python/stdlib/regex_program.h"
#include "core/python/stdlib/regex_subject.h"

namespace nns::python {

/// re.Pattern. Behaviour: CPython Modules/_sre/sre.c.
class RegexPattern final : public object::Container {
 public:
  RegexPattern(Class& cls, Class& of_matches, std::unique_ptr<RegexProgram> made)
      : Container(cls), match_class(&of_matches), program(std::move(made)) {}
  Ref<Class> match_class;
  std::unique_ptr<RegexProgram> program;
  /// As it was given: a str or bytes.
  Value pattern;
  std::int64_t flags = 0;
  std::uint32_t group_count = 0;
  /// Numbers by name: a dict, and what programs see of it.
  Value names, group_index;
  /// The subject of the last call that began within it, so that a walk through a long text looks at it once.
  std::shared_ptr<const RegexSubject> last_subject;

  bool is_text() const { return pattern.as<object::Str>() != nullptr; }
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
};

/// re.Match.
class RegexMatch final : public object::Container {
 public:
  explicit RegexMatch(Class& cls) : Container(cls) {}
  Ref<RegexPattern> pattern;
  std::shared_ptr<const RegexSubject> subject;
  RegexFound found;
  /// In characters.
  std::size_t pos = 0, endpos = 0;

  /// What a group matched; `otherwise` if it took no part.
  Value group(std::size_t number, const Value& otherwise) const;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
};

/// Goes through a text from match to match.
class RegexScan {
 public:
  /// `value` between characters `pos` and `endpos`. Errors: TypeError  no text of the pattern's kind.
  static PyResult<RegexScan> make(RegexPattern& pattern, const Value& value, std::int64_t pos, std::int64_t endpos);

  /// The next match, which does not touch an empty one before it. Errors: RuntimeError  it takes too much.
  PyResult<bool> next(RegexProgram::Mode mode);
  const RegexFound& found() const { return found_; }
  const RegexSubject& subject() const { return *subject_; }
  /// In bytes: where the match begins and ends, where the text does.
  std::size_t begin() const { return found_.groups[0].begin; }
  std::size_t end() const { return found_.groups[0].end; }
  std::size_t text_begin() const { return text_begin_; }
  std::size_t text_end() const { return text_end_; }
  /// The match as an object.
  Value match() const;
  /// What findall() gives for it, and the text of one group ("" if it took no part).
  Value item() const;
  Value text_of(std::size_t group) const;

 private:
  Ref<RegexPattern> pattern_;
  std::shared_ptr<const RegexSubject> subject_;
  RegexFound found_;
  std::size_t pos_ = 0, endpos_ = 0;
  std::size_t text_begin_ = 0, text_end_ = 0;
  std::size_t at_ = 0;
  bool must_advance_ = false;
  bool is_over_ = false;
};

/// The object if the value is one. Errors: TypeError  it is none.
PyResult<RegexPattern*> pattern_of(Interpreter& interpreter, const Value& self);
PyResult<RegexMatch*> match_of(Interpreter& interpreter, const Value& self);

/// What a replacement is made of: literals, and the numbers of groups. Errors: those of the template.
PyResult<std::vector<Value>> template_parts(Machine& machine, RegexPattern& pattern, const Value& replacement);

/// Gives the classes their methods.
void add_pattern_methods(Class& cls);
void add_match_methods(Class& cls);

}  // namespace nns::python
