#include <cmath>

#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/linear.py.
namespace nns::nn {

template <>
void define<LayerId::Identity>(LayerDefinition& layer) {
  layer.init("*args, **kwargs", [](LayerInit&) -> PyResult<void> { return {}; });
  layer.cls.def("forward(self, input)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> { return a[1]; });
}

template <>
void define<LayerId::Linear>(LayerDefinition& layer) {
  layer
      .init("in_features, out_features, bias=True, device=None, dtype=None",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[3], self[4]));
              NNS_TRY(self.set("in_features", self[0]));
              NNS_TRY(self.set("out_features", self[1]));
              NNS_TRY_ASSIGN(const std::int64_t in_features, self.int_argument(0));
              NNS_TRY_ASSIGN(const std::int64_t out_features, self.int_argument(1));
              NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(2));
              NNS_TRY(self.add_parameter("weight", {out_features, in_features}, factory));
              NNS_TRY(self.add_parameter_if(has_bias, "bias", {out_features}, factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
                NNS_TRY_ASSIGN(Tensor* const bias, self.get_tensor("bias"));
                NNS_TRY(init::reset_weight_and_bias(*weight, bias));
                return Value();
              })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const bool no_bias, self.is_none("bias"));
        return self.format(no_bias ? "in_features={in_features}, out_features={out_features}, bias=False"
                                   : "in_features={in_features}, out_features={out_features}, bias=True");
      })
      .forwards("input", "linear(input, weight, bias)");
}

template <>
void define<LayerId::NonDynamicallyQuantizableLinear>(LayerDefinition& layer) {
  layer.init_alone("in_features, out_features, bias=True, device=None, dtype=None", [](LayerInit& self) {
    return self.init_base({self[0], self[1], self[2], self[3], self[4]});
  });
}

template <>
void define<LayerId::Bilinear>(LayerDefinition& layer) {
  layer
      .init("in1_features, in2_features, out_features, bias=True, device=None, dtype=None",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[4], self[5]));
              NNS_TRY_ASSIGN(const std::int64_t in1_features, self.int_argument(0));
              NNS_TRY_ASSIGN(const std::int64_t in2_features, self.int_argument(1));
              NNS_TRY_ASSIGN(const std::int64_t out_features, self.int_argument(2));
              NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(3));
              if (in1_features <= 0) {
                return object::value_error(self.interpreter, "in1_features must be > 0, but got {}", in1_features);
              }
              NNS_TRY(self.set("in1_features", self[0]));
              NNS_TRY(self.set("in2_features", self[1]));
              NNS_TRY(self.set("out_features", self[2]));
              NNS_TRY(self.add_parameter("weight", {out_features, in1_features, in2_features}, factory));
              NNS_TRY(self.add_parameter_if(has_bias, "bias", {out_features}, factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
                NNS_TRY_ASSIGN(Tensor* const bias, self.get_tensor("bias"));
                const double bound = 1 / std::sqrt(static_cast<double>(weight->shape()[1]));
                init::uniform_(*weight, -bound, bound);
                if (bias != nullptr) init::uniform_(*bias, -bound, bound);
                return Value();
              })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const bool no_bias, self.is_none("bias"));
        NNS_TRY_ASSIGN(
            const std::string sizes,
            self.format("in1_features={in1_features}, in2_features={in2_features}, out_features={out_features}"));
        return sizes + (no_bias ? ", bias=False" : ", bias=True");
      })
      .forwards("input1, input2", "bilinear(input1, input2, weight, bias)");
}

}  // namespace nns::nn
