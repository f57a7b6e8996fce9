#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using tests::find_row;
using tests::find_tensor;
using tests::make_torch_zip;
using tests::open_text;
using tests::PickleWriter;
using tests::tree_text;
using tests::ZipWriter;

PickleWriter::Tensor floats(std::vector<std::int64_t> shape, std::vector<std::int64_t> stride, std::int64_t numel,
                            std::int64_t offset = 0) {
  PickleWriter::Tensor tensor;
  tensor.storage_numel = numel;
  tensor.shape = std::move(shape);
  tensor.stride = std::move(stride);
  tensor.offset = offset;
  return tensor;
}

const std::map<std::string, std::string>& one_storage() {
  static const std::map<std::string, std::string> storages{{"0", std::string(64, '\0')}};
  return storages;
}

std::string torch_zip_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

/// A torch.nn.modules.<module>.<name> with these writers for its registries' contents.
template <class Parameters, class Modules>
void write_module(PickleWriter& out, std::string_view module, std::string_view name, Parameters parameters,
                  Modules modules) {
  out.global(module, name).empty_tuple().new_object().empty_dict().mark();
  out.text("training").boolean(false).text("_parameters").ordered_dict();
  parameters();
  out.text("_buffers")
      .ordered_dict()
      .text("_non_persistent_buffers_set")
      .global("__builtin__", "set")
      .empty_list()
      .raw("\x85")
      .reduce();
  out.text("_is_full_backward_hook")
      .none()
      .text("_forward_hooks")
      .ordered_dict()
      .mark()
      .integer(7)
      .global("pkg", "hook")
      .set_items();
  out.text("_forward_hooks_with_kwargs").ordered_dict().mark().integer(7).boolean(true).set_items();
  out.text("_modules").ordered_dict();
  modules();
  out.text("in_features").integer(2).set_items().build();
}

TEST(TorchZipOpen, AStateDictBecomesModules) {
  PickleWriter pickle;
  pickle.ordered_dict()
      .mark()
      .text("h.10.w")
      .tensor(floats({2, 2}, {2, 1}, 16))
      .text("h.9.w")
      .tensor(floats({4}, {1}, 16, 4));
  pickle.text("head.bias").tensor(floats({1}, {1}, 16, 15)).set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), one_storage()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.format, "torch zip");
  EXPECT_EQ(tree_text(d),
            ": Module\n  h: Sequential\n    9: Module\n      w\n    10: Module\n      w\n  head: Module\n    bias\n");
  EXPECT_EQ(tests::tree_fault(d), "");
  const TensorEntry* w = find_tensor(d, "h.9.w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->storage_offset, 4U);
  EXPECT_EQ(d.storages[w->storage].device, "cpu");
  EXPECT_EQ(d.tree.flags[w->node] & kShared, kShared);
  EXPECT_EQ(d.tree.bytes[0], 36U);
}

TEST(TorchZipOpen, TiedWeightsCountOnceWhereBothAre) {
  PickleWriter pickle;
  pickle.ordered_dict()
      .mark()
      .text("wte.weight")
      .tensor(floats({4, 4}, {4, 1}, 16))
      .text("head.weight")
      .tensor(floats({4, 4}, {4, 1}, 16));
  const auto document = open_text(make_torch_zip(pickle.set_items().stop(), one_storage()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const ModuleTree& tree = (*document)->tree;
  EXPECT_EQ(tree.parameters[0], 16U);
  EXPECT_EQ(tree.bytes[0], 64U);
  EXPECT_EQ(tree.parameters[find_row(**document, "wte")], 16U);
  EXPECT_EQ(tree.parameters[find_row(**document, "head")], 16U);
}

TEST(TorchZipOpen, TheScaleOfAQuantisedModuleIsNoParameter) {
  PickleWriter::Tensor zero_point = floats({1}, {1}, 8);
  zero_point.storage_class = "LongStorage";
  zero_point.key = "1";
  PickleWriter pickle;
  pickle.ordered_dict().mark().text("fc.scale").tensor(floats({1}, {1}, 16)).text("fc.zero_point").tensor(zero_point);
  pickle.text("norm.scale").tensor(floats({1}, {1}, 16)).set_items();
  const auto document =
      open_text(make_torch_zip(pickle.stop(), {{"0", std::string(64, '\0')}, {"1", std::string(64, '\0')}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/scale")], NodeKind::Buffer);
  EXPECT_EQ(d.tree.kind[find_row(d, "fc/zero_point")], NodeKind::Buffer);
  EXPECT_EQ(d.tree.kind[find_row(d, "norm/scale")], NodeKind::Parameter) << "a norm's scale may be learnt";
}

TEST(TorchZipOpen, AKeyThatIsSetVeryOftenCostsNoMoreThanOthers) {
  PickleWriter pickle;
  pickle.empty_dict().mark();
  for (int at = 0; at < 200'000; ++at) pickle.integer(1).integer(2);
  pickle.set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tree.size(), 200'001U);
}

TEST(TorchZipOpen, NestedDictsListsAndValuesAreRows) {
  PickleWriter pickle;
  pickle.empty_dict()
      .mark()
      .text("model")
      .empty_dict()
      .mark()
      .text("fc.weight")
      .tensor(floats({2}, {1}, 16))
      .set_items();
  pickle.text("optimizer").empty_dict().mark().text("state").empty_dict().mark().integer(0).empty_dict().mark();
  pickle.text("exp_avg").tensor(floats({2}, {1}, 16)).set_items().set_items().text("param_groups").empty_list().mark();
  pickle.empty_dict()
      .mark()
      .text("lr")
      .real(0.5)
      .text("params")
      .empty_list()
      .mark()
      .integer(0)
      .integer(1)
      .appends()
      .set_items()
      .appends()
      .set_items();
  pickle.text("epoch").integer(3).set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), one_storage()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tree_text(**document),
            ": dict\n  model: Module\n    fc: Module\n      weight\n  optimizer: dict\n    state: dict\n      0: "
            "dict\n        exp_avg\n"
            "    param_groups: list\n      0: dict\n        lr: float = 0.5\n        params: list = [0, 1]\n  epoch: "
            "int = 3\n");
  EXPECT_NE(find_tensor(**document, "optimizer/state/0/exp_avg"), nullptr);
  EXPECT_NE(find_tensor(**document, "model/fc.weight"), nullptr);
  EXPECT_EQ((*document)->tree.parameters[0], 2U) << "optimizer states are no parameters";
}

TEST(TorchZipOpen, WholeModulesHaveTheirClassesRegistriesAndHooks) {
  PickleWriter pickle;
  write_module(
      pickle, "__main__", "Net", [] {},
      [&] {
        pickle.mark().text("fc");
        write_module(
            pickle, "torch.nn.modules.linear", "Linear",
            [&] {
              pickle.mark().text("weight").parameter(floats({2, 2}, {2, 1}, 16)).text("bias").none().set_items();
            },
            [] {});
        pickle.set_items();
      });
  const auto document = open_text(make_torch_zip(pickle.stop(), one_storage()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(tree_text(d), ": __main__.Net\n  fc: Linear\n    weight\n");
  const TensorEntry* weight = find_tensor(d, "fc.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_TRUE(weight->is_parameter);
  EXPECT_TRUE(weight->requires_grad);
  EXPECT_EQ(d.tree.kind[weight->node], NodeKind::Parameter);
  EXPECT_EQ(d.tree.flags[weight->node] & kKindInferred, 0);
  EXPECT_NE(d.tree.flags[0] & kSuspicious, 0);
  EXPECT_EQ(d.tree.flags[find_row(d, "fc")] & kSuspicious, 0);

  const ObjectDescription linear = d.describe(find_row(d, "fc"));
  EXPECT_EQ(linear.class_name, "torch.nn.modules.linear.Linear");
  EXPECT_FALSE(linear.inferred);
  EXPECT_FALSE(linear.training);
  std::vector<std::string> lines;
  for (const AttributeRow& row : linear.attributes)
    lines.push_back(std::string(row.depth, ' ') + row.name + ": " + row.type + " " + row.text);
  EXPECT_THAT(lines,
              testing::ElementsAre("training: bool False", "_parameters: OrderedDict 2 entries",
                                   " weight: Parameter float32 [2, 2], requires_grad=True", " bias: NoneType None",
                                   "_buffers: OrderedDict {}", "_non_persistent_buffers_set: set set()",
                                   "_is_full_backward_hook: NoneType None", "_forward_hooks: OrderedDict 1 entry",
                                   " 7: global pkg.hook",
                                   "_forward_hooks_with_kwargs: OrderedDict collections.OrderedDict() {7: True}",
                                   "_modules: OrderedDict {}", "in_features: int 2"));
  ASSERT_EQ(linear.hooks.size(), 1U);
  EXPECT_EQ(linear.hooks[0].id, 7U);
  EXPECT_EQ(linear.hooks[0].kind, "forward hook, with kwargs");
  EXPECT_EQ(linear.hooks[0].callable, "pkg.hook");
  EXPECT_TRUE(linear.hooks[0].with_kwargs);
}

TEST(TorchZipOpen, CompressedMembersAreUnpackedPieceByPiece) {
  PickleWriter pickle;
  pickle.empty_dict().mark().text("w.weight").tensor(floats({16}, {1}, 16)).set_items();
  ZipWriter zip;
  ZipWriter::Options deflated;
  deflated.deflated = true;
  zip.add("a/data.pkl", pickle.stop(), deflated);
  zip.add("a/data/0", std::string(60, '\0') + std::string("\0\0\x80\x3F", 4), deflated);
  zip.finish();
  const auto document = open_text(zip.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT((*document)->locate(0).error().message(), HasSubstr("compressed"));
  const auto bytes = (*document)->storage_bytes(0);
  ASSERT_TRUE(bytes.ok());
  std::array<std::byte, 4> last{};
  ASSERT_TRUE((*bytes)->read(60, last).ok());
  EXPECT_EQ(last[3], std::byte{0x3F});
}

TEST(TorchZipOpen, BigEndianStoragesAreTurnedAround) {
  PickleWriter pickle;
  pickle.empty_dict().mark().text("w.weight").tensor(floats({2}, {1}, 2)).set_items();
  ZipWriter zip;
  zip.add("a/data.pkl", pickle.stop());
  zip.add("a/byteorder", "big");
  zip.add("a/data/0", std::string("\x3F\x80\0\0\x40\0\0\0", 8));
  zip.finish();
  const auto document = open_text(zip.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto bytes = (*document)->storage_bytes(0);
  ASSERT_TRUE(bytes.ok());
  std::array<std::byte, 3> middle{};
  ASSERT_TRUE((*bytes)->read(2, middle).ok());
  EXPECT_THAT(middle, testing::ElementsAre(std::byte{0x80}, std::byte{0x3F}, std::byte{0}));
}

TEST(TorchZipOpen, StoragesAbove4GBAreFoundAndOnlyTheDirectoryIsRead) {
  const tests::TemporaryFolder folder;
  PickleWriter pickle;
  PickleWriter::Tensor large = floats({1'500'000'000}, {1}, 1'500'000'000);
  PickleWriter::Tensor last = floats({2}, {1}, 2);
  last.key = "1";
  pickle.empty_dict().mark().text("large.weight").tensor(large).text("last.weight").tensor(last).set_items();
  ZipWriter zip;
  zip.add("a/data.pkl", pickle.stop());
  zip.add_hole("a/data/0", 6'000'000'000);
  zip.add("a/data/1", "12345678");
  zip.finish();
  zip.write_sparse(folder.path() / "large.pt");
  const auto source = tests::open_file(folder.path() / "large.pt");
  const auto document = tests::open_document(source);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_LE(source->bytes_read(), 16'384U);
  EXPECT_EQ((*document)->tree.bytes[0], 6'000'000'008U);
  const auto place = (*document)->locate(1);
  ASSERT_TRUE(place.ok());
  EXPECT_GT(place->offset, 6'000'000'000U);
  std::array<std::byte, 2> bytes{};
  ASSERT_TRUE(source->read(place->offset, bytes).ok());
  EXPECT_EQ(bytes[1], std::byte{'2'});
}

TEST(TorchZipOpen, WorksInSlicesOfNoTime) {
  auto task = open_checkpoint(base::make_memory_source("a", tests::to_bytes(tests::torch_zip_of_10000())), nullptr);
  ASSERT_TRUE(task.ok());
  int steps = 0;
  for (bool done = false; !done; ++steps) {
    ASSERT_LT(steps, 10'000);
    const auto state = (*task)->step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(state.ok()) << state.error().message();
    done = *state == OpenState::Done;
    EXPECT_LE((*task)->progress().done, (*task)->progress().total);
  }
  EXPECT_GT(steps, 50);
  EXPECT_EQ((*task)->take()->tensors.size(), 10'000U);
}

TEST(TorchZipOpen, ValuesWithoutRowsAreDescribedWhole) {
  PickleWriter pickle;
  const std::string long_text(300, 'x');
  pickle.empty_dict().mark().text("losses").empty_list().mark();
  for (int at = 0; at < 100; ++at) pickle.real(at + 0.5);
  pickle.appends().text("name").text(long_text).set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const ObjectDescription losses = (*document)->describe(tests::find_row(**document, "losses"));
  ASSERT_EQ(losses.attributes.size(), 100U);
  EXPECT_EQ(losses.attributes[99].name, "99");
  EXPECT_EQ(losses.attributes[99].type, "float");
  EXPECT_EQ(losses.attributes[99].text, "99.5");
  EXPECT_THAT(losses.repr, testing::EndsWith("98.5, 99.5]"));
  EXPECT_FALSE(losses.inferred);
  const ObjectDescription name = (*document)->describe(tests::find_row(**document, "name"));
  EXPECT_EQ(name.repr, "'" + long_text + "'");
}

TEST(TorchZipOpen, ALightningCheckpointHasItsModelBesideTheLoopsAndArguments) {
  PickleWriter pickle;
  const auto floats_of = [](std::int64_t offset) {
    return PickleWriter::Tensor{"0", "FloatStorage", 4, offset, {2}, {1}};
  };
  pickle.empty_dict().mark();
  pickle.text("epoch").integer(2).text("global_step").integer(40).text("pytorch-lightning_version").text("2.4.0");
  pickle.text("state_dict").ordered_dict().mark();
  pickle.text("net.0.weight").tensor(floats_of(0)).text("net.0.bias").tensor(floats_of(2)).set_items();
  pickle.text("loops").empty_dict().mark().text("fit_loop").empty_dict().set_items();
  pickle.text("callbacks").empty_dict().mark();
  pickle.text("ModelCheckpoint{'monitor': 'val_loss'}").empty_dict().mark().text("best_model_score").real(0.25);
  pickle.set_items().set_items();
  pickle.text("hyper_parameters").empty_dict().mark().text("lr").real(0.001).set_items();
  pickle.text("optimizer_states").empty_list().text("hparams_name").text("kwargs").set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), {{"0", std::string(16, '\0')}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tree_text(**document),
            ": dict\n  epoch: int = 2\n  global_step: int = 40\n  pytorch-lightning_version: str = '2.4.0'\n"
            "  state_dict: Module\n    net: ModuleList\n      0: LayerNorm\n        weight\n        bias\n"
            "  loops: dict\n    fit_loop: dict = {}\n  callbacks: dict\n"
            "    ModelCheckpoint{'monitor': 'val_loss'}: dict\n      best_model_score: float = 0.25\n"
            "  hyper_parameters: dict\n    lr: float = 0.001\n  optimizer_states: list = []\n"
            "  hparams_name: str = 'kwargs'\n");
  EXPECT_EQ((*document)->name((*document)->tensors[0]), "state_dict/net.0.weight");
}

TEST(TorchZipOpen, AnObjectThatIsReachedTwiceNamesItsOtherRows) {
  PickleWriter pickle;
  pickle.empty_dict().mark().text("a").empty_dict();
  const std::uint32_t shared = pickle.memo_size() - 1;
  pickle.mark().text("n").integer(1).set_items().text("b").get(shared).text("n").integer(1).set_items();
  const auto document = open_text(make_torch_zip(pickle.stop(), {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  const std::uint32_t a = tests::find_row(d, "a");
  const std::uint32_t b = tests::find_row(d, "b");
  EXPECT_THAT(d.describe(a).also_at, testing::ElementsAre(b));
  EXPECT_THAT(d.describe(b).also_at, testing::ElementsAre(a));
  EXPECT_THAT(d.describe(tests::find_row(d, "n")).also_at, testing::IsEmpty()) << "equal numbers are not one object";
}

TEST(TorchZipOpen, CyclesAndSharedObjectsEnd) {
  PickleWriter pickle;
  pickle.empty_list();
  const std::uint32_t list = pickle.memo_size() - 1;
  pickle.mark().get(list).empty_list().appends();
  const auto document = open_text(make_torch_zip(pickle.stop(), {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tree_text(**document), ": list\n  0: list = the same object as a row above (a cycle)\n  1: list = []\n");
}

TEST(TorchZipOpen, WhatIsReachedOnManyWaysIsShownABoundedNumberOfTimes) {
  // 60 levels of [x, x]: 2^60 ways to the innermost list.
  PickleWriter pickle;
  pickle.empty_list().raw("]a");
  for (int level = 0; level < 60; ++level) {
    const std::uint32_t inner = pickle.memo_size() - 1;
    pickle.empty_list().mark().get(inner).get(inner).appends();
  }
  const auto document = open_text(make_torch_zip(pickle.stop(), {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_LT((*document)->tree.size(), 20'000U);
}

TEST(TorchZipOpen, DeepNestingIsBounded) {
  std::string pickle = "\x80\x02" + std::string(300'000, ']') + std::string(299'999, 'a') + ".";
  const auto document = open_text(make_torch_zip(pickle, {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT((*document)->notes, testing::Contains(HasSubstr("nested deeper than 200 levels")));
}

TEST(TorchZipOpen, DangerousGlobalsAreListedThoughThePickleBreaks) {
  const auto document =
      open_text(make_torch_zip("\x80\x02"
                               "cos\nsystem\n(",
                               {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  ASSERT_EQ((*document)->globals.size(), 1U);
  EXPECT_EQ((*document)->globals[0].verdict, Verdict::Dangerous);
  EXPECT_EQ((*document)->globals[0].member, "archive/data.pkl");
  EXPECT_THAT((*document)->notes, testing::Contains(HasSubstr("The pickle is broken")));
}

TEST(TorchZipRefuses, TensorsOutsideTheirStorage) {
  const auto refusal_with = [](const PickleWriter::Tensor& tensor) {
    PickleWriter pickle;
    pickle.empty_dict().mark().text("w.weight").tensor(tensor).set_items();
    return torch_zip_refusal(make_torch_zip(pickle.stop(), one_storage()));
  };
  EXPECT_EQ(refusal_with(floats({4, 4}, {4, 1}, 16)), "opened");
  EXPECT_EQ(refusal_with(floats({0, 4}, {4, 1}, 16, 99)), "opened") << "an empty tensor has no elements outside";
  EXPECT_THAT(
      refusal_with(floats({4, 4}, {4, 1}, 16, 1)),
      HasSubstr(
          "a tensor whose last element is number 16 of its storage; expected less than 16, the size of the storage"));
  EXPECT_THAT(refusal_with(floats({2, 2}, {1LL << 62, 1LL << 62}, 16)), HasSubstr("expected less than 16"));
  EXPECT_THAT(refusal_with(floats({4}, {-1}, 16)), HasSubstr("a stride of -1"));
  EXPECT_THAT(refusal_with(floats({-4}, {1}, 16)), HasSubstr("a dimension of -4"));
  EXPECT_THAT(refusal_with(floats({1LL << 40, 1LL << 40}, {0, 0}, 16)),
              HasSubstr("expected a shape that fits 64 bits"));
  EXPECT_THAT(refusal_with(floats({4}, {1}, 17)), HasSubstr("storage 0 of 68 bytes, but its member has 64"));
  PickleWriter::Tensor absent = floats({4}, {1}, 16);
  absent.key = "9";
  EXPECT_THAT(refusal_with(absent), HasSubstr("test.bin!archive/data.pkl: byte "));
  EXPECT_THAT(refusal_with(absent), HasSubstr("storage 9 is not in the archive; expected a member archive/data/9"));
  PickleWriter::Tensor odd = floats({4}, {1}, 16);
  odd.storage_class = "OddStorage";
  EXPECT_THAT(refusal_with(odd), HasSubstr("a storage of class OddStorage"));
}

TEST(TorchZipRefuses, EveryTruncation) {
  PickleWriter pickle;
  pickle.empty_dict().mark().text("w.weight").parameter(floats({4, 4}, {4, 1}, 16)).set_items();
  const std::string whole = make_torch_zip(pickle.stop(), one_storage());
  ASSERT_EQ(torch_zip_refusal(whole), "opened");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
  }
}

TEST(TorchZipRefuses, BrokenPicklesWithTheOffsetInTheMember) {
  EXPECT_EQ(torch_zip_refusal(make_torch_zip("\x80\x02(", {})),
            "test.bin!archive/data.pkl: byte 3: the pickle ends; expected a STOP opcode");
}

TEST(TorchZipRefuses, AnUnknownByteOrder) {
  ZipWriter zip;
  zip.add("a/data.pkl", "\x80\x02N.");
  zip.add("a/byteorder", "middle");
  zip.finish();
  EXPECT_THAT(torch_zip_refusal(zip.whole()), HasSubstr("byteorder \"middle\"; expected little or big"));
}

TEST(PickleFileOpen, SeveralPicklesInARowAreAllShown) {
  const auto document = open_text(
      "\x80\x02K\x01.\x80\x02"
      "cos\nsystem\n.garbage");
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->format, "pickle or unknown");
  EXPECT_EQ(tree_text(**document), "\n  0: int = 1\n  1: global = os.system\n");
  EXPECT_THAT((*document)->notes,
              testing::ElementsAre(HasSubstr("After 2 whole pickles, what follows at byte 19 is no pickle")));
}

}  // namespace
}  // namespace nns::checkpoint
