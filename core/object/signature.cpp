#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/object/function.h"
#include "core/object/interpreter.h"

namespace nns::object {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The text up to the next comma that stands in no parentheses; `text` keeps what comes behind it.
std::string_view take_one(std::string_view& text) {
  int depth = 0;
  std::size_t at = 0;
  for (; at < text.size() && (depth > 0 || text[at] != ','); ++at) depth += (text[at] == '(') - (text[at] == ')');
  const std::string_view one = trim(text.substr(0, at));
  text = at < text.size() ? text.substr(at + 1) : std::string_view{};
  return one;
}

Value read_default(Interpreter& interpreter, std::string_view text);

// A default that the body sees as Absent: kept as an Empty container, because Absent means that there is no default.
Value left_out() { return Value::empty(EmptyKind::Set); }
bool is_left_out(const Value& value) { return value.is_empty_container(); }

Value read_tuple(Interpreter& interpreter, std::string_view items) {
  std::vector<Value> values;
  while (!(items = trim(items)).empty()) values.push_back(read_default(interpreter, take_one(items)));
  return interpreter.tuple(std::move(values));
}

Value read_default(Interpreter& interpreter, std::string_view text) {
  if (text == "None") return Value();
  if (text == "absent") return left_out();
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.front() == '(') return read_tuple(interpreter, text.substr(1, text.size() - 2));
  if (text.front() == '\'' || text.front() == '"') return interpreter.text(text.substr(1, text.size() - 2));
  const bool is_float = text.find_first_of(".e") != std::string_view::npos;
  if (is_float) return std::strtod(std::string(text).c_str(), nullptr);
  std::int64_t integer = 0;
  std::from_chars(text.data(), text.data() + text.size(), integer);
  return integer;
}

std::vector<Parameter> read_parameters(Interpreter& interpreter, std::string_view text) {
  std::vector<Parameter> parameters;
  bool keyword_only = false;
  while (!(text = trim(text)).empty()) {
    std::string_view one = take_one(text);
    Parameter parameter;
    if (one == "*") {
      keyword_only = true;
      continue;
    }
    if (one == "/") {
      for (Parameter& before : parameters) before.kind = Parameter::Kind::PositionalOnly;
      continue;
    }
    if (one.starts_with("**")) {
      parameter.kind = Parameter::Kind::VarKeyword;
      one.remove_prefix(2);
    } else if (one.starts_with('*')) {
      parameter.kind = Parameter::Kind::VarPositional;
      keyword_only = true;
      one.remove_prefix(1);
    } else if (keyword_only) {
      parameter.kind = Parameter::Kind::KeywordOnly;
    }
    if (const std::size_t equals = one.find('='); equals != std::string_view::npos) {
      parameter.default_value = read_default(interpreter, trim(one.substr(equals + 1)));
      one = trim(one.substr(0, equals));
    }
    parameter.name = interpreter.intern(one);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'".
std::string list_of_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += names.size() == 2 ? " and " : (i + 1 == names.size() ? ", and " : ", ");
    text += fmt::format("'{}'", names[i]);
  }
  return text;
}

}  // namespace

Signature::Signature(Interpreter& interpreter, std::string_view parameters)
    : Signature(read_parameters(interpreter, parameters)) {}

Signature::Signature(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) {
    const bool positional_only = parameter.kind == Parameter::Kind::PositionalOnly;
    if (parameter.kind != Parameter::Kind::Plain && !positional_only) {
      only_plain_ = false;
      continue;
    }
    if (positional_only) ++positional_only_count_;
    ++plain_count_;
    if (parameter.default_value.is_absent()) ++required_count_;
  }
}

// Behaviour: the argument parsers of CPython's C functions: methods without arguments and with one have words of their
// own, functions whose arguments all go by position others than those with names.
PyError Signature::wrong_count(Interpreter& interpreter, std::string_view qualified_name, std::size_t given) const {
  const std::size_t dot = qualified_name.rfind('.');
  const std::size_t self = dot == std::string_view::npos ? 0 : 1;
  std::string_view name = qualified_name.substr(self == 0 ? 0 : dot + 1);
  // What makes an object is called by its class.
  const bool makes = name == "__new__" || name == "__init__";
  if (makes) name = qualified_name.substr(0, dot);
  const std::size_t most = plain_count_ - self, least = required_count_ - self;
  const std::size_t count = given < self ? 0 : given - self;
  const auto plural = [](std::size_t number) { return number == 1 ? "" : "s"; };
  if (most == 0 && !only_plain_) return type_error(interpreter, "{}() takes no positional arguments", name);
  if (positional_only_count_ < plain_count_ && !makes) {
    if (given < positional_only_count_ && count < least) {
      const std::size_t wanted = positional_only_count_ - self;
      return type_error(interpreter, "{}() takes {} {} positional argument{} ({} given)", name,
                        wanted == most ? "exactly" : "at least", wanted, plural(wanted), count);
    }
    if (count > most) {
      return type_error(interpreter, "{}() takes at most {} argument{} ({} given)", name, most, plural(most), count);
    }
    return type_error(interpreter, "{}() missing required argument '{}' (pos {})", name, parameters_[given].name.view(),
                      count + 1);
  }
  if (only_plain_ && most == least && most <= 1) {
    return type_error(interpreter, "{}() takes {} ({} given)", qualified_name,
                      most == 0 ? "no arguments" : "exactly one argument", count);
  }
  const bool exact = most == least && only_plain_;
  const std::size_t wanted = count < least ? least : most;
  return type_error(interpreter, "{} expected {}{} argument{}, got {}", name,
                    exact           ? ""
                    : count < least ? "at least "
                                    : "at most ",
                    wanted, plural(wanted), count);
}

PyResult<std::vector<Value>> Signature::bind(Interpreter& interpreter, std::string_view qualified_name,
                                             const Arguments& arguments) const {
  using Kind = Parameter::Kind;
  std::vector<Value> bound(parameters_.size(), Value::absent());
  std::size_t rest_slot = bound.size();
  Ref<Dict> more_keywords;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].kind == Kind::VarPositional) rest_slot = i;
    if (parameters_[i].kind == Kind::VarKeyword) bound[i] = more_keywords = interpreter.dict();
  }
  // 1. Arguments by position; those beyond the parameters go to *args.
  const std::size_t given = arguments.positional.size();
  const std::size_t taken = std::min(given, plain_count_);
  for (std::size_t i = 0; i < taken; ++i) bound[i] = arguments.positional[i];
  if (rest_slot < bound.size()) {
    const std::span<const Value> rest = arguments.positional.subspan(taken);
    bound[rest_slot] = interpreter.tuple(std::vector<Value>(rest.begin(), rest.end()));
  }
  if (positional_only_count_ > 0) {
    if (given > plain_count_ && rest_slot == bound.size()) return wrong_count(interpreter, qualified_name, given);
    if (!arguments.keywords.empty() && positional_only_count_ == plain_count_ && rest_slot == bound.size() &&
        !more_keywords && parameters_.size() == plain_count_) {
      return type_error(interpreter, "{}() takes no keyword arguments", qualified_name);
    }
  }
  // 2. Arguments by name.
  std::size_t keyword_only_given = 0;
  for (const Keyword& keyword : arguments.keywords) {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(), [&keyword](const Parameter& parameter) {
      return parameter.name == keyword.name && (parameter.kind == Kind::Plain || parameter.kind == Kind::KeywordOnly);
    });
    if (found == parameters_.end()) {
      if (!more_keywords) {
        const auto is_positional_only = [&keyword](const Parameter& parameter) {
          return parameter.name == keyword.name && parameter.kind == Kind::PositionalOnly;
        };
        if (std::any_of(parameters_.begin(), parameters_.end(), is_positional_only)) {
          return type_error(interpreter, "{}() got some positional-only arguments passed as keyword arguments: '{}'",
                            qualified_name, keyword.name.view());
        }
        return type_error(interpreter, "{}() got an unexpected keyword argument '{}'", qualified_name,
                          keyword.name.view());
      }
      more_keywords->set(keyword.name, keyword.value);
      continue;
    }
    Value& slot = bound[static_cast<std::size_t>(found - parameters_.begin())];
    if (!slot.is_absent()) {
      return type_error(interpreter, "{}() got multiple values for argument '{}'", qualified_name, keyword.name.view());
    }
    slot = keyword.value;
    if (found->kind == Kind::KeywordOnly) ++keyword_only_given;
  }
  // 3. Too many, then too few.
  if (given > plain_count_ && rest_slot == bound.size()) {
    const bool has_defaults = required_count_ < plain_count_;
    const std::string takes =
        has_defaults ? fmt::format("from {} to {}", required_count_, plain_count_) : fmt::format("{}", plain_count_);
    const std::string keyword_note =
        keyword_only_given == 0
            ? ""
            : fmt::format(" positional argument{} (and {} keyword-only argument{})", given == 1 ? "" : "s",
                          keyword_only_given, keyword_only_given == 1 ? "" : "s");
    return type_error(interpreter, "{}() takes {} positional argument{} but {}{} {} given", qualified_name, takes,
                      has_defaults || plain_count_ != 1 ? "s" : "", given, keyword_note,
                      given == 1 && keyword_only_given == 0 ? "was" : "were");
  }
  if (positional_only_count_ > 0) {
    for (std::size_t i = given; i < required_count_; ++i) {
      if (bound[i].is_absent()) return wrong_count(interpreter, qualified_name, i);
    }
  }
  std::vector<std::string_view> missing, missing_keywords;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (!bound[i].is_absent()) continue;
    const Parameter& parameter = parameters_[i];
    if (parameter.default_value.is_absent()) {
      (parameter.kind == Kind::Plain || parameter.kind == Kind::PositionalOnly ? missing : missing_keywords)
          .push_back(parameter.name.view());
    } else {
      bound[i] = is_left_out(parameter.default_value) ? Value::absent() : parameter.default_value;
    }
  }
  const auto& lacking = missing.empty() ? missing_keywords : missing;
  if (!lacking.empty()) {
    return type_error(interpreter, "{}() missing {} required {} argument{}: {}", qualified_name, lacking.size(),
                      missing.empty() ? "keyword-only" : "positional", lacking.size() == 1 ? "" : "s",
                      list_of_names(lacking));
  }
  return bound;
}

}  // namespace nns::object
