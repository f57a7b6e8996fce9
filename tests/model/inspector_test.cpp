#include "ui/model/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_document.h"

namespace nns::model {
namespace {

namespace wire = live::wire;

struct Inspected {
  live::Mirror mirror;
  const live::DocumentView& document() const { return *mirror.documents().front(); }
};

Inspected with_document() {
  Inspected inspected;
  EXPECT_TRUE(
      inspected.mirror.apply(tests::DocumentBuilder("net").begin("fc", "Linear").tensor("weight", {2, 3}).message())
          .ok());
  return inspected;
}

const FactLine* fact(const std::vector<FactLine>& facts, std::string_view label) {
  for (const FactLine& line : facts) {
    if (line.label == label) return &line;
  }
  return nullptr;
}

TEST(ViewObject, RegistriesCountTheirEntriesAndHooksAreGroupedInFiringOrder) {
  Inspected inspected = with_document();
  flatbuffers::FlatBufferBuilder builder;
  const auto attribute = [&](unsigned depth, wire::AttributePlace place, const char* name, std::uint32_t node) {
    return wire::CreateAttributeDirect(builder, static_cast<std::uint8_t>(depth), place, name, "", "", "", node);
  };
  const std::vector<flatbuffers::Offset<wire::Attribute>> attributes = {
      attribute(0, wire::AttributePlace::Dict, "training", UINT32_MAX),
      attribute(0, wire::AttributePlace::Registry, "_parameters", UINT32_MAX),
      attribute(1, wire::AttributePlace::Parameters, "weight", 2),
      attribute(1, wire::AttributePlace::Parameters, "bias", UINT32_MAX),
      attribute(0, wire::AttributePlace::Registry, "_modules", UINT32_MAX)};
  const auto hook = [&](const char* dictionary, std::uint64_t id) {
    return wire::CreateHookDirect(builder, dictionary, "forward hook", id, "record", false, true);
  };
  const std::vector<flatbuffers::Offset<wire::Hook>> hooks = {hook("_forward_hooks", 3), hook("_forward_pre_hooks", 1),
                                                              hook("_forward_hooks", 2)};
  const std::vector<flatbuffers::Offset<flatbuffers::String>> mro = {builder.CreateString("Linear"),
                                                                     builder.CreateString("Module")};
  const std::vector<std::uint32_t> also_at = {2};
  ASSERT_TRUE(inspected.mirror
                  .apply(live::finish_message(
                      builder, wire::CreateObjectDetailsDirect(builder, 1, 1, 1, "Linear", true, true, false,
                                                               "Linear()", &mro, &attributes, &hooks, &also_at)))
                  .ok());
  const ObjectView view = view_object(inspected.document(), *inspected.mirror.details(1, 1));
  EXPECT_EQ(view.path, "fc");
  EXPECT_TRUE(view.inferred);
  EXPECT_FALSE(view.is_class_inferred) << "the tree shows this class without the sign, too";
  EXPECT_FALSE(view.training);
  EXPECT_EQ(view.mro.size(), 2U);
  EXPECT_EQ(view.attributes[1].entries, 2U);
  EXPECT_EQ(view.attributes[4].entries, 0U);
  EXPECT_EQ(view.attributes[2].node, 2U);
  ASSERT_EQ(view.hooks.size(), 2U);
  EXPECT_EQ(view.hooks[0].dictionary, "_forward_hooks");
  EXPECT_EQ(view.hooks[0].hooks[1].id, 2U);
  EXPECT_EQ(view.hooks[0].hooks[1].position, 2U);
  EXPECT_EQ(view.hook_count, 3U);
  EXPECT_EQ(view.also_at, also_at);
}

TEST(ViewTensor, FactsAreLinesWithExactText) {
  Inspected inspected = with_document();
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<std::int64_t> shape = {2, 3};
  const std::vector<std::int64_t> stride = {3, 1};
  const std::vector<std::uint32_t> shares = {0};
  ASSERT_TRUE(
      inspected.mirror
          .apply(live::finish_message(
              builder, wire::CreateTensorFactsDirect(builder, 1, 1, 0, "fc.weight", "float32", &shape, &stride, 5, 6,
                                                     24, true, true, "cpu", true, "a.pt", true, 1000, 44, 2, &shares)))
          .ok());
  const TensorView view = view_tensor(inspected.document(), *inspected.mirror.facts(1, 0));
  EXPECT_EQ(fact(view.facts, "Shape")->value, "2 × 3");
  EXPECT_EQ(fact(view.facts, "Shape")->exact, "(2, 3)");
  EXPECT_EQ(fact(view.facts, "File bytes")->value, "1,000 to 1,044");
  EXPECT_EQ(fact(view.facts, "Shares storage with")->value, "fc.weight");
  EXPECT_EQ(fact(view.facts, "Values"), nullptr);
}

TEST(ViewStatistics, BarsAreScaledAndNaNsArePlaced) {
  Inspected inspected = with_document();
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<std::uint64_t> histogram = {1, 0, 4};
  const std::vector<double> at = {0.5, 0.99};
  const std::vector<double> quantiles = {1.5, 2.5};
  ASSERT_TRUE(
      inspected.mirror
          .apply(live::finish_message(
              builder, wire::CreateTensorStatisticsDirect(builder, 1, 1, 0, 6, 1, 0, 0, 2, 3.5, false, 0, -1, 2, 0.5, 1,
                                                          2, 4, UINT64_MAX, -1, 2, &histogram, &at, &quantiles, 0.25)))
          .ok());
  const auto shape = inspected.document().shape(0);
  const base::TensorSlice slice = base::whole_slice(shape);
  const SliceView part = view_slice(slice, shape, inspected.document().stride(0), 0, "float32");
  const StatisticsView view = view_statistics(*inspected.mirror.statistics(1, 0), slice, part);
  EXPECT_TRUE(view.has_problem);
  EXPECT_EQ(fact(view.facts, "NaN")->value, "1 (16.7%), first at [1, 1]");
  EXPECT_EQ(fact(view.facts, "Min")->value, "−1");
  ASSERT_EQ(view.histogram.size(), 3U);
  EXPECT_EQ(view.histogram[2].height, 1.0F);
  EXPECT_EQ(view.histogram[0].height, 0.25F);
  EXPECT_GT(view.histogram[0].log_height, 0.25F);
  EXPECT_EQ(view.histogram[1].low, 0.0);
  EXPECT_EQ(view.quantiles[0].label, "50% (median)");
  EXPECT_EQ(view.quantiles[1].label, "99%");
  EXPECT_EQ(view.quantile_note, "within ±0.25");
}

}  // namespace
}  // namespace nns::model
