// Ops x dtypes x shapes x layouts on the GPU against the CPU, whose floating sums are made in float64.
#include <functional>

#include "core/autograd/engine.h"
#include "tests/cuda/op_check.h"

namespace nns::tests {
namespace {

using tensor::Device;

const std::vector<Dims> kShapes = {{}, {1}, {7}, {0}, {3, 0, 2}, {33, 65}, {2, 3, 4, 5}, {257, 1031}};
const std::vector<DType> kNumbers = {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64,
                                     DType::Int64,   DType::Int32,    DType::UInt8};

using CudaOps = CudaOpFixture;

TEST_F(CudaOps, OfOneInputAgree) {
  struct Row {
    OpId id;
    double low = -2, high = 2;
    bool takes_whole_numbers = false;
  };
  const std::vector<Row> rows = {{OpId::neg, -2, 2, true},
                                 {OpId::abs, -2, 2, true},
                                 {OpId::sign, -2, 2, true},
                                 {OpId::square, -2, 2, true},
                                 {OpId::exp},
                                 {OpId::exp2},
                                 {OpId::expm1},
                                 {OpId::log, 0.1, 3},
                                 {OpId::log2, 0.1, 3},
                                 {OpId::log10, 0.1, 3},
                                 {OpId::log1p, -0.5, 3},
                                 {OpId::sqrt, 0, 3},
                                 {OpId::rsqrt, 0.2, 3},
                                 {OpId::reciprocal, 0.3, 3},
                                 {OpId::sin},
                                 {OpId::cos},
                                 {OpId::tan, -1, 1},
                                 {OpId::asin, -0.9, 0.9},
                                 {OpId::acos, -0.9, 0.9},
                                 {OpId::atan},
                                 {OpId::sinh},
                                 {OpId::cosh},
                                 {OpId::tanh},
                                 {OpId::asinh},
                                 {OpId::acosh, 1.2, 3},
                                 {OpId::atanh, -0.8, 0.8},
                                 {OpId::erf},
                                 {OpId::erfc},
                                 {OpId::sigmoid},
                                 {OpId::floor},
                                 {OpId::ceil},
                                 {OpId::round},
                                 {OpId::trunc},
                                 {OpId::frac},
                                 {OpId::isnan},
                                 {OpId::isinf},
                                 {OpId::isfinite},
                                 {OpId::logical_not, -2, 2, true},
                                 {OpId::relu, -2, 2, true},
                                 {OpId::leaky_relu},
                                 {OpId::elu},
                                 {OpId::selu},
                                 {OpId::celu},
                                 {OpId::silu},
                                 {OpId::mish},
                                 {OpId::gelu},
                                 {OpId::softplus},
                                 {OpId::logsigmoid},
                                 {OpId::hardtanh},
                                 {OpId::hardsigmoid},
                                 {OpId::hardswish},
                                 {OpId::hardshrink},
                                 {OpId::softshrink}};
  for (const Row& row : rows) {
    for (const Dims& shape : kShapes) {
      if (is_too_large(shape)) continue;
      for (const DType dtype : row.takes_whole_numbers ? kNumbers : kFloats) {
        for (const bool is_scattered : {false, true}) {
          check(row.id, {Value(layout(is_scattered, random(shape, dtype, row.low, row.high)))},
                name(row.id, dtype, shape, is_scattered ? "scattered" : "dense"));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(CudaOps, OfTwoInputsAgree) {
  struct Row {
    OpId id;
    bool takes_whole_numbers = true;
    double low = -2;
  };
  const std::vector<Row> rows = {{OpId::add},
                                 {OpId::sub},
                                 {OpId::mul},
                                 {OpId::div, false, 0.3},
                                 {OpId::maximum},
                                 {OpId::minimum},
                                 {OpId::pow, false, 0.3},
                                 {OpId::atan2, false},
                                 {OpId::fmod, false, 0.3},
                                 {OpId::eq},
                                 {OpId::ne},
                                 {OpId::lt},
                                 {OpId::le},
                                 {OpId::gt},
                                 {OpId::ge},
                                 {OpId::logical_and},
                                 {OpId::logical_or},
                                 {OpId::logical_xor}};
  struct Shapes {
    Dims a, b;
  };
  const std::vector<Shapes> shapes = {{{}, {}},
                                      {{7}, {}},
                                      {{33, 65}, {65}},
                                      {{33, 1}, {1, 65}},
                                      {{2, 3, 4}, {3, 1}},
                                      {{0, 3}, {1, 3}},
                                      {{129, 515}, {129, 515}}};
  for (const Row& row : rows) {
    for (const Shapes& shape : shapes) {
      if (is_too_large(shape.a)) continue;
      for (const DType dtype : row.takes_whole_numbers ? kNumbers : kFloats) {
        for (const bool is_scattered : {false, true}) {
          const Ref<Tensor> a = layout(is_scattered, random(shape.a, dtype, row.low));
          const Ref<Tensor> b = layout(is_scattered, random(shape.b, dtype, row.low));
          // fmod and the comparisons of rounded numbers are exact; pow of 16-bit numbers is what it is.
          check(row.id, {Value(a), Value(b)}, name(row.id, dtype, shape.a, is_scattered ? "scattered" : "dense"), 2);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(CudaOps, PromoteTheirInputsAndTakeNumbers) {
  for (const DType a : {DType::Float32, DType::BFloat16, DType::Int32, DType::Bool, DType::Float64}) {
    for (const DType b : {DType::Float32, DType::Float16, DType::UInt8, DType::Int64}) {
      const Ref<Tensor> x = random({5, 9}, a), y = random({9}, b);
      const auto here = ops::call_op(in, OpId::add, {Value(x), Value(y)});
      const auto there = ops::call_op(in, OpId::add, {Value(moved(*x)), Value(moved(*y))});
      ASSERT_TRUE(here.ok() && there.ok());
      EXPECT_EQ(there.value().as<Tensor>()->dtype(), here.value().as<Tensor>()->dtype());
      expect_close(shown(*there.value().as<Tensor>()), items(*here.value().as<Tensor>()),
                   tolerance(here.value().as<Tensor>()->dtype()), "add");
    }
    check(OpId::mul, {Value(random({33}, a)), Value(3)}, "mul by a number");
    check(OpId::ge, {Value(random({33}, a)), Value(0.5)}, "ge than a number");
  }
  check(OpId::add, {Value(random({4, 4}, DType::Float32)), Value(random({4}, DType::Float32)), Value(-1.5)}, "alpha");
  check(OpId::pow, {Value(random({40}, DType::Float32)), Value(3)}, "cubes");
  check(OpId::floor_divide, {Value(random({40}, DType::Int64)), Value(-3)}, "floor of quotients");
  check(OpId::remainder, {Value(random({40}, DType::Int64)), Value(3)}, "remainders");
}

TEST_F(CudaOps, OfSeveralInputsAgree) {
  for (const DType dtype : kFloats) {
    for (const Dims& shape : {Dims({6}), Dims({31, 17}), Dims({0})}) {
      const Value x(random(shape, dtype)), y(random(shape, dtype)), z(random(shape, dtype, 0.5, 2));
      const Value mask(random(shape, DType::Bool));
      check(OpId::where, {mask, x, y}, name(OpId::where, dtype, shape));
      check(OpId::where, {mask, x, Value(0)}, name(OpId::where, dtype, shape));
      check(OpId::masked_fill, {x, mask, Value(2.5)}, name(OpId::masked_fill, dtype, shape));
      check(OpId::clamp, {x, Value(-0.5), Value(0.75)}, name(OpId::clamp, dtype, shape));
      check(OpId::clamp, {x, Value(), y}, name(OpId::clamp, dtype, shape));
      check(OpId::lerp, {x, y, Value(0.3)}, name(OpId::lerp, dtype, shape), 4);
      check(OpId::addcmul, {x, y, z, Value(0.5)}, name(OpId::addcmul, dtype, shape), 4);
      check(OpId::addcdiv, {x, y, z, Value(0.5)}, name(OpId::addcdiv, dtype, shape), 4);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaOps, ReductionsAgree) {
  struct Row {
    OpId id;
    Arguments rest;
    bool takes_whole_numbers = false;
    bool takes_empty = true;
  };
  const Value first = ints({0}), last = ints({-1}), both = ints({0, 1});
  const std::vector<Row> rows = {{OpId::sum, {}, true},
                                 {OpId::mean, {}},
                                 {OpId::norm, {}},
                                 {OpId::norm, {Value(1)}},
                                 {OpId::norm, {Value(HUGE_VAL)}, false, false},
                                 {OpId::norm, {Value(2), last}},
                                 {OpId::max, {}, true, false},
                                 {OpId::min, {}, true, false},
                                 {OpId::sum_dim, {first}, true},
                                 {OpId::sum_dim, {last, Value(true)}, true},
                                 {OpId::mean_dim, {both}},
                                 {OpId::mean_dim, {last}},
                                 {OpId::amax, {last}, true, false},
                                 {OpId::amin, {first}, true, false},
                                 {OpId::var, {last}, false, false},
                                 {OpId::std, {first}, false, false},
                                 {OpId::logsumexp, {last}, false, false},
                                 {OpId::max_dim, {Value(-1)}, true, false},
                                 {OpId::min_dim, {Value(0)}, true, false},
                                 {OpId::argmax, {}, true, false},
                                 {OpId::argmin, {Value(1)}, true, false},
                                 {OpId::any, {last}, true},
                                 {OpId::all, {first}, true},
                                 {OpId::count_nonzero, {last}, true}};
  for (const Row& row : rows) {
    for (const Dims& shape : {Dims({3, 2}), Dims({129, 67}), Dims({5, 4099}), Dims({2051, 3}), Dims({4, 0}),
                              Dims({6, 7, 33}), Dims({1, 300001})}) {
      if ((tensor::element_count(shape) == 0 && !row.takes_empty) || is_too_large(shape, 9000)) continue;
      for (const DType dtype : row.takes_whole_numbers ? kNumbers : kFloats) {
        for (const bool is_scattered : {false, true}) {
          Arguments args = {Value(layout(is_scattered, random(shape, dtype)))};
          args.insert(args.end(), row.rest.begin(), row.rest.end());
          check(row.id, args, name(row.id, dtype, shape, is_scattered ? "scattered" : "dense"), 4);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  check(OpId::prod_dim, {Value(random({40, 5}, DType::Float32, 0.8, 1.2)), Value(0)}, "prod", 4);
}

TEST_F(CudaOps, NaNGoesThroughReductionsAsOnTheCpu) {
  const double nan = std::nan("");
  for (const Numbers& values : {Numbers{1, nan, 3}, Numbers{nan, nan, 2}, Numbers{-HUGE_VAL, 2, HUGE_VAL}}) {
    const Value x(make({3}, values));
    for (const OpId id : {OpId::max, OpId::min, OpId::sum, OpId::argmax, OpId::argmin}) {
      check(id, {x}, ops::OpLibrary::of(in).info(id).name);
    }
    check(OpId::softmax_same, {x, Value(0)}, "softmax");
  }
}

TEST_F(CudaOps, SoftmaxAgrees) {
  for (const OpId id : {OpId::softmax_same, OpId::log_softmax_same}) {
    for (const Dims& shape : {Dims({}), Dims({1}), Dims({5, 3}), Dims({65, 1000}), Dims({9, 601}), Dims({3, 50257}),
                              Dims({40, 7, 33}), Dims({0, 4})}) {
      if (is_too_large(shape, 6000)) continue;
      for (const DType dtype : kFloats) {
        for (const int dim : {0, -1}) {
          check(id, {Value(layout(dim == 0, random(shape, dtype, -6, 6))), Value(dim)}, name(id, dtype, shape), 8);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(CudaOps, LayerNormAgrees) {
  for (const Dims& shape : {Dims({1, 1}), Dims({7, 5}), Dims({65, 768}), Dims({300, 33}), Dims({2, 3, 257})}) {
    if (is_too_large(shape, 3000)) continue;
    const std::int64_t width = shape[shape.size() - 1];
    for (const DType dtype : kFloats) {
      for (const bool has_parameters : {false, true}) {
        if (width == 1 && tensor::item_bytes(dtype) == 2) continue;  // rstd of 316 makes noise of the last bit
        const Value weight = has_parameters ? Value(random({width}, dtype)) : Value();
        const Value bias = has_parameters ? Value(random({width}, dtype)) : Value();
        check(OpId::native_layer_norm, {Value(random(shape, dtype)), ints({width}), weight, bias, Value(1e-5)},
              name(OpId::native_layer_norm, dtype, shape), 8);
        if (HasFatalFailure()) return;
      }
    }
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      Dims small = shape;
      small[shape.size() - 1] = 1;
      check(OpId::native_layer_norm_backward,
            {Value(random(shape, dtype)), Value(random(shape, dtype)), ints({width}), Value(random(small, dtype)),
             Value(random(small, dtype, 0.5, 2)), Value(random({width}, dtype))},
            name(OpId::native_layer_norm_backward, dtype, shape), 64);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaOps, EmbeddingAgrees) {
  for (const DType dtype : kFloats) {
    for (const std::int64_t width : {1, 7, 64, 300}) {
      const Ref<Tensor> table = random({50, width}, dtype);
      Numbers chosen;
      for (int i = 0; i < 129; ++i) chosen.push_back(static_cast<double>(source() % 50));
      for (const DType index : {DType::Int64, DType::Int32}) {
        const Value indices(make({3, 43}, chosen, index));
        check(OpId::embedding, {Value(table), indices}, name(OpId::embedding, dtype, {50, width}));
        check(OpId::embedding_dense_backward,
              {Value(random({3, 43, width}, dtype)), indices, Value(50), Value(3), Value(false)},
              name(OpId::embedding_dense_backward, dtype, {50, width}), 8);
        check(OpId::embedding_dense_backward,
              {Value(random({3, 43, width}, dtype)), indices, Value(50), Value(-1), Value(true)}, "by frequency", 8);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaOps, AnIndexThatIsNotThereIsAnErrorAtTheNextReadAndTheProgramGoesOn) {
  const Value table(moved(*random({4, 8}, DType::Float32)));
  const Ref<Tensor> rows = made(OpId::embedding, {table, Value(moved(*make({2}, {1, 9}, DType::Int64)))});
  const auto read = tensor::on_host(*rows);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().type(), "AcceleratorError");
  EXPECT_NE(read.error().message().find("embedding"), std::string::npos);
  EXPECT_TRUE(tensor::on_host(*made(OpId::embedding, {table, Value(moved(*make({2}, {1, 3}, DType::Int64)))})).ok());
}

TEST_F(CudaOps, LossesOfClassesAgree) {
  for (const DType dtype : kFloats) {
    for (const Dims& shape : {Dims({5, 3}), Dims({65, 1000}), Dims({6, 300}), Dims({3, 7, 11}), Dims({9})}) {
      if (is_too_large(shape)) continue;
      const std::int64_t classes = shape.size() == 1 ? shape[0] : shape[1];
      std::vector<std::int64_t> of_targets(shape.begin(), shape.end());
      of_targets.erase(of_targets.begin() + (shape.size() == 1 ? 0 : 1));
      Numbers chosen;
      for (std::int64_t i = 0; i < tensor::element_count(Dims(of_targets)); ++i) {
        chosen.push_back(i % 4 == 1 ? -100 : static_cast<double>(source() % static_cast<std::uint32_t>(classes)));
      }
      const Value x(random(shape, dtype)), targets(make(Dims(of_targets), chosen, DType::Int64));
      const Value weight(random({classes}, dtype, 0.5, 1.5));
      for (const int reduction : {0, 1, 2}) {
        for (const double smoothing : {0.0, 0.1}) {
          const std::string what =
              fmt::format("{} {} {}", name(OpId::cross_entropy_fused, dtype, shape), reduction, smoothing);
          check(OpId::cross_entropy_fused, {x, targets, weight, Value(reduction), Value(-100), Value(smoothing)}, what,
                16);
          check(OpId::cross_entropy_fused, {x, targets, Value(), Value(reduction), Value(-100), Value(smoothing)}, what,
                16);
          check(OpId::class_loss_shares, {x, targets, weight, Value(reduction), Value(-100), Value(smoothing)}, what,
                4);
          if (HasFatalFailure()) return;
        }
        check(OpId::nll_loss_forward, {x, targets, weight, Value(reduction), Value(-100)}, "nll", 16);
      }
    }
  }
}

TEST_F(CudaOps, ProductsAgree) {
  struct Sizes {
    std::int64_t m, k, n;
  };
  for (const DType dtype : kFloats) {
    for (const Sizes& size : {Sizes{1, 1, 1}, Sizes{5, 3, 7}, Sizes{64, 64, 64}, Sizes{33, 129, 65}, Sizes{0, 4, 3},
                              Sizes{4, 0, 3}, Sizes{128, 300, 256}}) {
      if (is_too_large({size.m, size.k, size.n}, 100000)) continue;
      // A layout for each operand: rows, columns, neither.
      for (const int layout_of_a : {0, 1, 2}) {
        for (const int layout_of_b : {0, 1, 2}) {
          const auto matrix = [&](std::int64_t rows, std::int64_t columns, int how) {
            const Ref<Tensor> dense = random(how == 1 ? Dims({columns, rows}) : Dims({rows, columns}), dtype, -1, 1);
            return Value(how == 0 ? dense : how == 1 ? tensor::transpose(*dense, 0, 1) : scattered(*dense));
          };
          const Value a = matrix(size.m, size.k, layout_of_a), b = matrix(size.k, size.n, layout_of_b);
          const double extra = 2 + std::sqrt(static_cast<double>(size.k));
          check(OpId::mm, {a, b}, name(OpId::mm, dtype, {size.m, size.k, size.n}), extra);
          check(OpId::addmm, {Value(random({size.n}, dtype)), a, b}, name(OpId::addmm, dtype, {size.m, size.k, size.n}),
                extra);
          if (HasFatalFailure()) return;
        }
      }
      const Value whole(random({size.m, size.n}, dtype));
      const Value a(random({size.m, size.k}, dtype)), b(random({size.k, size.n}, dtype));
      check(OpId::addmm, {whole, a, b, Value(0.5), Value(-2)}, "addmm with factors", 40);
      check(OpId::bmm, {Value(random({3, size.m, size.k}, dtype)), Value(random({3, size.k, size.n}, dtype))}, "bmm",
            40);
      check(OpId::dot, {Value(random({size.k}, dtype)), Value(random({size.k}, dtype))}, "dot", 40);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(error(OpId::mm, {Value(moved(*random({2, 2}, DType::Int64))), Value(moved(*random({2, 2}, DType::Int64)))}),
            "NotImplementedError: \"addmm_cuda\" not implemented for 'Long'");
}

TEST_F(CudaOps, CopiesConvertAndFollowStrides) {
  for (const DType from : kNumbers) {
    for (const DType to :
         {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int64, DType::UInt8, DType::Bool}) {
      const Ref<Tensor> x = random({31, 33}, from, to == DType::UInt8 ? 0 : -2, 2);
      const Ref<Tensor> expected = on(Device::Cpu, *x, to);
      expect_close(shown(*on(Device::Cuda, *moved(*scattered(*x)), to)), items(*expected), 0, "conversion");
      if (HasFatalFailure()) return;
    }
  }
  for (const DType dtype : {DType::Complex64, DType::Complex128, DType::Int8, DType::Float8E4M3FN}) {
    const Ref<Tensor> x = scattered(*whole_numbers({5, 7}, 3, dtype));
    EXPECT_TRUE(tensor::equal(*x, *moved(*x))) << tensor::info(dtype).torch_name;
  }
  const Ref<Tensor> filled = tensor::full(in, {5, 3}, 2.5, DType::Complex128, Device::Cuda);
  EXPECT_EQ(shown(*filled), Numbers(15, 2.5));
}

TEST_F(CudaOps, GradientsAgree) {
  struct Row {
    std::string what;
    std::function<ops::Term(const ops::Term&)> formula;
  };
  const auto of = [](OpId id, std::initializer_list<ops::TermArgument> rest = {}) {
    std::vector<Value> values;
    for (const ops::TermArgument& one : rest) values.push_back(one.value());
    return [id, values](const ops::Term& x) -> ops::Term {
      std::vector<Value> args = {Value(x.ref())};
      args.insert(args.end(), values.begin(), values.end());
      return ops::call_tensor_op(x.tensor().interpreter(), id, args);
    };
  };
  const std::vector<Row> rows = {
      {"tanh", of(OpId::tanh)},
      {"sigmoid", of(OpId::sigmoid)},
      {"relu", of(OpId::relu)},
      {"gelu", of(OpId::gelu)},
      {"silu", of(OpId::silu)},
      {"exp", of(OpId::exp)},
      {"softmax", of(OpId::softmax_same, {-1})},
      {"log_softmax", of(OpId::log_softmax_same, {1})},
      {"mean", of(OpId::mean_dim, {1, true})},
      {"norm", of(OpId::norm)},
      {"var", of(OpId::var)},
      {"amax", of(OpId::amax)},
      {"product", [](const ops::Term& x) { return ops::matmul(x, ops::apply(OpId::t, {x})); }},
      {"quotient", [](const ops::Term& x) { return x / (ops::square(x) + 1); }}};
  for (const Row& row : rows) {
    const Ref<Tensor> x = random({17, 33}, DType::Float32);
    Numbers gradients[2];
    for (const Device device : {Device::Cpu, Device::Cuda}) {
      const Ref<Tensor> leaf = on(device, *tensor::clone(*x), device == Device::Cpu ? DType::Float64 : DType::Float32);
      ASSERT_TRUE(leaf->set_requires_grad(true).ok());
      const ops::Term loss = ops::apply(OpId::sum, {ops::square(row.formula(ops::Term(leaf)))});
      ASSERT_TRUE(loss.ok()) << row.what << ": " << loss.result().error().message();
      const auto done = autograd::backward(in, std::array{loss.ref()}, std::array{Ref<Tensor>()});
      ASSERT_TRUE(done.ok()) << row.what << ": " << done.error().message();
      gradients[device == Device::Cuda ? 1 : 0] = shown(*leaf->grad());
    }
    expect_close(gradients[1], gradients[0], 2e-4, row.what);
  }
}

TEST_F(CudaOps, NoRoomSaysWhatHoldsTheMemoryAndTheProgramGoesOn) {
  const Value a(moved(*random({1024}, DType::Float32)));
  const Ref<Tensor> held = made(OpId::add, {a, Value(1)});
  const auto large = tensor::try_empty(in, {std::int64_t{1} << 44U}, DType::Float32, Device::Cuda);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().type(), "OutOfMemoryError");
  EXPECT_NE(large.error().message().find("made by add"), std::string::npos) << large.error().message();
  EXPECT_TRUE(tensor::on_host(*made(OpId::add, {a, Value(2)})).ok());
}

}  // namespace
}  // namespace nns::tests
