#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/nn/layers.h"
#include "core/object/operations.h"
#include "core/tensor/tensor.h"

namespace nns::nn {

// How the files of a layer family write down their classes. Not for callers of layers.

using tensor::Dims;

/// The layer classes of layers.def.
enum class LayerId : std::uint8_t {
#define NNS_LAYER(id, name, module, base) id,
#include "core/nn/layers.def"
#undef NNS_LAYER
};

/// One argument given by name: {"bias", false}.
using NamedArgument = std::pair<std::string_view, Value>;

/// A class as a value.
inline Value class_value(Class& cls) { return Value(static_cast<object::Object*>(&cls)); }

/// The class of a layer, and one made with these arguments.
Class& layer_class(Interpreter& interpreter, LayerId id);
PyResult<Value> make_layer(Interpreter& interpreter, LayerId id, std::initializer_list<Value> positional = {},
                           std::initializer_list<NamedArgument> keywords = {});

/// What new tensors of a layer are made with: its device= and dtype= arguments.
struct Factory {
  tensor::DType dtype = tensor::DType::Float32;
  tensor::Device device = tensor::Device::Cpu;
};

/// A layer object while a method of it runs.
class LayerSelf {
 public:
  LayerSelf(Interpreter& in, Value self) : interpreter(in), value(std::move(self)) {}

  Interpreter& interpreter;
  const Value value;

  /// self.name; self.name = new_value.
  PyResult<Value> get(std::string_view name) const;
  PyResult<void> set(std::string_view name, const Value& new_value) const;
  PyResult<std::int64_t> get_int(std::string_view name) const;
  PyResult<double> get_float(std::string_view name) const;
  PyResult<bool> is_true(std::string_view name) const;
  /// Whether `self.name is None`.
  PyResult<bool> is_none(std::string_view name) const;
  /// self.name where that is a tensor, else null. The object lives as long as the attribute.
  PyResult<Tensor*> get_tensor(std::string_view name) const;

  /// The pattern with {name} replaced by str(self.name), {name!r} by repr(self.name), and {name?text} by `text` if
  /// self.name is true.
  PyResult<std::string> format(std::string_view pattern) const;

  /// self.name(*arguments).
  PyResult<Value> call(std::string_view name, std::initializer_list<Value> arguments = {}) const;
};

/// A layer object while its __init__ runs.
class LayerInit : public LayerSelf {
 public:
  LayerInit(Interpreter& in, Class& cls, std::span<const Value> args)
      : LayerSelf(in, args[0]), cls_(cls), arguments_(args.subspan(1)) {}

  /// The argument of parameter number `i`, self not counted.
  const Value& operator[](std::size_t i) const { return arguments_[i]; }
  PyResult<std::int64_t> int_argument(std::size_t i) const { return object::index(interpreter, arguments_[i]); }
  PyResult<bool> bool_argument(std::size_t i) const { return object::truth(interpreter, arguments_[i]); }
  PyResult<Factory> factory(const Value& device, const Value& dtype) const;

  /// super().__init__(*positional, **keywords), seen from the class that is being defined.
  PyResult<void> init_base(std::span<const Value> positional = {},
                           std::span<const object::Keyword> keywords = {}) const;
  PyResult<void> init_base(std::initializer_list<Value> positional) const {
    return init_base(std::span<const Value>(positional.begin(), positional.size()));
  }

  /// self.name = Parameter(torch.empty(shape)).
  /// Errors: RuntimeError  a size is negative, or the bytes do not fit 64 bits.
  PyResult<void> add_parameter(std::string_view name, const Dims& shape, const Factory& factory) const;
  /// The same if `present`, else self.register_parameter(name, None).
  PyResult<void> add_parameter_if(bool present, std::string_view name, const Dims& shape, const Factory& factory) const;
  /// self.register_parameter(name, None).
  PyResult<void> add_no_parameter(std::string_view name) const;
  /// self.register_buffer(name, tensor or None).
  PyResult<void> add_buffer(std::string_view name, const Value& tensor) const;
  /// self.name = <a layer made with these arguments>.
  PyResult<void> add_layer(std::string_view name, LayerId id, std::initializer_list<Value> positional,
                           std::initializer_list<NamedArgument> keywords = {}) const;

 private:
  Class& cls_;
  std::span<const Value> arguments_;
};

using InitBody = object::Body<PyResult<void>(LayerInit& self)>;
using MethodBody = object::Body<PyResult<Value>(LayerSelf& self)>;
using TextBody = object::Body<PyResult<std::string>(LayerSelf& self)>;

/// Writes methods into a layer's class.
class LayerDefinition {
 public:
  LayerDefinition(Interpreter& in, Class& made, const Value& relu_function)
      : interpreter(in), cls(made), relu(relu_function) {}

  Interpreter& interpreter;
  Class& cls;
  /// functional.relu, which cannot be asked for while the classes are being made.
  const Value relu;

  /// __init__ that runs super().__init__() and then `body`.
  LayerDefinition& init(std::string_view parameters, InitBody body);
  /// __init__ that is `body` alone: for classes that do something before super().__init__().
  LayerDefinition& init_alone(std::string_view parameters, InitBody body);
  /// __init__ that stores each argument under its parameter's name, in order.
  LayerDefinition& stores(std::string_view parameters);

  /// extra_repr: a pattern of LayerSelf::format, or any text.
  LayerDefinition& shows(std::string_view pattern);
  LayerDefinition& shows(TextBody body);

  /// forward(self, <parameters>) that returns functional.<call>: "leaky_relu(input, negative_slope, inplace)", where a
  /// name that is no parameter is an attribute of self; "p=rate" passes it by keyword.
  LayerDefinition& forwards(std::string_view parameters, std::string_view call);

  /// A method without arguments.
  LayerDefinition& method(std::string_view name, MethodBody body);
};

/// Fills the class of one row of layers.def. Each row has its specialisation in the file of its family.
template <LayerId id>
void define(LayerDefinition& layer);
#define NNS_LAYER(id, name, module, base) \
  template <>                             \
  void define<LayerId::id>(LayerDefinition & layer);
#include "core/nn/layers.def"
#undef NNS_LAYER

/// One value for each of `count` dimensions: an iterable as a tuple, anything else repeated.
/// Behaviour: torch/nn/modules/utils.py, _ntuple.
PyResult<Value> ntuple(Interpreter& interpreter, const Value& value, std::size_t count);
/// The items of a tuple of ints.
PyResult<std::vector<std::int64_t>> int_items(Interpreter& interpreter, const Value& tuple);
/// A number as a double. Errors: TypeError  it is none.
PyResult<double> number(Interpreter& interpreter, const Value& value);
/// Whether every item of a tuple is the int `item`; false for what is no tuple.
bool is_all(const Value& tuple, std::int64_t item);

}  // namespace nns::nn
