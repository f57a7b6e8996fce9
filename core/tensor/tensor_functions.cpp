#include <cstring>

#include "core/object/big_int.h"
#include "core/object/instance.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/tensor/promotion.h"
#include "core/tensor/stand_ins.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;

// Sizes given as one sequence or as several numbers.
PyResult<Dims> sizes_of(Interpreter& in, Args given) {
  std::vector<Value> items(given.begin(), given.end());
  if (items.size() == 1 && (items[0].as<object::Tuple>() != nullptr || items[0].as<object::List>() != nullptr)) {
    NNS_TRY_ASSIGN(items, object::to_vector(in, Value(items[0])));
  }
  std::vector<std::int64_t> sizes;
  for (const Value& one : items) {
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, one));
    if (size < 0) {
      return object::runtime_error(in, "Trying to create tensor with negative dimension {}", size);
    }
    sizes.push_back(size);
  }
  return Dims(sizes);
}

// dtype=, device=, requires_grad= of the functions that make tensors.
struct Options {
  DType dtype;
  Device device = Device::Cpu;
  bool requires_grad = false;
};

PyResult<Options> options_of(Interpreter& in, const Value& dtype, const Value& device, const Value& requires_grad,
                             DType otherwise) {
  Options options{otherwise};
  if (!dtype.is_none()) {
    NNS_TRY_ASSIGN(options.dtype, dtype_of(in, dtype));
  }
  if (!device.is_none()) {
    NNS_TRY_ASSIGN(options.device, device_of(in, device));
  }
  NNS_TRY_ASSIGN(options.requires_grad, object::truth(in, requires_grad));
  return options;
}

PyResult<Value> finished(Ref<Tensor> made, const Options& options) {
  NNS_TRY(made->set_requires_grad(options.requires_grad));
  return Value(made);
}

// Reads nested lists: the shape is that of the first items, and all must agree with it.
struct Nested {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  /// Ints that a double does not hold, with their places.
  std::vector<std::pair<std::size_t, std::int64_t>> wide;
  /// Imaginary parts, with their places.
  std::vector<std::pair<std::size_t, double>> imaginary;
  bool any_complex = false;
  /// Ints of more than 64 bits, or of 64 without a sign, with their places.
  std::vector<std::pair<std::size_t, Value>> big;
  /// Of what was read so far.
  std::optional<DType> dtype;

  PyResult<void> add_dtype(Interpreter& in, DType added) {
    if (!dtype) {
      dtype = added;
    } else {
      NNS_TRY_ASSIGN(dtype, promote_types(in, *dtype, added));
    }
    return {};
  }
};

// The dtype of one item: numbers of numpy have theirs, Python's are of the default ones.
DType dtype_of_number(Interpreter& in, const Value& given, const Value& plain) {
  if (given.is_object() && given.as<object::Complex>() == nullptr) {
    const object::Class& cls = in.type_of(given);
    for (const DTypeInfo& info : kDTypes) {
      if (info.torch_name == cls.name() && stands_for_number(in, given)) return info.dtype;
    }
  }
  const DType floating = TensorLibrary::of(in).default_dtype;
  if (plain.as<object::Complex>() != nullptr) return complex_of(floating);
  if (plain.is_float()) return floating;
  return plain.is_bool() ? DType::Bool : DType::Int64;
}

// Writes the imaginary part of an item of a tensor that was just made.
void store_imaginary(const Tensor& made, std::size_t place, double value) {
  const auto part = static_cast<std::int64_t>(2 * place + 1);
  const DType dtype = made.dtype() == DType::Complex128  ? DType::Float64
                      : made.dtype() == DType::Complex32 ? DType::Float16
                                                         : DType::Float32;
  fill_items(*make_tensor(made.interpreter(), {made.storage(), Dims(), Dims(), part, dtype}), value);
}

constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

// Behaviour: torch/csrc/utils/tensor_new.cpp, infer_scalar_type: what Python takes for a sequence, text aside.
bool is_sequence(Interpreter& in, const Value& data) {
  if (data.as<object::List>() != nullptr || data.as<object::Tuple>() != nullptr) return true;
  if (data.as<object::Str>() != nullptr || data.as<object::Dict>() != nullptr) return false;
  const object::Class& cls = in.type_of(data);
  return cls.name() != "bytes" && cls.lookup(in.names().dunder_getitem) != nullptr &&
         cls.lookup(in.names().dunder_len) != nullptr;
}

PyResult<void> read_nested(Interpreter& in, const Value& given, std::size_t depth, Nested& out,
                           std::optional<DType> of_tensor = std::nullopt) {
  NNS_TRY_ASSIGN(const Value data, plain_operand(in, given));
  if (const Tensor* tensor = data.as<Tensor>(); tensor != nullptr && tensor->numel() == 1) {
    if (tensor->is_meta()) return object::runtime_error(in, "Tensor.item() cannot be called on meta tensors");
    return read_nested(in, read_value(*tensor, tensor->offset()), depth, out, tensor->dtype());
  }
  const auto* const big = data.as<object::BigInt>();
  const bool is_number =
      data.is_int() || data.is_bool() || data.is_float() || big != nullptr || data.as<object::Complex>() != nullptr;
  if (is_number && depth != out.shape.size()) return object::type_error(in, "not a sequence");
  if (is_number) NNS_TRY(out.add_dtype(in, of_tensor ? *of_tensor : dtype_of_number(in, given, data)));
  if (data.is_int() || data.is_bool() || data.is_float()) {
    if (data.is_int() && (data.as_int() > kExactInDouble || data.as_int() < -kExactInDouble)) {
      out.wide.emplace_back(out.values.size(), data.as_int());
    }
    out.values.push_back(data.is_float() ? data.as_float() : static_cast<double>(data.as_int()));
    return {};
  }
  if (big != nullptr) {
    out.big.emplace_back(out.values.size(), data);
    NNS_TRY_ASSIGN(const double number, object::integer_to_float(in, data));
    out.values.push_back(number);
    return {};
  }
  if (const auto* complex = data.as<object::Complex>()) {
    out.any_complex = true;
    out.imaginary.emplace_back(out.values.size(), complex->number().imag());
    out.values.push_back(complex->number().real());
    return {};
  }
  if (const Tensor* tensor = data.as<Tensor>(); tensor != nullptr && tensor != given.as<Tensor>()) {
    NNS_TRY_ASSIGN(const Value lists, in.call_method(data, in.intern("tolist"), {}));
    return read_nested(in, lists, depth, out, tensor->dtype());
  }
  if (!is_sequence(in, data)) {
    return object::type_error(in, "new(): invalid data type '{}'", in.type_of(data).name());
  }
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, data));
  const auto count = static_cast<std::int64_t>(items.size());
  if (out.values.empty() && depth == out.shape.size()) {
    out.shape.push_back(count);
  } else if (depth >= out.shape.size()) {
    const std::string_view type = in.type_of(data).name();
    if (out.dtype && !is_integral(*out.dtype)) return object::type_error(in, "must be real number, not {}", type);
    return object::type_error(in, "'{}' object cannot be interpreted as an integer", type);
  } else if (out.shape[depth] != count) {
    return object::value_error(in, "expected sequence of length {} at dim {} (got {})", out.shape[depth], depth, count);
  }
  for (const Value& item : items) {
    if (item.is(data)) return object::type_error(in, "new(): self-referential lists are incompatible");
    NNS_TRY(read_nested(in, item, depth + 1, out, of_tensor));
  }
  return {};
}

// Ints of more than 63 bits, which only uint64 may hold among the integers.
PyResult<void> store_big(Interpreter& in, const Tensor& made, const Nested& nested) {
  if (!is_integral(made.dtype()) || made.dtype() == DType::Bool) return {};
  for (const auto& [place, number] : nested.big) {
    if (made.dtype() != DType::UInt64) return object::runtime_error(in, "Overflow when unpacking long long");
    if (object::integer_sign(number) < 0) {
      return object::error<object::ErrorKind::OverflowError>(in, "can't convert negative int to unsigned");
    }
    if (object::integer_bit_length(number) > 64) {
      return object::error<object::ErrorKind::OverflowError>(in, "int too big to convert");
    }
    const std::optional<std::vector<std::uint8_t>> bytes = object::integer_to_bytes(number, 8, false);
    std::memcpy(made.data() + place * bytes->size(), bytes->data(), bytes->size());
  }
  return {};
}

// A storage, and the dtype that a TypedStorage says of it.
struct GivenStorage {
  Ref<Storage> storage;
  std::optional<DType> dtype;
};

std::optional<GivenStorage> storage_in(Interpreter& in, const Value& value) {
  if (!value.is_object()) return std::nullopt;
  if (auto* storage = dynamic_cast<Storage*>(value.object())) return GivenStorage{Ref<Storage>(storage), std::nullopt};
  object::Dict* const own = value.object()->instance_dict(false);
  const Value* const inner = own == nullptr ? nullptr : own->find("_untyped_storage");
  auto* const storage = inner == nullptr || !inner->is_object() ? nullptr : dynamic_cast<Storage*>(inner->object());
  const Value* const dtype = own == nullptr ? nullptr : own->find("dtype");
  if (storage == nullptr || dtype == nullptr) return std::nullopt;
  const PyResult<DType> found = dtype_of(in, *dtype);
  if (!found.ok()) return std::nullopt;
  return GivenStorage{Ref<Storage>(storage), found.value()};
}

// Numbers of their own from a storage. Behaviour: torch/csrc/utils/tensor_new.cpp, internal_new_from_data.
PyResult<Ref<Tensor>> from_storage(Interpreter& in, const GivenStorage& given, std::optional<DType> dtype) {
  if (given.dtype && dtype && *given.dtype != *dtype) {
    return object::runtime_error(in, "Expected a Storage of type {} or an UntypedStorage, but got {}",
                                 info(*dtype).scalar_name, info(*given.dtype).scalar_name);
  }
  const DType wanted = dtype.value_or(given.dtype.value_or(DType::UInt8));
  const auto count = static_cast<std::int64_t>(given.storage->bytes() / item_bytes(wanted));
  return clone(*make_tensor(in, {given.storage, Dims({count}), Dims({1}), 0, wanted}));
}

}  // namespace

PyResult<Ref<Tensor>> from_nested(Interpreter& interpreter, const Value& given, std::optional<DType> dtype) {
  NNS_TRY_ASSIGN(const Value data, plain_operand(interpreter, given));
  if (const Tensor* tensor = data.as<Tensor>()) return clone(*tensor);
  if (const auto storage = storage_in(interpreter, data)) return from_storage(interpreter, *storage, dtype);
  Nested nested;
  NNS_TRY(read_nested(interpreter, given, 0, nested));
  const DType inferred = nested.dtype.value_or(TensorLibrary::of(interpreter).default_dtype);
  const Ref<Tensor> made = from_values(interpreter, Dims(nested.shape), nested.values, dtype.value_or(inferred));
  if (nested.any_complex && made->dtype() == DType::Bool) {
    // A number with an imaginary part is not zero.
    for (const auto& [place, imaginary] : nested.imaginary) {
      if (imaginary != 0) made->data()[place] = std::byte{1};
    }
    return made;
  }
  if (nested.any_complex && !is_complex(made->dtype())) {
    if (is_integral(made->dtype())) {
      return object::type_error(interpreter, "'complex' object cannot be interpreted as an integer");
    }
    return object::type_error(interpreter, "must be real number, not complex");
  }
  for (const auto& [place, imaginary] : nested.imaginary) store_imaginary(*made, place, imaginary);
  NNS_TRY(store_big(interpreter, *made, nested));
  if (made->dtype() == DType::Int64 || made->dtype() == DType::UInt64) {
    for (const auto& [place, integer] : nested.wide) {
      std::memcpy(made->data() + place * sizeof integer, &integer, sizeof integer);
    }
  }
  return made;
}

Value torch_function(Interpreter& interpreter, std::string_view name) {
  const auto filled = [&interpreter](std::string_view signature, double value) {
    return Value(interpreter.function(signature, [value](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Dims shape, sizes_of(in, a[0].as<object::Tuple>()->items()));
      NNS_TRY_ASSIGN(const Options options, options_of(in, a[1], a[2], a[3], TensorLibrary::of(in).default_dtype));
      return finished(full(in, shape, value, options.dtype, options.device), options);
    }));
  };
  if (name == "zeros" || name == "empty")
    return filled("zeros(*size, dtype=None, device=None, requires_grad=False)", 0);
  if (name == "ones") return filled("ones(*size, dtype=None, device=None, requires_grad=False)", 1);
  if (name == "full") {
    return interpreter.function("full(size, fill_value, dtype=None, device=None, requires_grad=False)",
                                [](Interpreter& in, Args a) -> PyResult<Value> {
                                  NNS_TRY_ASSIGN(const Dims shape, sizes_of(in, a.subspan(0, 1)));
                                  const DType inferred = a[1].is_float()  ? TensorLibrary::of(in).default_dtype
                                                         : a[1].is_bool() ? DType::Bool
                                                                          : DType::Int64;
                                  NNS_TRY_ASSIGN(const Options options, options_of(in, a[2], a[3], a[4], inferred));
                                  const double value =
                                      a[1].is_float() ? a[1].as_float() : static_cast<double>(a[1].as_int());
                                  return finished(full(in, shape, value, options.dtype, options.device), options);
                                });
  }
  if (name == "full_like") {
    return interpreter.function("full_like(input, fill_value)", [](Interpreter& in, Args a) -> PyResult<Value> {
      const Tensor& like = *a[0].as<Tensor>();
      const double value = a[1].is_float() ? a[1].as_float() : static_cast<double>(a[1].as_int());
      return Value(full(in, like.shape(), value, like.dtype(), like.device()));
    });
  }
  if (name == "arange") {
    return interpreter.function("arange(end, dtype=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::int64_t end, object::index(in, a[0]));
      NNS_TRY_ASSIGN(const Options options, options_of(in, a[1], Value(), Value(), DType::Int64));
      std::vector<double> values;
      for (std::int64_t i = 0; i < end; ++i) values.push_back(static_cast<double>(i));
      return Value(from_values(in, Dims({std::max<std::int64_t>(end, 0)}), values, options.dtype));
    });
  }
  if (name == "tensor") {
    return interpreter.function(
        "tensor(data, dtype=None, device=None, requires_grad=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
          std::optional<DType> dtype;
          NNS_TRY_ASSIGN(const Options options, options_of(in, a[1], a[2], a[3], DType::Float32));
          if (!a[1].is_none()) dtype = options.dtype;
          NNS_TRY_ASSIGN(Ref<Tensor> made, from_nested(in, a[0], dtype));
          NNS_TRY_ASSIGN(made, to(*made, made->dtype(), options.device));
          return finished(std::move(made), options);
        });
  }
  if (name == "equal") {
    return interpreter.function("equal(input, other)", [](Interpreter&, Args a) -> PyResult<Value> {
      return Value(equal(*a[0].as<Tensor>(), *a[1].as<Tensor>()));
    });
  }
  if (name == "manual_seed") {
    return interpreter.function("manual_seed(seed)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::int64_t seed, object::index(in, a[0]));
      TensorLibrary::of(in).generator.seed_with(static_cast<std::uint64_t>(seed));
      return Value();
    });
  }
  if (name == "rand" || name == "randn") {
    const bool normal = name == "randn";
    return interpreter.function(
        normal ? "randn(*size)" : "rand(*size)", [normal](Interpreter& in, Args a) -> PyResult<Value> {
          NNS_TRY_ASSIGN(const Dims shape, sizes_of(in, a[0].as<object::Tuple>()->items()));
          TensorLibrary& library = TensorLibrary::of(in);
          auto made = empty(in, shape, library.default_dtype);
          normal ? normal_(*made, library.generator, 0, 1) : uniform_(*made, library.generator, 0, 1);
          return Value(made);
        });
  }
  if (name == "set_default_dtype") {
    return interpreter.function("set_default_dtype(d)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(TensorLibrary::of(in).default_dtype, dtype_of(in, a[0]));
      return Value();
    });
  }
  if (name == "set_default_device") {
    return interpreter.function("set_default_device(device)", [](Interpreter& in, Args a) -> PyResult<Value> {
      Device device = Device::Cpu;
      if (!a[0].is_none()) {
        NNS_TRY_ASSIGN(device, device_of(in, a[0]));
      }
      TensorLibrary::of(in).default_device = device;
      return Value();
    });
  }
  if (name == "get_default_device") {
    return interpreter.function("get_default_device()", [](Interpreter& in, Args) -> PyResult<Value> {
      const TensorLibrary& library = TensorLibrary::of(in);
      return library.device_value(library.default_device);
    });
  }
  if (name == "typename") {
    return interpreter.function("typename(obj)", [](Interpreter& in, Args a) -> PyResult<Value> {
      if (const Tensor* tensor = a[0].as<Tensor>()) return in.text(tensor->type_string());
      return in.text(object::type_name_of(in, a[0]));
    });
  }
  return Value();
}

}  // namespace nns::tensor
