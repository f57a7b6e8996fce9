#pragma once

#include "core/tensor/tensor.h"

namespace nns::nn::init {

/// The functions of torch.nn.init that layers start with. Random numbers come from the interpreter's default
/// generator; a tensor on meta is left alone and draws nothing.
/// Behaviour: torch/nn/init.py.

/// How many values go into and come out of one unit of a weight.
struct Fans {
  std::int64_t in = 0;
  std::int64_t out = 0;
};
/// Errors: ValueError  fewer than two dimensions.
object::PyResult<Fans> fans_of(const tensor::Tensor& weight);

enum class FanMode : std::uint8_t { In, Out };
/// The recommended factor for what follows the layer; `slope` is that of a leaky ReLU.
enum class Nonlinearity : std::uint8_t { Linear, Sigmoid, Tanh, Relu, LeakyRelu, Selu };
double calculate_gain(Nonlinearity nonlinearity, double slope = 0.01);

void uniform_(tensor::Tensor& weight, double from, double to);
void normal_(tensor::Tensor& weight, double mean = 0, double deviation = 1);
void constant_(tensor::Tensor& weight, double value);

// Errors: ValueError  fewer than two dimensions. A weight without elements is left alone, with a warning where torch
// warns.
object::PyResult<void> xavier_uniform_(tensor::Tensor& weight, double gain = 1);
object::PyResult<void> xavier_normal_(tensor::Tensor& weight, double gain = 1);
object::PyResult<void> kaiming_uniform_(tensor::Tensor& weight, double slope = 0, FanMode mode = FanMode::In,
                                        Nonlinearity nonlinearity = Nonlinearity::LeakyRelu);
object::PyResult<void> kaiming_normal_(tensor::Tensor& weight, double slope = 0, FanMode mode = FanMode::In,
                                       Nonlinearity nonlinearity = Nonlinearity::LeakyRelu);

/// The orthogonal factor of a matrix with at least as many rows as columns, its columns with the signs that make the
/// diagonal of the triangular factor positive. In place, row after row.
void orthogonalise(std::vector<double>& matrix, std::size_t rows, std::size_t columns);

/// What Linear and the convolutions start with: kaiming_uniform_ with slope sqrt(5), and a bias (may be null) uniform
/// within 1 / sqrt(fan in).
/// Behaviour: torch/nn/modules/linear.py and conv.py, reset_parameters.
object::PyResult<void> reset_weight_and_bias(tensor::Tensor& weight, tensor::Tensor* bias);

}  // namespace nns::nn::init
