#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;

constexpr std::string_view kIndex =
    R"({"metadata":{"total_size":12},"weight_map":{"a.0.w":"one.safetensors","a.1.w":"two.safetensors","a.2.w":"two.safetensors"}})";

std::string one() { return tests::plan_safetensors({{"a.0.w", "F32", {2}}}).whole(); }
std::string two() { return tests::plan_safetensors({{"a.2.w", "U8", {2}}, {"a.1.w", "U8", {2}}}).whole(); }

base::Result<std::unique_ptr<Checkpoint>> open_index(std::string_view index, std::shared_ptr<FileSet> files) {
  return tests::open_document(base::make_memory_source("model.safetensors.index.json", tests::to_bytes(index)),
                              std::move(files));
}

std::string refusal(std::string_view index) {
  const auto document = open_index(index, std::make_shared<tests::MemoryFileSet>());
  return document.ok() ? "opened" : document.error().message();
}

TEST(SafetensorsIndexOpen, PutsTheShardsTogether) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", one());
  files->add("two.safetensors", two());
  const auto document = open_index(kIndex, files);
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

TEST(SafetensorsIndexOpen, TensorsOfMissingShardsAreListedByName) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", one());
  const auto document = open_index(kIndex, files);
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

TEST(SafetensorsIndexOpen, APointerInPlaceOfAShardIsExplained) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", one());
  files->add("two.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 99\n");
  const auto document = open_index(kIndex, files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  ASSERT_EQ((*document)->notes.size(), 1U);
  EXPECT_THAT((*document)->notes[0], HasSubstr("two.safetensors is a Git LFS pointer"));
}

TEST(SafetensorsIndexOpen, WaitsForFilesThatAreOnTheirWay) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", one());
  files->add("two.safetensors", two());
  files->delay(2);
  auto task = open_checkpoint(base::make_memory_source("index", tests::to_bytes(kIndex)), files);
  ASSERT_TRUE(task.ok());
  int waits = 0;
  for (int step = 0; step < 20; ++step) {
    const auto state = (*task)->step(base::Budget::unlimited());
    ASSERT_TRUE(state.ok()) << state.error().message();
    if (*state == OpenState::WaitingForFiles) ++waits;
    if (*state == OpenState::Done) break;
  }
  EXPECT_EQ(waits, 4);
  EXPECT_EQ((*task)->take()->tensors.size(), 3U);
}

TEST(SafetensorsIndexOpen, DifferencesBetweenIndexAndShardsAreNoted) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", tests::plan_safetensors({{"other", "F32", {2}}}).whole());
  const auto document = open_index(R"({"weight_map":{"a":"one.safetensors"}})", files);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_THAT((*document)->notes, testing::ElementsAre("1 tensor in the index is not in the shard that it names.",
                                                       "1 tensor of the shards is not in the index."));
}

TEST(SafetensorsIndexRefuses, DamagedShards) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  files->add("one.safetensors", one().substr(0, 30));
  const auto document = open_index(R"({"weight_map":{"a.0.w":"one.safetensors"}})", files);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().where, "one.safetensors");
}

TEST(SafetensorsIndexRefuses, ShardsOutsideTheFolder) {
  for (const char* name : {"../a", "/etc/passwd", "a/../../b", "c:\\\\x", "https://a/b", ""}) {
    EXPECT_THAT(refusal(std::string(R"({"weight_map":{"a":")") + name + "\"}}"), HasSubstr("lies outside the folder"))
        << name;
  }
}

TEST(SafetensorsIndexRefuses, OtherJson) {
  EXPECT_EQ(refusal("{}"),
            "model.safetensors.index.json: byte 0: JSON without a weight_map; expected an index of safetensors shards");
  EXPECT_THAT(refusal(R"({"weight_map":{"a":1}})"),
              HasSubstr("byte 19: the JSON text holds another character; expected '\"'"));
  EXPECT_THAT(refusal(R"({"weight_map":{},"weight_map":{}})"), HasSubstr("weight_map appears twice"));
  EXPECT_THAT(refusal(R"({"weight_map":{}} x)"), HasSubstr("goes on after its last"));
}

TEST(SafetensorsIndexRefuses, EveryTruncation) {
  for (std::size_t length = 0; length < kIndex.size(); ++length)
    EXPECT_NE(refusal(kIndex.substr(0, length)), "opened") << length;
}

TEST(FolderOpen, PrefersTheIndexThenShardsThenTheOnlyFile) {
  const auto open = [](std::initializer_list<std::pair<const char*, std::string>> list) {
    const auto files = std::make_shared<tests::MemoryFileSet>();
    for (const auto& [name, bytes] : list) files->add(name, bytes);
    auto task = open_folder(files, "some/folder");
    if (!task.ok()) return task.error().message();
    const auto state = (*task)->step(base::Budget::unlimited());
    if (!state.ok()) return state.error().message();
    const auto document = (*task)->take();
    return document->format + " " + document->title + " " + std::to_string(document->tensors.size());
  };
  EXPECT_EQ(open({{"one.safetensors", one()},
                  {"two.safetensors", two()},
                  {"model.safetensors.index.json", std::string(kIndex)}}),
            "safetensors index model.safetensors.index.json 3");
  EXPECT_EQ(open({{"one.safetensors", one()}, {"two.safetensors", two()}, {"config.json", "{}"}}),
            "safetensors folder folder 3");
  EXPECT_EQ(open({{"one.safetensors", one()}, {"config.json", "{}"}}), "safetensors one.safetensors 1");
  EXPECT_EQ(open({{"config.json", "{}"}}),
            "some/folder: no checkpoint in this folder; expected an index, .safetensors files, or one .pt, .pth, "
            ".ckpt, .bin, .pkl, .gguf, .npz or .npy file");
  EXPECT_EQ(open({{"a.pt", ""}, {"b.pt", ""}}),
            "some/folder: 2 checkpoints in this folder; expected one of them: open it by name");
}

}  // namespace
}  // namespace nns::checkpoint
