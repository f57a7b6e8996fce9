#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "core/ops/op.h"
#include "core/ops/term.h"

namespace nns::tests {

using object::Interpreter;
using object::Ref;
using object::Value;
using ops::OpId;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

using Arguments = std::vector<Value>;

/// Distinct numbers in (0.2, 0.9) times `scale` plus `shift`, in no order and far enough apart for a difference
/// quotient; float64.
Ref<Tensor> numbers(Interpreter& in, const Dims& shape, int seed, double scale = 1, double shift = 0);
/// The same, with a gradient.
Value input(Interpreter& in, const Dims& shape, int seed = 1, double scale = 1, double shift = 0);
/// A tuple of ints.
Value dims(Interpreter& in, std::initializer_list<std::int64_t> items);
/// Indices.
Value places(Interpreter& in, const Dims& shape, std::initializer_list<double> items);
/// Every third item is true.
Value mask(Interpreter& in, const Dims& shape);

/// The list of ops, for tests that walk it. Read once: CTest starts the program for each of its tests.
std::span<const ops::OpInfo> all_ops();
/// The name of a test whose parameter is a place in that list.
std::string name_of_op(const testing::TestParamInfo<std::size_t>& parameter);

/// Calls of an op, at least one, with float64 tensors that require a gradient; none where such tensors do not fit.
std::vector<Arguments> samples_of(Interpreter& in, const ops::OpInfo& info);
/// Calls of the ops that move windows over images (convolutions, pooling, padding, resizing); none for other ops.
std::vector<Arguments> window_samples(Interpreter& in, OpId id);
/// The same of the ops of layers: norms, embeddings, losses, attention.
std::vector<Arguments> layer_samples(Interpreter& in, OpId id);
/// The same of the rarer ops.
std::vector<Arguments> rare_samples(Interpreter& in, OpId id);
/// The same of ops that are made of others.
std::vector<Arguments> composite_samples(Interpreter& in, OpId id);

/// The same of torch.linalg and torch.fft.
std::vector<Arguments> linalg_samples(Interpreter& in, OpId id);
/// Ops whose gradient needs complex items, which linalg_test and fourier_test give them.
bool is_of_complex_items(OpId id);

/// What PyTorch's gradient of an op presumes of a matrix: it holds where that stays true.
struct PresumedForm {
  enum class Form : std::uint8_t { Any, Symmetric, LowerTriangular };
  Form form = Form::Any;
  std::size_t argument = 0;
};
PresumedForm presumed_form(OpId id);

/// Whether PyTorch refuses to differentiate the op's gradient, or the op itself.
bool ends_at_first_gradient(OpId id);
bool has_no_gradient(OpId id);

}  // namespace nns::tests
