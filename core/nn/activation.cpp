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
  layer.stores("threshold, value, inplace=False").shows("threshold={threshold}, value={value}{inplace?, inplace=True}");
}
template <>
void define<LayerId::ReLU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone);
}
template <>
void define<LayerId::RReLU>(LayerDefinition& layer) {
  layer.stores("lower=0.125, upper=0.3333333333333333, inplace=False")
      .shows("lower={lower}, upper={upper}{inplace?, inplace=True}");
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
      .shows("min_val={min_val}, max_val={max_val}{inplace?, inplace=True}");
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
void define<LayerId::Sigmoid>(LayerDefinition&) {}
template <>
void define<LayerId::Hardsigmoid>(LayerDefinition& layer) {
  layer.stores("inplace=False");
}
template <>
void define<LayerId::Tanh>(LayerDefinition&) {}
template <>
void define<LayerId::SiLU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone);
}
template <>
void define<LayerId::Mish>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone);
}
template <>
void define<LayerId::Hardswish>(LayerDefinition& layer) {
  layer.stores("inplace=False");
}
template <>
void define<LayerId::ELU>(LayerDefinition& layer) {
  layer.stores("alpha=1.0, inplace=False").shows("alpha={alpha}{inplace?, inplace=True}");
}
template <>
void define<LayerId::CELU>(LayerDefinition& layer) {
  layer.stores("alpha=1.0, inplace=False").shows("alpha={alpha}{inplace?, inplace=True}");
}
template <>
void define<LayerId::SELU>(LayerDefinition& layer) {
  layer.stores("inplace=False").shows(kInplaceAlone);
}
template <>
void define<LayerId::GLU>(LayerDefinition& layer) {
  layer.stores("dim=-1").shows("dim={dim}");
}
template <>
void define<LayerId::GELU>(LayerDefinition& layer) {
  layer.stores("approximate='none'").shows("approximate={approximate!r}");
}
template <>
void define<LayerId::Hardshrink>(LayerDefinition& layer) {
  layer.stores("lambd=0.5").shows("{lambd}");
}
template <>
void define<LayerId::LeakyReLU>(LayerDefinition& layer) {
  layer.stores("negative_slope=0.01, inplace=False").shows("negative_slope={negative_slope}{inplace?, inplace=True}");
}
template <>
void define<LayerId::LogSigmoid>(LayerDefinition&) {}
template <>
void define<LayerId::Softplus>(LayerDefinition& layer) {
  layer.stores("beta=1.0, threshold=20.0").shows("beta={beta}, threshold={threshold}");
}
template <>
void define<LayerId::Softshrink>(LayerDefinition& layer) {
  layer.stores("lambd=0.5").shows("{lambd}");
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
      .shows("num_parameters={num_parameters}");
}
template <>
void define<LayerId::Softsign>(LayerDefinition&) {}
template <>
void define<LayerId::Tanhshrink>(LayerDefinition&) {}
template <>
void define<LayerId::Softmin>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}");
}
template <>
void define<LayerId::Softmax>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}");
}
template <>
void define<LayerId::Softmax2d>(LayerDefinition&) {}
template <>
void define<LayerId::LogSoftmax>(LayerDefinition& layer) {
  layer.stores("dim=None").shows("dim={dim}");
}

}  // namespace nns::nn
