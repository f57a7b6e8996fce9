// `nnscope capture FILE`: what a log of TORCH_TRACE or a package of torch.export says, as text and as JSON.
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

struct CaptureFile : ::testing::Test {
  TempFolder folder;
  std::string write(const std::string& name, const std::string& text) {
    folder.write(name, text);
    return (folder.path() / name).string();
  }
};

TEST_F(CaptureFile, IsToldAsText) {
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

TEST_F(CaptureFile, IsToldAsJson) {
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

TEST_F(CaptureFile, WhatIsDamagedIsToldAndTheRestRead) {
  std::string text = two_frames();
  text.insert(text.find(kHead, 1), std::string(kHead) + "{\"dynamo_start\": {\n");
  const auto told = run_nnscope({"capture", write("damaged.log", text)});
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.err, HasSubstr("a record that is no JSON object"));
  EXPECT_THAT(told.out, HasSubstr("forward [0/1]"));
}

TEST_F(CaptureFile, WhatIsNoLogIsRefused) {
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

// What a program of ours exports and saves is told as PyTorch's own packages are.
TEST_F(CaptureFile, PackagesOfOurOwnProgramsAreTold) {
  const std::string package = (folder.path() / "net.pt2").string();
  const std::string program = write("export.py", R"(
import sys
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 6)
        self.register_buffer("count", torch.zeros(()))
    def forward(self, x):
        self.count.add_(1)
        a, b = self.up(x).relu().chunk(2, dim=1)
        return a * b
net = Net()
batch = torch.export.Dim("batch", min=2, max=64)
exported = torch.export.export(net, (torch.randn(8, 4),), dynamic_shapes={"x": {0: batch}})
torch.export.save(exported, sys.argv[1])
)");
  const auto made = run_nnscope({"run", "--allow-write", folder.path().string(), program, package});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto told = run_nnscope({"capture", package});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("  input p_up_weight: parameter up.weight, f32[6, 4]\n"));
  EXPECT_THAT(told.out, HasSubstr("  input b_count: buffer count, f32[]\n"));
  EXPECT_THAT(told.out, HasSubstr("VR[2, 64]"));
  const auto as_json = run_nnscope({"capture", package, "--json"});
  ASSERT_EQ(as_json.status, 0) << as_json.err;
  const json graph = json::parse(as_json.out)["frames"][0]["graphs"][0]["nodes"];
  const auto node = [&](const std::string& target) {
    for (const json& one : graph) {
      if (one["target"] == target) return one;
    }
    return json();
  };
  EXPECT_EQ(node("torch.ops.aten.linear.default")["args"], "x, p_up_weight, p_up_bias");
  EXPECT_THAT(node("torch.ops.aten.linear.default")["example"].get<std::string>(), HasSubstr(", 6]"));
  EXPECT_THAT(node("torch.ops.aten.linear.default")["place"].get<std::string>(), HasSubstr("export.py:12"));
  EXPECT_EQ(node("operator.getitem")["args"], "chunk, 0");
  EXPECT_EQ(graph.back()["op"], "output");
}

TEST_F(CaptureFile, WhatIsNoPackageIsRefused) {
  const auto refused = run_nnscope({"capture", write("no.pt2", "PK no")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("no.pt2"));
}

// What PyTorch wrote itself, each log beside the facts that were written down of it.
TEST_F(CaptureFile, RealOnesAreToldWhole) {
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
