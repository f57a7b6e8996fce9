// Items put together at places, running extremes, and numbers among sorted ones, on the GPU against the CPU.
#include "tests/cuda/op_check.h"

namespace nns::tests {
namespace {

class CudaPlaces : public CudaOpFixture {
 protected:
  Value places(const Dims& shape, std::int64_t below, DType dtype = DType::Int64) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
      values.push_back(static_cast<double>(source() % static_cast<std::uint32_t>(below)));
    }
    return Value(make(shape, values, dtype));
  }
};

TEST_F(CudaPlaces, ReductionsAgree) {
  for (const DType dtype :
       {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int64, DType::Int32}) {
    for (const std::string_view reduce : {"sum", "prod", "mean", "amax", "amin"}) {
      for (const bool includes_self : {false, true}) {
        const Value x(layout(includes_self, random({5, 7, 3}, dtype, 0.5, 1.5)));
        const Value given(layout(!includes_self, random({4, 20, 3}, dtype, 0.8, 1.2)));
        check(OpId::scatter_reduce, {x, Value(1), places({4, 20, 2}, 7), given, in.text(reduce), Value(includes_self)},
              name(OpId::scatter_reduce, dtype, {5, 7, 3}, reduce), 64);
        if (reduce == "sum") continue;
        check(OpId::index_reduce,
              {x, Value(1), places({9}, 7), Value(random({5, 9, 3}, dtype, 0.8, 1.2)), in.text(reduce),
               Value(includes_self)},
              name(OpId::index_reduce, dtype, {5, 7, 3}, reduce), 64);
        if (HasFatalFailure()) return;
      }
    }
  }
  // Lines so long that their places are sorted.
  for (const std::string_view reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool includes_self : {false, true}) {
      check(OpId::scatter_reduce,
            {Value(random({2, 50}, DType::Float32)), Value(1), places({2, 2300}, 40),
             Value(random({2, 2300}, DType::Float32, 0.95, 1.05)), in.text(reduce), Value(includes_self)},
            name(OpId::scatter_reduce, DType::Float32, {2, 2300}, reduce), 64);
    }
  }
  check(OpId::scatter_add,
        {Value(random({30}, DType::BFloat16)), Value(0), places({3000}, 30), Value(random({3000}, DType::BFloat16))},
        "a long line", 64);
  check(OpId::index_add,
        {Value(random({3, 20}, DType::Float64)), Value(1), places({300}, 20), Value(random({3, 300}, DType::Float64))},
        "one index for all lines", 64);
  const Value x(moved(*random({4}, DType::Float32))), far(moved(*tensor::full(in, {300}, 4, DType::Int64)));
  const auto read =
      tensor::on_host(*made(OpId::scatter_add, {x, Value(0), far, Value(moved(*random({300}, DType::Float32)))}));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().type(), "AcceleratorError");
  const double nan = std::nan("");
  check(OpId::scatter_reduce,
        {Value(make({2}, {1, 2})), Value(0), Value(make({3}, {0, 1, 0}, DType::Int64)), Value(make({3}, {nan, 5, 3})),
         in.text("amax")},
        "NaN stays");
  expect_no_fallback();
}

TEST_F(CudaPlaces, SumsOfWholeNumbersAgree) {
  for (const DType dtype : {DType::Int64, DType::Int32, DType::UInt8}) {
    const Value x(random({5, 7, 3}, dtype));
    check(OpId::scatter_add, {x, Value(1), places({4, 90, 2}, 7), Value(random({4, 90, 3}, dtype))},
          name(OpId::scatter_add, dtype, {5, 7, 3}));
    check(OpId::index_add, {x, Value(1), places({7}, 7), Value(random({5, 7, 3}, dtype)), Value(2)},
          name(OpId::index_add, dtype, {5, 7, 3}));
    if (HasFatalFailure()) return;
  }
  expect_no_fallback();
}

TEST_F(CudaPlaces, RunningExtremesAgree) {
  const double nan = std::nan("");
  for (const Dims& shape : {Dims({}), Dims({1}), Dims({3, 0}), Dims({4, 300}), Dims({5, 70, 6}), Dims({40, 270})}) {
    for (const DType dtype :
         {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int32, DType::Bool}) {
      for (const int dim : {0, -1}) {
        const Value x(layout(dim == 0, random(shape, dtype)));
        check(OpId::cummax, {x, Value(dim)}, name(OpId::cummax, dtype, shape));
        check(OpId::cummin, {x, Value(dim)}, name(OpId::cummin, dtype, shape));
        if (tensor::is_floating(dtype)) check(OpId::logcumsumexp, {x, Value(dim)}, "logcumsumexp", 8);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const OpId id : {OpId::cummax, OpId::cummin, OpId::logcumsumexp}) {
    check(id, {Value(make({7}, {1, 3, 3, nan, 9, nan, 2})), Value(0)}, "NaN");
    check(id, {Value(make({5}, {-HUGE_VAL, -HUGE_VAL, 1, HUGE_VAL, HUGE_VAL})), Value(0)}, "infinities", 8);
  }
  expect_no_fallback();
}

TEST_F(CudaPlaces, BagsOfRowsAgree) {
  for (const DType dtype : kFloats) {
    for (const DType index : {DType::Int64, DType::Int32}) {
      const Value table(layout(true, random({9, 33}, dtype))), indices = places({40}, 9, index);
      const Value offsets(make({5}, {0, 7, 7, 20, 39}, index)), scale(random({40}, dtype));
      for (const int mode : {0, 1, 2}) {
        for (const bool has_last : {false, true}) {
          const std::string what = fmt::format("{} {} {}", name(OpId::embedding_bag, dtype, {9, 33}), mode, has_last);
          const Value last(make({5}, {0, 7, 7, 20, 40}, index));
          check(OpId::embedding_bag,
                {table, indices, has_last ? last : offsets, Value(false), Value(mode), Value(false), Value(),
                 Value(has_last), has_last ? Value(3) : Value()},
                what, 8);
        }
      }
      check(OpId::embedding_bag, {table, indices, offsets, Value(false), Value(0), Value(false), scale}, "scaled", 8);
      if (HasFatalFailure()) return;
    }
  }
  // More indices than are sorted at once, most of them the same.
  Numbers chosen;
  for (int i = 0; i < 5000; ++i) chosen.push_back(i % 3 == 0 ? static_cast<double>(source() % 40) : 7);
  check(OpId::embedding_dense_backward,
        {Value(random({5000, 5}, DType::Float32)), Value(make({5000}, chosen, DType::Int64)), Value(40), Value(2),
         Value(true)},
        "many indices", 64);
  check(OpId::embedding_dense_backward,
        {Value(random({0, 5}, DType::Float32)), Value(make({0}, {}, DType::Int64)), Value(4), Value(-1), Value(false)},
        "no indices");
  expect_no_fallback();
}

TEST_F(CudaPlaces, SearchesAgree) {
  const auto rising = [&](const Dims& shape, DType dtype) {
    const Ref<Tensor> drawn = random(shape, dtype);
    return Value((*ops::call_op(in, OpId::sort, {Value(drawn)}).value().as<object::Tuple>())[0]);
  };
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float64, DType::Int64, DType::Int32}) {
    for (const bool right : {false, true}) {
      check(OpId::searchsorted, {rising({9}, dtype), Value(random({4, 50}, dtype)), Value(right), Value(right)},
            name(OpId::searchsorted, dtype, {9}));
      check(OpId::searchsorted,
            {rising({4, 9}, dtype), Value(layout(true, random({4, 5}, dtype))), Value(false), Value(right)},
            name(OpId::searchsorted, dtype, {4, 9}));
      check(OpId::bucketize, {Value(random({33}, dtype)), rising({5}, dtype), Value(false), Value(right)},
            name(OpId::bucketize, dtype, {33}));
      if (HasFatalFailure()) return;
    }
  }
  check(OpId::searchsorted, {rising({9}, DType::Float32), Value(0.5)}, "a number");
  check(OpId::searchsorted,
        {Value(make({3}, {5, 1, 3})), Value(make({2}, {4, 0})), Value(false), Value(false), Value(),
         Value(make({3}, {1, 2, 0}, DType::Int64))},
        "an order");
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    check(OpId::histc, {Value(random({700}, dtype)), Value(10), Value(-1), Value(1)}, "histc");
    check(OpId::histc, {Value(make({5}, {1, 2, 1, 3, 9}, dtype)), Value(4)}, "histc of all");
  }
  expect_no_fallback();
}

}  // namespace
}  // namespace nns::tests
