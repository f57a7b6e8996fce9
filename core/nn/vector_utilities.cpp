// torch.nn.utils.parameters_to_vector and its inverse, skip_init, and conversions of memory formats.
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/term.h"
#include "core/tensor/uninitialized.h"

// Behaviour: torch/nn/utils/convert_parameters.py, init.py, memory_format.py.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;

PyResult<Value> to_vector(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> params, tensors_of(in, a[0]));
  std::vector<Value> parts;
  for (const Ref<Tensor>& param : params) {
    if (param->is_uninitialized()) {
      return tensor::no_values_yet(*param, "<method 'view' of 'torch._C.TensorBase' objects>");
    }
    const Term flat = ops::apply(OpId::reshape, {Term(param), Value(in.tuple({Value(-1)}))});
    if (!flat.ok()) return flat.result().error();
    parts.emplace_back(flat.ref());
  }
  const Value all = in.tuple(std::move(parts));
  NNS_TRY_ASSIGN(const Ref<Tensor> joined, ops::call_tensor_op(in, OpId::cat, {&all, 1}));
  return Value(joined);
}

PyResult<Value> from_vector(Interpreter& in, Args a) {
  Tensor* const vector = a[0].as<Tensor>();
  if (vector == nullptr) {
    return object::type_error(in, "expected torch.Tensor, but got: {}", object::type_name_of(in, a[0]));
  }
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> params, tensors_of(in, a[1]));
  const std::int64_t step = vector->ndim() == 1 ? vector->strides()[0] : 0;
  std::int64_t at = 0;
  for (const Ref<Tensor>& param : params) {
    const std::int64_t count = param->numel();
    if (vector->ndim() != 1 || at + count > vector->shape()[0]) {
      return object::runtime_error(
          in, "shape '[{}]' is invalid for input of size {}", fmt::join(param->shape().span(), ", "),
          vector->ndim() == 1 ? std::max<std::int64_t>(vector->shape()[0] - at, 0) : vector->numel());
    }
    tensor::Dims strides = tensor::contiguous_strides(param->shape());
    for (std::size_t i = 0; i < strides.size(); ++i) strides[i] *= step;
    param->set_data(*tensor::as_strided(*vector, param->shape(), strides, vector->offset() + at * step));
    at += count;
  }
  return Value();
}

// A module of this class on meta, then with memory that nobody initialised.
PyResult<Value> skip_init(Interpreter& in, Args a) {
  Class* const cls = a[0].as<Class>();
  if (cls == nullptr || !cls->is_subclass_of(*NnLibrary::of(in).module)) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
    return object::runtime_error(in, "Expected a Module; got {}", shown);
  }
  std::vector<Keyword> keywords;
  Value device = in.text("cpu");
  Dict& named = *a[2].as<Dict>();
  for (std::size_t at = 0; Dict::Entry* entry = named.next(at);) {
    const Name name = in.intern(*entry->key.as<object::Str>());
    if (name.view() == "device") {
      device = entry->value;
    } else {
      keywords.push_back({name, entry->value});
    }
  }
  keywords.push_back({in.intern("device"), in.text("meta")});
  NNS_TRY_ASSIGN(const Value made, in.call(a[0], a[1].as<object::Tuple>()->items(), keywords));
  const Keyword to_device{in.intern("device"), device};
  return in.call_method(made, in.intern("to_empty"), std::span<const Value>(), {&to_device, 1});
}

// The weights of convolutions of `dims` dimensions, put in a format.
template <std::size_t dims>
PyResult<Value> convert_weights(Interpreter& in, Args a) {
  Module* const root = dynamic_cast<Module*>(a[0].is_object() ? a[0].object() : nullptr);
  if (root == nullptr) return object::type_error(in, "expected a Module");
  NNS_TRY(root->apply([&](Module& module) -> PyResult<void> {
    const std::string_view name = module.type().name();
    const std::string kinds[] = {fmt::format("Conv{}d", dims), fmt::format("ConvTranspose{}d", dims)};
    bool is_one = false;
    for (const std::string& kind : kinds) {
      const Class* const cls = NnLibrary::of(in).find_class(kind);
      is_one = is_one || (cls != nullptr ? module.type().is_subclass_of(*cls) : name == kind);
    }
    if (!is_one) return {};
    NNS_TRY_ASSIGN(const Value weight, object::getattr(in, Value(&module), in.intern("weight")));
    Tensor* const tensor = weight.as<Tensor>();
    if (tensor == nullptr) return {};
    const Term ordered = ops::apply(OpId::clone, {Term(tensor::detach(*tensor)), a[1]});
    if (!ordered.ok()) return ordered.result().error();
    tensor->set_data(ordered.tensor());
    return {};
  }));
  return a[0];
}

constexpr std::string_view kVectorModule = "torch.nn.utils";
constexpr UtilityRow kVectorRows[] = {
    {kVectorModule, "parameters_to_vector(parameters)", to_vector},
    {kVectorModule, "vector_to_parameters(vec, parameters)", from_vector},
    {kVectorModule, "skip_init(module_cls, *args, **kwargs)", skip_init},
    {kVectorModule, "convert_conv2d_weight_memory_format(module, memory_format)", convert_weights<2>},
    {kVectorModule, "convert_conv3d_weight_memory_format(module, memory_format)", convert_weights<3>},
};

}  // namespace

std::span<const UtilityRow> vector_utilities() { return kVectorRows; }

}  // namespace nns::nn
