#include "tests/ops/samples.h"

namespace nns::tests {
namespace {

std::vector<Arguments> convolution_samples(Interpreter& in) {
  const auto call = [&](const Dims& x, const Dims& weight, bool bias, std::initializer_list<std::int64_t> stride,
                        std::initializer_list<std::int64_t> padding, std::initializer_list<std::int64_t> dilation,
                        bool transposed, std::initializer_list<std::int64_t> output_padding, std::int64_t groups) {
    const std::int64_t made = transposed ? weight[1] * groups : weight[0];
    return Arguments{input(in, x),      input(in, weight, 2),     bias ? input(in, Dims({made}), 3) : Value(),
                     dims(in, stride),  dims(in, padding),        dims(in, dilation),
                     Value(transposed), dims(in, output_padding), Value(groups)};
  };
  return {
      call(Dims({2, 2, 5}), Dims({3, 2, 2}), true, {1}, {1}, {1}, false, {0}, 1),
      call(Dims({1, 4, 5, 6}), Dims({2, 2, 2, 3}), true, {2, 2}, {1, 0}, {1, 1}, false, {0, 0}, 2),
      call(Dims({1, 1, 3, 9}), Dims({1, 1, 2, 2}), false, {1, 1}, {0, 1}, {1, 2}, false, {0, 0}, 1),
      call(Dims({1, 1, 3, 3, 4}), Dims({1, 1, 2, 2, 2}), true, {1, 1, 2}, {0, 1, 0}, {1, 1, 1}, false, {0, 0, 0}, 1),
      call(Dims({2, 2, 3}), Dims({2, 2, 3}), true, {2}, {1}, {1}, true, {1}, 1),
      call(Dims({1, 2, 3, 2}), Dims({2, 1, 2, 2}), true, {1, 2}, {0, 0}, {2, 3}, true, {1, 2}, 2),
      call(Dims({1, 1, 2, 2, 2}), Dims({1, 1, 1, 2, 2}), false, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}, true, {0, 0, 0}, 1),
  };
}

}  // namespace

std::vector<Arguments> window_samples(Interpreter& in, OpId id) {
  switch (id) {
    case OpId::convolution:
      return convolution_samples(in);
    case OpId::convolution_weight_gradient:
      return {{input(in, Dims({1, 2, 2, 3})), input(in, Dims({1, 2, 3, 4}), 2), dims(in, {2, 1, 2, 2}), dims(in, {1}),
               dims(in, {0}), dims(in, {1}), Value(false), Value(2)},
              {input(in, Dims({1, 1, 4})), input(in, Dims({1, 2, 2}), 2), dims(in, {2, 1, 2}), dims(in, {2}),
               dims(in, {0}), dims(in, {1}), Value(true), Value(1)}};
    case OpId::constant_pad_nd:
      return {{input(in, Dims({2, 3})), dims(in, {1, 2, 0, -1}), Value(0.5)}};
    case OpId::max_pool2d_with_indices:
      return {{input(in, Dims({1, 2, 4, 5})), dims(in, {2, 3})},
              {input(in, Dims({1, 5, 5})), Value(3), Value(2), Value(1), Value(1), Value(true)},
              {input(in, Dims({1, 1, 4, 6})), Value(2), Value(1), Value(0), dims(in, {1, 2})}};
    case OpId::max_pool3d_with_indices:
      return {{input(in, Dims({1, 1, 3, 4, 3})), Value(2), Value(1), Value(1)}};
    case OpId::adaptive_max_pool2d:
      return {{input(in, Dims({2, 5, 4})), dims(in, {3, 2})}};
    case OpId::adaptive_max_pool3d:
      return {{input(in, Dims({1, 1, 3, 5, 4})), dims(in, {2, 3, 1})}};
    case OpId::fractional_max_pool2d:
      return {{input(in, Dims({1, 2, 5, 6})), dims(in, {2, 2}), dims(in, {3, 4}), numbers(in, Dims({1, 2, 2}), 3)}};
    case OpId::fractional_max_pool3d:
      return {{input(in, Dims({1, 4, 5, 4})), Value(2), dims(in, {2, 3, 2}), numbers(in, Dims({1, 1, 3}), 3)}};
    case OpId::max_unpool2d:
      return {{input(in, Dims({1, 1, 2, 2})), places(in, Dims({1, 1, 2, 2}), {1, 3, 8, 10}), dims(in, {3, 4})}};
    case OpId::max_unpool3d:
      return {{input(in, Dims({1, 2, 1, 1, 2})), places(in, Dims({1, 2, 1, 1, 2}), {1, 7, 0, 4}), dims(in, {2, 2, 2}),
               dims(in, {2, 2, 2}), dims(in, {0, 0, 0})}};
    case OpId::pool_scatter:
      return {{input(in, Dims({2, 1, 3})), places(in, Dims({2, 1, 3}), {1, 1, 5, 0, 3, 2}), dims(in, {2, 3})}};
    case OpId::pool_gather:
      return {{input(in, Dims({2, 2, 3})), places(in, Dims({2, 1, 3}), {1, 1, 5, 0, 3, 2}), Value(2)}};
    case OpId::avg_pool2d:
      return {{input(in, Dims({2, 4, 5})), dims(in, {2, 3}), dims(in, {1, 2}), dims(in, {1, 1}), Value(true)},
              {input(in, Dims({1, 1, 5, 5})), Value(3), Value(2), Value(1), Value(false), Value(false)},
              {input(in, Dims({1, 1, 4, 4})), Value(2), Value(), Value(0), Value(false), Value(true), Value(3)}};
    case OpId::avg_pool3d:
      return {{input(in, Dims({1, 1, 3, 4, 3})), Value(2), Value(1), Value(1), Value(true), Value(false)}};
    case OpId::avg_pool_backward:
      return {{input(in, Dims({1, 2, 2})), dims(in, {1, 4, 4}), dims(in, {2, 2}), dims(in, {2, 2}), dims(in, {0, 0}),
               Value(false), Value(true), Value()}};
    case OpId::adaptive_avg_pool2d_windows:
      return {{input(in, Dims({2, 5, 4})), dims(in, {3, 2})}};
    case OpId::adaptive_avg_pool3d_windows:
      return {{input(in, Dims({1, 1, 3, 5, 4})), dims(in, {2, 3, 1})}};
    case OpId::adaptive_avg_pool_backward:
      return {{input(in, Dims({2, 3, 2})), dims(in, {2, 5, 4}), Value(2)},
              {input(in, Dims({1, 2, 1, 2})), dims(in, {1, 3, 3, 3}), Value(3)}};
    case OpId::reflection_pad1d:
      return {{input(in, Dims({2, 4})), dims(in, {3, 2})}};
    case OpId::reflection_pad2d:
      return {{input(in, Dims({1, 2, 3, 4})), dims(in, {3, 2, 1, 2})}};
    case OpId::reflection_pad3d:
      return {{input(in, Dims({1, 2, 2, 3})), dims(in, {1, 2, 1, 1, 0, 1})}};
    case OpId::replication_pad1d:
      return {{input(in, Dims({2, 3})), dims(in, {4, 2})}};
    case OpId::replication_pad2d:
      return {{input(in, Dims({1, 2, 3, 4})), dims(in, {3, -1, 1, 2})}};
    case OpId::replication_pad3d:
      return {{input(in, Dims({1, 2, 2, 3})), dims(in, {1, 2, 1, 1, 0, 3})}};
    case OpId::pad_circular:
      return {{input(in, Dims({1, 2, 3, 4})), dims(in, {3, 2, 1, -1})}};
    case OpId::pad_backward:
      return {{input(in, Dims({1, 2, 7})), dims(in, {1, 2, 4}), dims(in, {1, 2}), Value(0)},
              {input(in, Dims({1, 2, 7})), dims(in, {1, 2, 4}), dims(in, {1, 2}), Value(1)},
              {input(in, Dims({1, 2, 7})), dims(in, {1, 2, 4}), dims(in, {1, 2}), Value(2)}};
    case OpId::upsample_nearest1d:
    case OpId::upsample_nearest_exact1d:
      return {{input(in, Dims({1, 2, 4})), dims(in, {6})}};
    case OpId::upsample_nearest2d:
    case OpId::upsample_nearest_exact2d:
      return {{input(in, Dims({1, 2, 4, 3})), dims(in, {6, 2})}};
    case OpId::upsample_nearest3d:
    case OpId::upsample_nearest_exact3d:
      return {{input(in, Dims({1, 1, 2, 4, 3})), dims(in, {3, 6, 2})}};
    case OpId::upsample_linear1d:
      return {{input(in, Dims({1, 2, 4})), dims(in, {7}), Value(true)},
              {input(in, Dims({1, 2, 4})), dims(in, {7}), Value(false), in.tuple({Value(1.75)})}};
    case OpId::upsample_bilinear2d:
    case OpId::upsample_bicubic2d:
    case OpId::upsample_bilinear2d_aa:
    case OpId::upsample_bicubic2d_aa:
      return {{input(in, Dims({1, 1, 4, 5})), dims(in, {7, 3}), Value(false)},
              {input(in, Dims({1, 1, 3, 3})), dims(in, {2, 5}), Value(true)}};
    case OpId::upsample_trilinear3d:
      return {{input(in, Dims({1, 1, 2, 3, 3})), dims(in, {3, 5, 2}), Value(false)}};
    case OpId::upsample_backward:
      return {{input(in, Dims({1, 1, 7, 3})), dims(in, {1, 1, 4, 5}),
               Value(static_cast<std::int64_t>(OpId::upsample_bilinear2d)), Value(false), Value()}};
    case OpId::im2col:
      return {{input(in, Dims({1, 2, 4, 5})), dims(in, {2, 3}), dims(in, {1, 2}), dims(in, {1, 0}), dims(in, {2, 1})}};
    case OpId::col2im:
      return {{input(in, Dims({8, 6})), dims(in, {3, 4}), dims(in, {2, 2}), dims(in, {1, 1}), dims(in, {0, 0}),
               dims(in, {1, 1})}};
    case OpId::grid_sampler_2d: {
      std::vector<Arguments> made;
      for (std::int64_t mode = 0; mode < 3; ++mode) {
        for (std::int64_t outside = 0; outside < 3; ++outside) {
          made.push_back({input(in, Dims({1, 2, 4, 5})), input(in, Dims({1, 3, 2, 2}), 2, 3, -1.6), Value(mode),
                          Value(outside), Value(mode == outside)});
        }
      }
      return made;
    }
    case OpId::grid_sampler_3d:
      return {{input(in, Dims({1, 1, 3, 4, 5})), input(in, Dims({1, 1, 2, 2, 3}), 2, 3, -1.6), Value(0), Value(0),
               Value(false)},
              {input(in, Dims({1, 1, 3, 4, 5})), input(in, Dims({1, 1, 2, 2, 3}), 2, 3, -1.6), Value(0), Value(2),
               Value(true)}};
    default:
      return {};
  }
}

// As in PyTorch, what these give cannot be differentiated, or not twice.
bool ends_at_first_gradient(OpId id) {
  return id == OpId::grid_sampler_2d || id == OpId::grid_sampler_3d || id == OpId::dropped_attention;
}
bool has_no_gradient(OpId id) {
  return id == OpId::grid_sampler_backward || id == OpId::bucketize || id == OpId::embedding_renorm ||
         id == OpId::geqrf || is_of_complex_items(id);
}

}  // namespace nns::tests
