// Programs of torch.export: what packages that PyTorch wrote say, what hand-made programs of all its schemas become,
// and what is no such program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/capture/exported_program.h"
#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"

namespace nns::capture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Pair = std::pair<std::string, std::string>;

base::Result<Capture> read_all(Reader& reader) {
  while (true) {
    auto step = reader.step(base::Budget::unlimited());
    if (!step.ok()) return step.error();
    if (*step) return reader.take();
  }
}

base::Result<Capture> read_text(std::string json, ReadLimits limits = {}) {
  ExportedProgramReader reader(std::move(json), "model", "model.json", limits);
  return read_all(reader);
}

/// "name = target(arguments) -> example [inputs]" of each node.
std::vector<std::string> lines_of(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    std::string inputs;
    for (const std::uint32_t input : node.inputs) inputs += " " + graph.nodes[input].name;
    lines.push_back(fmt::format("{} {} = {}({}) -> {} [{}]", op_name(node.op), node.name, node.target, node.arguments,
                                node.example, inputs.empty() ? inputs : inputs.substr(1)));
  }
  return lines;
}

std::string tensor(std::string_view name) { return fmt::format(R"({{"as_tensor": {{"name": "{}"}}}})", name); }

/// A program with sizes that are symbols, several results, keywords, a graph in a node and a buffer that is written.
constexpr const char* kRich = R"json({"graph_module": {
"graph": {
  "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "b_count"}}, {"as_tensor": {"name": "x"}},
             {"as_int": 3}],
  "outputs": [{"as_tensor": {"name": "add"}}, {"as_tensor": {"name": "cond"}}],
  "nodes": [
    {"target": "torch.ops.aten.sym_size.int", "metadata": {},
     "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
                {"name": "dim", "arg": {"as_int": 0}, "kind": 1}],
     "outputs": [{"as_sym_int": {"as_name": "sym_size_int"}}]},
    {"target": "torch.ops.aten.split.Tensor",
     "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
                {"name": "split_size", "arg": {"as_sym_int": {"as_name": "sym_size_int"}}, "kind": 1}],
     "outputs": [{"as_tensors": [{"name": "getitem"}, {"name": "getitem_1"}]}],
     "metadata": {
       "nn_module_stack": "L__self__,,a.Net;L__self__blocks,blocks.0,a.Net.<locals>.Block",
       "stack_trace": "  File \"/a/net.py\", line 9, in forward\n    a, b = self.blocks[0](x)\n  File \"/usr/lib/python3/torch/functional.py\", line 5, in split\n    return tensor.split(n)"}},
    {"target": "torch.ops.aten.add.Tensor", "metadata": {"nn_module_stack": "L__self__,,a.Net"},
     "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "getitem"}}, "kind": 1},
                {"name": "other", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1},
                {"name": "alpha", "arg": {"as_float": 0.5}, "kind": 2}],
     "outputs": [{"as_tensor": {"name": "add"}}]},
    {"target": "torch.ops.higher_order.cond", "metadata": {},
     "inputs": [{"name": "pred", "arg": {"as_tensor": {"name": "b_count"}}, "kind": 1},
                {"name": "true_fn", "kind": 1, "arg": {"as_graph": {"name": "true_graph_0", "graph": {
                   "inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "sin"}}],
                   "nodes": [{"target": "torch.ops.aten.sin.default", "metadata": {},
                              "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
                              "outputs": [{"as_tensor": {"name": "sin"}}]}],
                   "tensor_values": {"sin": {"dtype": 7, "sizes": [{"as_int": 2}]}}}}}},
                {"name": "operands", "arg": {"as_tensors": [{"name": "x"}]}, "kind": 1}],
     "outputs": [{"as_tensor": {"name": "cond"}}]},
    {"target": "torch.ops.aten.empty.memory_format", "metadata": {},
     "inputs": [{"name": "size", "arg": {"as_ints": [2, 3]}, "kind": 1},
                {"name": "dtype", "arg": {"as_scalar_type": 13}, "kind": 2},
                {"name": "layout", "arg": {"as_layout": 7}, "kind": 2},
                {"name": "device", "arg": {"as_device": {"type": "cuda", "index": 1}}, "kind": 2},
                {"name": "pin_memory", "arg": {"as_bool": false}, "kind": 2},
                {"name": "memory_format", "arg": {"as_memory_format": 2}, "kind": 2},
                {"name": "what", "arg": {"as_none": true}, "kind": 2},
                {"name": "mode", "arg": {"as_string": "tanh"}, "kind": 2}],
     "outputs": [{"as_tensor": {"name": "empty"}}]}],
  "tensor_values": {
    "x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s77", "hint": null}}, {"as_int": 8}]},
    "b_count": {"dtype": 12, "sizes": []},
    "getitem": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 8}]},
    "empty": {"dtype": 13, "sizes": [{"as_int": 2}, {"as_int": 3}]}},
  "sym_int_values": {"sym_size_int": {"as_expr": {"expr_str": "s77", "hint": {"as_int": 4}}}}},
"signature": {
  "input_specs": [
    {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}},
    {"buffer": {"arg": {"name": "b_count"}, "buffer_name": "count", "persistent": false}},
    {"user_input": {"arg": {"as_tensor": {"name": "x"}}}},
    {"constant_input": {"name": "n", "value": {"as_int": 3}}}],
  "output_specs": [
    {"buffer_mutation": {"arg": {"name": "add"}, "buffer_name": "count"}},
    {"user_output": {"arg": {"as_tensor": {"name": "cond"}}}}]}},
"opset_version": {"aten": 10}, "range_constraints": {"s77": {"min_val": 2, "max_val": null}},
"schema_version": {"major": 8, "minor": 14}, "verifiers": ["TRAINING"], "torch_version": "2.14.1",
"guards_code": ["x.size()[0] >= 2"]})json";

TEST(ExportedProgram, NodesAreToldAsACallIsWritten) {
  const auto capture = read_text(kRich);
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  EXPECT_FALSE(capture->is_log);
  ASSERT_EQ(capture->frames.size(), 1U);
  const Frame& frame = capture->frames[0];
  ASSERT_EQ(frame.graphs.size(), 2U);
  EXPECT_EQ(frame.graphs[0].stage, "exported_program");
  EXPECT_THAT(
      lines_of(frame.graphs[0]),
      ElementsAre("placeholder p_w = p_w(parameter w) ->  []",
                  "placeholder b_count = b_count(buffer count (not persistent)) -> b8[] []",
                  "placeholder x = x(user input) -> f32[s77, 8] []", "placeholder n = n(constant 3) ->  []",
                  "call_function sym_size_int = torch.ops.aten.sym_size.int(x, 0) -> Sym(s77) [x]",
                  "call_function split = torch.ops.aten.split.Tensor(x, sym_size_int) ->  [x sym_size_int]",
                  "call_function getitem = operator.getitem(split, 0) -> f32[2, 8] [split]",
                  "call_function getitem_1 = operator.getitem(split, 1) ->  [split]",
                  "call_function add = torch.ops.aten.add.Tensor(getitem, p_w, alpha = 0.5) ->  [p_w getitem]",
                  "get_attr true_graph_0 = true_graph_0() ->  []",
                  "call_function cond = torch.ops.higher_order.cond(b_count, true_graph_0, [x]) ->  "
                  "[b_count x true_graph_0]",
                  "call_function empty = torch.ops.aten.empty.memory_format([2, 3], dtype = torch.bfloat16, layout = "
                  "torch.strided, device = device(type='cuda', index=1), pin_memory = False, memory_format = "
                  "torch.channels_last, what = None, mode = 'tanh') -> bf16[2, 3] []",
                  "output output = output(add, cond) ->  [add cond]"));
  EXPECT_EQ(frame.graphs[1].stage, "exported_program true_graph_0");
  EXPECT_THAT(lines_of(frame.graphs[1]), ElementsAre("placeholder x = x() ->  []",
                                                     "call_function sin = torch.ops.aten.sin.default(x) -> f32[2] [x]",
                                                     "output output = output(sin) ->  [sin]"));
}

TEST(ExportedProgram, SignatureConstraintsModulesAndSourceAreTold) {
  const auto capture = read_text(kRich);
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Frame& frame = capture->frames[0];
  EXPECT_EQ(frame.name, "exported program");
  EXPECT_THAT(frame.facts,
              ElementsAre(Pair("torch", "2.14.1"), Pair("schema", "8.14"), Pair("opset aten", "10"),
                          Pair("dialect", "TRAINING"), Pair("input x", "user input, f32[s77, 8]"),
                          Pair("output add", "buffer mutation count"), Pair("output cond", "user output"),
                          Pair("input p_w", "parameter w"),
                          Pair("input b_count", "buffer count (not persistent), b8[]"), Pair("input n", "constant 3")));
  ASSERT_EQ(frame.guards.size(), 2U);
  EXPECT_EQ(frame.guards[0].of + ": " + frame.guards[0].text, "s77: VR[2, int_oo]");
  EXPECT_EQ(frame.guards[1].text, "x.size()[0] >= 2");
  // The line of the program, not that of the library which it called.
  const Graph& graph = frame.graphs[0];
  const Node& split = graph.nodes[5];
  EXPECT_EQ(capture->files[split.place.file].name, "/a/net.py");
  EXPECT_EQ(split.place.line, 9U);
  EXPECT_EQ(split.code, "a, b = self.blocks[0](x)");
  EXPECT_THAT(capture->files[split.place.file].numbers, ElementsAre(9U));
  ASSERT_NE(split.stack, kNone);
  EXPECT_EQ(graph.stacks[split.stack].name, "blocks.0");
  EXPECT_EQ(graph.stacks[split.stack].class_name, "a.Net.<locals>.Block");
  EXPECT_EQ(graph.stacks[graph.stacks[split.stack].parent].class_name, "a.Net");
  EXPECT_EQ(graph.nodes[8].stack, graph.stacks[split.stack].parent);
  ASSERT_EQ(frame.modules.size(), 2U);
  EXPECT_EQ(frame.modules[0].variable, "1 node");
  EXPECT_EQ(frame.modules[1].of, "blocks.0");
  EXPECT_EQ(frame.modules[1].variable, "3 nodes");
}

// As PyTorch 2.1 wrote it.
TEST(ExportedProgram, OlderSchemasAreRead) {
  const auto capture = read_text(
      R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "arg0_1"}}, {"as_tensor": {"name": "arg1_1"}}],
"outputs": [{"as_tensor": {"name": "mul"}}], "nodes": [{"target": "torch.ops.aten.mul.Tensor",
"inputs": [{"name": "self", "arg": {"as_tensor": {"name": "arg1_1"}}}, {"name": "other", "arg": {"as_tensor": {"name": "arg0_1"}}}],
"outputs": [{"as_tensor": {"name": "mul"}}], "metadata": {}}],
"tensor_values": {"mul": {"val": null, "meta": {"dtype": 7, "sizes": [{"as_int": 4}]}}}, "sym_int_values": {}},
"signature": {"inputs_to_parameters": {"arg0_1": "scale"}, "user_inputs": ["arg1_1"]}},
"opset_version": {"aten": 10}, "schema_version": 1, "dialect": "ATEN"})");
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Frame& frame = capture->frames[0];
  EXPECT_THAT(lines_of(frame.graphs[0]),
              ElementsAre("placeholder arg0_1 = arg0_1(parameter scale) ->  []", "placeholder arg1_1 = arg1_1() ->  []",
                          "call_function mul = torch.ops.aten.mul.Tensor(arg1_1, arg0_1) -> f32[4] [arg0_1 arg1_1]",
                          "output output = output(mul) ->  [mul]"));
  EXPECT_EQ(frame.facts[0], Pair("schema", "1"));
}

TEST(ExportedProgram, WhatIsNoneIsRefusedWithItsPlace) {
  const auto refused = [](std::string text) {
    const auto read = read_text(std::move(text));
    return read.ok() ? std::string("read") : read.error().message();
  };
  EXPECT_THAT(refused("{"), HasSubstr("a program that is no JSON"));
  EXPECT_THAT(refused("{"), HasSubstr("model.json"));
  EXPECT_THAT(refused("[1]"), HasSubstr("a program without a graph"));
  EXPECT_THAT(refused(R"({"graph_module": {}})"), HasSubstr("a program without a graph"));
  EXPECT_THAT(refused(R"({"graph_module": {"graph": null}})"), HasSubstr("a program without a graph"));
}

// Whatever stands where something else should: the rest is read.
TEST(ExportedProgram, PartsOfAnotherKindAreLeftOut) {
  const auto capture = read_text(
      R"({"graph_module": {"graph": {"inputs": [3, {}, {"as_tensor": 4}], "outputs": "x", "nodes": [null, 7, {"target": 3, "inputs": [{"arg": null}, {"arg": {"as_int": "three"}}], "outputs": [{"as_tensors": 1}], "metadata": "none"}],
"tensor_values": {"a": 3, "b": {"dtype": -4, "sizes": {"as_int": 2}}}}, "signature": [1]},
"range_constraints": [2], "guards_code": {"a": 1}, "schema_version": {"major": "x"}})");
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Graph& graph = capture->frames[0].graphs[0];
  EXPECT_EQ(graph.nodes.size(), 7U);
  EXPECT_EQ(graph.nodes.back().op, Op::Output);
}

TEST(ExportedProgram, AGraphInASignatureAndStacksWithoutEndDoNoHarm) {
  std::string stack;
  for (int i = 0; i < 20'000; ++i) stack += fmt::format("k,m{},C;", i);
  const auto capture = read_text(fmt::format(
      R"({{"graph_module": {{"graph": {{"inputs": [], "outputs": [], "nodes": [{{"target": "a.split.x", "inputs": [], "outputs": [], "metadata": {{"nn_module_stack": "{}"}}}}, {{"target": "a.split.x", "inputs": [], "outputs": []}}, {{"target": "a.split.x", "inputs": [], "outputs": []}}]}},
"signature": {{"input_specs": [{{"constant_input": {{"name": "g", "value": {{"as_graph": {{"name": "inner", "graph": {{}}}}}}}}}}],
"output_specs": [{{"user_output": {{"arg": {{"as_graph": {{"name": "inner", "graph": {{}}}}}}}}}}]}}}}}})",
      stack));
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Graph& graph = capture->frames[0].graphs[0];
  EXPECT_EQ(graph.stacks.size(), 256U);
  EXPECT_EQ(graph.nodes[0].name + " " + graph.nodes[1].name + " " + graph.nodes[2].name, "split split_1 split_2");
  EXPECT_EQ(capture->frames[0].graphs.size(), 1U);
}

TEST(ExportedProgram, NodesBeyondTheLimitAreCountedAndLeftOut) {
  std::string nodes;
  for (int i = 0; i < 100; ++i) {
    nodes += fmt::format(R"({}{{"target": "t.op", "inputs": [], "outputs": [{}], "metadata": {{}}}})",
                         i == 0 ? "" : ",", tensor(fmt::format("n{}", i)));
  }
  const auto capture = read_text(
      fmt::format(R"({{"graph_module": {{"graph": {{"inputs": [], "outputs": [], "nodes": [{}]}}}}}})", nodes),
      {.nodes = 30});
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ(capture->frames[0].graphs[0].nodes.size(), 30U);
  EXPECT_EQ(capture->frames[0].graphs[0].left_out, 71U);
}

TEST(ExportedProgram, GraphsWithinGraphsWithoutEndAreLeftOut) {
  std::string graph = R"({"inputs": [], "outputs": [], "nodes": []})";
  for (int i = 0; i < 200; ++i) {
    graph = fmt::format(
        R"({{"inputs": [], "outputs": [], "nodes": [{{"target": "t", "inputs": [{{"name": "f", "arg": {{"as_graph": {{"name": "g", "graph": {}}}}}}}], "outputs": []}}]}})",
        graph);
  }
  const auto capture = read_text(fmt::format(R"({{"graph_module": {{"graph": {}}}}})", graph));
  // simdjson reads 1,024 levels, which these are within; of the graphs 64 lie in each other.
  if (capture.ok()) {
    EXPECT_EQ(capture->frames[0].graphs.size(), 65U);
  } else {
    EXPECT_THAT(capture.error().message(), HasSubstr("a program that is no JSON"));
  }
}

TEST(ExportedProgram, AReadInSlicesIsTheSame) {
  ExportedProgramReader reader(kRich, "model", "model.json");
  int slices = 0;
  while (true) {
    const auto step = reader.step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(step.ok());
    ++slices;
    if (*step) break;
  }
  EXPECT_GT(slices, 8);
  const Capture sliced = reader.take();
  const auto whole = read_text(kRich);
  EXPECT_EQ(lines_of(sliced.frames[0].graphs[0]), lines_of(whole->frames[0].graphs[0]));
  EXPECT_EQ(sliced.frames[0].facts, whole->frames[0].facts);
}

base::Result<Capture> read_package(const std::vector<std::pair<std::string, std::string>>& members) {
  ExportedProgramReader reader(base::make_memory_source("a.pt2", tests::to_bytes(tests::zip_of(members))));
  return read_all(reader);
}

TEST(ExportedProgram, AllProgramsOfAPackageAreRead) {
  const auto capture = read_package({{"a/archive_format", "pt2"},
                                     {"a/models/model.json", kRich},
                                     {"a/models/decoder.json", kRich},
                                     {"a/data/weights/models/x.bin", "{"}});
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  ASSERT_EQ(capture->frames.size(), 2U);
  EXPECT_EQ(capture->frames[0].name, "exported program");
  EXPECT_EQ(capture->frames[1].name, "decoder");
  EXPECT_EQ(lines_of(capture->frames[0].graphs[0]), lines_of(capture->frames[1].graphs[0]));
  const auto none = read_package({{"a/archive_format", "pt2"}, {"a/data/weights/w", "1234"}});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message(), HasSubstr("a package without a program of torch.export"));
  const auto old = read_package({{"serialized_exported_program.json", kRich}});
  ASSERT_TRUE(old.ok()) << old.error().message();
  EXPECT_EQ(old->frames[0].name, "exported program");
}

// executorch's linear.pt2, which PyTorch wrote.
TEST(ExportedProgram, ARealPackageIsToldWhole) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  const auto path = std::filesystem::path(*data) / "checkpoints" / "executorch" / "linear.pt2";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  ExportedProgramReader reader(base::make_memory_source("linear.pt2", tests::read_file(path)));
  const auto capture = read_all(reader);
  ASSERT_TRUE(capture.ok()) << capture.error().message();
  const Frame& frame = capture->frames[0];
  EXPECT_THAT(
      lines_of(frame.graphs[0]),
      ElementsAre("placeholder p_linear_weight = p_linear_weight(parameter linear.weight) -> f32[3, 3] []",
                  "placeholder p_linear_bias = p_linear_bias(parameter linear.bias) -> f32[3] []",
                  "placeholder x = x(user input) -> f32[3] []",
                  "call_function linear = torch.ops.aten.linear.default(x, p_linear_weight, p_linear_bias) -> f32[3] "
                  "[p_linear_weight p_linear_bias x]",
                  "output output = output(linear) ->  [linear]"));
  EXPECT_EQ(frame.graphs[0].nodes[3].code, "self.linear(x)");
  EXPECT_THAT(frame.guards, IsEmpty());
  ASSERT_EQ(frame.modules.size(), 2U);
  EXPECT_EQ(frame.modules[1].class_name, "torch.nn.modules.linear.Linear");
}

}  // namespace
}  // namespace nns::capture
