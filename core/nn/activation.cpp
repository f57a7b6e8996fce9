#include "core/nn/functional.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/activation.py, without MultiheadAttention.
namespace nns::nn {
namespace {

constexpr std::string_view kInplaceAlone = "{inplace?inplace=True}";

// Python's `a > b` for two numbers.
PyResult<bool> is_greater(Interpreter& in, const Value& a, const Value& b) {
  NNS_TRY_ASSIGN(const double left, number(in, a));
  NNS_TRY_ASSIGN(const double right, number(in, b));
  return left > right;
}

}  // namespace

template <>
void define<LayerId::Threshold>(LayerDefinition& layer) {
  layer.stores("threshold, value, inplace=False")
      .shows("threshold={threshold}, value={value}{inplace?, inplace=True}")
      .forwards("input", "threshold(input, threshold, value, inplace)");
}
template <>
void define<LayerId::ReLU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone).forwards("input", "relu(input, inplace)");
}
template <>
void define<LayerId::RReLU>(LayerDefinition& layer) {
  layer.stores("lower=0.125, upper=0.3333333333333333, inplace=False")
      .shows("lower={lower}, upper={upper}{inplace?, inplace=True}")
      .forwards("input", "rrelu(input, lower, upper, training, inplace)");
}
template <>
void define<LayerId::Hardtanh>(LayerDefinition& layer) {
  layer
      .init("min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None",
            [](LayerInit& self) -> PyResult<void> {
              Value low = self[0], high = self[1];
              const auto take_old_name = [&](Value& target, const Value& given, std::string_view end) {
                if (given.is_none()) return;
                self.interpreter.warn(
                    object::ErrorKind::FutureWarning,
                    fmt::format("keyword argument `{0}_value` is deprecated and rename to `{0}_val`", end));
                target = given;
              };
              take_old_name(low, self[3], "min");
              take_old_name(high, self[4], "max");
              NNS_TRY(self.set("min_val", low));
              NNS_TRY(self.set("max_val", high));
              NNS_TRY(self.set("inplace", self[2]));
              NNS_TRY_ASSIGN(const bool ordered, is_greater(self.interpreter, high, low));
              if (!ordered) return object::make_error(self.interpreter, object::ErrorKind::AssertionError, "");
              return {};
            })
      .shows("min_val={min_val}, max_val={max_val}{inplace?, inplace=True}")
      .forwards("input", "hardtanh(input, min_val, max_val, inplace)");
}
template <>
void define<LayerId::ReLU6>(LayerDefinition& layer) {
  layer.init_alone("inplace=False",
                   [](LayerInit& self) {
                     return self.init_base({Value(0.0), Value(6.0), self[0]});
                   })
      .shows(kInplaceAlone);
}
template <>
void define<LayerId::Sigmoid>(LayerDefinition& layer) {
  layer.forwards("input", "sigmoid(input)");
}
template <>
void define<LayerId::Hardsigmoid>(LayerDefinition& layer) {
  layer.stores("inplace=False").forwards("input", "hardsigmoid(input, inplace)");
}
template <>
void define<LayerId::Tanh>(LayerDefinition& layer) {
  layer.forwards("input", "tanh(input)");
}
template <>
void define<LayerId::SiLU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone).forwards("input", "silu(input, inplace)");
}
template <>
void define<LayerId::Mish>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone).forwards("input", "mish(input, inplace)");
}
template <>
void define<LayerId::Hardswish>(LayerDefinition& layer) {
  layer.stores("inplace=False").forwards("input", "hardswish(input, inplace)");
}
template <>
void define<LayerId::ELU>(LayerDefinition& layer) {
  layer.stores("alpha=1.0, inplace=False")
      .shows("alpha={alpha}{inplace?, inplace=True}")
      .forwards("input", "elu(input, alpha, inplace)");
}
template <>
void define<LayerId::CELU>(LayerDefinition& layer) {
  layer.stores("alpha=1.0, inplace=False")
      .shows("alpha={alpha}{inplace?, inplace=True}")
      .forwards("input", "celu(input, alpha, inplace)");
}
template <>
void define<LayerId::SELU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone).forwards("input", "selu(input, inplace)");
}
template <>
void define<LayerId::GLU>(LayerDefinition& layer) {
  layer.stores("dim=-1").shows("dim={dim}").forwards("input", "glu(input, dim)");
}
template <>
void define<LayerId::GELU>(LayerDefinition& layer) {
  layer.stores("approximate='none'")
      .shows("approximate={approximate!r}")
      .forwards("input", "gelu(input, approximate=approximate)");
}
template <>
void define<LayerId::Hardshrink>(LayerDefinition& layer) {
  layer.stores("lambd=0.5").shows("{lambd}").forwards("input", "hardshrink(input, lambd)");
}
template <>
void define<LayerId::LeakyReLU>(LayerDefinition& layer) {
  layer.stores("negative_slope=0.01, inplace=False")
      .shows("negative_slope={negative_slope}{inplace?, inplace=True}")
      .forwards("input", "leaky_relu(input, negative_slope, inplace)");
}
template <>
void define<LayerId::LogSigmoid>(LayerDefinition& layer) {
  layer.forwards("input", "logsigmoid(input)");
}
template <>
void define<LayerId::Softplus>(LayerDefinition& layer) {
  layer.stores("beta=1.0, threshold=20.0")
      .shows("beta={beta}, threshold={threshold}")
      .forwards("input", "softplus(input, beta, threshold)");
}
template <>
void define<LayerId::Softshrink>(LayerDefinition& layer) {
  layer.stores("lambd=0.5").shows("{lambd}").forwards("input", "softshrink(input, lambd)");
}
template <>
void define<LayerId::PReLU>(LayerDefinition& layer) {
  layer
      .init_alone("num_parameters=1, init=0.25, device=None, dtype=None",
                  [](LayerInit& self) -> PyResult<void> {
                    NNS_TRY_ASSIGN(const Factory factory, self.factory(self[2], self[3]));
                    // The count is an attribute before Module.__init__ runs, so it stands first in __dict__.
                    NNS_TRY(self.set("num_parameters", self[0]));
                    NNS_TRY(self.init_base());
                    NNS_TRY(self.set("init", self[1]));
                    NNS_TRY_ASSIGN(const std::int64_t count, self.int_argument(0));
                    NNS_TRY(self.add_parameter("weight", {count}, factory));
                    NNS_TRY(self.call("reset_parameters"));
                    return {};
                  })
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
                NNS_TRY_ASSIGN(const double start, self.get_float("init"));
                if (weight != nullptr) init::constant_(*weight, start);
                return Value();
              })
      .shows("num_parameters={num_parameters}")
      .forwards("input", "prelu(input, weight)");
}
template <>
void define<LayerId::Softsign>(LayerDefinition& layer) {
  layer.forwards("input", "softsign(input)");
}
template <>
void define<LayerId::Tanhshrink>(LayerDefinition& layer) {
  layer.forwards("input", "tanhshrink(input)");
}
template <>
void define<LayerId::Softmin>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}").forwards("input", "softmin(input, dim)");
}
template <>
void define<LayerId::Softmax>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}").forwards("input", "softmax(input, dim)");
}
template <>
void define<LayerId::Softmax2d>(LayerDefinition& layer) {
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Tensor* input = a[1].as<Tensor>();
    const std::size_t ndim = input == nullptr ? 0 : input->ndim();
    if (ndim != 3 && ndim != 4) {
      return object::value_error(in, "Softmax2d: expected input to be 3D or 4D, got {}D instead", ndim);
    }
    return call_functional(in, "softmax", {a[1], Value(-3)});
  });
}
template <>
void define<LayerId::LogSoftmax>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}").forwards("input", "log_softmax(input, dim)");
}

}  // namespace nns::nn
