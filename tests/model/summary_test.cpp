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

TEST(Summarise, TheStatusBarCountsOneAsOne) {
  const std::string one = counts_text(summary_of(tests::DocumentBuilder().tensor("w", {1}).message()));
  EXPECT_THAT(one, testing::HasSubstr("1 tensor \xC2\xB7 1 parameter \xC2\xB7 4 B"));
  const std::string two = counts_text(summary_of(tests::DocumentBuilder().tensor("w", {1}).tensor("v", {1}).message()));
  EXPECT_THAT(two, testing::HasSubstr("2 tensors \xC2\xB7 2 parameters \xC2\xB7 8 B"));
}

TEST(Summarise, WhatIsInMissingFilesIsNotCountedAsNothing) {
  const DocumentSummary none = summary_of(tests::DocumentBuilder().tensor("w", {}).dtype("unknown").message());
  EXPECT_EQ(none.unknown, 1U);
  EXPECT_EQ(parameters_text(none), "unknown");
  EXPECT_EQ(buffers_text(none), "unknown");
  EXPECT_EQ(size_text(none), "unknown");
  EXPECT_THAT(counts_text(none), testing::HasSubstr("1 tensor \xC2\xB7 parameters unknown \xC2\xB7 size unknown"));

  DocumentSummary some =
      summary_of(tests::DocumentBuilder().tensor("v", {10}).tensor("w", {0}).dtype("unknown").message());
  EXPECT_EQ(parameters_text(some), "\xE2\x89\xA5 10");
  EXPECT_EQ(size_text(some), "\xE2\x89\xA5 40 B");
  some.told_bytes = 60;
  EXPECT_EQ(size_text(some), "60 B");
  EXPECT_THAT(counts_text(some), testing::HasSubstr("\xE2\x89\xA5 10 parameters \xC2\xB7 60 B by the index"));
}

TEST(Summarise, APointerInAFilesPlaceIsNoMissingFile) {
  const DocumentSummary summary =
      summary_of(tests::DocumentBuilder().missing_file("one", 135).missing_file("two", 0).message());
  ASSERT_EQ(summary.files.size(), 3U);
  EXPECT_EQ(summary.files[1].size, "a Git LFS pointer");
  EXPECT_EQ(summary.files[2].size, "missing");
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
  const GlobalLine& first = summary.safety.lines[0];
  EXPECT_EQ(first.place, "GLOBAL at byte 7 of data.pkl");
  EXPECT_EQ(first.place.substr(0, first.offset_end), "GLOBAL at byte 7");
  EXPECT_THAT(summary.safety.headline, testing::HasSubstr("1 global would run code"));
}

TEST(Summarise, AFileWithoutPicklesHasNothingToSayOfSafety) {
  EXPECT_EQ(summary_of(tests::DocumentBuilder().message()).safety.headline, "");
}

}  // namespace
}  // namespace nns::model
