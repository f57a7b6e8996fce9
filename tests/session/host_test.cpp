#include "core/session/host.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "tests/session/link.h"
#include "tests/support/make_gguf.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::session {
namespace {

using live::wire::JobState;
using testing::HasSubstr;
using tests::Link;

// A safetensors file with one float32 tensor "fc.weight" of 2 x 3: 0 to 5.
std::string small_file() {
  std::string bytes = tests::plan_safetensors({{"fc.weight", "F32", {2, 3}}}).whole();
  for (int i = 0; i < 6; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + bytes.size() - 24 + static_cast<std::size_t>(i) * 4, &value, 4);
  }
  return bytes;
}

// Zeros without end, as a sparse file: what is read costs time but no memory.
class ZeroSource final : public base::ByteSource {
 public:
  ZeroSource(std::string beginning, std::uint64_t size) : beginning_(std::move(beginning)), size_(size) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = offset + i < beginning_.size() ? static_cast<std::byte>(beginning_[offset + i]) : std::byte{0};
    }
    return {};
  }
  std::string name_ = "large.safetensors";
  std::string beginning_;
  std::uint64_t size_;
};

std::uint64_t open_large(Link& link) {
  const tests::PlannedFile plan =
      tests::plan_safetensors({{"big", "F32", {1U << 20U, 1U << 10U}}, {"small", "F32", {4}}});
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::open_source(
      request, link.sources->add(std::make_shared<ZeroSource>(plan.beginning, plan.size)), "large", ""));
  link.run();
  return request;
}

TEST(HostHello, IsTheFirstMessageAndNamesTheSamples) {
  const Link link({{.name = "cnn", .title = "A CNN", .about = "Small.", .make = {}}});
  ASSERT_NE(link.mirror.hello(), nullptr);
  ASSERT_EQ(link.mirror.hello()->samples()->size(), 1U);
  EXPECT_EQ(live::text_of(link.mirror.hello()->samples()->Get(0)->title()), "A CNN");
}

TEST(HostOpen, AFileBecomesADocument) {
  Link link;
  const std::uint64_t request = link.open("small.safetensors", small_file());
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  const live::DocumentView& document = *link.mirror.documents().front();
  EXPECT_EQ(document.get().request(), request);
  EXPECT_EQ(document.format(), "safetensors");
  EXPECT_EQ(document.get().total_parameters(), 6U);
  EXPECT_EQ(document.get().total_bytes(), 24U);
  EXPECT_EQ(document.tensor_count(), 1U);
  EXPECT_EQ(document.path(document.node(0)), "fc.weight");
  EXPECT_EQ(document.dtype_name(0), "float32");
  EXPECT_THAT(document.shape(0), testing::ElementsAre(2, 3));
  EXPECT_EQ(document.nbytes(0), 24U);
}

TEST(HostOpen, TypesThatAreNotOfTorchAreCalledByTheirNames) {
  tests::GgufWriter file;
  file.tensor("fc.weight", {32, 2}, 2, std::string(36, 'q')).tensor("fc.bias", {2}, 0, std::string(8, 'b'));
  Link link;
  const std::uint64_t request = link.open("small.gguf", file.whole());
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  const live::DocumentView& document = *link.mirror.documents().front();
  EXPECT_EQ(document.format(), "gguf");
  EXPECT_EQ(document.dtype_name(0), "Q4_0");
  EXPECT_EQ(document.dtype_name(1), "F32");
  EXPECT_EQ(document.nbytes(0), 36U);
}

TEST(HostOpen, BytesOnTheirWayAreWaitedFor) {
  Link link;
  link.sources->delay(3);
  const std::uint64_t request = link.open("small.safetensors", small_file());
  EXPECT_FALSE(link.host->run(base::Budget::unlimited()));
  EXPECT_TRUE(link.host->waiting());
  link.run();
  EXPECT_FALSE(link.host->waiting());
  EXPECT_EQ(link.state(request), JobState::Finished);
}

TEST(HostOpen, ADamagedFileFailsItsRequestAndLeavesTheOtherOpen) {
  Link link;
  const std::uint64_t good = link.open("good.safetensors", small_file());
  std::string bytes = small_file();
  bytes.resize(bytes.size() - 1);
  const std::uint64_t bad = link.open("bad.safetensors", bytes);
  link.run();
  EXPECT_EQ(link.state(good), JobState::Finished);
  ASSERT_EQ(link.state(bad), JobState::Failed);
  EXPECT_THAT(link.mirror.jobs().at(bad).error->where, HasSubstr("bad.safetensors"));
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  link.viewer->send(live::inspect(50, link.mirror.documents()[0]->id(), 0));
  link.run();
  EXPECT_NE(link.mirror.details(link.mirror.documents()[0]->id(), 0), nullptr);
}

TEST(HostOpen, ASourceThatIsNotThereFailsItsRequest) {
  Link link;
  link.viewer->send(live::open_source(7, 99, "gone.pt", ""));
  link.run();
  ASSERT_EQ(link.state(7), JobState::Failed);
  EXPECT_EQ(link.mirror.jobs().at(7).error->found, "no such source");
}

TEST(HostInspect, ARowIsDescribed) {
  Link link;
  link.open("small.safetensors", small_file());
  link.run();
  const live::DocumentView& document = *link.mirror.documents().front();
  const std::uint32_t module = document.parent(document.node(0));
  link.viewer->send(live::inspect(9, document.id(), module));
  link.run();
  const auto* details = link.mirror.details(document.id(), module);
  ASSERT_NE(details, nullptr);
  EXPECT_TRUE(details->is_module());
  bool has_weight = false;
  for (const auto* attribute : *details->attributes()) has_weight |= live::text_of(attribute->name()) == "weight";
  EXPECT_TRUE(has_weight);
}

TEST(HostInspectTensor, FactsComeAtOnceAndStatisticsAfterwards) {
  Link link;
  link.open("small.safetensors", small_file());
  link.run();
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect_tensor(20, document, 0, true));
  link.run();
  const auto* facts = link.mirror.facts(document, 0);
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(live::text_of(facts->name()), "fc.weight");
  EXPECT_TRUE(facts->has_values());
  EXPECT_TRUE(facts->located());
  EXPECT_EQ(facts->file_offset(), small_file().size() - 24);
  const auto* statistics = link.mirror.statistics(document, 0);
  ASSERT_NE(statistics, nullptr);
  EXPECT_EQ(statistics->sum(), 15);
  EXPECT_EQ(statistics->max(), 5);
  EXPECT_EQ(link.state(20), JobState::Finished);
}

TEST(HostRequestTile, TheTileHasTheNumbers) {
  Link link;
  link.open("small.safetensors", small_file());
  link.run();
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(
      live::request_tile(21, document, 0, base::whole_slice(std::vector<std::int64_t>{2, 3}), {0, 2, 1, 3, 100, 100}));
  link.run();
  const auto* tile = link.mirror.tile(21);
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(tile->width(), 2U);
  EXPECT_EQ(tile->rows(), 2U);
  EXPECT_EQ(tile->columns(), 3U);
  EXPECT_EQ(tile->mean()->Get(3), 5.0F);
  EXPECT_EQ(link.state(21), JobState::Finished);
}

TEST(HostErrors, WhatIsNotThereFailsTheRequestThatAskedForIt) {
  Link link;
  link.open("small.safetensors", small_file());
  link.run();
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect(30, 99, 0));
  link.viewer->send(live::inspect(31, document, 99));
  link.viewer->send(live::inspect_tensor(32, document, 1, false));
  link.viewer->send(live::inspect_tensor(33, 99, 0, true));
  link.viewer->send(
      live::request_tile(34, document, 0, base::whole_slice(std::vector<std::int64_t>{2, 3}), {0, 3, 0, 3, 10, 10}));
  link.viewer->send(live::request_tile(35, document, UINT32_MAX, {}, {0, 1, 0, 1, 10, 10}));
  link.viewer->send(live::open_sample(36, "no such sample"));
  link.viewer->send(live::cancel(37));
  link.viewer->send(live::close_document(99));
  link.run();
  for (std::uint64_t request = 30; request <= 36; ++request) {
    EXPECT_EQ(link.states[request], std::vector{JobState::Failed}) << request;
  }
  EXPECT_EQ(link.states.count(37), 0U);
  EXPECT_EQ(link.mirror.documents().size(), 1U);
}

TEST(HostErrors, BytesThatAreNoCommandAreAnsweredAndTheHostGoesOn) {
  Link link;
  const auto bytes = tests::to_bytes("this is no message");
  link.viewer->send(live::Bytes(std::span<const std::byte>(bytes)));
  link.viewer->send(live::Bytes());
  const std::uint64_t request = link.open("small.safetensors", small_file());
  link.run();
  EXPECT_EQ(link.states[0], (std::vector{JobState::Failed, JobState::Failed}));
  EXPECT_EQ(link.state(request), JobState::Finished);
}

TEST(HostCancel, AStatisticsJobOfALargeTensorStopsInMidWork) {
  Link link;
  open_large(link);
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect_tensor(40, document, 0, true));
  while (link.states[40].empty()) link.run_for(std::chrono::milliseconds(5));
  ASSERT_EQ(link.state(40), JobState::Running);
  const live::JobView& job = link.mirror.jobs().at(40);
  EXPECT_GT(job.done, 0U);
  EXPECT_LT(job.done, job.total);
  EXPECT_EQ(job.text, "Statistics of big");
  link.viewer->send(live::cancel(40));
  link.run_for(std::chrono::milliseconds(5));
  EXPECT_EQ(link.state(40), JobState::Cancelled);
  EXPECT_EQ(link.mirror.statistics(document, 0), nullptr);
  EXPECT_FALSE(link.host->run(base::Budget::unlimited()));
}

TEST(HostRun, ComesBackInTimeAndTellsProgressSeldom) {
  Link link;
  open_large(link);
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect_tensor(40, document, 0, true));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(link.host->run(base::Budget(std::chrono::milliseconds(5))));
  }
  const auto spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  link.receive();
  EXPECT_LE(static_cast<double>(link.states[40].size()), spent * 20 + 1);
}

TEST(HostRun, ANewSmallJobOvertakesALargeOneWhichStillGoesOn) {
  Link link;
  open_large(link);
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect_tensor(40, document, 0, true));
  link.run_for(std::chrono::milliseconds(5));
  link.viewer->send(live::inspect_tensor(41, document, 1, true));
  for (int turn = 0; turn < 1000 && link.state(41) != JobState::Finished; ++turn) {
    link.run_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(link.state(41), JobState::Finished);
  EXPECT_EQ(link.state(40), JobState::Running);
}

TEST(HostClose, EndsTheJobsOfTheDocumentAndForgetsIt) {
  Link link;
  open_large(link);
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::inspect_tensor(40, document, 0, true));
  link.run_for(std::chrono::milliseconds(5));
  link.viewer->send(live::close_document(document));
  link.run_for(std::chrono::milliseconds(5));
  EXPECT_EQ(link.state(40), JobState::Cancelled);
  EXPECT_TRUE(link.mirror.documents().empty());
  link.viewer->send(live::inspect(41, document, 0));
  link.run();
  EXPECT_EQ(link.state(41), JobState::Failed);
}

TEST(HostOpenSample, ASampleIsADocumentOfAProgram) {
  const auto make = [] { return tests::open_text(small_file()); };
  Link link({{.name = "cnn", .title = "A CNN", .about = "Small.", .make = make},
             {.name = "broken", .title = "", .about = "", .make = [] {
                return base::Result<std::unique_ptr<checkpoint::Checkpoint>>(
                    base::Error{.found = "no memory", .expected = {}, .where = {}, .offset = {}});
              }}});
  link.viewer->send(live::open_sample(1, "cnn"));
  link.viewer->send(live::open_sample(2, "broken"));
  link.run();
  EXPECT_EQ(link.state(1), JobState::Finished);
  EXPECT_EQ(link.state(2), JobState::Failed);
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  EXPECT_EQ(link.mirror.documents()[0]->get().kind(), live::wire::DocumentKind::Program);
}

TEST(HostOpen, ADocumentOfNinetyThousandTensorsIsToldWhole) {
  Link link;
  const std::uint64_t request =
      link.open("deepseek.safetensors", tests::plan_safetensors(tests::deepseek_v3_tiny()).whole());
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(link.mirror.documents().front()->tensor_count(), 91'991U);
}

TEST(HostScan, TellsWhatLoadingTheFileCouldRun) {
  Link link;
  link.open("bad.pkl", "cos\nsystem\n(S'id'\ntR.");
  link.run();
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  const std::uint32_t id = link.mirror.documents().front()->id();
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::scan_document(request, id));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  const live::wire::Safety* safety = link.mirror.safety(id);
  ASSERT_NE(safety, nullptr);
  ASSERT_EQ(safety->findings()->size(), 1U);
  EXPECT_EQ(live::text_of(safety->findings()->Get(0)->name()), "os.system");
  EXPECT_EQ(safety->findings()->Get(0)->verdict(), live::wire::Verdict::Dangerous);
  link.viewer->send(live::close_document(id));
  link.run();
  EXPECT_EQ(link.mirror.safety(id), nullptr);
  link.viewer->send(live::scan_document(++link.requests, id));
  link.run();
  EXPECT_EQ(link.state(link.requests), JobState::Failed);
}

TEST(HostReadTensorFile, PiecesMakeAFile) {
  Link link;
  link.open("small.safetensors", small_file());
  link.run();
  const std::uint32_t id = link.mirror.documents().front()->id();
  const base::TensorSlice whole = base::whole_slice(link.mirror.documents().front()->shape(0));
  std::string text;
  for (std::uint64_t next = 0, total = 1; next < total;) {
    link.viewer->send(live::read_tensor_file(++link.requests, id, 0, whole, true, next, 4));
    link.run();
    const live::wire::TensorFilePiece* values = link.mirror.file_piece(link.requests);
    ASSERT_NE(values, nullptr);
    text.append(reinterpret_cast<const char*>(values->bytes()->data()), values->bytes()->size());
    next = values->next();
    total = values->total();
  }
  EXPECT_EQ(text, "0,1,2\n3,4,5\n");
  link.viewer->send(live::read_tensor_file(++link.requests, id, 0, whole, true, 7, 1));
  link.run();
  EXPECT_EQ(link.state(link.requests), JobState::Failed);
}

}  // namespace
}  // namespace nns::session
