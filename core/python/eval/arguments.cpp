// How the arguments of a call find the parameters of a function of a program.
#include <fmt/format.h>

#include <algorithm>

#include "core/python/eval/function.h"

namespace nns::python {

using object::Keyword;

PyError Function::too_many(std::size_t given, const Value* slots) const {
  const Code& code = *code_;
  const auto* values = defaults_.as<object::Tuple>();
  const std::size_t defaulted = values == nullptr ? 0 : std::min<std::size_t>(values->size(), code.positional_count);
  const std::size_t least = code.positional_count - defaulted;
  const std::string takes = defaulted > 0 ? fmt::format("from {} to {}", least, code.positional_count)
                                          : fmt::format("{}", code.positional_count);
  std::size_t keyword_only = 0;
  for (std::size_t i = 0; i < code.keyword_only_count; ++i) {
    if (!slots[code.positional_count + i].is_absent()) ++keyword_only;
  }
  const std::string note = keyword_only == 0
                               ? std::string()
                               : fmt::format(" positional argument{} (and {} keyword-only argument{})",
                                             given == 1 ? "" : "s", keyword_only, keyword_only == 1 ? "" : "s");
  return object::type_error(interpreter(), "{}() takes {} positional argument{} but {}{} {} given", qualified_name_,
                            takes, defaulted > 0 || code.positional_count != 1 ? "s" : "", given, note,
                            given == 1 && keyword_only == 0 ? "was" : "were");
}

PyError Function::missing(std::span<const Name> parameters, std::string_view kind) const {
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) text += parameters.size() == 2 ? " and " : i + 1 == parameters.size() ? ", and " : ", ";
    text += fmt::format("'{}'", parameters[i].view());
  }
  return object::type_error(interpreter(), "{}() missing {} required {} argument{}: {}", qualified_name_,
                            parameters.size(), kind, parameters.size() == 1 ? "" : "s", text);
}

PyResult<void> Function::bind_arguments(std::span<const Value> positional, std::span<const Keyword> keywords,
                                        Value* slots) const {
  Interpreter& in = interpreter();
  const Code& code = *code_;
  const std::size_t named = code.positional_count + code.keyword_only_count;
  // 1. By position; those beyond go to *args.
  const std::size_t taken = std::min<std::size_t>(positional.size(), code.positional_count);
  std::copy(positional.begin(), positional.begin() + static_cast<std::ptrdiff_t>(taken), slots);
  if (code.has_var_positional) {
    const std::span<const Value> rest = positional.subspan(taken);
    slots[named] = in.tuple(std::vector<Value>(rest.begin(), rest.end()));
  }
  Ref<Dict> others;
  if (code.has_var_keyword) {
    others = in.dict();
    slots[named + (code.has_var_positional ? 1 : 0)] = others;
  }
  // 2. By name.
  for (const Keyword& keyword : keywords) {
    const auto begin = code.locals.begin() + static_cast<std::ptrdiff_t>(code.positional_only_count);
    const auto end = code.locals.begin() + static_cast<std::ptrdiff_t>(named);
    const auto found = std::find(begin, end, keyword.name);
    if (found != end) {
      Value& slot = slots[found - code.locals.begin()];
      if (!slot.is_absent()) {
        return object::type_error(in, "{}() got multiple values for argument '{}'", qualified_name_,
                                  keyword.name.view());
      }
      slot = keyword.value;
      continue;
    }
    if (others) {
      others->set(keyword.name, keyword.value);
      continue;
    }
    std::string only;
    for (std::size_t i = 0; i < code.positional_only_count; ++i) {
      const bool is_given =
          std::any_of(keywords.begin(), keywords.end(), [&](const Keyword& one) { return one.name == code.locals[i]; });
      if (is_given) only.append(only.empty() ? "" : ", ").append(code.locals[i].view());
    }
    if (!only.empty()) {
      return object::type_error(in, "{}() got some positional-only arguments passed as keyword arguments: '{}'",
                                qualified_name_, only);
    }
    return object::type_error(in, "{}() got an unexpected keyword argument '{}'", qualified_name_, keyword.name.view());
  }
  // 3. Too many, then too few.
  if (positional.size() > code.positional_count && !code.has_var_positional) return too_many(positional.size(), slots);
  const auto* values = defaults_.as<object::Tuple>();
  const std::size_t defaulted = values == nullptr ? 0 : std::min<std::size_t>(values->size(), code.positional_count);
  std::vector<Name> lacking;
  for (std::size_t i = 0; i < code.positional_count; ++i) {
    if (!slots[i].is_absent()) continue;
    const std::size_t left = code.positional_count - i;
    if (left <= defaulted)
      slots[i] = (*values)[values->size() - left];
    else
      lacking.push_back(code.locals[i]);
  }
  if (!lacking.empty()) return missing(lacking, "positional");
  Dict* by_name = keyword_defaults_.as<Dict>();
  for (std::size_t i = code.positional_count; i < named; ++i) {
    if (!slots[i].is_absent()) continue;
    if (const Value* value = by_name != nullptr ? by_name->find(code.locals[i]) : nullptr)
      slots[i] = *value;
    else
      lacking.push_back(code.locals[i]);
  }
  if (!lacking.empty()) return missing(lacking, "keyword-only");
  return {};
}

bool Function::bind_named(std::span<const Value> positional, const object::Tuple& given, const Value* named,
                          Value* slots) const {
  const Code& code = *code_;
  const std::size_t all = code.positional_count + code.keyword_only_count;
  const auto undo = [&] {
    for (std::size_t i = 0; i < all; ++i) slots[i] = Value::absent();
    return false;
  };
  std::copy(positional.begin(), positional.end(), slots);
  for (std::size_t i = 0; i < given.size(); ++i) {
    // Names of constants and of parameters are interned.
    const object::Object* const name = given[i].object();
    std::size_t at = std::max<std::size_t>(positional.size(), code.positional_only_count);
    while (at < all && static_cast<const object::Object*>(&code.locals[at].str()) != name) ++at;
    if (at >= all || !slots[at].is_absent()) return undo();
    slots[at] = named[i];
  }
  const auto* const defaults = defaults_.as<object::Tuple>();
  const std::size_t defaulted = defaults == nullptr ? 0 : defaults->size();
  for (std::size_t i = positional.size(); i < all; ++i) {
    if (!slots[i].is_absent()) continue;
    const std::size_t left = code.positional_count - i;
    if (i < code.positional_count) {
      if (left > defaulted) return undo();
      slots[i] = (*defaults)[defaulted - left];
      continue;
    }
    Dict* const by_name = keyword_defaults_.as<Dict>();
    const Value* const value = by_name == nullptr ? nullptr : by_name->find(code.locals[i]);
    if (value == nullptr) return undo();
    slots[i] = *value;
  }
  return true;
}

}  // namespace nns::python
