#include "tests/ops/samples.h"

namespace nns::tests {

std::vector<Arguments> rare_samples(Interpreter& in, OpId id) {
  const Dims plane({2, 3});
  switch (id) {
    case OpId::copysign:
      return {{input(in, plane), Value(numbers(in, plane, 2, 2, -1))}, {input(in, plane), Value(-2.0)}};
    case OpId::ldexp:
      return {{input(in, plane), input(in, Dims({3}), 2)}};
    case OpId::hypot:
    case OpId::fmax:
    case OpId::fmin:
    case OpId::logaddexp:
    case OpId::logaddexp2:
      return {{input(in, plane, 1, 4, -2), input(in, Dims({2, 1}), 2)}};
    case OpId::sgn:
    case OpId::angle:
    case OpId::nan_to_num:
    case OpId::sinc:
    case OpId::i0:
    case OpId::special_i0e:
    case OpId::special_i1:
    case OpId::special_i1e:
    case OpId::special_log_ndtr:
    case OpId::special_erfcx:
      return {{input(in, plane, 1, 4, -2)}};
    case OpId::erfinv:
      return {{input(in, plane, 1, 2, -1.1)}};
    case OpId::logit:
      return {{input(in, plane)}, {input(in, plane), Value(0.35)}};
    case OpId::polygamma:
      return {{input(in, plane), Value(0)}, {input(in, plane, 1, 4), Value(1)}, {input(in, plane, 1, 4), Value(3)}};
    case OpId::xlogy:
    case OpId::special_xlog1py:
      return {
          {input(in, plane), input(in, Dims({3}), 2)}, {Value(1.5), input(in, plane)}, {input(in, plane), Value(2)}};
    case OpId::special_zeta:
      return {{Value(numbers(in, plane, 2, 4, 1.5)), input(in, plane)}, {Value(3.5), input(in, plane)}};
    case OpId::kthvalue:
      return {{input(in, plane), Value(2)}, {input(in, plane), Value(1), Value(0), Value(true)}};
    case OpId::median:
    case OpId::nanmedian:
      return {{input(in, plane)}, {input(in, Dims({5}))}};
    case OpId::median_dim:
    case OpId::nanmedian_dim:
      return {{input(in, plane), Value(1)}, {input(in, plane), Value(0), Value(true)}};
    case OpId::mode:
      return {{input(in, plane)}, {input(in, plane), Value(0), Value(true)}};
    case OpId::cummax:
    case OpId::cummin:
      return {{input(in, plane), Value(1)}, {input(in, plane), Value(0)}};
    case OpId::logcumsumexp:
      return {{input(in, plane, 1, 4, -2), Value(1)}, {input(in, plane), Value(-2)}};
    case OpId::select_scatter:
      return {{input(in, plane), input(in, Dims({2}), 2), Value(1), Value(-1)}};
    case OpId::slice_scatter:
      return {{input(in, Dims({5, 2})), input(in, Dims({2, 2}), 2), Value(0), Value(1), Value(5), Value(2)}};
    case OpId::diagonal_scatter:
      return {{input(in, Dims({3, 4})), input(in, Dims({3}), 2), Value(1)}};
    case OpId::scatter_reduce: {
      std::vector<Arguments> made;
      for (const char* const reduce : {"sum", "prod", "mean", "amax", "amin"}) {
        for (const bool includes_self : {true, false}) {
          // Two items come to one place, one place gets none, and part of the source is not used.
          made.push_back({input(in, plane), Value(1), places(in, Dims({2, 2}), {2, 2, 0, 1}),
                          input(in, Dims({2, 3}), 2), in.text(reduce), Value(includes_self)});
        }
      }
      return made;
    }
    // Made of others: what they are made of is walked, and so are they.
    case OpId::cdist:
      return {{input(in, plane, 1, 3), input(in, Dims({4, 3}), 2)},
              {input(in, plane, 1, 3), input(in, Dims({4, 3}), 2), Value(1.0)},
              {input(in, Dims({2, 2, 3}), 1, 3), input(in, Dims({4, 3}), 2), Value(3.0)}};
    case OpId::weight_norm:
      return {{input(in, plane), input(in, Dims({2, 1}), 2)}, {input(in, plane), input(in, Dims({1, 3}), 2), Value(1)}};
    case OpId::norm_except_dim:
      return {{input(in, plane), Value(2), Value(1)}, {input(in, plane), Value(2), Value(-1)}};
    case OpId::kron:
      return {{input(in, plane), input(in, Dims({2}), 2)}};
    case OpId::cross:
      return {{input(in, plane), input(in, plane, 2)}};
    case OpId::vdot:
      return {{input(in, Dims({3})), input(in, Dims({3}), 2)}};
    case OpId::dist:
      return {{input(in, plane, 1, 3), input(in, plane, 2)}};
    case OpId::diag:
      return {{input(in, Dims({3})), Value(1)}, {input(in, plane), Value(-1)}};
    case OpId::diag_embed:
      return {{input(in, plane), Value(-1), Value(0), Value(2)}};
    case OpId::trace:
      return {{input(in, plane)}};
    case OpId::block_diag:
      return {{in.tuple({input(in, plane), input(in, Dims({2}), 2)})}};
    case OpId::combinations:
      return {{input(in, Dims({4})), Value(2)}};
    case OpId::rot90:
      return {{input(in, plane), Value(1)}, {input(in, plane), Value(-1), dims(in, {1, 0})}};
    case OpId::nansum:
    case OpId::nanmean:
      return {{input(in, plane), dims(in, {1})}};
    case OpId::quantile:
    case OpId::nanquantile:
      return {{input(in, plane), Value(0.3), Value(1)},
              {input(in, plane), Value(numbers(in, Dims({2}), 3)), Value(), Value(true)},
              {input(in, plane), Value(0.3), Value(0), Value(false), in.text("midpoint")}};
    case OpId::var_mean:
    case OpId::std_mean:
      return {{input(in, plane), dims(in, {1}), Value(0)}};
    case OpId::var_unbiased:
    case OpId::std_unbiased:
      return {{input(in, plane), Value(false)}};
    case OpId::float_power:
      return {{input(in, plane), input(in, plane, 2)}};
    case OpId::special_ndtr:
      return {{input(in, plane, 1, 4, -2)}};
    case OpId::index_reduce:
      return {{input(in, plane), Value(1), places(in, Dims({2}), {2, 2}), input(in, Dims({2, 2}), 2), in.text("prod")}};
    default:
      return {};
  }
}

}  // namespace nns::tests
