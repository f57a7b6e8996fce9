#include "core/live/mirror.h"

#include <gtest/gtest.h>

#include <random>

#include "core/live/commands.h"
#include "tests/support/sample_document.h"

namespace nns::live {
namespace {

using flatbuffers::FlatBufferBuilder;

live::Bytes job_message(std::uint64_t request, wire::JobState state, std::uint64_t done) {
  FlatBufferBuilder builder;
  const auto text = builder.CreateString("reading");
  return finish_message(builder, wire::CreateJob(builder, request, state, text, done, 100));
}

live::Bytes details_message(std::uint32_t document, std::uint32_t node, std::uint32_t attribute_node,
                            const std::vector<std::uint32_t>& also_at = {}) {
  FlatBufferBuilder builder;
  const std::vector<flatbuffers::Offset<wire::Attribute>> attributes = {wire::CreateAttributeDirect(
      builder, 0, wire::AttributePlace::Modules, "fc", "Linear", "", "a Module", attribute_node)};
  const std::vector<flatbuffers::Offset<wire::Hook>> hooks;
  const std::vector<flatbuffers::Offset<flatbuffers::String>> mro;
  return finish_message(builder, wire::CreateObjectDetailsDirect(builder, 1, document, node, "Net", false, true, true,
                                                                 "Net()", &mro, &attributes, &hooks, &also_at));
}

live::Bytes tile_message(std::uint64_t request, std::uint32_t width, std::size_t values) {
  FlatBufferBuilder builder;
  const std::vector<float> cells(values, 1.0F);
  return finish_message(builder, wire::CreateHeatTileDirect(builder, request, 1, 0, 0, 2, 0, 3, width, 2, 2, 3, false,
                                                            &cells, &cells, &cells));
}

live::Bytes closed_message(std::uint32_t id) {
  FlatBufferBuilder builder;
  return finish_message(builder, wire::CreateDocumentClosed(builder, id));
}

live::Bytes sample(std::uint32_t id = 1, std::uint32_t version = 1) {
  return tests::DocumentBuilder("sample", id, version).begin("fc").tensor("weight", {2, 3}).message();
}

TEST(MirrorApply, DocumentsAreKeptInTheOrderInWhichTheyWereOpened) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample(4)).ok());
  ASSERT_TRUE(mirror.apply(sample(2)).ok());
  ASSERT_EQ(mirror.documents().size(), 2U);
  EXPECT_EQ(mirror.documents()[0]->id(), 4U);
  EXPECT_EQ(mirror.document(2)->id(), 2U);
  EXPECT_EQ(mirror.document(3), nullptr);
}

TEST(MirrorApply, ANewerVersionTakesThePlaceAndAnOlderOneIsRefused) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample(1, 2)).ok());
  ASSERT_TRUE(mirror.apply(details_message(1, 0, 1)).ok());
  EXPECT_FALSE(mirror.apply(sample(1, 2)).ok());
  EXPECT_NE(mirror.details(1, 0), nullptr);
  ASSERT_TRUE(mirror.apply(sample(1, 3)).ok());
  EXPECT_EQ(mirror.document(1)->version(), 3U);
  EXPECT_EQ(mirror.details(1, 0), nullptr);
}

TEST(MirrorApply, AnOpenDocumentStaysReadableAfterItWasClosed) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample()).ok());
  const auto kept = mirror.document(1);
  ASSERT_TRUE(mirror.apply(closed_message(1)).ok());
  EXPECT_TRUE(mirror.documents().empty());
  EXPECT_EQ(kept->path(2), "fc.weight");
}

TEST(MirrorApply, JobsAreToldByRequest) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(job_message(5, wire::JobState::Running, 10)).ok());
  ASSERT_TRUE(mirror.apply(job_message(5, wire::JobState::Finished, 100)).ok());
  ASSERT_EQ(mirror.jobs().size(), 1U);
  EXPECT_EQ(mirror.jobs().at(5).state, wire::JobState::Finished);
  EXPECT_EQ(mirror.jobs().at(5).done, 100U);
  mirror.forget_job(5);
  EXPECT_TRUE(mirror.jobs().empty());
}

TEST(MirrorApply, AnAnswerAboutAClosedDocumentIsDropped) {
  Mirror mirror;
  EXPECT_TRUE(mirror.apply(details_message(1, 0, 1)).ok());
  EXPECT_EQ(mirror.details(1, 0), nullptr);
}

TEST(MirrorApply, AnAnswerThatPointsOutsideItsDocumentIsRefused) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample()).ok());
  EXPECT_TRUE(mirror.apply(details_message(1, 2, kNone)).ok());
  EXPECT_FALSE(mirror.apply(details_message(1, 3, kNone)).ok());
  EXPECT_FALSE(mirror.apply(details_message(1, 0, 3)).ok());
  EXPECT_TRUE(mirror.apply(tile_message(1, 3, 6)).ok());
  EXPECT_NE(mirror.tile(1), nullptr);
  EXPECT_FALSE(mirror.apply(tile_message(2, 3, 5)).ok());
  EXPECT_EQ(mirror.tile(2), nullptr);
}

TEST(MirrorApply, ValuesWhoseTextsLieOutsideAreRefused) {
  const auto message = [](std::uint64_t rows, const std::vector<std::uint32_t>& offsets) {
    FlatBufferBuilder builder;
    const std::vector<std::uint8_t> text = {'1', '2', '3'};
    return finish_message(builder,
                          wire::CreateValuesDirect(builder, 7, 1, 0, 0, rows, 0, UINT64_C(2), &text, &offsets));
  };
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample()).ok());
  EXPECT_TRUE(mirror.apply(message(1, {0, 1, 3})).ok());
  EXPECT_NE(mirror.values(7), nullptr);
  EXPECT_FALSE(mirror.apply(message(1, {0, 1})).ok()) << "too few";
  EXPECT_FALSE(mirror.apply(message(1, {0, 2, 1})).ok()) << "backwards";
  EXPECT_FALSE(mirror.apply(message(1, {0, 1, 4})).ok()) << "behind the text";
  EXPECT_FALSE(mirror.apply(message(UINT64_MAX / 2 + 1, {0})).ok()) << "more than can be counted";
}

TEST(MirrorApply, NumbersOfTensorsComeInTurnAndAreKeptOnce) {
  const auto message = [](std::uint32_t tensor, double mean) {
    FlatBufferBuilder builder;
    const std::vector<wire::TensorNumbers> rows = {
        {6, 0, 0, 0, 0, 2, 3, 0, 0, 0, 1, mean, 0, 1, tensor, wire::NumbersState::Known}};
    return finish_message(builder, wire::CreateModelStatisticsDirect(builder, 8, 1, &rows));
  };
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(tests::DocumentBuilder("two", 1, 1).tensor("a", {2, 3}).tensor("b", {2, 3}).message()).ok());
  EXPECT_FALSE(mirror.apply(message(1, 0.5)).ok()) << "the first is not known yet";
  EXPECT_TRUE(mirror.apply(message(0, 0.25)).ok());
  EXPECT_TRUE(mirror.apply(message(0, 9)).ok()) << "told again after a request that went on";
  EXPECT_TRUE(mirror.apply(message(1, 0.75)).ok());
  EXPECT_FALSE(mirror.apply(message(2, 1)).ok()) << "there is no third";
  ASSERT_EQ(mirror.numbers(1).size(), 2U);
  EXPECT_EQ(mirror.numbers(1)[0].mean(), 0.25);
  ASSERT_TRUE(mirror.apply(closed_message(1)).ok());
  EXPECT_TRUE(mirror.numbers(1).empty());
}

TEST(MirrorApply, ACommandIsRefused) {
  Mirror mirror;
  const std::uint64_t before = mirror.version();
  EXPECT_FALSE(mirror.apply(cancel(1)).ok());
  EXPECT_EQ(mirror.version(), before);
}

TEST(MirrorApply, OnlyTheNewestAnswersAreKept) {
  Mirror mirror;
  ASSERT_TRUE(mirror.apply(sample()).ok());
  for (std::uint64_t request = 0; request < 100; ++request) ASSERT_TRUE(mirror.apply(tile_message(request, 3, 6)).ok());
  EXPECT_EQ(mirror.tile(35), nullptr);
  EXPECT_NE(mirror.tile(36), nullptr);
  EXPECT_NE(mirror.tile(99), nullptr);
}

// Reads everything that a viewer may read; a sanitizer build tells if a getter leaves its column.
std::uint64_t read_everything(const Mirror& mirror) {
  std::uint64_t sum = 0;
  for (const auto& document : mirror.documents()) {
    for (std::uint32_t row = 0; row < document->row_count(); ++row) {
      sum += document->path(row).size() + document->class_name(row).size() + document->preview(row).size();
      sum += document->parameters(row) + document->bytes(row) + document->structure(row) + document->flags(row);
      if (document->tensor(row) != kNone) sum += document->dtype_name(document->tensor(row)).size();
    }
    for (std::uint32_t tensor = 0; tensor < document->tensor_count(); ++tensor) {
      for (const std::int64_t size : document->shape(tensor)) sum += static_cast<std::uint64_t>(size);
      for (const std::int64_t stride : document->stride(tensor)) sum += static_cast<std::uint64_t>(stride);
      sum += document->numel(tensor) + document->storage(tensor);
    }
    for (const auto* file : *document->get().files()) sum += file->name()->size();
    for (const auto* entry : *document->get().metadata()) sum += entry->key()->size() + entry->value()->size();
  }
  return sum;
}

TEST(MirrorApply, MutatedMessagesAreRefusedOrReadSafely) {
  const std::vector<live::Bytes> originals = {tests::transformer_document(3, 2),
                                              job_message(1, wire::JobState::Running, 3), details_message(1, 1, 2),
                                              tile_message(3, 3, 6), closed_message(1)};
  std::mt19937 random(20240917);
  std::uint64_t accepted = 0;
  std::uint64_t read = 0;
  for (int round = 0; round < 20'000; ++round) {
    Mirror mirror;
    if (round % 5 != 0) {
      ASSERT_TRUE(mirror.apply(sample()).ok());
    }
    live::Bytes bytes = originals[static_cast<std::size_t>(round) % originals.size()];
    const unsigned changes = 1 + random() % 4;
    for (unsigned change = 0; change < changes; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<std::byte>(random());
          break;
        case 1:
          bytes[at] = std::byte{0xFF};
          break;
        case 2:
          bytes[at] ^= static_cast<std::byte>(1U << (random() % 8));
          break;
        default:
          bytes.resize(at + 1);
      }
    }
    accepted += mirror.apply(std::move(bytes)).ok() ? 1U : 0U;
    read += read_everything(mirror);
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace nns::live
