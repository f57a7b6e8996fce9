// `nnscope capture LOG`: what a log of TORCH_TRACE says, as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::string_view kHead = "V0403 07:28:48.051000 139877824898048 torch/_dynamo/x.py:19] ";

// One record; each line of what it carries stands behind a tab.
std::string record(std::string_view fields, std::string_view payload = {}) {
  std::string text = std::string(kHead) + std::string(fields) + "\n";
  while (!payload.empty()) {
    const std::size_t end = payload.find('\n');
    text.append("\t").append(payload.substr(0, end)).append("\n");
    payload.remove_prefix(end == std::string_view::npos ? payload.size() : end + 1);
  }
  return text;
}

std::string two_frames() {
  return record(R"({"str": ["/a/model.py", 0]})") +
         record(
             R"({"dynamo_start": {"stack": [{"line": 7, "name": "forward", "filename": 0}]}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})") +
         record(
             R"({"dynamo_output_graph": {"sizes": {"l_x_": ["s0", 4]}}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "1"})",
             "class GraphModule(torch.nn.Module):\n    def forward(self, s0: \"Sym(s0)\", L_x_: \"f32[s0, 4]\"):\n"
             "        l_x_ = L_x_\n        # File: /a/model.py:8 in forward, code: y = x.cos()\n"
             "        y: \"f32[s0, 4]\" = l_x_.cos();  l_x_ = None\n        return (y,)") +
         record(
             R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "2"})",
             "Graph break in user code at /a/model.py:9\nGraph Break Reason: Call to print\n  Explanation: It is no "
             "function of torch.\n  Hint: Leave it out.\n\n  Developer debug context: print\n"
             "User code traceback:\n  File \"/a/model.py\", line 9, in forward\n    print(x)\n") +
         record(
             R"({"dynamo_cpp_guards_str": {}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "3"})",
             "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n"
             "| +- GuardManager: source=L['x'], accessed_by=DictGetItemGuardAccessor(x)\n"
             "| | +- TENSOR_MATCH: check_tensor(L['x'], size=[None, 4])  # y = x.cos()  # model.py:8 in forward\n") +
         record(
             R"({"compilation_metrics": {"co_name": "forward", "co_filename": "/a/model.py", "co_firstlineno": 7, "entire_frame_compile_time_s": 0.5, "fail_type": null}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})") +
         record(
             R"({"dynamo_start": {"stack": [{"line": 7, "name": "forward", "filename": 0}]}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0})") +
         record(
             R"({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0, "has_payload": "4"})",
             "[\"0/0: tensor 'L['x']' size mismatch at index 1. expected 4, actual 5\"]") +
         record(
             R"({"compilation_metrics": {"co_name": "forward", "co_filename": "/a/model.py", "co_firstlineno": 7, "entire_frame_compile_time_s": 0.25, "fail_type": "Unsupported"}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0})");
}

struct CaptureLog : ::testing::Test {
  TempFolder folder;
  std::string write(const std::string& name, const std::string& text) {
    folder.write(name, text);
    return (folder.path() / name).string();
  }
};

TEST_F(CaptureLog, IsToldAsText) {
  const auto told = run_nnscope({"capture", write("trace.log", two_frames())});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_EQ(told.err, "");
  EXPECT_THAT(told.out,
              HasSubstr("forward [0/0] compiled, /a/model.py:7\n    0.500000 s  entire_frame_compile_time\n"));
  EXPECT_THAT(told.out, HasSubstr("graph of forward [0/0], dynamo_output_graph\n"));
  EXPECT_THAT(told.out, HasSubstr("  call_method   y                        cos(l_x_)\n"));
  EXPECT_THAT(told.out, HasSubstr("break in forward [0/0], /a/model.py:9: Call to print"));
  EXPECT_THAT(told.out, HasSubstr("  It is no function of torch.\n  Hint: Leave it out.\n"));
  EXPECT_THAT(told.out, HasSubstr("guards of forward [0/0]\n  TENSOR_MATCH                 L['x']\n"));
  EXPECT_THAT(told.out,
              HasSubstr("compiled again, not [0/0]: tensor 'L['x']' size mismatch at index 1. expected 4, actual 5\n"));
}

TEST_F(CaptureLog, IsToldAsJson) {
  const auto told = run_nnscope({"capture", write("trace.log", two_frames()), "--json"});
  ASSERT_EQ(told.status, 0) << told.err;
  const json made = json::parse(told.out);
  EXPECT_EQ(made["records"]["dynamo_start"], "2");
  ASSERT_EQ(made["frames"].size(), 2U);
  const json& first = made["frames"][0];
  EXPECT_EQ(first["frame"], "forward");
  EXPECT_EQ(first["compile_id"], "0/0");
  EXPECT_EQ(first["place"], "/a/model.py:7");
  EXPECT_EQ(first["seconds"]["entire_frame_compile_time"], 0.5);
  const json& nodes = first["graphs"][0]["nodes"];
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0]["name"], "s0");
  // Sizes that are symbols stay what the log calls them.
  EXPECT_EQ(nodes[2]["example"], "f32[s0, 4]");
  EXPECT_EQ(nodes[2]["place"], "/a/model.py:8");
  EXPECT_EQ(first["breaks"][0]["gb_type"], "Call to print");
  EXPECT_EQ(first["breaks"][0]["place"], "/a/model.py:9");
  EXPECT_EQ(first["guards"][0][0], "TENSOR_MATCH");
  EXPECT_EQ(first["guards"][0][1], "L['x']");
  EXPECT_EQ(made["frames"][1]["reasons"][0]["of"], "0/0");
  EXPECT_NE(made["frames"][1]["outcome"], first["outcome"]);
}

TEST_F(CaptureLog, WhatIsDamagedIsToldAndTheRestRead) {
  std::string text = two_frames();
  text.insert(text.find(kHead, 1), std::string(kHead) + "{\"dynamo_start\": {\n");
  const auto told = run_nnscope({"capture", write("damaged.log", text)});
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.err, HasSubstr("a record that is no JSON object"));
  EXPECT_THAT(told.out, HasSubstr("forward [0/1]"));
}

TEST_F(CaptureLog, WhatIsNoLogIsRefused) {
  for (const bool as_json : {false, true}) {
    std::vector<std::string> words = {"capture", write("no.log", "hello\nworld\n")};
    if (as_json) words.emplace_back("--json");
    const auto refused = run_nnscope(words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("no record of TORCH_TRACE"));
  }
  EXPECT_EQ(run_nnscope({"capture", (folder.path() / "missing.log").string()}).status, 2);
}

// What PyTorch wrote itself, each log beside the facts that were written down of it.
TEST_F(CaptureLog, RealOnesAreToldWhole) {
  const auto data = test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  std::filesystem::path logs = std::filesystem::path(*data) / "torch_trace";
  if (!std::filesystem::exists(logs)) logs = std::filesystem::path(*data) / "datasets" / "torch_trace";
  if (!std::filesystem::exists(logs)) GTEST_SKIP() << "NNSCOPE_TEST_DATA has no torch_trace";
  for (const auto& entry : std::filesystem::directory_iterator(logs)) {
    if (entry.path().extension() != ".log") continue;
    SCOPED_TRACE(entry.path());
    const auto told = run_nnscope({"capture", entry.path().string(), "--json"});
    ASSERT_EQ(told.status, 0) << told.err;
    const json made = json::parse(told.out);
    std::ifstream facts_file(entry.path().string() + ".facts.json");
    const json facts = json::parse(facts_file);
    for (const auto& [kind, count] : facts["records"].items())
      EXPECT_EQ(made["records"][kind], std::to_string(count.get<int>())) << kind;
    std::size_t graphs = 0;
    for (const json& frame : made["frames"]) graphs += frame["graphs"].size();
    EXPECT_GE(graphs, 1U);
    EXPECT_THAT(run_nnscope({"capture", entry.path().string()}).out, HasSubstr("graph of "));
  }
}

}  // namespace
}  // namespace nns::tests
