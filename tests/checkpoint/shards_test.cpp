#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;

constexpr std::string_view kShardIndex =
    R"({"metadata":{"total_size":12},"weight_map":{"a.0.w":"one.safetensors","a.1.w":"two.safetensors","a.2.w":"two.safetensors"}})";

std::string first_shard() { return tests::plan_safetensors({{"a.0.w", "F32", {2}}}).whole(); }
std::string second_shard() { return tests::plan_safetensors({{"a.2.w", "U8", {2}}, {"a.1.w", "U8", {2}}}).whole(); }

base::Result<std::unique_ptr<Checkpoint>> open_index(std::string_view index, std::shared_ptr<FileSet> files) {
  return tests::open_document(base::make_memory_source("model.safetensors.index.json", tests::to_bytes(index)),
                              std::move(files));
}

std::string index_refusal(std::string_view index) {
  const auto document = open_index(index, std::make_shared<tests::MemoryFileSet>());
  return document.ok() ? "opened" : document.error().message();
}

TEST(ShardsOpen, PutsTheShardsTogether) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", first_shard());
  files->add("two.safetensors", second_shard());
  const auto document = open_index(kShardIndex, files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "safetensors index");
  EXPECT_THAT(d.notes, testing::IsEmpty());
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(d.metadata[0].value, "12");
  ASSERT_EQ(d.tensors.size(), 3U);
  const TensorEntry* last = tests::find_tensor(d, "a.1.w");
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(d.files[d.storages[last->storage].file].name, "two.safetensors");
  EXPECT_EQ(d.tree.bytes[0], 12U);
}

TEST(ShardsOpen, TensorsOfMissingShardsAreListedByName) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", first_shard());
  const auto document = open_index(kShardIndex, files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(tests::tree_fault(d), "");
  ASSERT_THAT(d.notes, testing::ElementsAre(
                           "1 of 2 shards is not there (two.safetensors): their tensors are listed by name only."));
  const TensorEntry* missing = tests::find_tensor(d, "a.2.w");
  ASSERT_NE(missing, nullptr);
  EXPECT_FALSE(missing->has_shape);
  EXPECT_EQ(missing->storage, kNone);
  EXPECT_EQ(d.dtype_name(*missing), "unknown");
}

TEST(ShardsOpen, APointerInPlaceOfAShardIsExplained) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", first_shard());
  files->add("two.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 99\n");
  const auto document = open_index(kShardIndex, files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  ASSERT_EQ((*document)->notes.size(), 1U);
  EXPECT_THAT((*document)->notes[0], HasSubstr("two.safetensors is a Git LFS pointer"));
}

TEST(ShardsOpen, WaitsForFilesThatAreOnTheirWay) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", first_shard());
  files->add("two.safetensors", second_shard());
  files->delay(2);
  auto task = open_checkpoint(base::make_memory_source("index", tests::to_bytes(kShardIndex)), files);
  ASSERT_TRUE(task.ok());
  int waits = 0;
  for (int step = 0; step < 20; ++step) {
    const auto state = (*task)->step(base::Budget::unlimited());
    ASSERT_TRUE(state.ok()) << state.error().message();
    if (*state == OpenState::WaitingForFiles) ++waits;
    if (*state == OpenState::Done) break;
  }
  EXPECT_EQ(waits, 2);  // both were asked for at once
  EXPECT_EQ((*task)->take()->tensors.size(), 3U);
}

TEST(ShardsOpen, DifferencesBetweenIndexAndShardsAreNoted) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", tests::plan_safetensors({{"other", "F32", {2}}}).whole());
  const auto document = open_index(R"({"weight_map":{"a":"one.safetensors"}})", files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT((*document)->notes, testing::ElementsAre("1 tensor in the index is not in the shard that it names.",
                                                       "1 tensor of the shards is not in the index."));
}

/// What torch.save writes for {name: tensor of two floats}.
std::string torch_shard(std::string_view name, bool with_epoch = false) {
  tests::PickleWriter pickle;
  pickle.empty_dict().mark().text(name).tensor({"0", "FloatStorage", 2, 0, {2}, {1}});
  if (with_epoch) pickle.text("epoch").integer(3);
  const float values[2] = {1.5F, -2.F};
  return tests::make_torch_zip(pickle.set_items().stop(),
                               {{"0", std::string(reinterpret_cast<const char*>(values), sizeof values)}});
}

constexpr std::string_view kTorchIndex =
    R"({"weight_map":{"a.0.w":"pytorch_model-00001-of-00002.bin","a.1.w":"pytorch_model-00002-of-00002.bin"}})";

TEST(ShardsOpen, ThoseOfTorchSaveAreOneDocument) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("pytorch_model-00001-of-00002.bin", torch_shard("a.0.w"));
  files->add("pytorch_model-00002-of-00002.bin", torch_shard("a.1.w", true));
  const auto document = open_index(kTorchIndex, files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  Checkpoint& d = **document;
  EXPECT_EQ(d.format, "torch index");
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_THAT(d.notes, testing::ElementsAre("pytorch_model-00002-of-00002.bin holds 1 value that is no tensor: open it "
                                            "by itself to see it."));
  ASSERT_EQ(d.tensors.size(), 2U);
  const TensorEntry* second = tests::find_tensor(d, "a.1.w");
  ASSERT_NE(second, nullptr);
  EXPECT_NE(tests::find_row(d, "a/1/w"), kNone);
  // Its bytes are those of its own shard.
  const auto place = d.locate(second->storage);
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(d.files[place->file].name, "pytorch_model-00002-of-00002.bin");
  float in_file[2] = {};
  ASSERT_TRUE(d.files[place->file].source->read(place->offset, std::as_writable_bytes(std::span(in_file))).ok());
  EXPECT_THAT(in_file, testing::ElementsAre(1.5F, -2.F));
  const auto bytes = d.value_bytes(1);
  ASSERT_TRUE(bytes.ok());
  float values[2] = {};
  ASSERT_TRUE((*bytes)->read(0, std::as_writable_bytes(std::span(values))).ok());
  EXPECT_THAT(values, testing::ElementsAre(1.5F, -2.F));
  ASSERT_FALSE(d.globals.empty());
  EXPECT_THAT(d.globals[0].member, testing::StartsWith("pytorch_model-00001-of-00002.bin!"));
}

TEST(ShardsOpen, ThoseOfTorchSaveThatAreNotThereAreListedByName) {
  const auto document = open_index(kTorchIndex, std::make_shared<tests::MemoryFileSet>());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->format, "torch index");
  EXPECT_EQ((*document)->tensors.size(), 2U);
}

TEST(ShardsOpen, SeveralAreAskedForAtOnce) {
  class Slow final : public FileSet {
   public:
    std::optional<base::Result<std::shared_ptr<base::ByteSource>>> open(std::string_view name) override {
      const int asked = ++asked_[std::string(name)];
      most_ = std::max(most_, asked_.size());
      if (asked < 3) return std::nullopt;
      return base::Result(base::make_memory_source(std::string(name), tests::to_bytes(first_shard())));
    }
    std::vector<std::string> names() override { return {}; }
    std::size_t asked_at_once() const { return most_; }

   private:
    std::map<std::string, int> asked_;
    std::size_t most_ = 0;
  };
  std::string index = R"({"weight_map":{)";
  for (int shard = 0; shard < 20; ++shard) index += fmt::format(R"({}"t{}":"{}")", shard == 0 ? "" : ",", shard, shard);
  const auto files = std::make_shared<Slow>();
  auto task = open_checkpoint(base::make_memory_source("index", tests::to_bytes(index + "}}")), files);
  ASSERT_TRUE(task.ok());
  for (int step = 0; step < 3; ++step) ASSERT_TRUE((*task)->step(base::Budget(std::chrono::nanoseconds(0))).ok());
  EXPECT_GT(files->asked_at_once(), 3U);
  EXPECT_LT(files->asked_at_once(), 20U);
}

TEST(ShardsRefuse, ATensorInTwoShards) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("pytorch_model-00001-of-00002.bin", torch_shard("a.0.w"));
  files->add("pytorch_model-00002-of-00002.bin", torch_shard("a.0.w"));
  const auto document = open_index(kTorchIndex, files);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(
      document.error().message(),
      "pytorch_model-00002-of-00002.bin: tensor \"a.0.w\" appears a second time; expected each tensor in one shard");
}

TEST(ShardsRefuse, ShardsOfAnotherFormat) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("pytorch_model-00001-of-00002.bin", tests::zip_of({{"a.npy", "\x93NUMPY"}}));
  const auto document = open_index(kTorchIndex, files);
  ASSERT_FALSE(document.ok());
}

TEST(ShardsRefuse, DamagedShards) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", first_shard().substr(0, 30));
  const auto document = open_index(R"({"weight_map":{"a.0.w":"one.safetensors"}})", files);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().where, "one.safetensors");
}

TEST(ShardsRefuse, ShardsOutsideTheFolder) {
  for (const char* name : {"../a", "/etc/passwd", "a/../../b", "c:\\\\x", "https://a/b", ""}) {
    EXPECT_THAT(index_refusal(std::string(R"({"weight_map":{"a":")") + name + "\"}}"),
                HasSubstr("lies outside the folder"))
        << name;
  }
}

TEST(ShardsRefuse, BrokenIndexes) {
  EXPECT_THAT(index_refusal(R"({"weight_map":{"a":1}})"),
              HasSubstr("byte 19: the JSON text holds another character; expected '\"'"));
  EXPECT_THAT(index_refusal(R"({"weight_map":{},"weight_map":{}})"), HasSubstr("weight_map appears twice"));
  EXPECT_THAT(index_refusal(R"({"weight_map":{}} x)"), HasSubstr("goes on after its last"));
}

TEST(ShardsRefuse, EveryTruncation) {
  for (std::size_t length = 0; length < kShardIndex.size(); ++length)
    EXPECT_NE(index_refusal(kShardIndex.substr(0, length)), "opened") << length;
}

}  // namespace
}  // namespace nns::checkpoint
