#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/script_code.h"
#include "tests/support/make_torch_script.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::find_row;
using tests::find_tensor;
using tests::make_torch_script;
using tests::open_text;
using tests::PickleWriter;
using tests::ScriptParts;
using tests::tree_text;

constexpr std::string_view kNetCode =
    "class Net(Module):\n"
    "  __parameters__ = [\"weight\", ]\n"
    "  __buffers__ = [\"mean\", ]\n"
    "  training : bool\n"
    "  weight : Tensor\n"
    "  mean : Tensor\n"
    "  last : Optional[Tensor]\n"
    "  __annotations__[\"0\"] = __torch__.torch.nn.modules.linear.___torch_mangle_4.Linear\n"
    "  def forward(self: __torch__.Net,\n"
    "    input: Tensor) -> Tensor:\n"
    "    if True:\n"
    "      _0 = (getattr(self, \"0\")).forward(input, )\n"
    "    return _0\n"
    "  def reset(self: __torch__.Net) -> None:\n"
    "    return None\n"
    "def free(x: Tensor) -> Tensor:\n"
    "  return x\n"
    "class Pair(NamedTuple):\n"
    "  first : Tensor\n";

constexpr std::string_view kPackedCode =
    "class LinearPackedParams(Module):\n"
    "  __parameters__ = []\n"
    "  __buffers__ = []\n"
    "  training : bool\n"
    "  dtype : int\n"
    "  def __getstate__(self: X) -> Tuple[Tensor, Optional[Tensor], bool, int]:\n"
    "    return (qweight, bias, self.training, self.dtype)\n"
    "  def __setstate__(self: X,\n"
    "    state: Tuple[Tensor, Optional[Tensor], bool, int]) -> None:\n"
    "    self.dtype = (state)[3]\n"
    "    _1 = (self).set_weight_bias((state)[0], (state)[1], )\n"
    "    self.training = (state)[2]\n"
    "    return None\n";

PickleWriter::Tensor floats(std::string key, std::vector<std::int64_t> shape) {
  PickleWriter::Tensor tensor;
  tensor.key = std::move(key);
  tensor.storage_numel = 4;
  tensor.stride.assign(shape.size(), 1);
  tensor.shape = std::move(shape);
  return tensor;
}

ScriptParts net() {
  PickleWriter pickle;
  pickle.global("__torch__", "Net").empty_tuple().new_object().empty_dict().mark();
  pickle.text("training").boolean(false).text("weight").tensor(floats("0", {4})).text("mean").tensor(floats("1", {2}));
  pickle.text("last").tensor(floats("2", {1})).text("0");
  pickle.global("__torch__.torch.nn.modules.linear.___torch_mangle_4", "Linear").empty_tuple().new_object();
  pickle.empty_dict().mark().text("bias").tensor(floats("3", {1})).set_items().build().set_items().build();
  ScriptParts parts;
  parts.data = pickle.stop();
  parts.code["__torch__"] = kNetCode;
  parts.code["__torch__.torch.nn.modules.linear.___torch_mangle_4"] =
      "class Linear(Module):\n  __parameters__ = [\"bias\"]\n  __buffers__ = []\n  bias : Tensor\n";
  for (const char* key : {"0", "1", "2", "3"}) parts.files[std::string("data/") + key] = std::string(16, key[0]);
  return parts;
}

std::string script_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

TEST(TorchScriptOpen, ModulesHaveTheKindsThatTheirClassesDeclare) {
  const auto document = open_text(make_torch_script(net()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.format, "torchscript zip");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(tree_text(d), ": Net\n  weight\n  mean\n  last\n  0: Linear\n    bias\n");
  EXPECT_EQ(d.tree.kind[find_row(d, "weight")], NodeKind::Parameter);
  EXPECT_EQ(d.tree.kind[find_row(d, "mean")], NodeKind::Buffer);
  EXPECT_EQ(d.tree.kind[find_row(d, "last")], NodeKind::Tensor);
  EXPECT_TRUE(find_tensor(d, "weight")->is_parameter);
  EXPECT_FALSE(find_tensor(d, "last")->is_parameter);
  ASSERT_NE(find_tensor(d, "0.bias"), nullptr);
  EXPECT_EQ(d.tree.parameters[0], 5U);
  for (const Global& global : d.globals) EXPECT_EQ(global.verdict, Verdict::Safe) << global.name;
}

TEST(TorchScriptOpen, ADescriptionHasAttributesMethodsAndCode) {
  const auto document = open_text(make_torch_script(net()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  const ObjectDescription root = d.describe(0);
  EXPECT_EQ(root.class_name, "__torch__.Net");
  EXPECT_TRUE(root.is_module);
  EXPECT_FALSE(root.inferred);
  EXPECT_FALSE(root.training);
  std::vector<std::string> lines;
  for (const AttributeRow& row : root.attributes) lines.push_back(row.name + ": " + row.type + " " + row.text);
  EXPECT_THAT(
      lines, ElementsAre("class in Python: str Net", "code: str net/code/__torch__.py", "training: bool False",
                         "weight: Tensor float32 [4]", "mean: Tensor float32 [2]", "last: Optional[Tensor] float32 [1]",
                         "0: __torch__.torch.nn.modules.linear.___torch_mangle_4.Linear Linear",
                         "forward: method def forward(self: __torch__.Net, input: Tensor) -> Tensor",
                         "reset: method def reset(self: __torch__.Net) -> None"));
  EXPECT_EQ(root.attributes[3].place, AttributePlace::Parameters);
  EXPECT_EQ(root.attributes[4].place, AttributePlace::Buffers);
  EXPECT_EQ(root.attributes[6].place, AttributePlace::Modules);
  EXPECT_EQ(root.attributes[6].node, find_row(d, "0"));
  EXPECT_EQ(root.repr, kNetCode.substr(0, kNetCode.find("def free")));
  const ObjectDescription linear = d.describe(find_row(d, "0"));
  EXPECT_EQ(linear.class_name, "__torch__.torch.nn.modules.linear.___torch_mangle_4.Linear");
  EXPECT_EQ(linear.attributes[0].text, "torch.nn.modules.linear.Linear");
}

/// All values of a tensor, in row-major order.
std::vector<double> script_values(Checkpoint& document, std::uint32_t tensor) {
  const TensorEntry& entry = document.tensors[tensor];
  auto bytes = document.value_bytes(tensor);
  if (!bytes.ok()) return {};
  const auto shape = document.shape(entry);
  const auto stride = document.stride(entry);
  const ElementSource source{
      *bytes, entry.dtype, {shape.begin(), shape.end()}, {stride.begin(), stride.end()}, entry.storage_offset};
  std::vector<double> values(static_cast<std::size_t>(entry.numel));
  if (!source.check().ok() || !read_values(source, 0, values).ok()) return {};
  return values;
}

TEST(TorchScriptOpen, PackedParametersShowTheirScaleAndAreNotCounted) {
  PickleWriter pickle;
  pickle.global("__torch__", "LinearPackedParams").empty_tuple().new_object().mark();
  pickle.global("torch._utils", "_rebuild_qtensor").mark();
  pickle.mark().text("storage").global("torch", "QInt8Storage").text("0").text("cpu").integer(4).tuple().raw("Q");
  pickle.integer(0).numbers({4}).numbers({1});
  pickle.mark().global("torch", "per_tensor_affine").real(0.25).integer(3).tuple();
  pickle.boolean(false).ordered_dict().tuple().reduce();
  pickle.tensor(floats("1", {4})).boolean(true).integer(12).tuple().build();
  ScriptParts parts;
  parts.data = pickle.stop();
  parts.code["__torch__"] = kPackedCode;
  parts.files = {{"data/0", "abcd"}, {"data/1", std::string(16, 'x')}};
  const auto document = open_text(make_torch_script(parts));
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.dtype_name(*find_tensor(d, "weight")), "qint8");
  EXPECT_EQ(d.tensors[0].nbytes, 4U);
  EXPECT_THAT(script_values(d, 0), ElementsAre(23.5F, 23.75F, 24.F, 24.25F));  // "abcd" is 97 to 100
  EXPECT_EQ(tree_text(d),
            ": LinearPackedParams\n  weight\n  weight.qscheme: global = torch.per_tensor_affine\n"
            "  weight.scale: float = 0.25\n  weight.zero_point: int = 3\n  bias\n");
  EXPECT_EQ(d.tree.parameters[0], 0U);
  EXPECT_EQ(d.tree.bytes[0], 20U);
  const ObjectDescription packed = d.describe(0);
  std::vector<std::string> names;
  for (const AttributeRow& row : packed.attributes) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("class in Python", "code", "weight", "bias", "training", "dtype", "__getstate__",
                                 "__setstate__"));
  EXPECT_EQ(packed.attributes[5].text, "12");
}

TEST(TorchScriptOpen, ScalesOfChannelsAreTensorsThatAreNoParameters) {
  PickleWriter pickle;
  pickle.ordered_dict().mark().text("fc.weight").global("torch._utils", "_rebuild_qtensor").mark();
  pickle.mark().text("storage").global("torch", "QInt8Storage").text("0").text("cpu").integer(4).tuple().raw("Q");
  pickle.integer(0).numbers({4}).numbers({1});
  pickle.mark().global("torch", "per_channel_affine").tensor(floats("1", {4})).tensor(floats("1", {4})).integer(0);
  pickle.tuple().boolean(false).ordered_dict().tuple().reduce().set_items();
  const float scales[4] = {1.F, 0.5F, 2.F, -1.F};
  const std::string bytes(reinterpret_cast<const char*>(scales), sizeof scales);
  const auto document = open_text(tests::make_torch_zip(pickle.stop(), {{"0", "abcd"}, {"1", bytes}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  ASSERT_NE(find_tensor(d, "fc.weight.scale"), nullptr);
  // The same numbers are the zero points: (97 - 1) x 1, (98 - 0.5) x 0.5, ...
  EXPECT_THAT(script_values(d, 0), ElementsAre(96.F, 48.75F, 194.F, -101.F));
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/weight")], NodeKind::Buffer);
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/weight.scale")], NodeKind::Tensor);
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/weight.axis")], NodeKind::Value);
}

/// A qint8 tensor [2, 3] quantised along `axis` with two scales, as a state dict's only entry.
std::string quantised_rows(const std::vector<std::int64_t>& stride, std::int64_t axis) {
  PickleWriter pickle;
  pickle.ordered_dict().mark().text("w").global("torch._utils", "_rebuild_qtensor").mark();
  pickle.mark().text("storage").global("torch", "QInt8Storage").text("0").text("cpu").integer(7).tuple().raw("Q");
  pickle.integer(1).numbers({2, 3}).numbers(stride);
  pickle.mark().global("torch", "per_channel_affine").tensor(floats("1", {2})).tensor(floats("2", {2})).integer(axis);
  pickle.tuple().boolean(false).ordered_dict().tuple().reduce().set_items();
  const float scales[4] = {1.F, 10.F, 0.F, 0.F};
  return tests::make_torch_zip(pickle.stop(), {{"0", std::string("\0\1\2\3\4\5\6", 7)},
                                               {"1", std::string(reinterpret_cast<const char*>(scales), sizeof scales)},
                                               {"2", std::string(16, '\0')}});
}

TEST(TorchScriptOpen, ScalesFollowTheirAxisWhateverTheStrides) {
  const auto rows = open_text(quantised_rows({3, 1}, 0));
  ASSERT_TRUE(rows.ok()) << rows.error().message();
  EXPECT_THAT(script_values(**rows, 0), ElementsAre(1.F, 2.F, 3.F, 40.F, 50.F, 60.F));
  const auto turned = open_text(quantised_rows({1, 2}, 0));
  ASSERT_TRUE(turned.ok()) << turned.error().message();
  EXPECT_THAT(script_values(**turned, 0), ElementsAre(1.F, 3.F, 5.F, 20.F, 40.F, 60.F));
  // Three columns have no two scales, and items that overlap have no index of their own.
  const auto columns = open_text(quantised_rows({3, 1}, 1));
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ((*columns)->value_bytes(0).error().message(),
            "test.bin: w has 2 scales and 2 zero points; expected one of each for every index along axis 1");
  const auto overlapping = open_text(quantised_rows({2, 1}, 0));
  ASSERT_TRUE(overlapping.ok());
  EXPECT_THAT((*overlapping)->value_bytes(0).error().message(), testing::HasSubstr("lie apart from each other"));
}

TEST(TorchScriptOpen, ConstantsHaveStoragesOfTheirOwn) {
  ScriptParts parts = net();
  parts.constants = PickleWriter().mark().tensor(floats("0", {4})).tuple().stop();
  parts.files["constants/0"] = "constants bytes!";
  const auto document = open_text(make_torch_script(parts));
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  const TensorEntry* constant = find_tensor(d, "constants.pkl/0");
  ASSERT_NE(constant, nullptr);
  EXPECT_NE(constant->storage, find_tensor(d, "weight")->storage);
  const auto bytes = d.storage_bytes(constant->storage);
  ASSERT_TRUE(bytes.ok());
  std::string text(16, ' ');
  ASSERT_TRUE((*bytes)->read(0, std::as_writable_bytes(std::span(text))).ok());
  EXPECT_EQ(text, "constants bytes!");
  EXPECT_EQ(d.tree.parameters[0], 5U);
}

TEST(TorchScriptOpen, ListsWithAnElementTypeAreLists) {
  PickleWriter pickle;
  pickle.global("__torch__", "Net").empty_tuple().new_object().empty_dict().mark().text("sizes");
  pickle.global("torch.jit._pickle", "build_intlist").empty_list().mark().integer(3).integer(4).appends().raw("\x85");
  pickle.reduce().set_items().build();
  ScriptParts parts;
  parts.data = pickle.stop();
  parts.code["__torch__"] = kNetCode;
  const auto document = open_text(make_torch_script(parts));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tree_text(**document), ": Net\n  sizes: list = [3, 4]\n");
}

TEST(TorchScriptOpen, InstructionsForMobileDevicesAreRows) {
  ScriptParts parts = net();
  parts.files["bytecode.pkl"] = PickleWriter()
                                    .mark()
                                    .integer(4)
                                    .mark()
                                    .text("__torch__.Net.forward")
                                    .mark()
                                    .text("instructions")
                                    .tuple()
                                    .tuple()
                                    .tuple()
                                    .stop();
  const auto document = open_text(make_torch_script(parts));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT(tree_text(**document), HasSubstr("\n  bytecode.pkl: tuple\n    0: int = 4\n    1: tuple\n"));
}

TEST(TorchScriptRefuses, ErrorsNameTheMemberAndTheOffsetInIt) {
  ScriptParts parts = net();
  parts.constants = "\x80\x02(";
  EXPECT_EQ(script_refusal(make_torch_script(parts)),
            "test.bin!net/constants.pkl: byte 3: the pickle ends; expected a STOP opcode");
  parts = net();
  parts.constants = PickleWriter().mark().tensor(floats("7", {4})).tuple().stop();
  EXPECT_THAT(script_refusal(make_torch_script(parts)), HasSubstr("test.bin!net/constants.pkl: byte "));
  EXPECT_THAT(script_refusal(make_torch_script(parts)), HasSubstr("expected a member net/constants/7"));
  parts = net();
  parts.data.pop_back();
  EXPECT_THAT(script_refusal(make_torch_script(parts)), HasSubstr("net/data.pkl"))
      << "does not go on in the next pickle";
}

TEST(TorchScriptOpen, SlicesOfNoTimeComeToTheSameEnd) {
  const auto whole = open_text(make_torch_script(net()));
  const auto document = tests::open_in_slices(make_torch_script(net()));
  ASSERT_TRUE(whole.ok() && document.ok());
  EXPECT_EQ(tree_text(**document), tree_text(**whole));
}

TEST(TorchScriptRefuses, EveryTruncation) {
  const std::string whole = make_torch_script(net());
  ASSERT_EQ(script_refusal(whole), "opened");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
  }
}

TEST(ScriptCode, NamesOfPythonLeaveOutWhatMadeThemUnique) {
  EXPECT_EQ(python_class_name("__torch__.a.___torch_mangle_12.C"), "a.C");
  EXPECT_EQ(python_class_name("__torch__.C"), "C");
  EXPECT_EQ(python_class_name("torch.nn.Linear"), "torch.nn.Linear");
}

TEST(ScriptCode, ClassesAreFoundByTheirWholeName) {
  ScriptCode code;
  code.add("a/code/__torch__.py", "__torch__", std::string(kNetCode));
  ASSERT_NE(code.find("__torch__.Net"), nullptr);
  EXPECT_TRUE(code.find("__torch__.Net")->is_module());
  ASSERT_NE(code.find("__torch__.Pair"), nullptr);
  EXPECT_FALSE(code.find("__torch__.Pair")->is_module());
  EXPECT_EQ(code.find("__torch__.free"), nullptr);
  const ScriptClass& net = *code.find("__torch__.Net");
  EXPECT_EQ(net.type_of("0"), "__torch__.torch.nn.modules.linear.___torch_mangle_4.Linear");
  ASSERT_EQ(net.methods.size(), 2U);
  EXPECT_THAT(std::string(net.methods[0].text), HasSubstr("    return _0\n"));
}

/// An archive as PyTorch 1.0 to 1.3 wrote it: a Linear of (2, 2) below the root, whose bias is a part of the same
/// member.
constexpr std::string_view kFirstModel = R"({"protoVersion":"3","mainModule":{"submodules":[
  {"name":"fc","optimize":true,"parameters":[{"isBuffer":false,"tensorId":"0","name":"weight"},
    {"isBuffer":false,"tensorId":"1","name":"bias"}],"torchscriptArena":{"key":"code/fc.py"}}],
  "torchscriptArena":{"key":"code/net.py"},"name":"Net","optimize":true,
  "parameters":[{"isBuffer":true,"tensorId":"2","name":"steps"}],
  "attributes":[{"type":"Tensor","name":"steps","id":"-1"},{"type":"int","name":"width","id":"1"}]},
  "producerName":"pytorch","producerVersion":"1.0","tensors":[
  {"dims":["2","2"],"offset":"0","strides":["2","1"],"requiresGrad":true,"dataType":"FLOAT","data":{"key":"tensors/0"},"device":"cpu"},
  {"dims":["2"],"offset":"4","strides":["1"],"requiresGrad":true,"dataType":"FLOAT","data":{"key":"tensors/0"},"device":"cpu"},
  {"dims":[],"offset":"0","strides":[],"requiresGrad":false,"dataType":"INT8","data":{"key":"tensors/1"},"device":"cpu",
   "isQuantized":true,"scale":0.5,"zeroPoint":"-1"}]})";

std::string first_archive(std::string_view model, bool with_attributes = true) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  std::vector<std::pair<std::string, std::string>> members = {
      {"net/version", "1\n"},
      {"net/code/net.py", "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n  return x\n"},
      {"net/code/fc.py", "op_version_set = 1\n"},
      {"net/tensors/0", std::string(reinterpret_cast<const char*>(values), sizeof values)},
      {"net/tensors/1", "\x07"},
      {"net/model.json", std::string(model)}};
  if (with_attributes)
    members.emplace_back("net/attributes.pkl", PickleWriter().mark().boolean(true).integer(64).tuple().stop());
  return tests::zip_of(members);
}

TEST(TorchScriptOpen, TheFirstLayoutHasItsModulesInJson) {
  const auto document = tests::open_in_slices(first_archive(kFirstModel));
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "torchscript zip");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(tree_text(d), ": Module\n  steps\n  width: int = 64\n  fc: Linear\n    weight\n    bias\n");
  EXPECT_EQ(d.tree.kind[find_row(d, "steps")], NodeKind::Buffer);
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/weight")], NodeKind::Parameter);
  EXPECT_EQ(d.tree.parameters[0], 6U);
  const TensorEntry& weight = *find_tensor(d, "fc.weight");
  EXPECT_TRUE(weight.is_parameter && weight.requires_grad);
  EXPECT_EQ(weight.storage, find_tensor(d, "fc.bias")->storage);
  EXPECT_THAT(script_values(d, static_cast<std::uint32_t>(&weight - d.tensors.data())), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(script_values(d, static_cast<std::uint32_t>(find_tensor(d, "fc.bias") - d.tensors.data())),
              ElementsAre(5, 6));
  EXPECT_EQ(d.dtype_name(*find_tensor(d, "steps")), "qint8");
  EXPECT_THAT(script_values(d, static_cast<std::uint32_t>(find_tensor(d, "steps") - d.tensors.data())), ElementsAre(4));
  EXPECT_THAT(d.describe(0).repr, HasSubstr("def forward(self"));
  EXPECT_EQ(d.metadata[0].value, "1");
}

TEST(TorchScriptRefuses, BrokenFirstLayouts) {
  const auto script_refusal = [](std::string_view from, std::string_view to) {
    std::string model(kFirstModel);
    model.replace(model.find(from), from.size(), to);
    const auto document = tests::open_text(first_archive(model));
    return document.ok() ? std::string("opened") : document.error().message();
  };
  EXPECT_THAT(script_refusal(R"("tensorId":"2")", R"("tensorId":"3")"), HasSubstr("parameter \"steps\" is tensor 3"));
  EXPECT_THAT(script_refusal(R"("dims":["2","2"])", R"("dims":["2","9"])"), HasSubstr("model.json: byte "));
  EXPECT_THAT(script_refusal(R"("dims":["2","2"])", R"("dims":["-2","2"])"), HasSubstr("none negative"));
  EXPECT_THAT(script_refusal(R"("strides":["2","1"])", R"("strides":["2"])"), HasSubstr("2 sizes, 1 strides"));
  EXPECT_THAT(script_refusal(R"("dataType":"FLOAT")", R"("dataType":"STRING")"),
              HasSubstr("a tensor of type \"STRING\""));
  EXPECT_THAT(script_refusal(R"("key":"tensors/1")", R"("key":"tensors/9")"),
              HasSubstr("no member is called net/tensors/9"));
  EXPECT_THAT(script_refusal(R"("mainModule")", R"("otherModule")"), HasSubstr("JSON without a mainModule"));
  for (std::size_t length = 0; length + 1 < kFirstModel.size(); length += 7)
    EXPECT_FALSE(tests::open_text(first_archive(kFirstModel.substr(0, length))).ok()) << length;
}

}  // namespace
}  // namespace nns::checkpoint
