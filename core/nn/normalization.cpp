#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/normalization.py.
namespace nns::nn {
namespace {

// normalized_shape as a tuple: an int stands for one dimension.
PyResult<Value> shape_tuple(Interpreter& in, const Value& given) {
  if (given.is_int() || given.is_bool()) return in.tuple({given});
  NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, given));
  return in.tuple(std::move(items));
}

PyResult<Value> reset_to_identity(LayerSelf& self, std::string_view affine_name) {
  NNS_TRY_ASSIGN(const bool affine, self.is_true(affine_name));
  if (!affine) return Value();
  NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
  if (weight != nullptr) init::constant_(*weight, 1);
  NNS_TRY_ASSIGN(const Value bias,
                 object::getattr_or_absent(self.interpreter, self.value, self.interpreter.intern("bias")));
  if (Tensor* tensor = bias.as<Tensor>()) init::constant_(*tensor, 0);
  return Value();
}

PyResult<std::string> bias_flag(LayerSelf& self) {
  NNS_TRY_ASSIGN(const bool no_bias, self.is_none("bias"));
  return std::string(no_bias ? ", bias=False" : ", bias=True");
}

constexpr std::string_view kLocalResponsePattern = "{size}, alpha={alpha}, beta={beta}, k={k}";

}  // namespace

template <>
void define<LayerId::LocalResponseNorm>(LayerDefinition& layer) {
  layer.stores("size, alpha=0.0001, beta=0.75, k=1.0")
      .shows(kLocalResponsePattern)
      .forwards("input", "local_response_norm(input, size, alpha, beta, k)");
}

template <>
void define<LayerId::CrossMapLRN2d>(LayerDefinition& layer) {
  layer.forwards("input", "local_response_norm(input, size, alpha, beta, k)");
  layer.stores("size, alpha=0.0001, beta=0.75, k=1").shows(kLocalResponsePattern);
}

template <>
void define<LayerId::LayerNorm>(LayerDefinition& layer) {
  layer.forwards("input", "layer_norm(input, normalized_shape, weight, bias, eps)");
  layer
      .init("normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[4], self[5]));
              NNS_TRY_ASSIGN(const Value shape, shape_tuple(self.interpreter, self[0]));
              NNS_TRY(self.set("normalized_shape", shape));
              NNS_TRY(self.set("eps", self[1]));
              NNS_TRY(self.set("elementwise_affine", self[2]));
              NNS_TRY_ASSIGN(const std::vector<std::int64_t> sizes, int_items(self.interpreter, shape));
              NNS_TRY_ASSIGN(const bool affine, self.bool_argument(2));
              NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(3));
              NNS_TRY(self.add_parameter_if(affine, "weight", Dims(sizes), factory));
              NNS_TRY(self.add_parameter_if(affine && has_bias, "bias", Dims(sizes), factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters", [](LayerSelf& self) { return reset_to_identity(self, "elementwise_affine"); })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const std::string bias, bias_flag(self));
        NNS_TRY_ASSIGN(const std::string front,
                       self.format("{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}"));
        return front + bias;
      });
}

template <>
void define<LayerId::GroupNorm>(LayerDefinition& layer) {
  layer.forwards("input", "group_norm(input, num_groups, weight, bias, eps)");
  layer
      .init("num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[4], self[5]));
              NNS_TRY_ASSIGN(const std::int64_t groups, self.int_argument(0));
              NNS_TRY_ASSIGN(const std::int64_t channels, self.int_argument(1));
              if (groups == 0) {
                return object::error<object::ErrorKind::ZeroDivisionError>(self.interpreter, "integer modulo by zero");
              }
              if (channels % groups != 0) {
                return object::value_error(self.interpreter, "num_channels ({}) must be divisible by num_groups ({})",
                                           channels, groups);
              }
              NNS_TRY(self.set("num_groups", self[0]));
              NNS_TRY(self.set("num_channels", self[1]));
              NNS_TRY(self.set("eps", self[2]));
              NNS_TRY(self.set("affine", self[3]));
              NNS_TRY_ASSIGN(const bool affine, self.bool_argument(3));
              NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(6));
              NNS_TRY(self.add_parameter_if(affine, "weight", {channels}, factory));
              NNS_TRY(self.add_parameter_if(affine && has_bias, "bias", {channels}, factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters", [](LayerSelf& self) { return reset_to_identity(self, "affine"); })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const std::string bias, bias_flag(self));
        NNS_TRY_ASSIGN(const std::string front,
                       self.format("{num_groups}, {num_channels}, eps={eps}, affine={affine}"));
        return front + bias;
      });
}

template <>
void define<LayerId::RMSNorm>(LayerDefinition& layer) {
  layer.forwards("x", "rms_norm(x, normalized_shape, weight, eps)");
  layer
      .init("normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[3], self[4]));
              NNS_TRY_ASSIGN(const Value shape, shape_tuple(self.interpreter, self[0]));
              NNS_TRY(self.set("normalized_shape", shape));
              NNS_TRY(self.set("eps", self[1]));
              NNS_TRY(self.set("elementwise_affine", self[2]));
              NNS_TRY_ASSIGN(const std::vector<std::int64_t> sizes, int_items(self.interpreter, shape));
              NNS_TRY_ASSIGN(const bool affine, self.bool_argument(2));
              NNS_TRY(self.add_parameter_if(affine, "weight", Dims(sizes), factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters", [](LayerSelf& self) { return reset_to_identity(self, "elementwise_affine"); })
      .shows("{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}");
}

}  // namespace nns::nn
