// Steps by gradients of layout torch.sparse_coo cost what the rows cost that were touched, not what the table does.
#include "core/autograd/engine.h"
#include "core/ops/sparse_items.h"
#include "core/ops/term.h"
#include "core/tensor/byte_pool.h"
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

constexpr std::int64_t kRows = 100000, kWidth = 16, kTouched = 8;

// Adds up the bytes of what ops give, of views none.
class ByteCounter final : public ops::OpObserver {
 public:
  void ran(const ops::OpCall& call) override {
    if (call.op.bodies.is_view) return;
    for (const Ref<Tensor>& output : call.outputs) bytes += output->nbytes();
  }
  std::uint64_t bytes = 0;
};

class SparseGradients : public OptimTest {
 protected:
  Ref<Tensor> table(std::int64_t rows) {
    return tensor::make_parameter(in, *tensor::ones(in, Dims({rows, kWidth}))).value();
  }
  // The gradient of the sum of some rows, which is left in weight->grad().
  void backward(const Ref<Tensor>& weight) {
    std::vector<double> names;
    for (std::int64_t i = 0; i < kTouched; ++i) names.push_back(static_cast<double>((i * i * 7919) % 1000));
    const Ref<Tensor> indices = tensor::from_values(in, Dims({kTouched}), names, DType::Int64);
    const ops::Term rows = ops::apply(OpId::embedding, {ops::Term(weight), ops::Term(indices), -1, false, true});
    const ops::Term loss = ops::apply(OpId::sum, {rows * rows});
    ASSERT_TRUE(loss.ok()) << loss.result().error().message();
    const Ref<Tensor> roots[] = {loss.ref()};
    const auto done = autograd::backward(in, roots, {});
    ASSERT_TRUE(done.ok()) << done.error().message();
    ASSERT_NE(weight->grad()->sparse(), nullptr);
  }
  // The bytes that ops make in forward, backward and step, after one step made the state.
  std::uint64_t bytes_of_step(std::string_view optimizer_name, const Keywords& keywords, std::int64_t rows) {
    const Ref<Tensor> weight = table(rows);
    const Ref<Optimizer> optimizer = make(optimizer_name, weight, keywords);
    backward(weight);
    step(*optimizer);
    weight->set_grad(nullptr);
    ByteCounter counter;
    ops::OpLibrary::of(in).observer = &counter;
    const std::size_t before = tensor::bytes_in_use().now;
    backward(weight);
    step(*optimizer);
    ops::OpLibrary::of(in).observer = nullptr;
    EXPECT_LT(tensor::bytes_in_use().now, before + 16 * kTouched * kWidth * sizeof(float)) << optimizer_name;
    return counter.bytes;
  }
};

TEST_F(SparseGradients, AStepCountsTheRowsThatWereTouched) {
  const std::pair<std::string_view, Keywords> kinds[] = {{"SGD", {{"lr", Value(0.1)}}},
                                                         {"SGD", {{"lr", Value(0.1)}, {"momentum", Value(0.9)}}},
                                                         {"Adagrad", {{"lr", Value(0.1)}}},
                                                         {"SparseAdam", {{"lr", Value(0.1)}}}};
  for (const auto& [name, keywords] : kinds) {
    const std::uint64_t of_few = bytes_of_step(name, keywords, 1000), of_many = bytes_of_step(name, keywords, kRows);
    EXPECT_EQ(of_few, of_many) << name;
    EXPECT_LT(of_many, static_cast<std::uint64_t>(40 * kTouched * kWidth) * sizeof(float)) << name;
  }
}

TEST_F(SparseGradients, TheGradientHoldsOnlyWhatWasTouched) {
  const Ref<Tensor> weight = table(kRows);
  backward(weight);
  const tensor::SparseParts& parts = *weight->grad()->sparse();
  EXPECT_EQ(parts.values->shape(), Dims({kTouched, kWidth}));
  EXPECT_EQ(parts.indices->shape(), Dims({1, kTouched}));
  backward(weight);
  EXPECT_LE(weight->grad()->sparse()->values->shape()[0], 2 * kTouched);
}

TEST_F(SparseGradients, ItemsAreAddedToDenseTensorsOfAnyOrderAndDtype) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::BFloat16, DType::Int32, DType::Complex64}) {
    const Ref<Tensor> indices = tensor::from_values(in, Dims({2, 3}), Numbers{0, 2, 0, 1, 0, 1}, DType::Int64);
    const Ref<Tensor> values = tensor::from_values(in, Dims({3, 2}), Numbers{1, 2, 3, 4, 5, 6}, dtype);
    const Ref<Tensor> sparse = tensor::make_sparse(in, Dims({3, 2, 2}), {indices, values, false});
    const Ref<Tensor> whole = tensor::zeros(in, Dims({2, 2, 3}), dtype);
    const Ref<Tensor> turned = tensor::transpose(*whole, 0, 2);
    ASSERT_TRUE(ops::add_sparse(*turned, *sparse, 2).ok());
    EXPECT_EQ(items(*turned), (Numbers{0, 0, 12, 16, 0, 0, 0, 0, 6, 8, 0, 0}));
    const auto dense = ops::dense_sum(*turned, *sparse, -2);
    ASSERT_TRUE(dense.ok());
    EXPECT_EQ(items(*dense.value()), Numbers(12, 0.0));
    const auto once = ops::coalesced(*sparse);
    ASSERT_TRUE(once.ok());
    EXPECT_EQ(items(*once.value()->sparse()->values), (Numbers{6, 8, 3, 4}));
    EXPECT_EQ(items(*once.value()->sparse()->indices), (Numbers{0, 2, 1, 0}));
  }
}

TEST_F(SparseGradients, APlaceBeyondTheShapeIsRefused) {
  const Ref<Tensor> indices = tensor::from_values(in, Dims({1, 1}), Numbers{7}, DType::Int64);
  const Ref<Tensor> values = tensor::ones(in, Dims({1, 2}));
  const Ref<Tensor> sparse = tensor::make_sparse(in, Dims({3, 2}), {indices, values, false});
  const Ref<Tensor> dense = tensor::zeros(in, Dims({3, 2}));
  for (const bool is_negative : {false, true}) {
    if (is_negative) tensor::fill_items(*indices, -1);
    EXPECT_FALSE(ops::add_sparse(*dense, *sparse).ok());
    EXPECT_FALSE(ops::dense_sum(*dense, *sparse).ok());
    EXPECT_FALSE(ops::items_at(*dense, *sparse).ok());
    EXPECT_FALSE(ops::sparse_sum(*sparse, *sparse).ok());
  }
}

}  // namespace
}  // namespace nns::optim::tests
