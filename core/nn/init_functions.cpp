// torch.nn.init as functions of Python.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/dispatch.h"
#include "core/ops/op.h"
#include "core/tensor/uninitialized.h"

// Behaviour: torch/nn/init.py.
namespace nns::nn {
namespace {

using init::Nonlinearity;

PyResult<Tensor*> tensor_argument(Interpreter& in, const Value& value) {
  if (Tensor* tensor = value.as<Tensor>()) {
    if (!tensor->is_uninitialized()) return tensor;
    return tensor::no_values_yet(*tensor, "<method 'fill_' of 'torch._C.TensorBase' objects>");
  }
  return object::type_error(in, "expected Tensor, but got {}", in.type_of(value).name());
}

tensor::Generator& generator_of(Interpreter& in) { return tensor::TensorLibrary::of(in).generator; }

PyResult<Nonlinearity> read_nonlinearity(Interpreter& in, const Value& value) {
  NNS_TRY_ASSIGN(const std::string name, object::str(in, value));
  constexpr std::pair<std::string_view, Nonlinearity> kNames[] = {{"linear", Nonlinearity::Linear},
                                                                  {"conv1d", Nonlinearity::Linear},
                                                                  {"conv2d", Nonlinearity::Linear},
                                                                  {"conv3d", Nonlinearity::Linear},
                                                                  {"conv_transpose1d", Nonlinearity::Linear},
                                                                  {"conv_transpose2d", Nonlinearity::Linear},
                                                                  {"conv_transpose3d", Nonlinearity::Linear},
                                                                  {"sigmoid", Nonlinearity::Sigmoid},
                                                                  {"tanh", Nonlinearity::Tanh},
                                                                  {"relu", Nonlinearity::Relu},
                                                                  {"leaky_relu", Nonlinearity::LeakyRelu},
                                                                  {"selu", Nonlinearity::Selu}};
  for (const auto& [text, which] : kNames) {
    if (text == name) return which;
  }
  return object::value_error(in, "Unsupported nonlinearity {}", name);
}

PyResult<double> gain_of(Interpreter& in, const Value& nonlinearity, const Value& param) {
  NNS_TRY_ASSIGN(const Nonlinearity which, read_nonlinearity(in, nonlinearity));
  if (which != Nonlinearity::LeakyRelu || param.is_none()) return init::calculate_gain(which);
  if (param.is_int() || param.is_float()) {
    NNS_TRY_ASSIGN(const double slope, number(in, param));
    return init::calculate_gain(which, slope);
  }
  NNS_TRY_ASSIGN(const std::string shown, object::str(in, param));
  return object::value_error(in, "negative_slope {} not a valid number", shown);
}

PyResult<double> fan_of(Interpreter& in, const Tensor& tensor, const Value& mode_value) {
  NNS_TRY_ASSIGN(std::string mode, object::str(in, mode_value));
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (mode != "fan_in" && mode != "fan_out") {
    return object::value_error(in, "Mode {} not supported, please use one of ['fan_in', 'fan_out']", mode);
  }
  NNS_TRY_ASSIGN(const init::Fans fans, init::fans_of(tensor));
  return static_cast<double>(mode == "fan_in" ? fans.in : fans.out);
}

PyResult<Value> init_kaiming(Interpreter& in, Args a, bool is_uniform) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  if (tensor->numel() == 0) {
    in.warn(object::ErrorKind::UserWarning, "Initializing zero-element tensors is a no-op");
    return a[0];
  }
  NNS_TRY_ASSIGN(const double fan, fan_of(in, *tensor, a[2]));
  NNS_TRY_ASSIGN(const double gain, gain_of(in, a[3], a[1]));
  const double deviation = gain / std::sqrt(fan);
  if (is_uniform) {
    init::uniform_(*tensor, -std::sqrt(3.0) * deviation, std::sqrt(3.0) * deviation);
  } else {
    init::normal_(*tensor, 0, deviation);
  }
  return a[0];
}

double normal_distribution(double x) { return (1.0 + std::erf(x / std::numbers::sqrt2)) / 2.0; }

// The x with erf(x) = y: a first guess, then Newton's steps to the last digit.
double inverse_erf(double y) {
  if (y <= -1) return -std::numeric_limits<double>::infinity();
  if (y >= 1) return std::numeric_limits<double>::infinity();
  const double log = std::log1p(-y * y);
  const double first = 2 / (std::numbers::pi * 0.147) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(first * first - log / 0.147) - first), y);
  for (int i = 0; i < 4; ++i) {
    x -= (std::erf(x) - y) / (2 / std::sqrt(std::numbers::pi) * std::exp(-x * x));
  }
  return x;
}

// Numbers of the part of the distribution that lies in [a, b]. Numbers outside are drawn again, all together with those
// that are kept, until none is left; where that would take long, the distribution is inverted.
void fill_truncated(Tensor& tensor, double mean, double deviation, double a, double b) {
  Interpreter& in = tensor.interpreter();
  const double below = normal_distribution((a - mean) / deviation);
  const double above = normal_distribution((b - mean) / deviation);
  constexpr double kLeastShare = 0.01;
  if (above - below < kLeastShare) {
    tensor::uniform_(tensor, generator_of(in), 2 * below - 1, 2 * above - 1);
    const auto inverted = tensor::empty(in, tensor.shape(), tensor::DType::Float64);
    std::int64_t at = 0;
    auto* const numbers = reinterpret_cast<double*>(inverted->data());
    tensor::for_each_place(tensor, [&](std::int64_t place) {
      const double x = inverse_erf(tensor::read_double(tensor, place)) * deviation * std::numbers::sqrt2 + mean;
      numbers[at++] = std::clamp(x, a, b);
    });
    static_cast<void>(tensor::copy_items(tensor, *inverted).ok());
    return;
  }
  tensor::normal_(tensor, generator_of(in), mean, deviation);
  const auto again = tensor::empty(in, tensor.shape(), tensor.dtype());
  const auto kept = tensor::empty(in, tensor.shape(), tensor::DType::Float64);
  auto* const numbers = reinterpret_cast<double*>(kept->data());
  while (true) {
    std::vector<std::int64_t> outside;
    std::int64_t at = 0;
    tensor::for_each_place(tensor, [&](std::int64_t place) {
      numbers[at] = tensor::read_double(tensor, place);
      if (numbers[at] < a || numbers[at] > b) outside.push_back(at);
      ++at;
    });
    if (outside.empty()) return;
    tensor::normal_(*again, generator_of(in), mean, deviation);
    for (const std::int64_t place : outside) numbers[place] = tensor::read_double(*again, place);
    static_cast<void>(tensor::copy_items(tensor, *kept).ok());
  }
}

PyResult<Value> init_truncated(Interpreter& in, Args args) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, args[0]));
  NNS_TRY_ASSIGN(const double mean, number(in, args[1]));
  NNS_TRY_ASSIGN(const double deviation, number(in, args[2]));
  NNS_TRY_ASSIGN(const double a, number(in, args[3]));
  NNS_TRY_ASSIGN(const double b, number(in, args[4]));
  if (mean < a - 2 * deviation || mean > b + 2 * deviation) {
    in.warn(object::ErrorKind::UserWarning,
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.");
  }
  if (!tensor->is_meta() && tensor->numel() > 0) {
    fill_truncated(*tensor, mean, deviation, a, b);
    tensor->bump_version();
  }
  return args[0];
}

// Writes `values`, in row-major order, into a tensor of any dtype and layout.
PyResult<void> assign(Tensor& tensor, const std::vector<double>& values) {
  const auto made = tensor::from_values(tensor.interpreter(), tensor.shape(), values, tensor::DType::Float64);
  return tensor::copy_(tensor, *made);
}

PyResult<Value> init_eye(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  if (tensor->ndim() != 2) return object::value_error(in, "Only tensors with 2 dimensions are supported");
  if (tensor->is_meta()) return a[0];
  const std::int64_t rows = tensor->shape()[0], columns = tensor->shape()[1];
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) values[static_cast<std::size_t>(i * columns + i)] = 1;
  NNS_TRY(assign(*tensor, values));
  return a[0];
}

PyResult<Value> init_dirac(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const std::int64_t groups, object::index(in, a[1]));
  const std::size_t ndim = tensor->ndim();
  if (ndim < 3 || ndim > 5) return object::value_error(in, "Only tensors with 3, 4, or 5 dimensions are supported");
  const tensor::Dims& shape = tensor->shape();
  if (groups <= 0 || shape[0] % groups != 0) return object::value_error(in, "dim 0 must be divisible by groups");
  if (tensor->is_meta()) return a[0];
  const tensor::Dims steps = tensor::contiguous_strides(shape);
  const std::int64_t outputs = shape[0] / groups;
  std::vector<double> values(static_cast<std::size_t>(tensor->numel()));
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t d = 0; d < std::min(outputs, shape[1]); ++d) {
      std::int64_t place = (group * outputs + d) * steps[0] + d * steps[1];
      for (std::size_t i = 2; i < ndim; ++i) place += shape[i] / 2 * steps[i];
      values[static_cast<std::size_t>(place)] = 1;
    }
  }
  NNS_TRY(assign(*tensor, values));
  return a[0];
}

PyResult<Value> init_orthogonal(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const double gain, number(in, a[1]));
  if (tensor->ndim() < 2) return object::value_error(in, "Only tensors with 2 or more dimensions are supported");
  if (tensor->numel() == 0 || tensor->is_meta()) return a[0];
  const auto rows = static_cast<std::size_t>(tensor->shape()[0]);
  const std::size_t columns = static_cast<std::size_t>(tensor->numel()) / rows;
  const auto drawn = tensor::empty(in, {tensor->shape()[0], tensor->numel() / tensor->shape()[0]}, tensor->dtype());
  tensor::normal_(*drawn, generator_of(in), 0, 1);
  const bool is_wide = rows < columns;
  std::vector<double> matrix(rows * columns), values(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double number = tensor::read_double(*drawn, static_cast<std::int64_t>(i * columns + j));
      matrix[is_wide ? j * rows + i : i * columns + j] = number;
    }
  }
  init::orthogonalise(matrix, std::max(rows, columns), std::min(rows, columns));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      values[i * columns + j] = gain * matrix[is_wide ? j * rows + i : i * columns + j];
    }
  }
  NNS_TRY(assign(*tensor, values));
  return a[0];
}

PyResult<Value> init_sparse(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const double sparsity, number(in, a[1]));
  NNS_TRY_ASSIGN(const double deviation, number(in, a[2]));
  if (tensor->ndim() != 2) return object::value_error(in, "Only tensors with 2 dimensions are supported");
  if (tensor->is_meta()) return a[0];
  const std::int64_t rows = tensor->shape()[0], columns = tensor->shape()[1];
  const auto zeros = std::min(rows, static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(rows))));
  init::normal_(*tensor, 0, deviation);
  for (std::int64_t column = 0; column < columns; ++column) {
    // torch.randperm(rows).
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      std::swap(order[i], order[i + generator_of(in).random32() % (order.size() - i)]);
    }
    for (std::int64_t i = 0; i < zeros; ++i) {
      const auto row = tensor::select(*tensor, 0, order[static_cast<std::size_t>(i)]);
      tensor::fill_items(*tensor::select(*row, 0, column), 0);
    }
  }
  return a[0];
}

PyResult<Value> init_uniform(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const double from, number(in, a[1]));
  NNS_TRY_ASSIGN(const double to, number(in, a[2]));
  init::uniform_(*tensor, from, to);
  return a[0];
}

PyResult<Value> init_normal(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const double mean, number(in, a[1]));
  NNS_TRY_ASSIGN(const double deviation, number(in, a[2]));
  init::normal_(*tensor, mean, deviation);
  return a[0];
}

PyResult<Value> init_constant(Interpreter& in, const Value& target, const Value& value) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, target));
  NNS_TRY_ASSIGN(const double number_of_value, number(in, value));
  init::constant_(*tensor, number_of_value);
  return target;
}

PyResult<Value> init_xavier(Interpreter& in, Args a, bool is_uniform) {
  NNS_TRY_ASSIGN(Tensor* const tensor, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const double gain, number(in, a[1]));
  NNS_TRY(is_uniform ? init::xavier_uniform_(*tensor, gain) : init::xavier_normal_(*tensor, gain));
  return a[0];
}

// A tensor whose class carries out ops gets the numbers of a plain one.
template <auto body>
PyResult<Value> of_any(Interpreter& in, Args a) {
  const Tensor* const tensor = a[0].as<Tensor>();
  if (tensor == nullptr || tensor->is_uninitialized() || !ops::is_dispatched(*tensor)) return body(in, a);
  const Value plain(tensor::empty(in, tensor->shape(), tensor->dtype()));
  const ops::GradModeGuard no_grad(in, false);
  std::vector<Value> given(a.begin(), a.end());
  given[0] = plain;
  NNS_TRY(body(in, given));
  NNS_TRY(ops::call_in_place(in, ops::OpId::copy, std::array{a[0], plain}));
  return a[0];
}

// The names without an underscore behind them, which warn.
template <std::size_t row>
PyResult<Value> deprecated(Interpreter& in, Args a);

constexpr std::string_view kInitModule = "torch.nn.init";
constexpr UtilityRow kInitRows[] = {
    {kInitModule, "uniform_(tensor, a=0.0, b=1.0, generator=None)", of_any<init_uniform>},
    {kInitModule, "normal_(tensor, mean=0.0, std=1.0, generator=None)", of_any<init_normal>},
    {kInitModule, "constant_(tensor, val)",
     of_any<[](Interpreter& in, Args a) { return init_constant(in, a[0], a[1]); }>},
    {kInitModule, "eye_(tensor)", of_any<init_eye>},
    {kInitModule, "dirac_(tensor, groups=1)", of_any<init_dirac>},
    {kInitModule, "xavier_uniform_(tensor, gain=1.0, generator=None)",
     of_any<[](Interpreter& in, Args a) { return init_xavier(in, a, true); }>},
    {kInitModule, "xavier_normal_(tensor, gain=1.0, generator=None)",
     of_any<[](Interpreter& in, Args a) { return init_xavier(in, a, false); }>},
    {kInitModule, "kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
     of_any<[](Interpreter& in, Args a) { return init_kaiming(in, a, true); }>},
    {kInitModule, "kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
     of_any<[](Interpreter& in, Args a) { return init_kaiming(in, a, false); }>},
    {kInitModule, "orthogonal_(tensor, gain=1, generator=None)", of_any<init_orthogonal>},
    {kInitModule, "sparse_(tensor, sparsity, std=0.01, generator=None)", of_any<init_sparse>},
    {kInitModule, "trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None)", of_any<init_truncated>},
    {kInitModule, "ones_(tensor)", of_any<[](Interpreter& in, Args a) { return init_constant(in, a[0], Value(1)); }>},
    {kInitModule, "zeros_(tensor)", of_any<[](Interpreter& in, Args a) { return init_constant(in, a[0], Value(0)); }>},
    {kInitModule, "calculate_gain(nonlinearity, param=None)",
     [](Interpreter& in, Args a) -> PyResult<Value> {
       NNS_TRY_ASSIGN(const double gain, gain_of(in, a[0], a[1]));
       return Value(gain);
     }},
    {kInitModule, "uniform(*args, **kwargs)", deprecated<0>},
    {kInitModule, "normal(*args, **kwargs)", deprecated<1>},
    {kInitModule, "constant(*args, **kwargs)", deprecated<2>},
    {kInitModule, "eye(*args, **kwargs)", deprecated<3>},
    {kInitModule, "dirac(*args, **kwargs)", deprecated<4>},
    {kInitModule, "xavier_uniform(*args, **kwargs)", deprecated<5>},
    {kInitModule, "xavier_normal(*args, **kwargs)", deprecated<6>},
    {kInitModule, "kaiming_uniform(*args, **kwargs)", deprecated<7>},
    {kInitModule, "kaiming_normal(*args, **kwargs)", deprecated<8>},
    {kInitModule, "orthogonal(*args, **kwargs)", deprecated<9>},
    {kInitModule, "sparse(*args, **kwargs)", deprecated<10>},
};

template <std::size_t row>
PyResult<Value> deprecated(Interpreter& in, Args a) {
  const std::string_view signature = kInitRows[row].signature;
  const std::string_view name = signature.substr(0, signature.find('('));
  in.warn(object::ErrorKind::FutureWarning, fmt::format("`nn.init.{}` is now deprecated in favor of `nn.init.{}`.",
                                                        name.substr(0, name.size() - 1), name));
  return call_utility(in, kInitModule, name, a[0].as<object::Tuple>()->items(), keywords_of(in, a[1]));
}

}  // namespace

// By reflections of Householder.
void init::orthogonalise(std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<double> reflections(rows * columns), signs(columns, 1);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return matrix[i * columns + j]; };
  const auto reflect = [&](std::size_t step, std::size_t j) {
    double product = 0;
    for (std::size_t i = step; i < rows; ++i) product += reflections[i * columns + step] * at(i, j);
    for (std::size_t i = step; i < rows; ++i) at(i, j) -= 2 * product * reflections[i * columns + step];
  };
  for (std::size_t k = 0; k < columns; ++k) {
    double norm = 0;
    for (std::size_t i = k; i < rows; ++i) norm += at(i, k) * at(i, k);
    norm = std::sqrt(norm);
    const double target = at(k, k) > 0 ? -norm : norm;
    double length = 0;
    for (std::size_t i = k; i < rows; ++i) {
      const double part = at(i, k) - (i == k ? target : 0);
      reflections[i * columns + k] = part;
      length += part * part;
    }
    if (length > 0) {
      for (std::size_t i = k; i < rows; ++i) reflections[i * columns + k] /= std::sqrt(length);
    }
    for (std::size_t j = k; j < columns; ++j) reflect(k, j);
    signs[k] = at(k, k) < 0 ? -1 : at(k, k) > 0 ? 1 : 0;
  }
  // The reflections of the columns of the identity, backwards.
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) at(i, j) = i == j ? 1 : 0;
    for (std::size_t k = columns; k-- > 0;) reflect(k, j);
    for (std::size_t i = 0; i < rows; ++i) at(i, j) *= signs[j];
  }
}

std::span<const UtilityRow> init_utilities() { return kInitRows; }

}  // namespace nns::nn
