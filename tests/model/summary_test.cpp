#include "ui/model/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_document.h"

namespace nns::model {
namespace {

DocumentSummary summary_of(live::Bytes bytes) {
  live::Mirror mirror;
  EXPECT_TRUE(mirror.apply(std::move(bytes)).ok());
  return summarise(*mirror.documents().front());
}

TEST(Summarise, ParametersBuffersAndBytesAreCountedApart) {
  const DocumentSummary summary = summary_of(tests::DocumentBuilder()
                                                 .begin("bn", "BatchNorm2d")
                                                 .tensor("weight", {10})
                                                 .tensor("running_mean", {4}, live::RowKind::Buffer)
                                                 .tensor("step", {}, live::RowKind::Tensor)
                                                 .message());
  EXPECT_EQ(summary.tensors, 3U);
  EXPECT_EQ(summary.modules, 2U);
  EXPECT_EQ(summary.parameters, 10U);
  EXPECT_EQ(summary.buffers, 4U);
  EXPECT_EQ(summary.others, 1U);
  EXPECT_EQ(summary.bytes, 60U);
  ASSERT_EQ(summary.dtypes.size(), 1U);
  EXPECT_EQ(summary.dtypes[0].dtype, "float32");
  EXPECT_EQ(summary.dtypes[0].bytes, 60U);
  EXPECT_EQ(summary.dtypes[0].elements, 15U);
  EXPECT_EQ(summary.files[0].size, "1.23 KB");
}

TEST(Summarise, DangerousGlobalsComeFirst) {
  const DocumentSummary summary = summary_of(tests::DocumentBuilder()
                                                 .global("torch.FloatStorage", live::wire::Verdict::Safe)
                                                 .global("os.system", live::wire::Verdict::Dangerous)
                                                 .global("my.Net", live::wire::Verdict::Unknown)
                                                 .message());
  EXPECT_EQ(summary.safety.dangerous, 1U);
  EXPECT_EQ(summary.safety.unknown, 1U);
  EXPECT_EQ(summary.safety.safe, 1U);
  EXPECT_EQ(summary.safety.lines[0].name, "os.system");
  EXPECT_EQ(summary.safety.lines[0].place, "GLOBAL at byte 7 of data.pkl");
  EXPECT_THAT(summary.safety.headline, testing::HasSubstr("1 global would run code"));
}

TEST(Summarise, AFileWithoutPicklesHasNothingToSayOfSafety) {
  EXPECT_EQ(summary_of(tests::DocumentBuilder().message()).safety.headline, "");
}

}  // namespace
}  // namespace nns::model
