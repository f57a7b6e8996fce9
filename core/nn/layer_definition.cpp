#include "core/nn/layer_definition.h"

#include "core/nn/functional.h"

namespace nns::nn {
PyResult<Value> LayerSelf::get(std::string_view name) const {
  if (Module* const module = as_module(value)) return module->getattr(interpreter.intern(name));
  return object::getattr(interpreter, value, interpreter.intern(name));
}

PyResult<void> LayerSelf::set(std::string_view name, const Value& new_value) const {
  if (Module* const module = as_module(value)) return module->setattr(interpreter.intern(name), new_value);
  return object::setattr(interpreter, value, interpreter.intern(name), new_value);
}

PyResult<std::int64_t> LayerSelf::get_int(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return object::index(interpreter, found);
}

PyResult<double> LayerSelf::get_float(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return number(interpreter, found);
}

PyResult<bool> LayerSelf::is_true(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return object::truth(interpreter, found);
}

PyResult<bool> LayerSelf::is_none(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return found.is_none();
}

PyResult<Tensor*> LayerSelf::get_tensor(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return found.as<Tensor>();
}

PyResult<std::string> LayerSelf::format(std::string_view pattern) const {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    text += pattern.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = pattern.find('}', open);
    const std::string_view field = pattern.substr(open + 1, close - open - 1);
    pattern.remove_prefix(close + 1);
    const std::size_t end = field.find_first_of("!?");
    NNS_TRY_ASSIGN(const Value found, get(field.substr(0, end)));
    if (end == std::string_view::npos) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(interpreter, found));
      text += shown;
    } else if (field[end] == '!') {
      NNS_TRY_ASSIGN(const std::string shown, object::repr(interpreter, found));
      text += shown;
    } else {
      NNS_TRY_ASSIGN(const bool shown, object::truth(interpreter, found));
      if (shown) text += field.substr(end + 1);
    }
  }
  return text;
}

PyResult<Value> LayerSelf::call(std::string_view name, std::initializer_list<Value> arguments) const {
  return interpreter.call_method(value, interpreter.intern(name), arguments);
}

PyResult<Factory> LayerInit::factory(const Value& device, const Value& dtype) const {
  const auto& library = tensor::TensorLibrary::of(interpreter);
  Factory factory{library.default_dtype, library.default_device};
  if (!dtype.is_none()) {
    NNS_TRY_ASSIGN(factory.dtype, tensor::dtype_of(interpreter, dtype));
  }
  if (!device.is_none()) {
    NNS_TRY_ASSIGN(factory.device, tensor::device_of(interpreter, device));
  }
  return factory;
}

PyResult<void> LayerInit::init_base(std::span<const Value> positional,
                                    std::span<const object::Keyword> keywords) const {
  const Value* base = value.object()->type().lookup_after(interpreter.names().dunder_init, cls_);
  std::vector<Value> arguments{value};
  arguments.insert(arguments.end(), positional.begin(), positional.end());
  const Value function = *base;
  NNS_TRY(interpreter.call(function, arguments, keywords));
  return {};
}

PyResult<void> LayerInit::add_parameter(std::string_view name, const Dims& shape, const Factory& factory) const {
  NNS_TRY(tensor::check_not_negative(interpreter, shape));
  NNS_TRY_ASSIGN(const auto items, tensor::try_empty(interpreter, shape, factory.dtype, factory.device));
  NNS_TRY_ASSIGN(const auto parameter, tensor::make_parameter(interpreter, *items));
  return set(name, parameter);
}

PyResult<void> LayerInit::add_parameter_if(bool present, std::string_view name, const Dims& shape,
                                           const Factory& factory) const {
  return present ? add_parameter(name, shape, factory) : add_no_parameter(name);
}

PyResult<void> LayerInit::add_no_parameter(std::string_view name) const {
  NNS_TRY(call("register_parameter", {interpreter.text(name), Value()}));
  return {};
}

PyResult<void> LayerInit::add_buffer(std::string_view name, const Value& tensor) const {
  NNS_TRY(call("register_buffer", {interpreter.text(name), tensor}));
  return {};
}

PyResult<void> LayerInit::add_layer(std::string_view name, LayerId id, std::initializer_list<Value> positional,
                                    std::initializer_list<NamedArgument> keywords) const {
  NNS_TRY_ASSIGN(const Value layer, make_layer(interpreter, id, positional, keywords));
  return set(name, layer);
}

LayerDefinition& LayerDefinition::init(std::string_view parameters, InitBody body) {
  return init_alone(parameters, [body = std::move(body)](LayerInit& self) -> PyResult<void> {
    NNS_TRY(self.init_base());
    return body(self);
  });
}

LayerDefinition& LayerDefinition::init_alone(std::string_view parameters, InitBody body) {
  const std::string signature = parameters.empty() ? "__init__(self)" : fmt::format("__init__(self, {})", parameters);
  cls.def(signature,
          [made = &cls, body = std::move(body)](Interpreter& in, std::span<const Value> args) -> PyResult<Value> {
            LayerInit self(in, *made, args);
            NNS_TRY(body(self));
            return Value();
          });
  return *this;
}

LayerDefinition& LayerDefinition::stores(std::string_view parameters) {
  std::vector<std::string> names;
  const object::Signature signature(interpreter, parameters);
  for (const object::Parameter& parameter : signature.parameters()) {
    names.emplace_back(parameter.name.view());
  }
  return init(parameters, [names = std::move(names)](LayerInit& self) -> PyResult<void> {
    for (std::size_t i = 0; i < names.size(); ++i) NNS_TRY(self.set(names[i], self[i]));
    return {};
  });
}

LayerDefinition& LayerDefinition::shows(std::string_view pattern) {
  return shows([pattern = std::string(pattern)](LayerSelf& self) { return self.format(pattern); });
}

LayerDefinition& LayerDefinition::shows(TextBody body) {
  return method("extra_repr", [body = std::move(body)](LayerSelf& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, body(self));
    return self.interpreter.text(text);
  });
}

LayerDefinition& LayerDefinition::forwards(std::string_view parameters, std::string_view call) {
  // An argument of the call: a parameter of forward, or an attribute.
  struct Source {
    std::size_t parameter = 0;
    Name attribute;
    Name keyword;
  };
  const std::string whole = fmt::format("self, {}", parameters);
  const object::Signature signature(interpreter, whole);
  const std::size_t open = call.find('(');
  const std::string function(call.substr(0, open));
  std::string_view rest = call.substr(open + 1, call.size() - open - 2);
  std::vector<Source> sources;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    std::string_view one = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    Source source;
    if (const std::size_t equals = one.find('='); equals != std::string_view::npos) {
      source.keyword = interpreter.intern(one.substr(0, equals));
      one = one.substr(equals + 1);
    }
    source.attribute = interpreter.intern(one);
    for (std::size_t i = 1; i < signature.parameters().size(); ++i) {
      if (signature.parameters()[i].name.view() == one) source.parameter = i;
    }
    sources.push_back(source);
  }
  cls.def(fmt::format("forward({})", whole),
          [function, sources = std::move(sources)](Interpreter& in, std::span<const Value> args) -> PyResult<Value> {
            std::vector<Value> positional;
            std::vector<object::Keyword> keywords;
            for (const Source& source : sources) {
              Value value;
              if (source.parameter > 0) {
                value = args[source.parameter];
              } else {
                NNS_TRY_ASSIGN(value, object::getattr(in, args[0], source.attribute));
              }
              if (source.keyword)
                keywords.push_back({source.keyword, std::move(value)});
              else
                positional.push_back(std::move(value));
            }
            return call_functional(in, function, positional, keywords);
          });
  return *this;
}

LayerDefinition& LayerDefinition::method(std::string_view name, MethodBody body) {
  cls.def(fmt::format("{}(self)", name),
          [body = std::move(body)](Interpreter& in, std::span<const Value> args) -> PyResult<Value> {
            LayerSelf self(in, args[0]);
            return body(self);
          });
  return *this;
}

PyResult<Value> ntuple(Interpreter& interpreter, const Value& value, std::size_t count) {
  if (!object::is_iterable(interpreter, value)) return interpreter.tuple(std::vector<Value>(count, value));
  NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(interpreter, value));
  return interpreter.tuple(std::move(items));
}

PyResult<std::vector<std::int64_t>> int_items(Interpreter& interpreter, const Value& tuple) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(interpreter, tuple));
  std::vector<std::int64_t> numbers;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(const std::int64_t one, object::index(interpreter, item));
    numbers.push_back(one);
  }
  return numbers;
}

PyResult<double> number(Interpreter& interpreter, const Value& value) {
  if (value.is_float()) return value.as_float();
  if (value.is_int() || value.is_bool()) return static_cast<double>(value.as_int());
  return object::type_error(interpreter, "must be real number, not {}", interpreter.type_of(value).name());
}

bool is_all(const Value& tuple, std::int64_t item) {
  const object::Tuple* items = tuple.as<object::Tuple>();
  if (items == nullptr) return false;
  for (const Value& one : items->items()) {
    if (!(one.is_int() || one.is_bool()) || one.as_int() != item) return false;
  }
  return true;
}

}  // namespace nns::nn
