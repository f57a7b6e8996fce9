#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/object/function.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/session/module_description.h"

namespace nns::session {

namespace {

using object::Interpreter;
using object::Value;

constexpr std::size_t kMostBytes = 160;
/// Containers with more are told by their size.
constexpr std::size_t kFewItems = 64;

/// Runs of white space become one blank, and what is too long ends in "…", between two characters.
std::string cut_to_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_break = text[at] == '\n' || text[at] == '\r';
    if (line.size() >= kMostBytes && (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) return line + "…";
    if (!is_break) {
      line += text[at];
      continue;
    }
    while (at + 1 < text.size() && (text[at + 1] == ' ' || text[at + 1] == '\n' || text[at + 1] == '\r')) ++at;
    line += ' ';
  }
  return line;
}

std::string tensor_line(const tensor::Tensor& tensor) {
  std::string text =
      fmt::format("{} [{}]", tensor::info(tensor.dtype()).torch_name, fmt::join(tensor.shape().span(), ", "));
  if (tensor.is_parameter() || tensor.requires_grad()) {
    text += fmt::format(", requires_grad={}", tensor.requires_grad() ? "True" : "False");
  }
  if (tensor.is_meta()) text += ", meta";
  return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The size of a container that is too large to print.
std::string size_line(const Value& value) {
  if (const auto* list = value.as<object::List>(); list != nullptr && list->size() > kFewItems) {
    return counted(list->size(), "item", "items");
  }
  if (const auto* tuple = value.as<object::Tuple>(); tuple != nullptr && tuple->size() > kFewItems) {
    return counted(tuple->size(), "item", "items");
  }
  if (const auto* set = value.as<object::Set>(); set != nullptr && set->size() > kFewItems) {
    return counted(set->size(), "item", "items");
  }
  if (const auto* dict = value.as<object::Dict>(); dict != nullptr && dict->size() > kFewItems) {
    return counted(dict->size(), "entry", "entries");
  }
  return {};
}

/// Whether printing it would only tell its address.
bool prints_its_address(Interpreter& interpreter, const Value& value) {
  if (value.as<object::Instance>() == nullptr || value.as<object::Exception>() != nullptr) return false;
  const object::Name name = interpreter.names().dunder_repr;
  const Value* method = interpreter.type_of(value).lookup(name);
  return method == nullptr || method->is(*interpreter.builtins().object->lookup(name));
}

}  // namespace

std::string one_line(Interpreter& interpreter, const Value& value) {
  if (const auto* tensor = value.as<tensor::Tensor>()) return tensor_line(*tensor);
  if (const auto* function = value.as<object::NativeFunction>()) return std::string(function->qualified_name());
  if (const auto* method = value.as<object::BoundMethod>()) return one_line(interpreter, method->function());
  // The text of a module takes as many lines as it has modules; its class names it.
  if (nn::as_module(value) != nullptr) return std::string(interpreter.type_of(value).name());
  if (std::string size = size_line(value); !size.empty()) return size;
  if (prints_its_address(interpreter, value)) return fmt::format("<{} object>", interpreter.type_of(value).full_name());
  auto text = object::repr(interpreter, value);
  if (!text.ok())
    return cut_to_line(fmt::format("<repr() raised {}: {}>", text.error().type(), text.error().message()));
  return cut_to_line(*text);
}

std::string key_text(Interpreter& interpreter, const Value& key) {
  if (const auto* text = key.as<object::Str>()) return std::string(text->view());
  return one_line(interpreter, key);
}

}  // namespace nns::session
