// Every op on every dtype that it takes, against the same op on float64 (for whole numbers: on int64, too), on strided
// inputs and on none at all. The list of ops is walked, so that a new op cannot be forgotten; what an op refuses it
// must refuse as PyTorch does, with an error that is not a crash.
#include <cmath>
#include <complex>

#include "core/ops/result_moments.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::OpInfo;
using Items = std::vector<std::complex<double>>;

/// What an op gave, output by output.
struct Outcome {
  bool is_error = false;
  std::string error_type;
  std::vector<DType> dtypes;
  std::vector<Items> outputs;
};

/// Random numbers have other streams in float and in double.
bool is_random(OpId id) { return id == OpId::rrelu_with_noise; }
/// What they give depends on how the input lies, or they refuse some ways.
bool depends_on_strides(OpId id) {
  return id == OpId::view || id == OpId::as_strided || id == OpId::view_as_complex ||
         // The factors that they give beside are those of the transposed matrix where that lies better.
         id == OpId::linalg_solve_parts || id == OpId::linalg_det_parts || id == OpId::linalg_slogdet_parts;
}

/// How far an item of this dtype may be from the exact one, beside it and beside 1.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return 1e-2;
    case DType::BFloat16:
      return 8e-2;
    case DType::Float32:
    case DType::Complex64:
      return 2e-5;
    default:
      return 1e-9;
  }
}

class OpDtype : public OpFixture, public testing::WithParamInterface<std::size_t> {
 public:
  const OpInfo& info = ops::OpLibrary::of(in).info(static_cast<OpId>(GetParam()));

  /// The float64 tensors among the arguments made anew by `change`; numbers, places and masks stay.
  template <class Change>
  Arguments changed(const Arguments& args, Change change) {
    const auto one = [&](const Value& value) -> Value {
      const Tensor* const tensor = value.as<Tensor>();
      if (tensor == nullptr || tensor->dtype() != DType::Float64) return value;
      return Value(change(*tensor));
    };
    Arguments made;
    for (const Value& value : args) {
      const auto* const tuple = value.as<object::Tuple>();
      if (tuple == nullptr) {
        made.push_back(one(value));
        continue;
      }
      std::vector<Value> items;
      for (const Value& item : tuple->items()) items.push_back(one(item));
      made.emplace_back(in.tuple(std::move(items)));
    }
    return made;
  }
  /// The numbers as `dtype` holds them, in a tensor of `kept`. Of whole dtypes: four times as large and rounded, and
  /// numbers beside tensors cut down to whole ones, as PyTorch does.
  Arguments in_dtype(Arguments args, DType dtype, DType kept) {
    if (tensor::is_integral(dtype)) {
      for (Value& value : args) {
        if (value.is_float()) value = Value(std::trunc(value.as_float()));
      }
    }
    return changed(args, [&](const Tensor& tensor) {
      Numbers values = items(tensor);
      if (tensor::is_integral(dtype)) {
        for (double& value : values) {
          value = std::round(value * 4);
          if (dtype == DType::UInt8) value = std::abs(value);
          if (dtype == DType::Bool) value = value > 2 ? 1 : 0;
        }
      }
      const Ref<Tensor> rounded = make(tensor.shape(), values, dtype);
      if (kept == dtype) return rounded;
      const Ref<Tensor> made = tensor::empty(in, tensor.shape(), kept);
      EXPECT_TRUE(tensor::copy_items(*made, *rounded).ok());
      return made;
    });
  }

  static Items items_of(const Tensor& tensor) {
    Items found;
    const std::size_t bytes = tensor::item_bytes(tensor.dtype());
    tensor::for_each_place(tensor, [&](std::int64_t place) {
      const std::byte* const at = tensor.storage()->data() + static_cast<std::size_t>(place) * bytes;
      std::complex<double> item;
      if (tensor::is_complex(tensor.dtype())) {
        ops::load_items(tensor.dtype(), at, 0, 1, ops::Compute::ComplexDouble, &item);
      } else {
        item = tensor::read_double(tensor, place);
      }
      found.push_back(item);
    });
    return found;
  }
  /// What the op found of its result while it wrote it.
  static void expect_moments_of(const Tensor& result, const ops::Moments& found) {
    const ops::Moments want = ops::moments_of(result).value();
    EXPECT_EQ(found.finite(), want.finite());
    EXPECT_EQ(found.zeros, want.zeros);
    EXPECT_EQ(found.low, want.low);
    EXPECT_EQ(found.high, want.high);
    EXPECT_NEAR(found.square, want.square, 1e-5 * want.square);
  }
  Outcome outcome_of(const Arguments& args) {
    Outcome outcome;
    tensor::TensorLibrary::of(in).generator.seed_with(1);
    const ops::GradModeGuard no_grad(in, false);
    ops::ResultMoments moments;
    ops::OpLibrary::of(in).result_moments = &moments;
    const auto made = ops::call_op(in, info.id, args);
    ops::OpLibrary::of(in).result_moments = nullptr;
    if (!made.ok()) {
      outcome.is_error = true;
      outcome.error_type = made.error().type();
      return outcome;
    }
    const auto add = [&](const Value& value) {
      const Tensor* const one = value.as<Tensor>();
      if (one == nullptr) return;
      if (const ops::Moments* const found = moments.of(*one)) expect_moments_of(*one, *found);
      outcome.dtypes.push_back(one->dtype());
      outcome.outputs.push_back(items_of(*one));
    };
    if (const auto* const tuple = made.value().as<object::Tuple>()) {
      for (const Value& item : tuple->items()) add(item);
    } else {
      add(made.value());
    }
    return outcome;
  }

  static bool is_near(std::complex<double> got, std::complex<double> want, double tolerance) {
    const auto part = [&](double a, double b) {
      if (std::isnan(b) || std::isnan(a)) return std::isnan(a) && std::isnan(b);
      if (std::isinf(b) || std::isinf(a)) return a == b;
      return std::abs(a - b) <= tolerance * (1 + std::abs(b));
    };
    return part(got.real(), want.real()) && part(got.imag(), want.imag());
  }
  /// Whether a whole number is what a fraction is cut down or rounded to, less what does not fit into the dtype.
  static bool is_whole_of(double got, double exact, DType dtype) {
    if (!std::isfinite(exact)) return true;
    const double range = std::ldexp(1.0, 8 * static_cast<int>(tensor::item_bytes(dtype)));
    for (const double whole : {std::trunc(exact), std::floor(exact + 0.5), std::ceil(exact - 0.5)}) {
      if (std::fmod(got - whole, range) == 0) return true;
    }
    return false;
  }
  void expect_same(const Outcome& got, const Outcome& want, double tolerance, const std::string& what) {
    ASSERT_EQ(got.outputs.size(), want.outputs.size()) << what;
    for (std::size_t k = 0; k < got.outputs.size(); ++k) {
      ASSERT_EQ(got.outputs[k].size(), want.outputs[k].size()) << what << ", output " << k;
      const double allowed = std::max(tolerance, tolerance_of(got.dtypes[k]));
      for (std::size_t i = 0; i < got.outputs[k].size(); ++i) {
        const std::complex<double> exact = want.outputs[k][i];
        if (tensor::is_integral(got.dtypes[k]) && is_whole_of(got.outputs[k][i].real(), exact.real(), got.dtypes[k])) {
          continue;
        }
        EXPECT_TRUE(is_near(got.outputs[k][i], exact, allowed))
            << what << ", output " << k << ", item " << i << ": " << got.outputs[k][i] << " and not " << exact;
      }
    }
  }
  void expect_refusal(const Outcome& outcome, const std::string& what) {
    EXPECT_TRUE(outcome.error_type == "RuntimeError" || outcome.error_type == "NotImplementedError" ||
                outcome.error_type == "TypeError" || outcome.error_type == "ValueError" ||
                outcome.error_type == "IndexError")
        << what << ": " << outcome.error_type;
  }
};

class OpNumbers : public OpDtype {};
class OpOnStrides : public OpDtype {};
class OpOfItems : public OpDtype {};

TEST_P(OpNumbers, GivesWhatFloat64Gives) {
  for (const Arguments& args : samples_of(in, info)) {
    for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16, DType::Int64, DType::Int32, DType::Int16,
                              DType::Int8, DType::UInt8, DType::Bool}) {
      const std::string what = info.name + " on " + std::string(tensor::info(dtype).torch_name);
      const Outcome got = outcome_of(in_dtype(args, dtype, dtype));
      if (got.is_error) {
        expect_refusal(got, what);
        continue;
      }
      const Outcome wide = outcome_of(in_dtype(args, dtype, DType::Float64));
      // What only whole numbers have is compared with the widest of them.
      const bool is_bool = dtype == DType::Bool;
      if (!wide.is_error && !is_bool) {
        expect_same(got, wide, tolerance_of(dtype), what);
      } else if (!is_bool) {
        expect_same(got, outcome_of(in_dtype(args, dtype, DType::Int64)), 0, what);
      }
    }
  }
}

TEST_P(OpNumbers, GivesOnComplex64WhatComplex128Gives) {
  for (const Arguments& args : samples_of(in, info)) {
    const Outcome got = outcome_of(in_dtype(args, DType::Complex64, DType::Complex64));
    const Outcome wide = outcome_of(in_dtype(args, DType::Complex64, DType::Complex128));
    ASSERT_EQ(got.is_error, wide.is_error) << info.name;
    if (got.is_error)
      expect_refusal(got, info.name);
    else
      expect_same(got, wide, tolerance_of(DType::Complex64), info.name);
  }
}

TEST_P(OpOnStrides, DoesNotAskHowItemsLie) {
  for (const Arguments& args : samples_of(in, info)) {
    const Arguments spread = changed(
        args, [&](const Tensor& tensor) { return tensor.ndim() == 0 ? tensor::clone(tensor) : scattered(tensor); });
    const Outcome got = outcome_of(spread), want = outcome_of(args);
    ASSERT_EQ(got.is_error, want.is_error) << info.name;
    if (!got.is_error) expect_same(got, want, 1e-12, info.name);
  }
}

TEST_P(OpOfItems, TakesNoItemsAtAll) {
  for (const Arguments& args : samples_of(in, info)) {
    const auto without_items = [&](DType dtype) {
      return changed(in_dtype(args, DType::Float64, DType::Float64), [&](const Tensor& tensor) {
        return tensor.ndim() == 0 ? tensor::clone(tensor) : tensor::empty(in, Dims({0, 3}), dtype);
      });
    };
    const Arguments none = without_items(DType::Float64);
    bool has_places = false;
    for (const Value& value : none) {
      const Tensor* const one = value.as<Tensor>();
      has_places = has_places || (one != nullptr && one->dtype() != DType::Float64);
    }
    if (has_places) continue;
    Outcome got = outcome_of(none);
    if (got.is_error) got = outcome_of(without_items(DType::Int64));
    ASSERT_FALSE(got.is_error) << info.name << ": " << got.error_type;
    for (const Items& items : got.outputs) EXPECT_TRUE(items.empty()) << info.name;
  }
}

// An op that refused all would be tested by none of this.
TEST_P(OpDtype, TakesSomeDtype) {
  const std::vector<Arguments> all = samples_of(in, info);
  bool is_taken = all.empty();
  for (const Arguments& args : all) {
    for (const DType dtype : {DType::Float64, DType::Int64, DType::Complex128}) {
      is_taken = is_taken || !outcome_of(in_dtype(args, dtype, dtype)).is_error;
    }
  }
  EXPECT_TRUE(is_taken) << info.name << ": needs a sample of its own";
}

template <class Test>
std::vector<std::size_t> ops_that(Test test) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < ops::kOps; ++i) {
    if (test(all_ops()[i])) found.push_back(i);
  }
  return found;
}
INSTANTIATE_TEST_SUITE_P(Ops, OpDtype, testing::ValuesIn(ops_that([](const OpInfo&) { return true; })), name_of_op);
INSTANTIATE_TEST_SUITE_P(Ops, OpNumbers,
                         testing::ValuesIn(ops_that([](const OpInfo& one) { return !is_random(one.id); })), name_of_op);
INSTANTIATE_TEST_SUITE_P(Ops, OpOnStrides,
                         testing::ValuesIn(ops_that([](const OpInfo& one) { return !depends_on_strides(one.id); })),
                         name_of_op);
INSTANTIATE_TEST_SUITE_P(Ops, OpOfItems,
                         testing::ValuesIn(ops_that([](const OpInfo& one) { return one.bodies.is_elementwise; })),
                         name_of_op);

}  // namespace
}  // namespace nns::tests
