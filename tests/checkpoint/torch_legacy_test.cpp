#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_torch_legacy.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::find_tensor;
using tests::LegacyStorage;
using tests::make_torch_legacy;
using tests::open_text;
using tests::PickleWriter;
using tests::tree_text;

PickleWriter::Tensor floats(std::string key, std::int64_t numel, std::int64_t offset, std::vector<std::int64_t> shape) {
  PickleWriter::Tensor tensor;
  tensor.key = std::move(key);
  tensor.storage_numel = numel;
  tensor.offset = offset;
  tensor.stride.assign(shape.size(), 1);
  tensor.shape = std::move(shape);
  return tensor;
}

std::string two_tensors() {
  PickleWriter pickle;
  pickle.ordered_dict().mark().text("fc.weight").tensor(floats("94", 4, 0, {4}));
  return pickle.text("fc.bias").tensor(floats("95", 2, 1, {1})).set_items().stop();
}

// The list is in another order than the object names them.
std::vector<LegacyStorage> two_storages() { return {{"95", 2, "abcdefgh"}, {"94", 4, "0123456789ABCDEF"}}; }

std::string legacy_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

std::string bytes_of(Checkpoint& document, std::uint32_t storage) {
  const auto bytes = document.storage_bytes(storage);
  if (!bytes.ok()) return bytes.error().message();
  std::string text(static_cast<std::size_t>((*bytes)->size()), '\0');
  EXPECT_TRUE((*bytes)->read(0, std::as_writable_bytes(std::span(text))).ok());
  return text;
}

/// ("storage", FloatStorage, key, "cpu", numel, view)
void write_storage(PickleWriter& out, std::string_view key, std::int64_t numel) {
  out.mark().text("storage").global("torch", "FloatStorage").text(key).text("cpu").integer(numel);
}

TEST(TorchLegacyOpen, StoragesFollowThePicklesInTheOrderOfTheirList) {
  const auto document = open_text(make_torch_legacy(two_tensors(), two_storages()));
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "torch legacy");
  EXPECT_EQ(tree_text(d), ": Module\n  fc: LayerNorm\n    weight\n    bias\n");
  EXPECT_EQ(tests::tree_fault(d), "");
  const TensorEntry* weight = find_tensor(d, "fc.weight");
  const TensorEntry* bias = find_tensor(d, "fc.bias");
  ASSERT_TRUE(weight != nullptr && bias != nullptr);
  EXPECT_EQ(bytes_of(d, weight->storage), "0123456789ABCDEF");
  EXPECT_EQ(bytes_of(d, bias->storage), "abcdefgh");
  EXPECT_EQ(bias->storage_offset, 1U);
  const auto place = d.locate(weight->storage);
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->offset + place->nbytes, d.files[0].size);
  ASSERT_EQ(d.metadata.size(), 2U);
  EXPECT_EQ(d.metadata[1].key, "little_endian");
  EXPECT_EQ(d.metadata[1].value, "True");
  EXPECT_TRUE(d.notes.empty());
}

TEST(TorchLegacyOpen, APartOfAStorageIsSharedWithTheWhole) {
  PickleWriter pickle;
  pickle.empty_dict().mark().text("whole").tensor(floats("94", 4, 0, {4})).text("part");
  pickle.global("torch._utils", "_rebuild_tensor").mark();
  write_storage(pickle, "94", 4);
  pickle.mark().text("view").integer(1).integer(3).tuple().tuple().raw("Q");
  pickle.integer(1).numbers({2}).numbers({1}).tuple().reduce().set_items();
  const auto document = open_text(make_torch_legacy(pickle.stop(), {{"94", 4, "0123456789ABCDEF"}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const TensorEntry* part = find_tensor(**document, "part");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->storage_offset, 2U);
  EXPECT_EQ(part->storage, find_tensor(**document, "whole")->storage);
  EXPECT_NE((*document)->tree.flags[part->node] & kShared, 0);
}

TEST(TorchLegacyOpen, AModuleHasTheClassAndSourceOfItsPersistentId) {
  PickleWriter pickle;
  pickle.mark().text("module").global("pkg.nets", "Net").text("/src/nets.py").text("class Net(nn.Module):\n  pass\n");
  pickle.tuple().raw("Q").empty_tuple().new_object().empty_dict().mark();
  // As Python 2 pickles an OrderedDict: a call on the list of its pairs.
  pickle.text("_parameters").global("collections", "OrderedDict").empty_list().mark();
  pickle.empty_list().mark().text("w").parameter(floats("94", 4, 0, {4})).appends().appends().raw("\x85").reduce();
  pickle.text("_modules").global("collections", "OrderedDict").empty_list().raw("\x85").reduce();
  pickle.text("training").boolean(true).set_items().build();
  const auto document = open_text(make_torch_legacy(pickle.stop(), {{"94", 4, "0123456789ABCDEF"}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(tree_text(d), ": pkg.nets.Net\n  w\n");
  EXPECT_NE(d.tree.flags[0] & kSuspicious, 0);
  ASSERT_NE(find_tensor(d, "w"), nullptr);
  EXPECT_TRUE(find_tensor(d, "w")->is_parameter);
  const ObjectDescription net = d.describe(0);
  EXPECT_EQ(net.class_name, "pkg.nets.Net");
  EXPECT_EQ(net.repr, "class Net(nn.Module):\n  pass\n");
  ASSERT_GE(net.attributes.size(), 2U);
  EXPECT_EQ(net.attributes[0].name, "source file");
  EXPECT_EQ(net.attributes[0].text, "/src/nets.py");
  EXPECT_EQ(net.attributes[2].name, "_parameters");
  EXPECT_EQ(net.attributes[2].text, "1 entry");
}

TEST(TorchLegacyOpen, AStorageWithoutTensorIsARowAndTakesItsPlaceInTheFile) {
  PickleWriter pickle;
  pickle.empty_list().mark();
  write_storage(pickle, "93", 1);
  pickle.none().tuple().raw("Q").tensor(floats("94", 4, 0, {4})).appends();
  const auto document = open_text(make_torch_legacy(pickle.stop(), {{
                                                                        "93",
                                                                        1,
                                                                        "....",
                                                                    },
                                                                    {"94", 4, "0123456789ABCDEF"}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT(tree_text(**document), HasSubstr("0: torch.FloatStorage"));
  EXPECT_EQ(bytes_of(**document, 0), "0123456789ABCDEF");
}

TEST(TorchLegacyOpen, OnlyThePicklesAreRead) {
  const tests::TemporaryFolder folder;
  constexpr std::uint64_t kNumel = 1'500'000'000;
  PickleWriter pickle;
  pickle.ordered_dict().mark().text("a.w").tensor(floats("94", static_cast<std::int64_t>(kNumel), 0, {4})).set_items();
  const std::string beginning = make_torch_legacy(pickle.stop(), {{"94", kNumel, ""}});
  const auto path = folder.write_sparse("large.pt", beginning, beginning.size() + 4 * kNumel);
  const auto source = tests::open_file(path);
  const auto document = tests::open_document(source);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_LE(source->bytes_read(), 70'000U);
  EXPECT_EQ((*document)->storages[0].nbytes, 4 * kNumel);
}

TEST(TorchLegacyOpen, PicklesLongerThanTheFirstPieceAreReadOn) {
  PickleWriter pickle;
  pickle.ordered_dict().mark();
  for (int at = 0; at < 3000; ++at)
    pickle.text("layers." + std::to_string(at) + ".weight").tensor(floats("94", 4, 0, {4}));
  pickle.text("note.text").text(std::string(700'000, 'x')).set_items();
  const auto document = open_text(make_torch_legacy(pickle.stop(), {{"94", 4, "0123456789ABCDEF"}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tensors.size(), 3000U);
  EXPECT_EQ((*document)->globals.size(), 3U);
  EXPECT_EQ((*document)->metadata.size(), 2U);
  // Read in pieces, from a file without a view.
  const tests::TemporaryFolder folder;
  PickleWriter again = pickle;
  const std::string whole = make_torch_legacy(again.stop(), {{"94", 4, "0123456789ABCDEF"}});
  const auto from_file = tests::open_document(tests::open_file(folder.write_sparse("long.pt", whole, whole.size())));
  ASSERT_TRUE(from_file.ok()) << from_file.error().message();
  EXPECT_EQ(tree_text(**from_file), tree_text(**document));
}

TEST(TorchLegacyOpen, MagicNumbersOfOtherProtocolsAreRecognised) {
  const std::string whole = make_torch_legacy(two_tensors(), two_storages());
  const std::string number = whole.substr(2, 13);
  for (const std::string& magic : {"\x80\x03" + number, "\x80\x04\x95" + std::string("\x0d\0\0\0\0\0\0\0", 8) + number,
                                   std::string("L119547037146038801333356L\n.")}) {
    const auto document = open_text(magic + whole.substr(15));
    ASSERT_TRUE(document.ok()) << document.error().message();
    EXPECT_EQ((*document)->format, "torch legacy");
    EXPECT_EQ(bytes_of(**document, 0), "0123456789ABCDEF");
  }
}

TEST(TorchLegacyOpen, WhatFollowsTheLastStorageIsNoted) {
  const auto document = open_text(make_torch_legacy(two_tensors(), two_storages()) + "more");
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT((*document)->notes, ElementsAre("4 bytes follow the last storage."));
}

TEST(TorchLegacyOpen, ABrokenPickleThatNamedSomethingDangerousIsListed) {
  const auto document =
      open_text(make_torch_legacy("\x80\x02"
                                  "cos\nsystem\n\xff",
                                  {}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  ASSERT_EQ((*document)->globals.size(), 1U);
  EXPECT_EQ((*document)->globals[0].verdict, Verdict::Dangerous);
  EXPECT_THAT((*document)->notes, ElementsAre(HasSubstr("The pickle is broken")));
}

TEST(TorchLegacyOpen, SlicesOfNoTimeComeToTheSameEnd) {
  const auto whole = open_text(make_torch_legacy(two_tensors(), two_storages()));
  const auto document = tests::open_in_slices(make_torch_legacy(two_tensors(), two_storages()));
  ASSERT_TRUE(whole.ok() && document.ok());
  EXPECT_EQ(tree_text(**document), tree_text(**whole));
}

TEST(TorchLegacyRefuses, EveryTruncation) {
  const std::string whole = make_torch_legacy(two_tensors(), two_storages());
  ASSERT_EQ(legacy_refusal(whole), "opened");
  for (std::size_t length = 15; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
    EXPECT_TRUE(document.error().offset.has_value()) << length;
  }
}

TEST(TorchLegacyRefuses, ACountThatIsNotThePickles) {
  std::vector<LegacyStorage> storages = two_storages();
  storages[1].count = 5;
  const std::string whole = make_torch_legacy(two_tensors(), storages);
  EXPECT_EQ(legacy_refusal(whole), "test.bin: byte " + std::to_string(whole.size() - 24) +
                                       ": a storage of 5 elements; expected 4 elements, as the pickle says");
}

TEST(TorchLegacyRefuses, ACountInTheMiddleWhenItIsUsed) {
  PickleWriter pickle;
  pickle.empty_list().mark();
  for (const char* key : {"1", "2", "3"}) pickle.tensor(floats(key, 1, 0, {1}));
  pickle.appends();
  const auto document =
      open_text(make_torch_legacy(pickle.stop(), {{"1", 1, "aaaa"}, {"2", 7, "bbbb"}, {"3", 1, "cccc"}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(bytes_of(**document, 2), "cccc");
  EXPECT_THAT(bytes_of(**document, 1), HasSubstr("a storage of 7 elements; expected 1 elements"));
  EXPECT_FALSE((*document)->locate(1).ok());
}

TEST(TorchLegacyRefuses, ListsOfStoragesThatDoNotFitTheObject) {
  EXPECT_THAT(legacy_refusal(make_torch_legacy(two_tensors(), {{"94", 4, "0123456789ABCDEF"}})),
              HasSubstr("storage 95 is not in the list of storages"));
  std::vector<LegacyStorage> storages = two_storages();
  storages.push_back({"96", 1, "...."});
  EXPECT_THAT(legacy_refusal(make_torch_legacy(two_tensors(), storages)),
              HasSubstr("storage '96' is in the list, but nothing uses it"));
  storages = two_storages();
  storages.push_back(storages[0]);
  EXPECT_THAT(legacy_refusal(make_torch_legacy(two_tensors(), storages)), HasSubstr("storage '95' twice"));
}

TEST(TorchLegacyRefuses, APartOutsideItsStorage) {
  PickleWriter pickle;
  pickle.empty_list().mark().global("torch._utils", "_rebuild_tensor").mark();
  write_storage(pickle, "94", 4);
  pickle.mark().text("view").integer(2).integer(3).tuple().tuple().raw("Q");
  pickle.integer(0).numbers({2}).numbers({1}).tuple().reduce().appends();
  EXPECT_THAT(legacy_refusal(make_torch_legacy(pickle.stop(), {{"94", 4, "0123456789ABCDEF"}})),
              HasSubstr("a part of a storage that does not lie inside it"));
}

TEST(TorchLegacyRefuses, AnotherProtocolVersion) {
  std::string whole = make_torch_legacy(two_tensors(), two_storages());
  whole[18] = '\xe8';
  EXPECT_EQ(legacy_refusal(whole), "test.bin: byte 15: protocol version 1000; expected 1001, the only one there is");
}

TEST(TorchLegacyRefuses, ATarArchiveByName) {
  std::string tar(1024, '\0');
  tar.replace(0, 6, "pickle");
  tar.replace(257, 8, "ustar  \0");
  EXPECT_THAT(legacy_refusal(tar), HasSubstr("a tar archive"));
}

}  // namespace
}  // namespace nns::checkpoint
