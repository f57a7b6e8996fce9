#include "core/ops/python_signature.h"
#include "core/ops/errors.h"

#include <optional>

#include "core/object/operations.h"
#include "core/tensor/stand_ins.h"

namespace nns::ops {
namespace {

// Behaviour: python_arg_parser.cpp, numpy_compatibility_arg_names.
std::span<const std::string_view> numpy_names_of(std::string_view name) {
  static constexpr std::string_view kDim[] = {"axis"}, kKeepdim[] = {"keepdims"}, kInput[] = {"x", "a", "x1"},
                                    kOther[] = {"x2"};
  if (name == "dim") return kDim;
  if (name == "keepdim") return kKeepdim;
  if (name == "input") return kInput;
  if (name == "other") return kOther;
  return {};
}

// The argument that is given by the parameter's name, or by NumPy's.
const Value* keyword_for(const PythonParameter& parameter, std::span<const object::Keyword> keywords) {
  const Value* given = nullptr;
  for (const object::Keyword& keyword : keywords) {
    if (keyword.name == parameter.name) given = &keyword.value;
  }
  for (const std::string_view name : parameter.numpy_names) {
    for (std::size_t i = 0; given == nullptr && i < keywords.size(); ++i) {
      if (keywords[i].name.view() == name) given = &keywords[i].value;
    }
  }
  return given;
}

bool is_integer(Interpreter& in, const Value& value) {
  if (value.is_int()) return true;
  if (const Tensor* tensor = value.as<Tensor>()) {
    return tensor::is_integral(tensor->dtype()) && tensor->dtype() != DType::Bool && !tensor->requires_grad() &&
           tensor->ndim() == 0;
  }
  return value.is_object() && value.as<object::Str>() == nullptr &&
         in.type_of(value).lookup(in.names().dunder_index) != nullptr;
}

bool is_scalar(Interpreter& in, const Value& value) {
  return Number::is_number(value) || tensor::stands_for_number(in, value);
}

bool is_number(Interpreter& in, const Value& value) {
  if (is_scalar(in, value)) return true;
  const Tensor* tensor = value.as<Tensor>();
  return tensor != nullptr && !tensor->requires_grad() && tensor->ndim() == 0;
}

bool is_dtype(Interpreter& in, const Value& value) {
  const object::Builtins& builtins = in.builtins();
  const auto* cls = value.as<object::Class>();
  return &in.type_of(value) == tensor::TensorLibrary::of(in).dtype || cls == builtins.floating ||
         (cls != nullptr && (cls == builtins.integer || cls == builtins.boolean));
}

const std::span<const Value>* items_of(const Value& value, std::span<const Value>& out) {
  if (const auto* tuple = value.as<object::Tuple>()) {
    out = tuple->items();
    return &out;
  }
  if (const auto* list = value.as<object::List>()) {
    out = list->items();
    return &out;
  }
  return nullptr;
}

std::string_view type_name(ParameterType type) {
  switch (type) {
    case ParameterType::Tensor:
    case ParameterType::TensorOrNumber:
      return "Tensor";
    case ParameterType::Tensors:
      return "tuple of Tensors";
    case ParameterType::Number:
      return "Number";
    case ParameterType::Int:
      return "int";
    case ParameterType::Ints:
      return "tuple of ints";
    case ParameterType::Float:
      return "float";
    case ParameterType::Bool:
      return "bool";
    case ParameterType::DType:
      return "torch.dtype";
    case ParameterType::Device:
      return "torch.device";
    case ParameterType::Layout:
      return "torch.layout";
    case ParameterType::MemoryFormat:
      return "torch.memory_format";
    case ParameterType::Generator:
      return "torch.Generator";
    case ParameterType::Text:
      return "str";
    case ParameterType::Any:
      return "object";
  }
  return "object";
}

// What is wrong with a list: the place of the first item of another type.
struct WrongItem {
  std::size_t place = 0;
};

// Whether `value` is what the parameter takes; of lists only the first item counts, as in PyTorch.
bool fits(Interpreter& in, const PythonParameter& parameter, const Value& value, std::optional<WrongItem>& wrong) {
  switch (parameter.type) {
    case ParameterType::Tensor:
      return value.as<Tensor>() != nullptr || (parameter.takes_number && is_scalar(in, value));
    case ParameterType::TensorOrNumber:
      return value.as<Tensor>() != nullptr || is_scalar(in, value);
    case ParameterType::Tensors: {
      std::span<const Value> items;
      return items_of(value, items) != nullptr;
    }
    case ParameterType::Number:
      return is_number(in, value);
    case ParameterType::Float:
      return is_number(in, value) && value.as<object::Complex>() == nullptr;
    case ParameterType::Int:
      return is_integer(in, value);
    case ParameterType::Ints: {
      std::span<const Value> items;
      if (items_of(value, items) == nullptr) return parameter.takes_one_int && is_integer(in, value);
      if (items.empty() || is_integer(in, items[0])) return true;
      wrong = WrongItem{0};
      return false;
    }
    case ParameterType::Bool:
      return value.is_bool();
    case ParameterType::DType:
      return is_dtype(in, value);
    case ParameterType::Device:
      return value.is_int() || value.as<object::Str>() != nullptr ||
             &in.type_of(value) == tensor::TensorLibrary::of(in).device;
    case ParameterType::Layout:
      return &in.type_of(value) == tensor::TensorLibrary::of(in).layout;
    case ParameterType::MemoryFormat:
      return in.type_of(value).name() == "memory_format";
    case ParameterType::Generator:
      return in.type_of(value).name() == "Generator";
    case ParameterType::Text:
      return value.as<object::Str>() != nullptr;
    case ParameterType::Any:
      return true;
  }
  return false;
}

// An int of a list that was found to fit by its first item.
PyResult<Value> list_item(Interpreter& in, const Value& item, std::string_view function,
                          const PythonParameter& parameter, std::size_t place) {
  if (item.is_int()) return item;
  if (!is_integer(in, item)) {
    return object::type_error(in,
                              "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be "
                              "tuple of ints,but got {}\"",
                              function, parameter.name.view(), place + 1, python_type_name(in, item));
  }
  NNS_TRY_ASSIGN(const std::int64_t integer, object::index(in, item));
  return Value(integer);
}

// The value as ops take it: numbers out of tensors, lists as tuples, Python's types as dtypes.
PyResult<Value> converted(Interpreter& in, std::string_view function, const PythonParameter& parameter,
                          std::size_t position, const Value& value) {
  switch (parameter.type) {
    case ParameterType::Number:
    case ParameterType::Float: {
      if (const Tensor* tensor = value.as<Tensor>()) {
        if (tensor->is_meta()) return no_item_of_meta(in);
        return tensor::read_value(*tensor, tensor->offset());
      }
      NNS_TRY_ASSIGN(const Value plain, tensor::plain_operand(in, value));
      if (parameter.type == ParameterType::Float && !plain.is_float()) return Value(Number::of(plain).as_double());
      return plain;
    }
    case ParameterType::Int: {
      NNS_TRY_ASSIGN(const std::int64_t integer, object::index(in, value));
      return Value(integer);
    }
    case ParameterType::Ints: {
      std::span<const Value> items;
      if (items_of(value, items) == nullptr) {
        // One int alone stays one: split(2) is not split((2,)).
        NNS_TRY_ASSIGN(const std::int64_t integer, object::index(in, value));
        return Value(integer);
      }
      std::vector<Value> integers;
      integers.reserve(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        NNS_TRY_ASSIGN(Value one, list_item(in, items[i], function, parameter, i));
        integers.push_back(std::move(one));
      }
      return Value(in.tuple(std::move(integers)));
    }
    case ParameterType::Tensors: {
      std::span<const Value> items;
      items_of(value, items);
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].as<Tensor>() != nullptr) continue;
        return object::type_error(in, "expected Tensor as element {} in argument {}, but got {}", i, position,
                                  python_type_name(in, items[i]));
      }
      if (value.as<object::Tuple>() != nullptr) return value;
      return Value(in.tuple({items.begin(), items.end()}));
    }
    case ParameterType::DType:
      if (const auto* cls = value.as<object::Class>()) {
        const auto& library = tensor::TensorLibrary::of(in);
        return library.dtype_value(cls == in.builtins().floating  ? DType::Float64
                                   : cls == in.builtins().boolean ? DType::Bool
                                                                  : DType::Int64);
      }
      return value;
    case ParameterType::Tensor:
    case ParameterType::TensorOrNumber:
      return tensor::plain_operand(in, value);
    default:
      return value;
  }
}

}  // namespace

std::string_view python_type_name(Interpreter& interpreter, const Value& value) {
  const object::Class& cls = interpreter.type_of(value);
  return cls.name();
}

PythonSignature::PythonSignature(Interpreter&, std::string_view function_name, std::vector<PythonParameter> parameters,
                                 bool is_method, bool is_hidden)
    : function_name_(function_name),
      parameters_(std::move(parameters)),
      first_(is_method ? 1 : 0),
      is_hidden_(is_hidden) {
  for (std::size_t i = first_; i < parameters_.size(); ++i) {
    ++most_;
    if (!parameters_[i].is_optional) ++least_;
    if (!parameters_[i].is_keyword_only) ++most_positional_;
  }
  takes_loose_ints_ = most_positional_ == 1 && parameters_[first_].type == ParameterType::Ints;
}

PyResult<bool> PythonSignature::walk(Interpreter& in, const object::Arguments& arguments, BoundArguments* bound,
                                     std::optional<object::PyError>* failure) const {
  const std::span<const Value> positional = arguments.positional.subspan(std::min(first_, arguments.positional.size()));
  const auto fail = [failure](auto make) {
    if (failure != nullptr) *failure = make();
    return false;
  };
  if (positional.size() > most_positional_ && !takes_loose_ints_) {
    return fail([&] { return too_many(in, positional.size()); });
  }
  std::size_t position = 0;
  std::size_t keywords_left = arguments.keywords.size();
  if (bound != nullptr) {
    bound->resize(parameters_.size());
    if (first_ == 1) (*bound)[0] = arguments.positional[0];
  }
  for (std::size_t i = first_; i < parameters_.size(); ++i) {
    const PythonParameter& parameter = parameters_[i];
    const Value* given = nullptr;
    bool is_keyword = false;
    if (position < positional.size()) {
      if (parameter.is_keyword_only) return fail([&] { return too_many(in, positional.size()); });
      given = &positional[position];
    } else {
      given = keyword_for(parameter, arguments.keywords);
      is_keyword = given != nullptr;
    }
    std::optional<WrongItem> wrong;
    const bool may_be_loose = takes_loose_ints_ && position == 0 && !is_keyword;
    if (given == nullptr && parameter.is_optional) {
      if (bound != nullptr) (*bound)[i] = parameter.default_value;
      continue;
    }
    if (given == nullptr) return fail([&] { return missing(in, i); });
    if (given->is_none() && parameter.takes_none) {
      if (bound != nullptr) (*bound)[i] = Value();
    } else if (fits(in, parameter, *given, wrong)) {
      if (bound != nullptr) {
        NNS_TRY_ASSIGN((*bound)[i], converted(in, function_name_, parameter, position + 1, *given));
      }
    } else if (may_be_loose && is_integer(in, *given)) {
      if (bound != nullptr) {
        std::vector<Value> integers;
        for (std::size_t k = 0; k < positional.size(); ++k) {
          NNS_TRY_ASSIGN(Value one, list_item(in, positional[k], function_name_, parameter, k));
          integers.push_back(std::move(one));
        }
        (*bound)[i] = Value(in.tuple(std::move(integers)));
      }
      position = positional.size();
      continue;
    } else {
      return fail([&] {
        if (is_keyword) {
          return object::type_error(in, "{}(): argument '{}' must be {}, not {}", function_name_, parameter.name.view(),
                                    type_name(parameter.type), python_type_name(in, *given));
        }
        if (wrong) {
          std::span<const Value> items = positional;
          items_of(*given, items);
          return object::type_error(
              in, "{}(): argument '{}' (position {}) must be {}, but found element of type {} at pos {}",
              function_name_, parameter.name.view(), position + 1, type_name(parameter.type),
              python_type_name(in, items[wrong->place]), wrong->place);
        }
        return object::type_error(in, "{}(): argument '{}' (position {}) must be {}, not {}", function_name_,
                                  parameter.name.view(), position + 1, type_name(parameter.type),
                                  python_type_name(in, *given));
      });
    }
    if (is_keyword)
      --keywords_left;
    else
      ++position;
  }
  if (takes_loose_ints_ && position < positional.size()) {
    return fail([&] { return too_many(in, positional.size()); });
  }
  if (keywords_left > 0) return fail([&] { return unexpected(in, arguments); });
  return true;
}

PyResult<bool> PythonSignature::match(Interpreter& interpreter, const object::Arguments& arguments,
                                      BoundArguments& bound) const {
  return walk(interpreter, arguments, &bound, nullptr);
}

object::PyError PythonSignature::mismatch(Interpreter& interpreter, const object::Arguments& arguments) const {
  std::optional<object::PyError> failure;
  PyResult<bool> walked = walk(interpreter, arguments, nullptr, &failure);
  if (!walked.ok()) return std::move(walked).error();
  return failure ? *failure : object::type_error(interpreter, "invalid keyword arguments");
}

object::PyError PythonSignature::too_many(Interpreter& in, std::size_t given) const {
  if (least_ != most_positional_) {
    return object::type_error(in, "{}() takes from {} to {} positional arguments but {} were given", function_name_,
                              least_, most_positional_, given);
  }
  return object::type_error(in, "{}() takes {} positional argument{} but {} {} given", function_name_, most_positional_,
                            most_positional_ == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

object::PyError PythonSignature::missing(Interpreter& in, std::size_t from) const {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = from; i < parameters_.size(); ++i) {
    if (parameters_[i].is_optional) continue;
    names += fmt::format("{}\"{}\"", count > 0 ? ", " : "", parameters_[i].name.view());
    ++count;
  }
  // PyTorch's plural is the wrong way round.
  return object::type_error(in, "{}() missing {} required positional argument{}: {}", function_name_, count,
                            count == 1 ? "s" : "", names);
}

object::PyError PythonSignature::unexpected(Interpreter& in, const object::Arguments& arguments) const {
  const std::size_t positional = arguments.positional.size() - first_;
  for (const object::Keyword& keyword : arguments.keywords) {
    std::optional<std::size_t> place;
    for (std::size_t i = first_; i < parameters_.size(); ++i) {
      if (parameters_[i].name == keyword.name) place = i - first_;
    }
    if (!place) {
      return object::type_error(in, "{}() got an unexpected keyword argument '{}'", function_name_,
                                keyword.name.view());
    }
    if (*place < positional) {
      return object::type_error(in, "{}() got multiple values for argument '{}'", function_name_, keyword.name.view());
    }
  }
  return object::type_error(in, "invalid keyword arguments");
}

std::string PythonSignature::text() const {
  std::string out = "(";
  bool is_keyword_part = false;
  for (std::size_t i = first_; i < parameters_.size(); ++i) {
    const PythonParameter& parameter = parameters_[i];
    if (i > first_) out += ", ";
    if (parameter.is_keyword_only && !std::exchange(is_keyword_part, true)) out += "*, ";
    out += fmt::format("{} {}", type_name(parameter.type), parameter.name.view());
    if (parameter.is_optional) out += fmt::format(" = {}", parameter.default_text);
  }
  return out + ")";
}

std::vector<PythonParameter> python_parameters(Interpreter& interpreter, std::span<const OpParameter> parameters) {
  std::vector<PythonParameter> made;
  for (const OpParameter& one : parameters) {
    PythonParameter parameter;
    parameter.name = interpreter.intern(one.name);
    parameter.type = one.type;
    parameter.is_optional = !one.default_value.is_absent();
    parameter.takes_none = one.is_optional;
    parameter.is_keyword_only = one.is_keyword_only;
    parameter.takes_one_int = one.takes_one_int;
    parameter.default_value = one.default_value.is_absent() ? Value() : one.default_value;
    parameter.default_text = one.default_text;
    parameter.numpy_names = numpy_names_of(one.name);
    made.push_back(std::move(parameter));
  }
  return made;
}

}  // namespace nns::ops
