#include "tests/ops/samples.h"

namespace nns::tests {

std::vector<Arguments> composite_samples(Interpreter& in, OpId id) {
  const Dims plane({2, 3});
  const auto ones = [&](std::size_t count) { return ops::dims_value(in, Dims(count, 1)); };
  // A convolution over images of this many dimensions.
  const auto convolution = [&](std::size_t dims, bool is_transposed) -> std::vector<Arguments> {
    Dims image(dims + 2, 4), kernel(dims + 2, 2);
    image[0] = 1;
    image[1] = 2;
    kernel[is_transposed ? 1 : 0] = 3;
    kernel[is_transposed ? 0 : 1] = 2;
    return {{input(in, image), input(in, kernel, 2), input(in, Dims({3}), 3)}};
  };
  const auto padded = [&](std::size_t dims) -> std::vector<Arguments> {
    std::vector<Arguments> made = convolution(dims, false);
    made[0].insert(made[0].end(), {ones(dims), in.text("same")});
    return made;
  };
  switch (id) {
    case OpId::conv1d:
      return convolution(1, false);
    case OpId::conv2d:
      return convolution(2, false);
    case OpId::conv3d:
      return convolution(3, false);
    case OpId::conv1d_padding:
      return padded(1);
    case OpId::conv2d_padding:
      return padded(2);
    case OpId::conv3d_padding:
      return padded(3);
    case OpId::conv_transpose1d:
      return convolution(1, true);
    case OpId::conv_transpose2d:
      return convolution(2, true);
    case OpId::conv_transpose3d:
      return convolution(3, true);
    case OpId::convolution_backward:
      return {{input(in, Dims({1, 3, 3})), input(in, Dims({1, 2, 4}), 2), input(in, Dims({3, 2, 2}), 3), dims(in, {3}),
               ones(1), dims(in, {0}), ones(1), Value(false), dims(in, {0}), Value(1), dims(in, {1, 1, 1})}};
    case OpId::max_pool2d:
      return {{input(in, Dims({1, 1, 4, 4})), dims(in, {2, 2})}};
    case OpId::max_pool3d:
      return {{input(in, Dims({1, 1, 2, 4, 4})), dims(in, {2, 2, 2})}};
    case OpId::adaptive_avg_pool2d:
      return {{input(in, Dims({1, 2, 5, 4})), dims(in, {2, 2})}, {input(in, Dims({1, 2, 3, 2})), dims(in, {1, 1})}};
    case OpId::adaptive_avg_pool3d:
      return {{input(in, Dims({1, 1, 3, 4, 2})), dims(in, {2, 2, 2})}};
    case OpId::pad:
      return {{input(in, plane), dims(in, {1, 2})}, {input(in, plane), dims(in, {1, 1}), in.text("reflect")}};
    case OpId::pixel_shuffle:
      return {{input(in, Dims({1, 4, 2, 2})), Value(2)}};
    case OpId::pixel_unshuffle:
      return {{input(in, Dims({1, 1, 4, 4})), Value(2)}};
    case OpId::channel_shuffle:
      return {{input(in, Dims({1, 4, 2, 2})), Value(2)}};
    case OpId::grid_sampler:
      return {{input(in, Dims({1, 1, 3, 3})), input(in, Dims({1, 2, 2, 2}), 2, 1.6, -0.8), Value(0), Value(0),
               Value(false)}};
    case OpId::batch_norm:
      return {{input(in, Dims({2, 3, 2})), input(in, Dims({3}), 2), input(in, Dims({3}), 3), Value(), Value(),
               Value(true), Value(0.1), Value(1e-5)}};
    case OpId::group_norm:
      return {{input(in, Dims({2, 4, 3})), Value(2), input(in, Dims({4}), 2), input(in, Dims({4}), 3)}};
    case OpId::layer_norm:
      return {{input(in, plane), dims(in, {3}), input(in, Dims({3}), 2), input(in, Dims({3}), 3)}};
    case OpId::rms_norm:
      return {{input(in, plane), dims(in, {3}), input(in, Dims({3}), 2)}};
    case OpId::linear:
      return {{input(in, plane), input(in, Dims({4, 3}), 2), input(in, Dims({4}), 3)},
              {input(in, Dims({2, 2, 3})), input(in, Dims({4, 3}), 2)}};
    case OpId::matmul:
      return {{input(in, plane), input(in, Dims({3, 4}), 2)},
              {input(in, Dims({2, 2, 3})), input(in, Dims({3, 4}), 2)},
              {input(in, Dims({3})), input(in, Dims({2, 3, 2}), 2)}};
    case OpId::mv:
      return {{input(in, plane), input(in, Dims({3}), 2)}};
    case OpId::outer:
      return {{input(in, Dims({2})), input(in, Dims({3}), 2)}};
    case OpId::scaled_dot_product_attention:
      return {{input(in, Dims({1, 2, 3})), input(in, Dims({1, 4, 3}), 2), input(in, Dims({1, 4, 3}), 3)},
              {input(in, Dims({1, 2, 3})), input(in, Dims({1, 4, 3}), 2), input(in, Dims({1, 4, 3}), 3),
               Value(numbers(in, Dims({2, 4}), 4))}};
    case OpId::cross_entropy_loss:
    case OpId::nll_loss:
      return {{input(in, plane), places(in, Dims({2}), {2, 0})}};
    case OpId::prelu:
      return {{input(in, plane, 1, 4, -2), input(in, Dims({3}), 2)}};
    case OpId::embedding_renorm:
      return {{Value(numbers(in, Dims({4, 3}), 1, 3)), places(in, Dims({2}), {1, 3}), Value(1.0), Value(2.0)}};
    case OpId::bucketize:
      return {{Value(numbers(in, plane, 1)),
               Value(tensor::from_values(in, Dims({3}), std::vector<double>{0.3, 0.5, 0.7}, DType::Float64))}};
    case OpId::repeat:
      return {{input(in, plane), dims(in, {2, 1})}};
    case OpId::reshape:
      return {{input(in, plane), dims(in, {3, 2})}};
    case OpId::unflatten:
      return {{input(in, plane), Value(1), dims(in, {3, 1})}};
    case OpId::linalg_matrix_rank_tensors:
    case OpId::linalg_matrix_rank_floats:
      return {{input(in, plane)}};
    case OpId::linalg_matrix_rank:
      return {{input(in, plane), Value(0.01)}};
    case OpId::linalg_matrix_rank_tol_tensor:
      return {{input(in, plane), Value(tensor::full(in, Dims(), 0.01, DType::Float64))}};
    default:
      return {};
  }
}

}  // namespace nns::tests
