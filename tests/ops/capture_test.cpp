// Every op, with its gradients, captured and replayed on other values: the bits are those of the plain calls. The list
// of ops is walked, so that a new op cannot be forgotten.
#include "core/tensor/capture.h"

#include <algorithm>
#include <functional>

#include "core/autograd/engine.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using object::PyResult;
using ops::OpInfo;
using Bits = std::vector<std::byte>;

/// Ops whose results have a shape that values decide, or that read values to know what to do.
bool reads_values(OpId id) {
  switch (id) {
    case OpId::nonzero:
    case OpId::quantile:
    case OpId::nanquantile:
    case OpId::cumprod:
    // They look whether each matrix has a factor, an inverse or a rank.
    case OpId::linalg_lu_factor:
    case OpId::linalg_ldl_factor:
    case OpId::lu_with_info:
    case OpId::linalg_solve:
    case OpId::linalg_inv:
    case OpId::inverse:
    case OpId::linalg_cholesky:
    case OpId::cholesky:
    case OpId::linalg_tensorinv:
    case OpId::linalg_tensorsolve:
    case OpId::linalg_matrix_power:
    case OpId::matrix_power:
    case OpId::linalg_lstsq:
    case OpId::linalg_vander:
      return true;
    default:
      return false;
  }
}

class OpCapture : public testing::TestWithParam<std::size_t> {
 public:
  Interpreter in;
  const OpInfo& info = ops::OpLibrary::of(in).info(static_cast<OpId>(GetParam()));

  /// The arguments with their floats in `dtype`, as leaves of their own.
  Arguments leaves(const Arguments& args, DType dtype) {
    Arguments made;
    for (const Value& value : args) {
      if (const auto* const tuple = value.as<object::Tuple>()) {
        made.emplace_back(in.tuple(leaves(Arguments(tuple->items().begin(), tuple->items().end()), dtype)));
      } else {
        made.push_back(leaf(value, dtype));
      }
    }
    return made;
  }
  Value leaf(const Value& value, DType dtype) {
    const Tensor* const given = value.as<Tensor>();
    if (given == nullptr || given->dtype() != DType::Float64) return value;
    const Ref<Tensor> made = tensor::empty(in, given->shape(), dtype);
    EXPECT_TRUE(tensor::copy_items(*made, *given).ok());
    EXPECT_TRUE(made->set_requires_grad(given->requires_grad()).ok());
    return Value(made);
  }
  static void for_each_tensor(const Arguments& args, const std::function<void(Tensor&)>& use) {
    for (const Value& value : args) {
      if (Tensor* const one = value.as<Tensor>()) use(*one);
      if (const auto* const tuple = value.as<object::Tuple>())
        for_each_tensor(Arguments(tuple->items().begin(), tuple->items().end()), use);
    }
  }
  /// The same floats in the opposite order: they stay where the op is defined.
  static void turn_around(const Arguments& args) {
    for_each_tensor(args, [](Tensor& one) {
      if (!tensor::is_floating(one.dtype()) || one.dtype() == DType::Float16) return;
      if (one.dtype() == DType::Float32) {
        auto* const items = reinterpret_cast<float*>(one.data());
        std::reverse(items, items + one.numel());
      } else {
        auto* const items = reinterpret_cast<double*>(one.data());
        std::reverse(items, items + one.numel());
      }
    });
  }

  /// What the op gives and, where it has gradients, those of a weighted sum of squares by all leaves.
  PyResult<std::vector<Ref<Tensor>>> run(const Arguments& args) {
    NNS_TRY_ASSIGN(const Value made, ops::call_op(in, info.id, args));
    std::vector<Ref<Tensor>> found;
    if (Tensor* const one = made.as<Tensor>()) found.emplace_back(one);
    if (const auto* const tuple = made.as<object::Tuple>()) {
      for (const Value& item : tuple->items()) {
        if (Tensor* const part = item.as<Tensor>()) found.emplace_back(part);
      }
    }
    if (has_no_gradient(info.id)) return found;
    ops::Term sum;
    const std::size_t outputs = std::min<std::size_t>(found.size(), info.bodies.differentiable_outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
      if (!found[i]->requires_grad()) continue;
      const ops::Term part = ops::apply(OpId::sum, {ops::square(ops::Term(found[i]))});
      sum = sum.is_none() ? part : sum + part;
    }
    NNS_TRY_ASSIGN(const Ref<Tensor> loss, std::move(sum).take());
    if (!loss) return found;
    std::vector<Ref<Tensor>> wanted;
    for_each_tensor(args, [&](Tensor& one) {
      if (one.requires_grad()) wanted.emplace_back(&one);
    });
    NNS_TRY_ASSIGN(const auto gradients, autograd::grad(in, {&loss, 1}, wanted, {}, {.allow_unused = true}));
    found.insert(found.end(), gradients.begin(), gradients.end());
    return found;
  }
  static std::vector<Bits> bits_of(const std::vector<Ref<Tensor>>& tensors) {
    std::vector<Bits> all;
    for (const Ref<Tensor>& one : tensors) {
      Bits& bits = all.emplace_back();
      if (!one) continue;
      const Ref<Tensor> packed = tensor::clone(*one);
      bits.assign(packed->data(), packed->data() + packed->nbytes());
    }
    return all;
  }
  void seed() { tensor::TensorLibrary::of(in).generator.seed_with(3); }

  void check(const Arguments& sample, DType dtype) {
    const Arguments args = leaves(sample, dtype);
    turn_around(args);
    seed();
    const auto plain = run(args);
    // Ops of whole numbers refuse floats, some of them one of the two dtypes.
    if (!plain.ok()) return;
    const std::vector<Bits> wanted = bits_of(plain.value());
    turn_around(args);
    tensor::Capture capture(in);
    PyResult<std::vector<Ref<Tensor>>> made = std::vector<Ref<Tensor>>();
    {
      const tensor::Capture::Scope scope(capture);
      made = run(args);
    }
    ASSERT_TRUE(made.ok()) << made.error().message();
    if (!capture.refusal().empty()) {
      EXPECT_TRUE(reads_values(info.id)) << info.name << "." << info.overload << ": " << capture.refusal();
      return;
    }
    turn_around(args);
    seed();
    const auto replayed = capture.replay();
    ASSERT_TRUE(replayed.ok()) << replayed.error().message();
    EXPECT_EQ(bits_of(made.value()), wanted) << info.name << "." << info.overload;
  }
};

TEST_P(OpCapture, ReplayGivesTheBitsOfThePlainCall) {
  for (const Arguments& args : samples_of(in, info)) {
    check(args, DType::Float64);
    check(args, DType::Float32);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, OpCapture, testing::Range<std::size_t>(0, ops::kOps), name_of_op);

}  // namespace
}  // namespace nns::tests
