#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/object/operations.h"
#include "core/ops/layouts.h"
#include "core/ops/op_bodies.h"

// Reads the rows of ops.def: "max.dim(Tensor input, int dim, bool keepdim=False)".
namespace nns::ops {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

ParameterType type_of(std::string_view word) {
  struct Row {
    std::string_view word;
    ParameterType type;
  };
  constexpr Row kRows[] = {{"Tensor", ParameterType::Tensor},
                           {"Tensor[]", ParameterType::Tensors},
                           {"Number", ParameterType::Number},
                           {"Tensor|Number", ParameterType::TensorOrNumber},
                           {"int", ParameterType::Int},
                           {"int[]", ParameterType::Ints},
                           {"float", ParameterType::Float},
                           {"bool", ParameterType::Bool},
                           {"dtype", ParameterType::DType},
                           {"str", ParameterType::Text},
                           {"device", ParameterType::Device},
                           {"layout", ParameterType::Layout},
                           {"Generator", ParameterType::Generator},
                           {"memory_format", ParameterType::MemoryFormat}};
  for (const Row& row : kRows) {
    if (row.word == word) return row.type;
  }
  return ParameterType::Any;
}

Value default_of(Interpreter& interpreter, std::string_view text) {
  if (text == "None") return Value();
  if (text == "True") return Value(true);
  if (text == "False") return Value(false);
  if (text.front() == '\'') return interpreter.text(text.substr(1, text.size() - 2));
  if (text.find('.') == std::string_view::npos && text.find('e') == std::string_view::npos) {
    std::int64_t integer = 0;
    std::from_chars(text.data(), text.data() + text.size(), integer);
    return Value(integer);
  }
  return Value(std::strtod(std::string(text).c_str(), nullptr));
}

OpParameter parameter_of(Interpreter& interpreter, std::string_view text) {
  OpParameter parameter;
  const std::size_t space = text.find(' ');
  std::string_view type = text.substr(0, space);
  std::string_view name = trim(text.substr(space));
  if (type.back() == '?') {
    parameter.is_optional = true;
    type.remove_suffix(1);
  }
  if (type == "int[1]") {
    parameter.takes_one_int = true;
    type = "int[]";
  }
  parameter.type = type_of(type);
  if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
    parameter.default_text = name.substr(equals + 1);
    parameter.default_value = default_of(interpreter, parameter.default_text);
    name = name.substr(0, equals);
  }
  parameter.name = name;
  return parameter;
}

// "AddBackward0" of "add"; "LogSoftmaxBackward0" of "_log_softmax".
std::string node_name_of(std::string_view name) {
  std::string made;
  bool is_start = true;
  for (const char letter : name) {
    if (letter == '_') {
      is_start = true;
      continue;
    }
    made += is_start && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    is_start = false;
  }
  return made + "Backward0";
}

// " @torch @special"; without any: a method and a function of torch, unless the name begins with an underscore.
OpPlaces places_of(std::string_view name, std::string_view words) {
  if (trim(words).empty()) return {.is_method = !name.starts_with('_'), .is_torch = !name.starts_with('_')};
  const auto has = [words](std::string_view word) { return words.find(word) != std::string_view::npos; };
  OpPlaces places{.is_method = has("@method"), .is_torch = has("@torch")};
  for (const std::string_view module : {"special", "linalg", "fft"}) {
    if (has(module)) places.module = module;
  }
  return places;
}

OpInfo info_of(Interpreter& interpreter, OpId id, std::string_view schema, const OpBodies& bodies) {
  OpInfo info;
  info.id = id;
  info.bodies = bodies;
  const std::size_t open = schema.find('(');
  std::string_view name = schema.substr(0, open);
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    info.overload = name.substr(dot + 1);
    name = name.substr(0, dot);
  }
  info.name = name;
  info.node_name = bodies.node_name.empty() ? node_name_of(name) : std::string(bodies.node_name);
  const std::size_t close = schema.rfind(')');
  info.parameters = read_parameters(interpreter, schema.substr(open + 1, close - open - 1));
  info.places = places_of(info.name, schema.substr(close + 1));
  return info;
}

}  // namespace

std::vector<OpParameter> read_parameters(Interpreter& interpreter, std::string_view text) {
  std::vector<OpParameter> parameters;
  bool is_keyword_only = false;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (part == "*") {
      is_keyword_only = true;
      continue;
    }
    parameters.push_back(parameter_of(interpreter, part));
    parameters.back().is_keyword_only = is_keyword_only;
  }
  return parameters;
}

OpLibrary::OpLibrary(Interpreter& interpreter) {
  // A loop over a table: calls in a row would be a tenth of the page's core.
  static constexpr std::string_view kSchemas[] = {
#define NNS_OP(id, schema) schema,
#include "core/ops/ops.def"
#undef NNS_OP
  };
  infos_.reserve(kOps);
  for (std::size_t i = 0; i < kOps; ++i) {
    const auto id = static_cast<OpId>(i);
    infos_.push_back(info_of(interpreter, id, kSchemas[i], op_bodies(id)));
    infos_.back().bodies.order = output_order(id);
  }
}

OpLibrary& OpLibrary::of(Interpreter& interpreter) {
  if (OpLibrary* made = interpreter.extension<OpLibrary>()) [[likely]]
    return *made;
  return interpreter.extend(std::make_unique<OpLibrary>(interpreter));
}

}  // namespace nns::ops
