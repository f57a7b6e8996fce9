#include "core/nn/init.h"

#include <cmath>

namespace nns::nn::init {
namespace {

using object::PyResult;
using tensor::Tensor;

tensor::Generator& generator_of(const Tensor& weight) {
  return tensor::TensorLibrary::of(weight.interpreter()).generator;
}

bool has_elements(Tensor& weight) {
  if (weight.numel() != 0) return true;
  weight.interpreter().warn(object::ErrorKind::UserWarning, "Initializing zero-element tensors is a no-op");
  return false;
}

PyResult<double> kaiming_deviation(Tensor& weight, double slope, FanMode mode, Nonlinearity nonlinearity) {
  NNS_TRY_ASSIGN(const Fans fans, fans_of(weight));
  const auto fan = static_cast<double>(mode == FanMode::In ? fans.in : fans.out);
  return calculate_gain(nonlinearity, slope) / std::sqrt(fan);
}

PyResult<double> xavier_deviation(const Tensor& weight, double gain) {
  NNS_TRY_ASSIGN(const Fans fans, fans_of(weight));
  return gain * std::sqrt(2.0 / static_cast<double>(fans.in + fans.out));
}

}  // namespace

PyResult<Fans> fans_of(const Tensor& weight) {
  const tensor::Dims& shape = weight.shape();
  if (shape.size() < 2) {
    return object::value_error(weight.interpreter(),
                               "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
  }
  std::int64_t receptive_field = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) receptive_field *= shape[i];
  return Fans{shape[1] * receptive_field, shape[0] * receptive_field};
}

double calculate_gain(Nonlinearity nonlinearity, double slope) {
  switch (nonlinearity) {
    case Nonlinearity::Linear:
    case Nonlinearity::Sigmoid:
      return 1;
    case Nonlinearity::Tanh:
      return 5.0 / 3;
    case Nonlinearity::Relu:
      return std::sqrt(2.0);
    case Nonlinearity::LeakyRelu:
      return std::sqrt(2.0 / (1 + slope * slope));
    case Nonlinearity::Selu:
      return 0.75;
  }
  return 1;
}

void uniform_(Tensor& weight, double from, double to) { tensor::uniform_(weight, generator_of(weight), from, to); }
void normal_(Tensor& weight, double mean, double deviation) {
  tensor::normal_(weight, generator_of(weight), mean, deviation);
}
void constant_(Tensor& weight, double value) { tensor::fill_(weight, value); }

PyResult<void> xavier_uniform_(Tensor& weight, double gain) {
  NNS_TRY_ASSIGN(const double deviation, xavier_deviation(weight, gain));
  const double bound = std::sqrt(3.0) * deviation;
  uniform_(weight, -bound, bound);
  return {};
}

PyResult<void> xavier_normal_(Tensor& weight, double gain) {
  NNS_TRY_ASSIGN(const double deviation, xavier_deviation(weight, gain));
  normal_(weight, 0, deviation);
  return {};
}

PyResult<void> kaiming_uniform_(Tensor& weight, double slope, FanMode mode, Nonlinearity nonlinearity) {
  if (!has_elements(weight)) return {};
  NNS_TRY_ASSIGN(const double deviation, kaiming_deviation(weight, slope, mode, nonlinearity));
  const double bound = std::sqrt(3.0) * deviation;
  uniform_(weight, -bound, bound);
  return {};
}

PyResult<void> kaiming_normal_(Tensor& weight, double slope, FanMode mode, Nonlinearity nonlinearity) {
  if (!has_elements(weight)) return {};
  NNS_TRY_ASSIGN(const double deviation, kaiming_deviation(weight, slope, mode, nonlinearity));
  normal_(weight, 0, deviation);
  return {};
}

PyResult<void> reset_weight_and_bias(Tensor& weight, Tensor* bias) {
  NNS_TRY(kaiming_uniform_(weight, std::sqrt(5.0)));
  if (bias == nullptr) return {};
  NNS_TRY_ASSIGN(const Fans fans, fans_of(weight));
  const double bound = fans.in > 0 ? 1 / std::sqrt(static_cast<double>(fans.in)) : 0;
  uniform_(*bias, -bound, bound);
  return {};
}

}  // namespace nns::nn::init
