#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/make_gguf.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_legacy.h"
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

std::string policy(std::string_view bytes = "0123456789ABCDEF") {
  PickleWriter pickle;
  PickleWriter::Tensor tensor;
  tensor.storage_numel = 4;
  tensor.shape = {4};
  tensor.stride = {1};
  pickle.ordered_dict().mark().text("fc.bias").tensor(tensor).set_items();
  return tests::make_torch_zip(pickle.stop(), {{"0", std::string(bytes)}});
}

std::string agent(bool deflated = false) {
  ZipWriter zip;
  ZipWriter::Options options;
  options.deflated = deflated;
  zip.add("data", R"({"n_envs": 4, "policy": {":type:": "x"}, "gamma": 0.5, "name": "a"})");
  zip.add("policy.pth", policy(), options);
  zip.add("optimizer.pth", policy("abcdefghijklmnop"), options);
  zip.add("version", "2.1\n");
  zip.add("picture.png", "\x89PNG\r\n");
  zip.add("folder/", "");
  zip.finish();
  return zip.whole();
}

std::string plain_zip_refusal(std::string_view bytes) {
  const auto document = open_text(bytes);
  return document.ok() ? "opened" : document.error().message();
}

std::string text_of(Checkpoint& document, std::uint32_t storage) {
  const auto bytes = document.storage_bytes(storage);
  if (!bytes.ok()) return bytes.error().message();
  std::string text(static_cast<std::size_t>((*bytes)->size()), '\0');
  EXPECT_TRUE((*bytes)->read(0, std::as_writable_bytes(std::span(text))).ok());
  return text;
}

TEST(PlainZipOpen, ValuesOfMembersAreDecodedAsByThemselves) {
  // Q8_0: a scale (here 2 as a float16) and 32 integers.
  std::string block("\x00\x40", 2);
  for (char value = 0; value < 32; ++value) block += value;
  const auto document =
      open_text(tests::zip_of({{"model.gguf", tests::GgufWriter().tensor("w", {32}, 8, block).whole()}}));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto bytes = (*document)->value_bytes(0);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message();
  float values[32] = {};
  ASSERT_TRUE((*bytes)->read(0, std::as_writable_bytes(std::span(values))).ok());
  EXPECT_EQ(values[31], 62.F);
  EXPECT_EQ((*document)->dtype_name((*document)->tensors[0]), "Q8_0");
}

TEST(PlainZipOpen, CheckpointsInsideAreRowsOfOneDocument) {
  const auto document = open_text(agent());
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "plain zip");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(tree_text(d),
            ": zip\n  data: dict = 4 entries\n    n_envs: int = 4\n    policy: dict = 1 entry\n      :type:: str = "
            "\"x\"\n    gamma: float = 0.5\n"
            "    name: str = \"a\"\n  policy.pth: Module\n    fc: Module\n      bias\n  optimizer.pth: Module\n"
            "    fc: Module\n      bias\n  version: text = 2.1\n  picture.png: file = 6 bytes\n");
  const TensorEntry* first = find_tensor(d, "policy.pth/fc.bias");
  const TensorEntry* second = find_tensor(d, "optimizer.pth/fc.bias");
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(text_of(d, first->storage), "0123456789ABCDEF");
  EXPECT_EQ(text_of(d, second->storage), "abcdefghijklmnop");
  EXPECT_EQ(d.tree.flags[first->node] & kShared, 0);
  EXPECT_EQ(d.tree.parameters[0], 8U);
  ASSERT_EQ(d.metadata.size(), 3U);
  EXPECT_EQ(d.metadata[0].key, "policy.pth");
  EXPECT_EQ(d.metadata[0].value, "torch zip");
  EXPECT_EQ(d.metadata[2].value, "2.1");
  ASSERT_FALSE(d.globals.empty());
  EXPECT_EQ(d.globals[0].member, "policy.pth!archive/data.pkl");
}

TEST(PlainZipOpen, BytesOfStoredMembersHaveTheirPlaceInTheFile) {
  const std::string whole = agent();
  const auto document = open_text(whole);
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto place = (*document)->locate(find_tensor(**document, "optimizer.pth/fc.bias")->storage);
  ASSERT_TRUE(place.ok()) << place.error().message();
  EXPECT_EQ(whole.substr(static_cast<std::size_t>(place->offset), 16), "abcdefghijklmnop");
}

TEST(PlainZipOpen, CompressedMembersAreUnpackedFirst) {
  const auto document = open_text(agent(true));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const std::uint32_t storage = find_tensor(**document, "optimizer.pth/fc.bias")->storage;
  EXPECT_EQ(text_of(**document, storage), "abcdefghijklmnop");
  EXPECT_THAT((*document)->locate(storage).error().message(), HasSubstr("optimizer.pth is compressed"));
}

TEST(PlainZipOpen, DescriptionsComeFromTheReaderOfTheMember) {
  const auto document = open_text(agent());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  const ObjectDescription root = d.describe(0);
  ASSERT_EQ(root.attributes.size(), 5U);
  EXPECT_EQ(root.attributes[1].name, "policy.pth");
  const ObjectDescription fc = d.describe(find_row(d, "optimizer.pth/fc"));
  const auto bias = std::find_if(fc.attributes.begin(), fc.attributes.end(),
                                 [](const AttributeRow& row) { return row.name == "bias"; });
  ASSERT_NE(bias, fc.attributes.end());
  EXPECT_EQ(bias->node, find_row(d, "optimizer.pth/fc/bias"));
}

TEST(PlainZipOpen, ReadersOfAllFormatsAreAskedAndWhatTheyRefuseIsARow) {
  PickleWriter pickle;
  pickle.integer(1);
  ZipWriter zip;
  zip.add("a.safetensors", tests::plan_safetensors({{"x.weight", "F32", {2}}}).whole());
  zip.add("b.pt", tests::make_torch_legacy(pickle.stop(), {}));
  zip.add("c.pt", std::string("\x80\x02") + "cos\nsystem\n)R.");
  zip.add("broken.pth", std::string("PK\x03\x04 and no more"));
  zip.add("text.txt", "I am a text, not a pickle.");
  zip.finish();
  const auto document = open_text(zip.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_NE(find_tensor(d, "a.safetensors/x.weight"), nullptr);
  EXPECT_EQ(d.metadata[1].value, "torch legacy");
  ASSERT_EQ(d.globals.size(), 1U);
  EXPECT_EQ(d.globals[0].member, "c.pt");
  EXPECT_EQ(d.globals[0].verdict, Verdict::Dangerous);
  EXPECT_THAT(tree_text(d), HasSubstr("\n  broken.pth: file = test.bin!broken.pth: "));
  EXPECT_THAT(tree_text(d), HasSubstr("\n  text.txt: text = I am a text, not a pickle.\n"));
}

TEST(PlainZipRefuses, ArchivesWithoutCheckpointsAndDeeperNesting) {
  ZipWriter texts;
  texts.add("readme", "hello");
  texts.finish();
  EXPECT_THAT(plain_zip_refusal(texts.whole()),
              HasSubstr("plain zip: no member is called data.pkl, and none is a checkpoint"));
  ZipWriter outer;
  outer.add("agent.zip", agent());
  outer.finish();
  EXPECT_THAT(plain_zip_refusal(outer.whole()), HasSubstr("none is a checkpoint"));
}

TEST(PlainZipOpen, SlicesOfNoTimeComeToTheSameEnd) {
  const auto whole = open_text(agent());
  const auto document = tests::open_in_slices(agent());
  ASSERT_TRUE(whole.ok() && document.ok());
  EXPECT_EQ(tree_text(**document), tree_text(**whole));
}

TEST(PlainZipRefuses, EveryTruncation) {
  const std::string whole = agent();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = open_text(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(document.ok()) << length;
    EXPECT_EQ(document.error().where, "test.bin");
  }
}

}  // namespace
}  // namespace nns::checkpoint
