#include <algorithm>
#include <optional>

#include "core/object/operations.h"
#include "core/ops/python_signature.h"

// What PyTorch says when no overload fits. It reads its own texts of the overloads, and its reading is part of what it
// says: the last word of a parameter's text is taken for its name, all before for its type.
namespace nns::ops {
namespace {

struct OptionParameter {
  std::string_view type;
  std::string_view name;
};

std::vector<OptionParameter> parameters_of(std::string_view option) {
  std::vector<OptionParameter> made;
  std::string_view rest = option.substr(1, option.size() - 2);
  while (true) {
    const std::size_t comma = rest.find(", ");
    const std::string_view one = rest.substr(0, comma);
    const std::size_t space = one.rfind(' ');
    if (space == std::string_view::npos)
      made.push_back({one, one});
    else
      made.push_back({one.substr(0, space), one.substr(space + 1)});
    if (comma == std::string_view::npos) return made;
    rest = rest.substr(comma + 2);
  }
}

bool fits(Interpreter& in, std::string_view type, const Value& value) {
  const std::string_view name = python_type_name(in, value);
  if (type == "float") return name == "float" || name == "int";
  return name == type;
}

std::string short_text(Interpreter& in, const object::Arguments& arguments) {
  std::string out = "(";
  for (const Value& value : arguments.positional) out.append(python_type_name(in, value)).append(", ");
  for (const object::Keyword& keyword : arguments.keywords) {
    out += fmt::format("{}={}, ", keyword.name.view(), python_type_name(in, keyword.value));
  }
  if (!arguments.positional.empty()) out.resize(out.size() - 2);
  return out + ")";
}

std::string marked_text(Interpreter& in, std::span<const OptionParameter> option, const object::Arguments& arguments) {
  std::string out = "(";
  const std::size_t positional = arguments.positional.size();
  for (std::size_t i = 0; i < positional + arguments.keywords.size(); ++i) {
    const bool is_keyword = i >= positional;
    Value value;
    if (!is_keyword) {
      value = arguments.positional[i];
    } else {
      for (const object::Keyword& keyword : arguments.keywords) {
        if (keyword.name.view() == option[i].name) value = keyword.value;
      }
    }
    const std::string_view mark = fits(in, option[i].type, value) ? "" : "!";
    out += mark;
    if (is_keyword) out += fmt::format("{}=", option[i].name);
    const auto* tuple = value.as<object::Tuple>();
    const auto* list = value.as<object::List>();
    if (tuple != nullptr || list != nullptr) {
      const std::span<const Value> items = tuple != nullptr ? tuple->items() : std::span<const Value>(list->items());
      out += fmt::format("{} of {}", python_type_name(in, value), tuple != nullptr ? '(' : '[');
      for (std::size_t k = 0; k < items.size(); ++k)
        out.append(k > 0 ? ", " : "").append(python_type_name(in, items[k]));
      if (tuple != nullptr && items.size() == 1) out += ",";
      out += tuple != nullptr ? ')' : ']';
    } else {
      out += python_type_name(in, value);
    }
    out.append(mark).append(", ");
  }
  if (positional > 0) out.resize(out.size() - 2);
  return out + ")";
}

// The keywords that the option's last parameters do not name, as "a, b".
std::string unmatched_keywords(std::span<const OptionParameter> option, const object::Arguments& arguments) {
  const std::size_t count = arguments.keywords.size();
  const std::span<const OptionParameter> last = option.subspan(option.size() > count ? option.size() - count : 0);
  std::string out;
  for (const object::Keyword& keyword : arguments.keywords) {
    const bool is_known = std::any_of(last.begin(), last.end(), [&keyword](const OptionParameter& parameter) {
      return parameter.name == keyword.name.view();
    });
    if (!is_known) out.append(out.empty() ? "" : ", ").append(keyword.name.view());
  }
  return out;
}

}  // namespace

object::PyError invalid_combination(Interpreter& interpreter, std::string_view function_name,
                                    const object::Arguments& arguments, std::span<const std::string> options) {
  const std::size_t given = arguments.positional.size() + arguments.keywords.size();
  std::string out = fmt::format("{}() received an invalid combination of arguments - ", function_name);
  if (options.size() == 1) {
    const std::vector<OptionParameter> option = parameters_of(options[0]);
    const std::string unmatched = unmatched_keywords(option, arguments);
    if (!unmatched.empty()) {
      out += "got unrecognized keyword arguments: " + unmatched;
    } else {
      out += fmt::format(
          "got {}, but expected {}",
          option.size() == given ? marked_text(interpreter, option, arguments) : short_text(interpreter, arguments),
          options[0]);
    }
    return object::type_error(interpreter, "{}", out);
  }
  out += fmt::format("got {}, but expected one of:\n", short_text(interpreter, arguments));
  for (const std::string& text : options) {
    const std::vector<OptionParameter> option = parameters_of(text);
    out += fmt::format(" * {}\n", text);
    if (option.size() != given) continue;
    const std::string unmatched = unmatched_keywords(option, arguments);
    out += unmatched.empty()
               ? fmt::format("      didn't match because some of the arguments have invalid types: {}\n",
                             marked_text(interpreter, option, arguments))
               : fmt::format("      didn't match because some of the keywords were incorrect: {}\n", unmatched);
  }
  return object::type_error(interpreter, "{}", out);
}

}  // namespace nns::ops
