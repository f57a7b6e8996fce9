#include "core/live/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/live/commands.h"
#include "tests/support/sample_document.h"

namespace nns::live {
namespace {

TEST(MessageVerify, ReadsBackWhatACommandSays) {
  const auto message = Message::verify(open_source(7, 9, "a.pt", "https://example.org/a.pt"));
  ASSERT_TRUE(message.ok()) << message.error().message();
  const auto* open = message->as<wire::OpenSource>();
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->request(), 7U);
  EXPECT_EQ(open->source(), 9U);
  EXPECT_EQ(text_of(open->name()), "a.pt");
  EXPECT_EQ(text_of(open->url()), "https://example.org/a.pt");
  EXPECT_EQ(message->as<wire::Cancel>(), nullptr);
}

TEST(MessageVerify, ReadsBackATileRequest) {
  const auto message = Message::verify(request_tile(1, 2, 3, {}, {4, 5, 6, 7, 8, 9}));
  ASSERT_TRUE(message.ok());
  const auto* tile = message->as<wire::RequestTile>();
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(tile->row_end(), 5U);
  EXPECT_EQ(tile->column_begin(), 6U);
  EXPECT_EQ(tile->height(), 9U);
}

TEST(MessageVerify, EmptyAndForeignBytesAreRefused) {
  EXPECT_FALSE(Message::verify({}).ok());
  EXPECT_FALSE(Message::verify(live::Bytes(7)).ok());
  const auto foreign = Message::verify(live::Bytes(64, std::byte{0x41}));
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().message(), testing::HasSubstr("NNS1"));
}

TEST(MessageVerify, EveryTruncationIsRefused) {
  const live::Bytes whole = tests::DocumentBuilder().tensor("weight", {2, 3}).message();
  ASSERT_TRUE(Message::verify(whole).ok());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    live::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    // Padding at the end may be missing without harm; what verifies must then be complete.
    const auto message = Message::verify(std::move(cut));
    if (message.ok()) {
      EXPECT_GE(length + 8, whole.size());
    }
  }
}

TEST(MessageVerify, AnEnumeratorThatIsNotInTheProtocolIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("");
  const auto message =
      Message::verify(finish_message(builder, wire::CreateJob(builder, 1, static_cast<wire::JobState>(9), text)));
  ASSERT_FALSE(message.ok());
  EXPECT_THAT(message.error().message(), testing::HasSubstr("Job.state"));
}

// A moment with one replica and one row.
base::Result<Message> moment_with_fates(const std::vector<std::uint8_t>& fates) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("");
  const auto none = [&builder]<class Table>(Table*) {
    return builder.CreateVector(std::vector<flatbuffers::Offset<Table>>());
  };
  const auto value = wire::CreateTraceValue(builder, text, UINT32_MAX, text);
  const auto values = builder.CreateVector(std::vector{value});
  const auto told = builder.CreateVector(fates);
  const auto row = wire::CreateTraceReplicaRow(builder, text, text, value, values, told);
  const auto rows = builder.CreateVector(std::vector{row});
  const auto objects = builder.CreateVector(std::vector<std::uint32_t>{5});
  const auto replicas = wire::CreateTraceReplicas(builder, 4, objects, rows);
  wire::TraceFrame* const frame = nullptr;
  wire::TraceObject* const object = nullptr;
  wire::TraceLookup* const lookup = nullptr;
  wire::TraceHook* const hook = nullptr;
  wire::TraceModule* const module = nullptr;
  const auto frames = none(frame);
  const auto all = none(object);
  const auto selected = none(object);
  const auto order = none(lookup);
  const auto hooks = none(hook);
  const auto modules = none(module);
  return Message::verify(finish_message(
      builder, wire::CreateTraceMoment(builder, 1, 1, 1, true, 0, wire::TraceEvent::Statement, text, frames, 0, all,
                                       false, selected, order, hooks, 0, modules, false, replicas)));
}

TEST(MessageVerify, ReplicasHaveOneFateEachAndOneOfTheProtocol) {
  EXPECT_TRUE(moment_with_fates({4}).ok());
  const auto unknown = moment_with_fates({5});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message(), testing::HasSubstr("TraceReplicaRow.fates"));
  const auto missing = moment_with_fates({});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), testing::HasSubstr("1 values and 0 fates for 1 replicas"));
}

TEST(MessageVerify, AMessageWithoutABodyIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const auto start = builder.StartTable();
  builder.Finish(flatbuffers::Offset<wire::Message>(builder.EndTable(start)), wire::MessageIdentifier());
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  EXPECT_FALSE(Message::verify({begin, begin + builder.GetSize()}).ok());
}

TEST(Problem, AnErrorTravelsWhole) {
  const base::Error error{.found = "a", .expected = "b", .where = "c", .offset = 4};
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("opening");
  const auto problem = create_problem(builder, error);
  const auto message = Message::verify(
      finish_message(builder, wire::CreateJob(builder, 1, wire::JobState::Failed, text, 0, 0, problem)));
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(error_of(*message->as<wire::Job>()->error()), error);
}

}  // namespace
}  // namespace nns::live
