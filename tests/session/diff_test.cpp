#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/session/samples.h"
#include "tests/session/link.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

using live::ValueState;
using live::wire::JobState;

std::string model_file(float value, const std::string& prefix = "") {
  return valued_safetensors({float_tensor(prefix + "a.weight", {2, 2}, {1, 2, 3, value}),
                             float_tensor(prefix + "b.weight", {2, 2}, {1, 2, 3, 4})});
}

/// Two files behind a Host: documents 1 and 2.
struct Pair {
  Pair(const std::string& a, const std::string& b) {
    link.open("a.safetensors", a);
    link.run();
    link.open("b.safetensors", b);
    link.run();
    EXPECT_EQ(link.mirror.documents().size(), 2U);
  }
  std::uint64_t ask(live::DiffRequest diff) {
    diff.a = 1;
    diff.b = 2;
    link.viewer->send(live::request_diff(++link.requests + 100, diff));
    return link.requests + 100;
  }
  std::shared_ptr<const live::ComparisonView> view() const { return link.mirror.comparison({1, 2, 0, 0}); }
  Link link;
};

TEST(HostDiff, TellsRowsThenValues) {
  Pair pair(model_file(4), model_file(5, "module."));
  const std::uint64_t request = pair.ask({.with_values = true});
  pair.link.run();
  EXPECT_EQ(pair.link.state(request), JobState::Finished);
  const auto view = pair.view();
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->get().tensors_b(), 2U);
  ASSERT_EQ(view->get().prefixes()->size(), 1U);
  EXPECT_EQ(live::text_of(view->get().prefixes()->Get(0)->b()), "module.");
  EXPECT_EQ(view->get().value_bytes(), 64U);
  EXPECT_EQ(view->count(ValueState::Different), 1U);
  EXPECT_EQ(view->count(ValueState::Equal), 1U);
  EXPECT_EQ(view->next_row(), view->row_count());
  EXPECT_EQ(view->bytes_left(), 0U);
  for (const auto& found : view->all_values()) {
    if (view->state(found.row()) == ValueState::Different) {
      EXPECT_EQ(found.max_abs(), 1);
      EXPECT_EQ(found.max_at(), 3U);
    }
  }
}

TEST(HostDiff, ValuesOfOneRowComeBeforeTheirTurn) {
  Pair pair(model_file(4), model_file(5));
  pair.ask({});
  pair.link.run();
  const auto view = pair.view();
  ASSERT_NE(view, nullptr);
  EXPECT_TRUE(view->all_values().empty());
  const std::uint32_t last = view->row_count() - 1;
  pair.ask({.with_rows = false, .with_values = true, .first_row = last, .last_row = last + 1});
  pair.link.run();
  EXPECT_EQ(view->all_values().size(), 1U);
  EXPECT_NE(view->values(last), nullptr);
  EXPECT_EQ(view->next_row(), 0U);
  EXPECT_EQ(view->bytes_left(), 64U);
}

TEST(HostDiff, IsCancelledAndGoesOn) {
  std::vector<ValuedTensor> a;
  std::vector<ValuedTensor> b;
  for (int i = 0; i < 40; ++i) {
    std::vector<float> values(200'000, 1.0F);
    a.push_back(float_tensor(fmt::format("t{}", i), values));
    values[7] = 2;
    b.push_back(float_tensor(fmt::format("t{}", i), values));
  }
  Pair pair(valued_safetensors(a), valued_safetensors(b));
  const std::uint64_t request = pair.ask({.with_values = true});
  for (int i = 0; i < 10'000 && (pair.view() == nullptr || pair.view()->all_values().empty()); ++i) {
    pair.link.run_for(std::chrono::milliseconds(1));
  }
  pair.link.viewer->send(live::cancel(request));
  pair.link.run();
  EXPECT_EQ(pair.link.state(request), JobState::Cancelled);
  const auto view = pair.view();
  const std::size_t before = view->all_values().size();
  ASSERT_GT(before, 0U);
  ASSERT_LT(before, 40U);
  EXPECT_GT(view->bytes_left(), 0U);
  pair.ask({.with_rows = false, .with_values = true, .first_row = view->next_row()});
  pair.link.run();
  EXPECT_EQ(view->all_values().size(), 40U);
  EXPECT_EQ(view->count(ValueState::Different), 40U);
  EXPECT_EQ(view->bytes_left(), 0U);
}

TEST(HostDiff, EndsWhenOneOfTheDocumentsIsClosed) {
  Pair pair(model_file(4), model_file(5));
  const std::uint64_t request = pair.ask({.with_values = true});
  pair.link.viewer->send(live::close_document(1));
  pair.link.run();
  EXPECT_NE(pair.link.state(request), JobState::Finished);
  EXPECT_EQ(pair.view(), nullptr);
  const std::uint64_t late = pair.ask({});
  pair.link.run();
  EXPECT_EQ(pair.link.state(late), JobState::Failed);
}

TEST(HostDiff, PicturesTheDifference) {
  Pair pair(model_file(4), model_file(7));
  pair.link.viewer->send(live::request_diff_tile(
      500, {1, 0, 2, 0}, {.row_begin = 0, .row_end = 2, .column_begin = 0, .column_end = 2, .width = 2, .height = 2}));
  pair.link.run();
  const auto* tile = pair.link.mirror.tile(500);
  ASSERT_NE(tile, nullptr);
  EXPECT_FALSE(tile->sampled());
  EXPECT_EQ(tile->mean()->Get(0), 0);
  EXPECT_EQ(tile->mean()->Get(3), 3);
  pair.link.viewer->send(live::request_diff_tile(501, {1, 0, 2, 99}, {.row_end = 2, .column_end = 2}));
  pair.link.run();
  EXPECT_EQ(pair.link.state(501), JobState::Failed);
}

TEST(HostDiff, TensorsOnMetaAreToldAsUnreadable) {
  Link link(session::built_in_samples());
  for (int i = 0; i < 2; ++i) link.viewer->send(live::open_sample(++link.requests, "resnet18"));
  link.run();
  ASSERT_EQ(link.mirror.documents().size(), 2U);
  link.viewer->send(live::request_diff(50, {.a = 1, .b = 2, .with_values = true}));
  link.run();
  const auto view = link.mirror.comparison({1, 2, 0, 0});
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->changes(0), 0U);
  EXPECT_EQ(view->get().value_bytes(), 0U);
  EXPECT_GT(view->count(ValueState::Unreadable), 60U);
  EXPECT_FALSE(view->problem(view->all_values().front().row()).empty());
}

TEST(HostDiff, ComparesPartsOfOneDocument) {
  Link link;
  link.open("a.safetensors",
            valued_safetensors(
                {float_tensor("h.0.attn.weight", {2, 2}, {1, 2, 3, 4}), float_tensor("h.0.mlp.weight", {2}, {1, 1}),
                 float_tensor("h.1.attn.weight", {2, 2}, {1, 2, 3, 6}), float_tensor("h.1.mlp.weight", {2}, {1, 1})}));
  link.run();
  const auto document = link.mirror.document(1);
  ASSERT_NE(document, nullptr);
  const auto row_of = [&](std::string_view path) {
    std::uint32_t row = 0;
    while (row < document->row_count() && document->path(row) != path) ++row;
    return row;
  };
  live::DiffRequest request{.a = 1, .b = 1, .with_values = true, .part_a = row_of("h.0"), .part_b = row_of("h.1")};
  link.viewer->send(live::request_diff(70, request));
  link.run();
  EXPECT_EQ(link.state(70), JobState::Finished);
  EXPECT_EQ(link.mirror.comparison({1, 1, 0, 0}), nullptr) << "what is compared is told apart by its parts, too";
  const auto view = link.mirror.comparison({1, 1, request.part_a, request.part_b});
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->get().tensors_a(), 2U);
  EXPECT_EQ(view->get().same(), 2U);
  EXPECT_EQ(view->count(ValueState::Different), 1U);
  EXPECT_EQ(view->count(ValueState::Equal), 1U);
  for (const auto& found : view->all_values()) {
    if (view->state(found.row()) != ValueState::Different) continue;
    EXPECT_EQ(document->path(view->row_a(found.row())), "h.0.attn.weight");
    EXPECT_EQ(document->path(view->row_b(found.row())), "h.1.attn.weight");
    EXPECT_EQ(found.max_abs(), 2);
  }
  request.part_b = row_of("h.1.attn.weight");
  link.viewer->send(live::request_diff(71, request));
  request.part_b = 4000;
  link.viewer->send(live::request_diff(72, request));
  link.run();
  EXPECT_EQ(link.state(71), JobState::Failed) << "a module and a tensor";
  EXPECT_EQ(link.state(72), JobState::Failed) << "a row that is not there";
}

TEST(HostOpen, TellsAHashOfTheFirstBytes) {
  Link link;
  link.open("a.safetensors", model_file(4));
  link.run();
  link.open("b.safetensors", model_file(5));
  link.run();
  link.open("c.safetensors", model_file(4));
  link.run();
  ASSERT_EQ(link.mirror.documents().size(), 3U);
  const auto head = [&](std::uint32_t id) { return link.mirror.document(id)->get().head(); };
  EXPECT_NE(head(1), 0U);
  EXPECT_NE(head(1), head(2)) << "one value is another";
  EXPECT_EQ(head(1), head(3));
}

TEST(MirrorComparison, RefusesValuesOfRowsThatAreNotThere) {
  Pair pair(model_file(4), model_file(5));
  pair.ask({});
  pair.link.run();
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<live::wire::Difference> values = {
      live::wire::Difference(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, pair.view()->row_count(), 0, 1)};
  const auto list = builder.CreateVectorOfStructs(values);
  const auto problems = builder.CreateVector(std::vector<flatbuffers::Offset<live::wire::DiffProblem>>());
  const auto applied = pair.link.mirror.apply(
      live::finish_message(builder, live::wire::CreateDiffValues(builder, 9, 1, 2, list, problems)));
  EXPECT_FALSE(applied.ok());
  EXPECT_TRUE(pair.view()->all_values().empty());
}

}  // namespace
}  // namespace nns::tests
