#include "tests/ops/samples.h"

namespace nns::tests {

std::vector<Arguments> layer_samples(Interpreter& in, OpId id) {
  const Dims plane({2, 3});
  switch (id) {
    case OpId::flash_attention: {
      const Value q = input(in, Dims({2, 3, 4})), k = input(in, Dims({2, 5, 4}), 2), v = input(in, Dims({2, 5, 2}), 3);
      const Value shifts(numbers(in, Dims({3, 5}), 4, 2, -1));
      return {{q, k, v},
              {q, k, v, Value(0.0), Value(true), Value(), Value(0.7)},
              {q, k, v, Value(0.0), Value(false), shifts},
              {q, k, v, Value(0.0), Value(false), mask(in, Dims({2, 1, 5}))}};
    }
    case OpId::dropped_attention: {
      const Value q = input(in, Dims({2, 3, 4})), k = input(in, Dims({2, 5, 4}), 2), v = input(in, Dims({2, 5, 2}), 3);
      const Value none, seed(std::int64_t{7}), offset(std::int64_t{8});
      return {{q, k, v, Value(0.4), Value(false), none, none, seed, offset},
              {q, k, v, Value(0.4), Value(true), none, Value(0.7), seed, offset},
              {q, k, v, Value(0.4), Value(false), Value(numbers(in, Dims({3, 5}), 4, 2, -1)), none, seed, offset}};
    }
    case OpId::native_dropout_backward:
      return {{input(in, plane), mask(in, plane), Value(2.0)}};
    case OpId::native_layer_norm:
      return {{input(in, Dims({3, 4})), dims(in, {4}), input(in, Dims({4}), 2), input(in, Dims({4}), 3), Value(1e-5)},
              {input(in, Dims({2, 2, 3})), dims(in, {2, 3}), Value(), Value(), Value(0.1)}};
    case OpId::native_group_norm:
      return {{input(in, Dims({2, 4, 3})), input(in, Dims({4}), 2), input(in, Dims({4}), 3), Value(2), Value(4),
               Value(3), Value(2), Value(1e-5)},
              {input(in, Dims({2, 4})), Value(), Value(), Value(2), Value(4), Value(1), Value(1), Value(0.1)}};
    case OpId::fused_rms_norm:
      return {{input(in, Dims({3, 4})), dims(in, {4}), input(in, Dims({4}), 2), Value()},
              {input(in, Dims({2, 2, 3})), dims(in, {2, 3}), Value(), Value(0.1)}};
    case OpId::native_batch_norm: {
      const Value mean(numbers(in, Dims({2}), 4)), variance(numbers(in, Dims({2}), 5));
      const Value none;
      return {{input(in, Dims({3, 2, 2})), input(in, Dims({2}), 2), input(in, Dims({2}), 3), none, none, Value(true),
               Value(0.1), Value(1e-5)},
              {input(in, Dims({4, 2})), none, none, none, none, Value(true), Value(0.1), Value(0.1)},
              {input(in, Dims({3, 2})), input(in, Dims({2}), 2), none, mean, variance, Value(false), Value(0.1),
               Value(1e-5)}};
    }
    case OpId::native_layer_norm_backward:
      return {{input(in, Dims({3, 4}), 1), input(in, Dims({3, 4}), 2), dims(in, {4}), input(in, Dims({3, 1}), 3),
               input(in, Dims({3, 1}), 4), input(in, Dims({4}), 5)},
              {input(in, Dims({2, 2, 3}), 1), input(in, Dims({2, 2, 3}), 2), dims(in, {2, 3}),
               input(in, Dims({2, 1, 1}), 3), input(in, Dims({2, 1, 1}), 4), Value()}};
    case OpId::native_group_norm_backward:
      return {{input(in, Dims({2, 4, 3}), 1), input(in, Dims({2, 4, 3}), 2), input(in, Dims({2, 2}), 3),
               input(in, Dims({2, 2}), 4), input(in, Dims({4}), 5), Value(2), Value(4), Value(3), Value(2)}};
    case OpId::fused_rms_norm_backward:
      return {{input(in, Dims({3, 4}), 1), input(in, Dims({3, 4}), 2), dims(in, {4}), input(in, Dims({3, 1}), 3),
               input(in, Dims({4}), 4)}};
    case OpId::native_batch_norm_backward: {
      const Value none;
      const Value grad = input(in, Dims({3, 2, 2}), 1), x = input(in, Dims({3, 2, 2}), 2);
      const Value weight = input(in, Dims({2}), 3), mean = input(in, Dims({2}), 4), spread = input(in, Dims({2}), 5);
      return {{grad, x, weight, none, none, mean, spread, Value(true), Value(1e-5)},
              {grad, x, none, mean, spread, none, none, Value(false), Value(1e-5)}};
    }
    case OpId::embedding:
      return {{input(in, Dims({4, 3})), places(in, Dims({2, 2}), {2, 0, 2, 3})},
              {input(in, Dims({4, 3})), places(in, Dims({3}), {2, 2, 1}), Value(0), Value(false)}};
    case OpId::embedding_dense_backward:
      return {{input(in, Dims({3, 2})), places(in, Dims({3}), {2, 2, 1}), Value(4), Value(1), Value(true)}};
    case OpId::embedding_bag: {
      const Value rows = places(in, Dims({5}), {2, 0, 2, 3, 1}), starts = places(in, Dims({3}), {0, 2, 2});
      return {{input(in, Dims({4, 3})), rows, starts, Value(false), Value(0), Value(false), input(in, Dims({5}), 2)},
              {input(in, Dims({4, 3})), rows, starts, Value(false), Value(1), Value(false), Value(), Value(false),
               Value(3)},
              {input(in, Dims({4, 3})), rows, starts, Value(false), Value(2)}};
    }
    case OpId::nll_loss_forward: {
      const Value classes = places(in, Dims({2}), {2, 0}), weight(numbers(in, Dims({3}), 4));
      return {{input(in, plane), classes, weight, Value(1), Value(-100)},
              {input(in, plane), classes, Value(), Value(0), Value(2)},
              {input(in, Dims({2, 3, 2})), places(in, Dims({2, 2}), {0, 1, 2, 2}), weight, Value(2), Value(-100)},
              {input(in, Dims({3})), places(in, Dims(), {1}), Value(), Value(1), Value(-100)}};
    }
    case OpId::cross_entropy_fused: {
      const Value classes = places(in, Dims({2}), {2, 0}), weight(numbers(in, Dims({3}), 4));
      return {
          {input(in, plane), classes, weight, Value(1), Value(-100), Value(0.2)},
          {input(in, plane), classes, Value(), Value(0), Value(2), Value(0.0)},
          {input(in, Dims({2, 3, 2})), places(in, Dims({2, 2}), {0, 1, 2, 2}), weight, Value(1), Value(1), Value(0.0)},
          {input(in, Dims({3})), places(in, Dims(), {1}), Value(), Value(2), Value(-100), Value(0.1)}};
    }
    case OpId::mse_loss:
    case OpId::smooth_l1_loss:
    case OpId::huber_loss:
      return {{input(in, plane, 1, 4), input(in, plane, 2), Value(0)},
              {input(in, plane, 1, 4), input(in, Dims({3}), 2), Value(1)},
              {input(in, plane, 1, 4), input(in, plane, 2), Value(2)}};
    case OpId::soft_margin_loss:
      return {{input(in, plane), Value(numbers(in, plane, 2, 2, -1)), Value(1)}};
    case OpId::binary_cross_entropy:
      return {{input(in, plane), input(in, plane, 2), Value(numbers(in, plane, 3)), Value(1)},
              {input(in, plane), input(in, plane, 2), Value(), Value(0)}};
    case OpId::binary_cross_entropy_with_logits:
      return {{input(in, plane, 1, 4, -2), input(in, plane, 2), Value(numbers(in, Dims({2, 1}), 3)),
               input(in, Dims({3}), 4), Value(1)},
              {input(in, plane, 1, 4, -2), input(in, plane, 2), Value(), Value(), Value(0)}};
    default:
      return {};
  }
}

}  // namespace nns::tests
