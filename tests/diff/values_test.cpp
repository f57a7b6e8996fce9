#include "core/diff/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/checkpoint/heat_tile.h"
#include "core/diff/difference_source.h"
#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

using checkpoint::ElementSource;
using diff::TensorDifference;
using diff::ValueState;
using tensor::DType;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
ElementSource source_of(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values,
                        std::vector<std::int64_t> stride = {}) {
  if (stride.empty()) {
    stride.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) stride[i] = step;
  }
  return {base::make_memory_source("values", to_bytes(bytes_of(values))), dtype, std::move(shape), std::move(stride),
          0};
}

ElementSource floats(const std::vector<float>& values) {
  return source_of(DType::Float32, {static_cast<std::int64_t>(values.size())}, values);
}

TensorDifference compare(ElementSource a, ElementSource b) {
  diff::DifferenceTask task(std::move(a), std::move(b));
  const auto done = task.step(base::Budget::unlimited());
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message());
  return task.difference();
}

TEST(CompareTensors, GivesTheNumbersOfAPlainLoop) {
  std::vector<float> a(100'003);
  std::vector<float> b(a.size());
  double largest = 0, sum = 0, square = 0, norm_a = 0, norm_b = 0, product = 0;
  std::uint64_t changed = 0, at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<float>(i)) * 3;
    b[i] = i % 5 == 0 ? a[i] : a[i] + std::cos(static_cast<float>(i)) * 0.01F;
    const double d = static_cast<double>(b[i]) - static_cast<double>(a[i]);
    if (std::abs(d) > largest) at = i;
    largest = std::max(largest, std::abs(d));
    sum += std::abs(d);
    square += d * d;
    norm_a += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    norm_b += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    changed += a[i] != b[i] ? 1U : 0U;
  }
  const auto count = static_cast<double>(a.size());
  const TensorDifference found = compare(floats(a), floats(b));
  EXPECT_EQ(found.count, a.size());
  EXPECT_EQ(found.changed, changed);
  EXPECT_EQ(found.max_abs, largest);
  EXPECT_EQ(found.max_at, at);
  EXPECT_NEAR(found.mean_abs, sum / count, 1e-12);
  EXPECT_NEAR(found.relative, std::sqrt(square / norm_a), 1e-12);
  EXPECT_NEAR(found.cosine, product / std::sqrt(norm_a * norm_b), 1e-12);
  EXPECT_FALSE(found.equal_bytes);
}

TEST(CompareTensors, OfEqualBytesDecodesNothing) {
  const TensorDifference found = compare(floats({1, kNaN, 3}), floats({1, kNaN, 3}));
  EXPECT_TRUE(found.equal_bytes);
  EXPECT_TRUE(found.is_equal());
  EXPECT_EQ(found.cosine, 1);
  EXPECT_EQ(found.relative, 0);
}

TEST(CompareTensors, CountsNaNAndInfinityApart) {
  const TensorDifference found = compare(floats({1, kNaN, kNaN, 4, kInfinity, kInfinity, kInfinity, 8, 1}),
                                         floats({1, kNaN, 3, kNaN, kInfinity, -kInfinity, 7, kInfinity, 3}));
  EXPECT_EQ(found.nan_both, 1U);
  EXPECT_EQ(found.nan_a, 1U);
  EXPECT_EQ(found.nan_b, 1U);
  EXPECT_EQ(found.infinite, 3U);
  EXPECT_EQ(found.changed, 6U);
  EXPECT_EQ(found.max_abs, 2);
  EXPECT_EQ(found.max_at, 8U);
  EXPECT_EQ(found.mean_abs, 1);
}

TEST(CompareTensors, MinusZeroIsZero) {
  const TensorDifference found = compare(floats({0.0F, 1}), floats({-0.0F, 1}));
  EXPECT_TRUE(found.is_equal());
  EXPECT_FALSE(found.equal_bytes);
}

TEST(CompareTensors, AZeroTensorHasNoDirection) {
  const TensorDifference from_zero = compare(floats({0, 0}), floats({0, 2}));
  EXPECT_EQ(from_zero.relative, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(from_zero.cosine));
}

TEST(CompareTensors, DifferentDtypesAreComparedByValue) {
  // 1, -2, 0.5 as bfloat16; the last differs.
  const auto bf16 = source_of<std::uint16_t>(DType::BFloat16, {3}, {0x3F80, 0xC000, 0x3F00});
  const TensorDifference found = compare(floats({1, -2, 0.25}), bf16);
  EXPECT_EQ(found.changed, 1U);
  EXPECT_EQ(found.max_abs, 0.25);
  const TensorDifference of_integers = compare(source_of<std::int32_t>(DType::Int32, {3}, {1, -2, 3}),
                                               source_of<std::uint8_t>(DType::UInt8, {3}, {1, 2, 3}));
  EXPECT_EQ(of_integers.changed, 1U);
  EXPECT_EQ(of_integers.max_abs, 4);
}

TEST(CompareTensors, LargeIntegersAreExact) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 60U) + 1;
  const TensorDifference found = compare(source_of<std::int64_t>(DType::Int64, {2}, {kBig, INT64_MIN}),
                                         source_of<std::int64_t>(DType::Int64, {2}, {kBig + 1, INT64_MAX}));
  EXPECT_EQ(found.changed, 2U);
  EXPECT_EQ(found.max_abs, 18446744073709551615.0);
  EXPECT_EQ(found.max_at, 1U);
}

TEST(CompareTensors, ComplexNumbersAreComparedPartByPart) {
  const auto a = source_of<float>(DType::Complex64, {2}, {3, 4, 1, 0});
  const auto b = source_of<float>(DType::Complex64, {2}, {4, 3, 1, 0});
  const TensorDifference found = compare(a, b);  // equal magnitudes
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.changed, 2U);
  EXPECT_EQ(found.max_abs, 1);
  diff::DifferenceTask mixed(a, floats({1, 2}));
  EXPECT_FALSE(mixed.step(base::Budget::unlimited()).ok());
}

TEST(CompareTensors, LayoutsDoNotMatter) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{700, 900}, {30'000, 3}, {3, 30'000}}) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), 0.0F);
    std::vector<float> transposed(values.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        transposed[static_cast<std::size_t>(column * rows + row)] =
            values[static_cast<std::size_t>(row * columns + column)];
      }
    }
    const auto plain = source_of(DType::Float32, {rows, columns}, values);
    const auto turned = source_of(DType::Float32, {rows, columns}, transposed, {1, rows});
    EXPECT_TRUE(compare(plain, turned).is_equal());
    EXPECT_TRUE(compare(turned, plain).is_equal());
    transposed[static_cast<std::size_t>(rows + 2)] += 100'000;  // row 2, column 1
    const TensorDifference found = compare(source_of(DType::Float32, {rows, columns}, transposed, {1, rows}), plain);
    EXPECT_EQ(found.changed, 1U);
    EXPECT_EQ(found.max_at, static_cast<std::uint64_t>(2 * columns + 1));
  }
}

TEST(CompareTensors, ExpandedScalarAndEmptyOnesAreCompared) {
  const auto expanded = source_of<float>(DType::Float32, {2, 3}, {7}, {0, 0});
  EXPECT_EQ(compare(expanded, source_of<float>(DType::Float32, {2, 3}, {7, 7, 7, 7, 7, 9})).changed, 1U);
  EXPECT_EQ(compare(source_of<float>(DType::Float32, {}, {7}), source_of<float>(DType::Float32, {}, {8})).max_abs, 1);
  constexpr std::int64_t kHuge = std::int64_t{1} << 62U;
  const auto empty = source_of<float>(DType::Float32, {0, kHuge, kHuge}, {}, {1, 1, 1});
  EXPECT_EQ(compare(empty, empty).count, 0U);
}

TEST(CompareTensors, OfDifferentShapesIsRefused) {
  diff::DifferenceTask task(floats({1, 2}), floats({1, 2, 3}));
  EXPECT_FALSE(task.step(base::Budget::unlimited()).ok());
  EXPECT_FALSE(task.step(base::Budget::unlimited()).ok());
}

TEST(CompareTensors, OfATensorOutsideItsStorageIsRefused) {
  auto cut = floats({1, 2});
  cut.shape = {4};
  diff::DifferenceTask task(cut, floats({1, 2, 3, 4}));
  const auto stepped = task.step(base::Budget::unlimited());
  ASSERT_FALSE(stepped.ok());
  EXPECT_THAT(stepped.error().message(), HasSubstr("storage"));
}

struct Opened {
  std::unique_ptr<checkpoint::Checkpoint> a;
  std::unique_ptr<checkpoint::Checkpoint> b;
  diff::Structure structure;
};

Opened open_two(const std::string& a, const std::string& b) {
  auto file_a = open_text(a);
  auto file_b = open_text(b);
  EXPECT_TRUE(file_a.ok() && file_b.ok());
  Opened opened{std::move(file_a).value(), std::move(file_b).value(), {}};
  opened.structure = diff::compare_structure(*opened.a, *opened.b);
  return opened;
}

std::vector<diff::RowValues> all_values(Opened& files, diff::RowRange rows = {}) {
  diff::ValuesTask task(*files.a, *files.b, files.structure, rows);
  std::vector<diff::RowValues> all;
  while (true) {
    const bool is_done = task.step(base::Budget(std::chrono::nanoseconds(0)));
    for (diff::RowValues& values : task.take_finished()) all.push_back(std::move(values));
    if (is_done) break;
  }
  EXPECT_EQ(task.done(), task.total());
  return all;
}

TEST(ValuesTask, TellsEachPairInTheOrderOfTheRowsAndGoesOnWhereAnotherStopped) {
  auto files =
      open_two(valued_safetensors({float_tensor("a", {1, 2}), float_tensor("b", {3}), float_tensor("c", {4, 5})}),
               valued_safetensors({float_tensor("a", {1, 2}), float_tensor("b", {5}), float_tensor("c", {4, 4})}));
  const auto all = all_values(files);
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].state, ValueState::Equal);
  EXPECT_EQ(all[1].state, ValueState::Different);
  EXPECT_EQ(all[1].difference.max_abs, 2);
  EXPECT_EQ(all[2].difference.max_at, 1U);

  diff::ValuesTask stopped(*files.a, *files.b, files.structure);
  EXPECT_FALSE(stopped.step(base::Budget(std::chrono::nanoseconds(0))));
  const auto first = stopped.take_finished();
  ASSERT_THAT(first, SizeIs(1));
  const auto rest = all_values(files, {stopped.next_row()});
  ASSERT_THAT(rest, SizeIs(2));
  EXPECT_EQ(rest[0].row, all[1].row);
  EXPECT_THAT(all_values(files, {all[1].row, all[1].row + 1}), SizeIs(1));
}

TEST(ValuesTask, ComparesSharedStoragesOnce) {
  const auto file = [](float value) {
    PickleWriter pickle;
    pickle.empty_dict().mark();
    for (const char* name : {"wte", "lm_head"}) {
      pickle.text(name).tensor({.key = "0", .storage_numel = 4, .shape = {2, 2}, .stride = {2, 1}});
    }
    pickle.set_items();
    return make_torch_zip(pickle.stop(), {{"0", bytes_of<float>({1, 2, 3, value})}});
  };
  auto files = open_two(file(4), file(8));
  diff::ValuesTask task(*files.a, *files.b, files.structure);
  EXPECT_EQ(task.total(), 32U);
  const auto all = all_values(files);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].difference.max_abs, 4);
  EXPECT_EQ(all[1].difference.max_abs, 4);
}

TEST(ValuesTask, ATensorOfAMissingShardIsToldAndTheOthersGoOn) {
  const auto files = std::make_shared<MemoryFileSet>();
  files->add("one.safetensors", valued_safetensors({float_tensor("b", {2})}));
  auto index = open_document(
      base::make_memory_source("model.safetensors.index.json",
                               to_bytes(R"({"weight_map":{"a":"two.safetensors","b":"one.safetensors"}})")),
      files);
  auto whole = open_text(valued_safetensors({float_tensor("a", {1}), float_tensor("b", {2})}));
  ASSERT_TRUE(index.ok() && whole.ok());
  Opened opened{std::move(whole).value(), std::move(index).value(), {}};
  opened.structure = diff::compare_structure(*opened.a, *opened.b);
  EXPECT_EQ(opened.structure.counts.same, 1U) << "nothing is known of the other one";
  EXPECT_EQ(opened.structure.counts.added + opened.structure.counts.removed, 0U);
  const auto all = all_values(opened);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(opened.structure.flags[all[0].row], diff::kUnknown);
  EXPECT_EQ(all[0].state, ValueState::Unreadable);
  EXPECT_THAT(all[0].problem, HasSubstr("no values"));
  EXPECT_EQ(all[1].state, ValueState::Equal);
}

TEST(ChangeRank, PutsWhatIsGoneFirstThenShapesThenTheLargerDifference) {
  auto files = open_two(
      valued_safetensors({float_tensor("big", {1, 1}), float_tensor("equal", {1}), float_tensor("gone", {1, 2, 3}),
                          float_tensor("shape", {1, 2}), float_tensor("small", {1, 1})}),
      valued_safetensors({float_tensor("big", {1, 9}), float_tensor("equal", {1}), float_tensor("shape", {1}),
                          float_tensor("small", {1, 1.5F})}));
  std::vector<std::pair<double, std::string>> order;
  const auto all = all_values(files);
  for (std::uint32_t row = 1; row < files.structure.size(); ++row) {
    diff::RowValues values;
    for (const auto& known : all) {
      if (known.row == row) values = known;
    }
    const bool in_b = files.structure.b[row] != checkpoint::kNone;
    order.emplace_back(-diff::change_rank(files.structure, row, values.state, values.difference),
                       in_b ? diff::path_of(files.b->tree, files.structure.b[row])
                            : diff::path_of(files.a->tree, files.structure.a[row]));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const auto& [rank, name] : order) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"gone", "shape", "big", "small", "equal"}));
}

TEST(MakeDifference, IsPicturedAsATensor) {
  std::vector<float> a(1'000 * 70);
  std::vector<float> b(a.size());
  std::iota(a.begin(), a.end(), 0.0F);
  for (std::size_t i = 0; i < a.size(); ++i) b[i] = a[i] + static_cast<float>(i % 70);
  a[71] = b[71] = kNaN;
  a[72] = kNaN;
  auto difference =
      diff::make_difference(source_of(DType::Float32, {1'000, 70}, a), source_of(DType::Float32, {1'000, 70}, b));
  ASSERT_TRUE(difference.ok());
  checkpoint::HeatTileTask task(*difference, {.row_end = 1'000, .column_end = 70, .width = 70, .height = 1'000});
  ASSERT_TRUE(task.step(base::Budget::unlimited()).value());
  const auto* tile = task.tile();
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(tile->mean[0], 0);
  EXPECT_EQ(tile->mean[69], 69);
  EXPECT_EQ(tile->mean[71], 0);
  EXPECT_TRUE(std::isnan(tile->mean[72]));
  EXPECT_EQ(tile->mean[999 * 70 + 5], 5);
  EXPECT_FALSE(diff::make_difference(floats({1}), floats({1, 2})).ok());
}

}  // namespace
}  // namespace nns::tests
