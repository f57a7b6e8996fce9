#include "core/parallel/bucket_assignment.h"

#include <gtest/gtest.h>

namespace nns::tests {
namespace {

using parallel::assign_buckets;
using Buckets = std::vector<std::vector<std::size_t>>;

std::vector<object::Ref<tensor::Tensor>> tensors(object::Interpreter& in, const std::vector<std::int64_t>& counts) {
  std::vector<object::Ref<tensor::Tensor>> made;
  for (const std::int64_t count : counts) made.push_back(tensor::zeros(in, tensor::Dims({count})));
  return made;
}

TEST(AssignBuckets, ClosesABucketWithTheTensorThatReachesItsLimit) {
  object::Interpreter in;
  const std::vector<std::int64_t> limits{40};
  EXPECT_EQ(assign_buckets(tensors(in, {1, 1, 100, 1}), limits).buckets, (Buckets{{0, 1, 2}, {3}}));
}

TEST(AssignBuckets, MovesThroughTheLimitsAndStaysAtTheLast) {
  object::Interpreter in;
  const std::vector<std::int64_t> limits{40, 80};
  const parallel::BucketAssignment made = assign_buckets(tensors(in, {10, 10, 10, 10, 10, 10}), limits);
  EXPECT_EQ(made.buckets, (Buckets{{0}, {1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(made.limits, (std::vector<std::int64_t>{40, 80, 80, 80}));
}

TEST(AssignBuckets, KeepsTypesApartAndSortsByTheFirstTensor) {
  object::Interpreter in;
  auto list = tensors(in, {1, 1});
  list.insert(list.begin() + 1, tensor::zeros(in, tensor::Dims({1}), tensor::DType::Float64));
  const std::vector<std::int64_t> limits{1000};
  EXPECT_EQ(assign_buckets(list, limits).buckets, (Buckets{{0, 2}, {1}}));
}

TEST(AssignBuckets, KeepsTheOrderInWhichGradientsArrivedWhereItIsGiven) {
  object::Interpreter in;
  const std::vector<std::int64_t> limits{8};
  const std::vector<std::size_t> arrived{2, 0, 1};
  EXPECT_EQ(assign_buckets(tensors(in, {1, 1, 1}), limits, {}, arrived).buckets, (Buckets{{2, 0}, {1}}));
}

}  // namespace
}  // namespace nns::tests
