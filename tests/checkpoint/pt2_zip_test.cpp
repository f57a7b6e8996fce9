#include <gmock/gmock.h>

#include <array>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using tests::find_row;
using tests::find_tensor;
using tests::open_text;
using tests::PickleWriter;
using tests::tree_text;
using tests::ZipWriter;

constexpr std::string_view kModel = R"({"graph_module": {"graph": {
  "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
  "outputs": [{"as_tensor": {"name": "y"}}],
  "nodes": [{"target": "torch.ops.aten.linear.default",
    "inputs": [{"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
               {"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1},
               {"name": "bias", "arg": {"as_none": true}, "kind": 1},
               {"name": "sizes", "arg": {"as_ints": [2, 3]}, "kind": 1}],
    "outputs": [{"as_tensor": {"name": "y"}}],
    "metadata": {"nn_module_stack": "L__self__,,pkg.Net;L__self___block_fc,block.fc,torch.nn.modules.linear.Linear"}}]},
  "module_call_graph": [{"fqn": ""}, {"fqn": "block"}, {"fqn": "block.fc"}, {"fqn": "block.act"}]},
  "torch_version": "2.9.0"})";

std::string weight(std::string_view sizes, std::string_view strides, std::string_view path = "weight_0") {
  return R"({"config": {"block.fc.weight": {"path_name": ")" + std::string(path) +
         R"(", "is_param": true, "use_pickle": false, "tensor_meta": {"dtype": 7, "sizes": )" + std::string(sizes) +
         R"(, "requires_grad": true, "device": {"type": "cpu", "index": null}, "strides": )" + std::string(strides) +
         R"(, "storage_offset": {"as_int": 0}, "layout": 7}}}})";
}

std::string package(const std::string& weights, std::string_view model = kModel) {
  ZipWriter zip;
  zip.add("net/data/weights/weight_0", "0123456789ABCDEF");
  zip.add("net/data/weights/model_weights_config.json", weights);
  zip.add("net/data/constants/model_constants_config.json", R"({"config": {}})");
  zip.add("net/models/model.json", model);
  zip.add("net/archive_format", "pt2");
  zip.finish();
  return zip.whole();
}

std::string good() { return package(weight(R"([{"as_int": 4}])", R"([{"as_int": 1}])")); }

std::string pt2_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

TEST(Pt2ZipOpen, ModulesParametersAndNodesAreRows) {
  const auto document = open_text(good());
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "pt2 zip");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(tree_text(d),
            ": pkg.Net\n  block: Module\n    fc: Linear\n      weight\n    act: Module\n  graph: Graph\n"
            "    p_w: placeholder = p_w\n    x: placeholder = x\n"
            "    y: call_function = torch.ops.aten.linear.default(x, p_w, None, [2, 3])\n    output: output = y\n");
  const TensorEntry* weight = find_tensor(d, "block.fc.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_TRUE(weight->is_parameter);
  EXPECT_TRUE(weight->requires_grad);
  EXPECT_EQ(d.tree.parameters[0], 4U);
  EXPECT_EQ(d.storages[weight->storage].device, "cpu");
  const auto place = d.locate(weight->storage);
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(good().substr(static_cast<std::size_t>(place->offset), 16), "0123456789ABCDEF");
  EXPECT_EQ(d.describe(find_row(d, "block/fc")).class_name, "Linear");
}

TEST(Pt2ZipOpen, OfCompiledCodeTheMembersAreListed) {
  ZipWriter zip;
  zip.add("net/data/aotinductor/model/a.so",
          "\x7F"
          "ELF");
  zip.add("net/archive_format", "pt2");
  zip.finish();
  const auto document = open_text(zip.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT(tree_text(**document), HasSubstr("net/data/aotinductor/model/a.so: file = 4 bytes"));
  EXPECT_THAT((*document)->notes, testing::ElementsAre(HasSubstr("compiled code")));
}

TEST(Pt2ZipOpen, SlicesOfNoTimeComeToTheSameEnd) {
  const auto whole = open_text(good());
  const auto document = tests::open_in_slices(good());
  ASSERT_TRUE(whole.ok() && document.ok());
  EXPECT_EQ(tree_text(**document), tree_text(**whole));
}

/// As PyTorch 2.1 to 2.7 wrote it: the tensors in archives of torch.save inside of the package.
std::string older(bool deflated = false, std::string_view global = {}) {
  PickleWriter state;
  if (!global.empty()) state.global("os", global).raw("0");
  state.ordered_dict().mark().text("block.fc.weight");
  state.parameter({"0", "FloatStorage", 4, 0, {2, 2}, {2, 1}, true});
  state.text("block.fc.bias").tensor({"1", "FloatStorage", 2, 0, {2}, {1}});
  state.text("mean").tensor({"1", "FloatStorage", 2, 1, {1}, {1}}).set_items();
  PickleWriter constants;
  constants.empty_dict().mark().text("shift").tensor({"0", "FloatStorage", 1, 0, {}, {}});
  constants.text("fixed").tensor({"0", "FloatStorage", 1, 0, {1}, {1}}).set_items();
  std::string model(kModel);
  model.insert(
      model.find(R"("module_call_graph")"),
      R"("signature": {"input_specs": [{"parameter": {"arg": {"name": "b"}, "parameter_name": "block.fc.bias"}},
                  {"buffer": {"arg": {"name": "s"}, "buffer_name": "shift", "persistent": false}}]}, )");
  return tests::zip_of({{"serialized_exported_program.json", model},
                        {"serialized_state_dict.pt",
                         tests::make_torch_zip(state.stop(), {{"0", "0123456789ABCDEF"}, {"1", "bias----"}})},
                        {"serialized_constants.pt", tests::make_torch_zip(constants.stop(), {{"0", "1234"}})},
                        {"version", "8.2"}},
                       deflated);
}

TEST(Pt2ZipOpen, OlderPackagesHoldArchivesOfTorchSave) {
  const auto document = open_text(older());
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_THAT(
      tree_text(d),
      testing::StartsWith(": pkg.Net\n  block: Module\n    fc: Linear\n      weight\n      bias\n    act: Module\n"
                          "  mean\n  shift\n  fixed\n  graph: Graph\n"));
  const auto kind = [&](std::string_view row) { return d.tree.kind[find_row(d, row)]; };
  EXPECT_EQ(kind("block/fc/weight"), NodeKind::Parameter);
  EXPECT_EQ(kind("block/fc/bias"), NodeKind::Parameter) << "the signature says so";
  EXPECT_EQ(kind("mean"), NodeKind::Buffer);
  EXPECT_EQ(kind("shift"), NodeKind::Buffer) << "one that is not persistent is among the constants";
  EXPECT_EQ(kind("fixed"), NodeKind::Tensor);
  EXPECT_EQ(d.tree.parameters[0], 6U);
  for (const auto& [name, bytes] : {std::pair("block.fc.weight", "0123456789ABCDEF"),
                                    std::pair("block.fc.bias", "bias----"), std::pair("fixed", "1234")}) {
    const TensorEntry* entry = find_tensor(d, name);
    ASSERT_NE(entry, nullptr) << name;
    const auto place = d.locate(entry->storage);
    ASSERT_TRUE(place.ok()) << place.error().message();
    EXPECT_EQ(older().substr(static_cast<std::size_t>(place->offset), std::string_view(bytes).size()), bytes);
  }
  EXPECT_EQ(find_tensor(d, "mean")->storage, find_tensor(d, "block.fc.bias")->storage);
}

TEST(Pt2ZipOpen, OlderPackagesMayBeCompressed) {
  const auto document = open_text(older(true));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto bytes = (*document)->storage_bytes(find_tensor(**document, "block.fc.bias")->storage);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message();
  std::array<std::byte, 8> read{};
  ASSERT_TRUE((*bytes)->read(0, read).ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.data()), 8), "bias----");
}

TEST(Pt2ZipOpen, WhatPicklesInsideNameIsTold) {
  const auto document = open_text(older(false, "system"));
  ASSERT_TRUE(document.ok()) << document.error().message();
  bool is_found = false;
  for (const Global& global : (*document)->globals) {
    is_found = is_found || (global.name == "os.system" && global.verdict == Verdict::Dangerous &&
                            global.member == "serialized_state_dict.pt!archive/data.pkl");
  }
  EXPECT_TRUE(is_found);
}

TEST(Pt2ZipOpen, OlderPackagesInSlicesOfNoTime) {
  const auto whole = open_text(older());
  const auto document = tests::open_in_slices(older());
  ASSERT_TRUE(whole.ok() && document.ok());
  EXPECT_EQ(tree_text(**document), tree_text(**whole));
}

TEST(Pt2ZipRefuses, EveryTruncationOfOlderPackages) {
  const std::string whole = older();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(open_text(std::string_view(whole).substr(0, length)).ok()) << length;
  }
}

TEST(Pt2ZipRefuses, AnArchiveInsideThatIsNone) {
  const std::string bytes = tests::zip_of(
      {{"serialized_exported_program.json", std::string(kModel)}, {"serialized_state_dict.pt", "no zip"}});
  EXPECT_THAT(pt2_refusal(bytes), HasSubstr("test.bin!serialized_state_dict.pt"));
}

TEST(Pt2ZipRefuses, TensorsThatDoNotFitTheirBytes) {
  EXPECT_THAT(pt2_refusal(package(weight(R"([{"as_int": 5}])", R"([{"as_int": 1}])"))),
              HasSubstr("a tensor whose last element is number 4 of its storage; expected less than 4"));
  EXPECT_THAT(pt2_refusal(package(weight(R"([{"as_int": 4}])", R"([])"))), HasSubstr("1 sizes and 0 strides"));
  EXPECT_THAT(pt2_refusal(package(weight(R"([{"as_expr": "s0"}])", R"([{"as_int": 1}])"))),
              HasSubstr("a size that is no number"));
  EXPECT_THAT(pt2_refusal(package(weight(R"([{"as_int": 4}])", R"([{"as_int": 1}])", "weight_7"))),
              HasSubstr("expected a member net/data/weights/weight_7"));
}

TEST(Pt2ZipRefuses, BrokenJsonWithTheMemberAndTheOffset) {
  EXPECT_EQ(pt2_refusal(package(R"({"config": {"a": {]}})")),
            "test.bin!net/data/weights/model_weights_config.json: byte 18: another character; expected '\"'");
  EXPECT_THAT(pt2_refusal(package(R"({"config": {}})", R"({"graph_module": {"graph": {"nodes": [{"target": 3}]}}})")),
              HasSubstr("test.bin!net/models/model.json: byte 49: "));
}

TEST(Pt2ZipRefuses, NumbersOfTheOtherByteOrder) {
  ZipWriter zip;
  zip.add("net/archive_format", "pt2");
  zip.add("net/byteorder", "big");
  zip.finish();
  EXPECT_THAT(pt2_refusal(zip.whole()), HasSubstr("weights of byte order big"));
}

TEST(Pt2ZipRefuses, EveryTruncation) {
  const std::string whole = good();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
  }
}

}  // namespace
}  // namespace nns::checkpoint
