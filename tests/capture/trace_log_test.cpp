// Logs of TORCH_TRACE: what real ones say, what damaged ones are told to be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/capture/trace_log.h"
#include "tests/support/files.h"

namespace nns::capture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Pair = std::pair<std::string, std::string>;

base::Result<Capture> read_log(std::string_view text, ReadLimits limits = {}) {
  TraceLogReader reader(base::make_memory_source("a.log", tests::to_bytes(text)), limits);
  while (true) {
    auto step = reader.step(base::Budget::unlimited());
    if (!step.ok()) return step.error();
    if (*step) return reader.take();
  }
}

constexpr std::string_view kHead = "V0403 07:28:48.051000 139877824898048 torch/_dynamo/x.py:19] ";

std::string record(std::string_view json, std::string_view payload = {}) {
  std::string text(kHead);
  text.append(json).append("\n");
  while (!payload.empty()) {
    const std::size_t end = payload.find('\n');
    text.append("\t").append(payload.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    payload.remove_prefix(end + 1);
  }
  return text;
}

std::string small_log() {
  return record(R"({"str": ["/a/model.py", 0]})") +
         record(
             R"({"dynamo_start": {"stack": [{"line": 7, "name": "forward", "filename": 0}]}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0})") +
         record(
             R"({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0, "has_payload": "1"})",
             "[\"0/0: tensor 'L['x']' size mismatch at index 0. expected 2, actual 3\"]") +
         record(
             R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0, "has_payload": "2"})",
             "Graph break in user code at /a/model.py:9\nGraph Break Reason: Call to print\n  Explanation: It is no "
             "function of torch.\n  Hint: Leave it out.\n  Hint: Or move it.\n\n  Developer debug context: print\n"
             "User code traceback:\n  File \"/a/model.py\", line 9, in forward\n    print(x)\n") +
         record(
             R"({"dynamo_output_graph": {"sizes": {}}, "frame_id": 0, "frame_compile_id": 1, "attempt": 1, "has_payload": "3"})",
             "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_ : torch.Tensor):\n        l_x_ = L_x_\n"
             "        # File: /a/model.py:8 in forward, code: x = x.cos()\n        x = l_x_.cos()\n        return "
             "(x,)") +
         record(
             R"({"dynamo_cpp_guards_str": {}, "frame_id": 0, "frame_compile_id": 1, "attempt": 1, "has_payload": "4"})",
             "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- GLOBAL_STATE: ___check_global_state()\n"
             "| +- GuardManager: source=L['x'], accessed_by=DictGetItemGuardAccessor(x)\n"
             "| | +- TENSOR_MATCH: check_tensor(L['x'], size=[3, 4])  # x = x.cos()  # model.py:8 in forward\n") +
         record(
             R"({"compilation_metrics": {"co_name": "forward", "co_filename": "/a/model.py", "co_firstlineno": 7, "entire_frame_compile_time_s": 0.5, "backend_compile_time_s": 0.25, "fail_type": null, "graph_op_count": 1, "has_guarded_code": true}, "frame_id": 0, "frame_compile_id": 1, "attempt": 1})");
}

TEST(TraceLog, TellsOfAFrameWhatItsRecordsSay) {
  const auto read = read_log(small_log());
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->frames.size(), 1U);
  const Frame& frame = read->frames[0];
  EXPECT_EQ(frame.compile_id, "0/1");
  EXPECT_EQ(frame.name, "forward");
  EXPECT_EQ(frame.outcome, "compiled");
  EXPECT_EQ(read->files[frame.place.file].name, "/a/model.py");
  EXPECT_EQ(frame.place.line, 7U);
  ASSERT_EQ(frame.reasons.size(), 1U);
  EXPECT_EQ(frame.reasons[0].of, "0/0");
  EXPECT_EQ(frame.reasons[0].guard, "tensor 'L['x']' size mismatch at index 0. expected 2, actual 3");
  ASSERT_EQ(frame.breaks.size(), 1U);
  EXPECT_EQ(frame.breaks[0].type, "Call to print");
  EXPECT_EQ(frame.breaks[0].explanation, "It is no function of torch.");
  EXPECT_THAT(frame.breaks[0].hints, ElementsAre("Leave it out.", "Or move it."));
  EXPECT_EQ(frame.breaks[0].context, "print");
  ASSERT_EQ(frame.breaks[0].stack.size(), 1U);
  EXPECT_EQ(frame.breaks[0].stack[0].place.line, 9U);
  ASSERT_EQ(frame.graphs.size(), 1U);
  ASSERT_EQ(frame.graphs[0].nodes.size(), 3U);
  EXPECT_EQ(frame.graphs[0].nodes[1].target, "cos");
  ASSERT_EQ(frame.guards.size(), 2U);
  EXPECT_EQ(frame.guards[1].kind, "TENSOR_MATCH");
  EXPECT_EQ(frame.guards[1].of, "L['x']");
  EXPECT_EQ(frame.guards[1].place.line, 8U);
  ASSERT_EQ(frame.timings.size(), 2U);
  EXPECT_EQ(frame.timings[0].name, "entire_frame_compile_time");
  EXPECT_EQ(frame.timings[0].seconds, 0.5);
  EXPECT_THAT(frame.facts, testing::Contains(Pair("graph_op_count", "1")));
  // Lines of the source are known where a record names them.
  EXPECT_THAT(read->files[0].numbers, ElementsAre(8, 9));
  EXPECT_THAT(read->notes, ElementsAre());
}

TEST(TraceLog, SaysWhatIsDamagedAndReadsTheRest) {
  const std::string begin = record(R"({"str": ["a.py", 0]})");
  const std::string text =
      begin + record("{\"dynamo_start\": {") + "something else\n" + record(R"({"str": ["b.py", 1]})");
  const auto read = read_log(text);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_THAT(read->records, ElementsAre(Pair("str", "2")));
  ASSERT_EQ(read->notes.size(), 2U);
  EXPECT_THAT(read->notes[0],
              HasSubstr(fmt::format("byte {}: a record that is no JSON object", begin.size() + kHead.size())));
  EXPECT_EQ(read->notes[1], "1 lines are no records");
}

TEST(TraceLog, RefusesWhatIsNoSuchLog) {
  for (const std::string_view text : {"", "hello\nworld\n", "V0403 and so on\n", "I am a log\n"}) {
    const auto read = read_log(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message(), HasSubstr("a.log: byte 0: no record of TORCH_TRACE")) << text;
  }
  const auto broken = read_log(std::string(kHead) + "{\"a\": \n");
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message(), HasSubstr(fmt::format("byte {}", kHead.size())));
}

TEST(TraceLog, KeepsNoMoreThanItsLimits) {
  std::string text = record(R"({"str": ["a.py", 0]})") + record("{\"x\": \"" + std::string(5000, 'a') + "\"}");
  for (int i = 0; i < 30; ++i) {
    text += record(
        fmt::format(R"({{"compilation_metrics": {{"co_name": "f{}"}}, "frame_id": {}, "frame_compile_id": 0}})", i, i));
  }
  const auto read = read_log(text, {.line_bytes = 4000, .frames = 10});
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->frames.size(), 10U);
  EXPECT_THAT(read->notes, testing::Contains(HasSubstr("a line of more than 4000 bytes")));
  EXPECT_THAT(read->notes, testing::Contains("only the first 10 compilations are shown"));
}

TEST(TraceLog, ReadsAnyBeginningOfALog) {
  const std::string whole = small_log();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto read = read_log(std::string_view(whole).substr(0, length));
    if (!read.ok()) continue;
    EXPECT_LE(read->frames.size(), 1U);
  }
}

// Each log beside the facts that were written down of it.
TEST(TraceLog, RealLogsSayWhatIsKnownOfThem) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  std::filesystem::path folder = std::filesystem::path(*data) / "torch_trace";
  if (!std::filesystem::exists(folder)) folder = std::filesystem::path(*data) / "datasets" / "torch_trace";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "NNSCOPE_TEST_DATA has no torch_trace";
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    ++logs;
    std::ifstream facts_file(entry.path().string() + ".facts.json");
    const nlohmann::json facts = nlohmann::json::parse(facts_file);
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    ASSERT_EQ(text.str().size(), facts["size"].get<std::size_t>());
    const auto read = read_log(text.str());
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(read->lines, facts["lines"].get<std::uint64_t>()) << entry.path();
    std::map<std::string, std::string> counted(read->records.begin(), read->records.end());
    std::map<std::string, std::string> known;
    for (const auto& [kind, count] : facts["records"].items()) known[kind] = std::to_string(count.get<int>());
    EXPECT_EQ(counted, known) << entry.path();
    // Every record of a graph became one, with its output last.
    std::size_t graphs = 0, told = 0;
    for (const auto& [kind, count] : facts["records"].items()) {
      if (kind.ends_with("_graph") || kind == "exported_program") told += count.get<std::size_t>();
    }
    for (const Frame& frame : read->frames) {
      graphs += frame.graphs.size();
      for (const Graph& graph : frame.graphs) EXPECT_EQ(graph.nodes.back().op, Op::Output) << entry.path();
    }
    EXPECT_EQ(graphs, told) << entry.path();
    const std::string name = entry.path().filename().string();
    if (name == "comp_metrics.log") {
      ASSERT_EQ(read->frames.size(), 3U);
      EXPECT_EQ(read->frames[1].name, "torch_dynamo_resume_in_fn_at_9551");
      EXPECT_EQ(read->frames[0].breaks.size(), 1U);
      EXPECT_EQ(read->frames[2].breaks.size(), 0U);
      // The metrics of PyTorch say how many nodes there are; its guards are told one by one.
      for (const Frame& frame : read->frames) {
        EXPECT_THAT(frame.facts,
                    testing::Contains(Pair("graph_node_count", std::to_string(frame.graphs[0].nodes.size()))));
      }
    }
    if (name == "simple.log") {
      ASSERT_EQ(read->frames.size(), 1U);
      EXPECT_THAT(read->frames[0].facts, testing::Contains(Pair("graph_node_count", "5")));
      EXPECT_EQ(read->frames[0].graphs[0].nodes.size(), 5U);
      EXPECT_EQ(read->frames[0].guards.size(), 35U);
    }
  }
  EXPECT_EQ(logs, 4U);
}

}  // namespace
}  // namespace nns::capture
