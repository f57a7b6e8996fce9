#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/folder_choice.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kIndex =
    R"({"weight_map":{"a.0.w":"one.safetensors","a.1.w":"two.safetensors","a.2.w":"two.safetensors"}})";

std::string one() { return tests::plan_safetensors({{"a.0.w", "F32", {2}}}).whole(); }
std::string two() { return tests::plan_safetensors({{"a.2.w", "U8", {2}}, {"a.1.w", "U8", {2}}}).whole(); }
std::string torch_file() { return tests::make_torch_zip(tests::PickleWriter().empty_dict().stop(), {}); }

using Files = std::vector<std::pair<std::string, std::string>>;

base::Result<std::unique_ptr<Checkpoint>> finish(base::Result<std::unique_ptr<OpenTask>> task) {
  if (!task.ok()) return task.error();
  while (true) {
    const auto state = (*task)->step(base::Budget::unlimited());
    if (!state.ok()) return state.error();
    if (*state == OpenState::Done) return (*task)->take();
  }
}

std::shared_ptr<tests::MemoryFileSet> set_of(const Files& list) {
  const auto files = std::make_shared<tests::MemoryFileSet>();
  for (const auto& [name, bytes] : list) files->add(name, bytes);
  return files;
}

base::Result<std::unique_ptr<Checkpoint>> open_files(const Files& list) {
  return finish(open_folder(set_of(list), "some/folder"));
}

/// "format file tensors", or why not.
std::string opened(const Files& list) {
  const auto document = open_files(list);
  if (!document.ok()) return document.error().message();
  return fmt::format("{} {} {}", (*document)->format, (*document)->files[0].name, (*document)->tensors.size());
}

std::string text_of(const Checkpoint& document, std::string_view key) {
  for (const MetadataEntry& entry : document.metadata) {
    if (entry.key == key) return entry.value;
  }
  return "(none)";
}

TEST(FolderOpen, IsCalledAsTheFolderIfThatHasAName) {
  const auto title = [](std::string_view folder) {
    const auto document = finish(open_folder(set_of({{"model.safetensors", one()}}), folder));
    return document.ok() ? (*document)->title : document.error().message();
  };
  EXPECT_EQ(title("models/gpt2/"), "gpt2");
  EXPECT_EQ(title("gpt2"), "gpt2");
  EXPECT_EQ(title("."), "model.safetensors");
  EXPECT_EQ(title("../.."), "model.safetensors");
  EXPECT_EQ(title(""), "model.safetensors");
}

TEST(FolderOpen, PrefersTheIndexThenTheUsualNameThenShardsThenTheOnlyFile) {
  EXPECT_EQ(opened({{"one.safetensors", one()},
                    {"two.safetensors", two()},
                    {"model.safetensors.index.json", std::string(kIndex)}}),
            "safetensors index model.safetensors.index.json 3");
  EXPECT_EQ(opened({{"one.safetensors", one()}, {"two.safetensors", two()}, {"config.json", "{}"}}),
            "safetensors folder one.safetensors 3");
  EXPECT_EQ(opened({{"one.safetensors", one()}, {"model.safetensors", two()}}), "safetensors model.safetensors 2");
  EXPECT_EQ(opened({{"one.safetensors", one()}, {"config.json", "{}"}}), "safetensors one.safetensors 1");
  EXPECT_EQ(opened({{"pytorch_model.bin", torch_file()}, {"model.safetensors", one()}}),
            "safetensors model.safetensors 1");
  EXPECT_EQ(opened({{"notes.txt", "{}"}}),
            "some/folder: no checkpoint in this folder; expected an index, .safetensors files, one .pt, .pt2, .pth, "
            ".ckpt, .bin, .th, .jit, .zip, .pkl, .gguf, .npz or .npy file, or a config.json");
  EXPECT_EQ(opened({{"a.pt", ""}, {"b.pt", ""}}),
            "some/folder: 2 checkpoints in this folder; expected one of them: open it by name");
}

TEST(FolderOpen, AModelOfTorchSaveLiesAmongWhatItsTrainerLeft) {
  EXPECT_EQ(opened({{"pytorch_model.bin", torch_file()}, {"optimizer.pt", ""}, {"training_args.bin", ""}}),
            "torch zip pytorch_model.bin 0");
  EXPECT_EQ(opened({{"pytorch_model-00001-of-00002.bin", torch_file()},
                    {"pytorch_model-00002-of-00002.bin", torch_file()},
                    {"training_args.bin", ""}}),
            "torch folder pytorch_model-00001-of-00002.bin 0");
  EXPECT_EQ(opened({{"pytorch_model.bin.index.json", R"({"weight_map":{}})"}, {"training_args.bin", ""}}),
            "safetensors index pytorch_model.bin.index.json 0");
  EXPECT_THAT(opened({{"a-00001-of-00002.bin", ""}, {"b-00001-of-00002.bin", ""}}), HasSubstr("2 checkpoints"));
}

TEST(FolderOpen, TheConfigurationIsMetadataAndNamesTheRootsClass) {
  const auto document = open_files({{"model.safetensors", one()}, {"config.json", R"({
    "architectures": ["GPT2LMHeadModel"],
    "n_embd": 768, "layer_norm_epsilon": 1e-05, "tie": true, "none": null, "empty": {}, "name": "a\u00e9",
    "rope": { "factor": 32.0, "kinds": [ "x",
        "y" ] }
  })"}});
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.describe(0).class_name, "GPT2LMHeadModel");
  EXPECT_EQ(d.tree.flags[0] & kClassInferred, 0);
  EXPECT_EQ(text_of(d, "config.architectures"), "[\"GPT2LMHeadModel\"]");
  EXPECT_EQ(text_of(d, "config.n_embd"), "768");
  EXPECT_EQ(text_of(d, "config.layer_norm_epsilon"), "1e-05");
  EXPECT_EQ(text_of(d, "config.tie"), "true");
  EXPECT_EQ(text_of(d, "config.none"), "null");
  EXPECT_EQ(text_of(d, "config.empty"), "{}");
  EXPECT_EQ(text_of(d, "config.name"), "a\xC3\xA9");
  EXPECT_EQ(text_of(d, "config.rope.factor"), "32.0");
  EXPECT_EQ(text_of(d, "config.rope.kinds"), "[\"x\", \"y\"]");
  EXPECT_EQ(d.files.back().name, "config.json");
  EXPECT_THAT(d.notes, IsEmpty());
  EXPECT_EQ(tests::tree_fault(d), "");
}

TEST(FolderOpen, AConfigurationThatCannotBeReadIsNotedAndLosesNothing) {
  for (const std::string config : {"{\"a\": 1, ", "[1]", "", "{} x", "{\"a\":\"\xFF\"}"}) {
    const auto document = open_files({{"model.safetensors", one()}, {"config.json", config}});
    ASSERT_TRUE(document.ok()) << config;
    EXPECT_EQ((*document)->tensors.size(), 1U);
    EXPECT_EQ(text_of(**document, "config.a"), "(none)");
    ASSERT_EQ((*document)->notes.size(), 1U) << config;
    EXPECT_THAT((*document)->notes[0], HasSubstr("config.json is beside this file and cannot be read: config.json"));
  }
}

TEST(FolderOpen, SeveralArchitecturesNameNoClass) {
  const auto document = open_files({{"model.safetensors", one()}, {"config.json", R"({"architectures":["A","B"]})"}});
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)->describe(0).class_name, "Module");
}

TEST(FileOpen, AFileOfTheUsualNameBringsItsConfigurationAlong) {
  const auto open = [](std::string_view name, int delay) {
    const auto files = set_of({{"config.json", R"({"architectures":["Net"]})"}});
    files->delay(delay);
    return finish(open_checkpoint(base::make_memory_source(std::string(name), tests::to_bytes(one())), files));
  };
  EXPECT_EQ((*open("some/folder/model.safetensors", 0))->describe(0).class_name, "Net");
  EXPECT_EQ((*open("https://host/a/model.safetensors?download=true", 2))->describe(0).class_name, "Net");
  EXPECT_EQ((*open("model-00001-of-00002.safetensors", 0))->describe(0).class_name, "Net");
  EXPECT_EQ((*open("other.safetensors", 0))->describe(0).class_name, "Module");
  // Without one beside it nothing is said.
  const auto alone = finish(open_checkpoint(base::make_memory_source("model.safetensors", tests::to_bytes(one())),
                                            std::make_shared<tests::MemoryFileSet>()));
  ASSERT_TRUE(alone.ok());
  EXPECT_THAT((*alone)->notes, IsEmpty());
}

/// A layer of GPTQ whose shapes alone do not tell the bits of a value.
std::string gptq_layer() {
  return tests::plan_safetensors({{"q.qweight", "I32", {32, 64}}, {"q.scales", "F16", {2, 64}}}).whole();
}
constexpr std::string_view kQuantize = R"({"bits": 4, "group_size": 128, "desc_act": false, "sym": true})";

TEST(FolderOpen, AQuantizeConfigTellsWhatPackedWeightsAre) {
  for (const char* name : {"model.safetensors", "gptq_model-4bit-128g.safetensors", "other.safetensors"}) {
    for (const char* config : {"", R"({"architectures": ["Net"]})", R"({"quantization_config": null})"}) {
      Files files = {{name, gptq_layer()}, {"quantize_config.json", std::string(kQuantize)}};
      if (*config != '\0') files.emplace_back("config.json", config);
      const auto document = open_files(files);
      ASSERT_TRUE(document.ok()) << document.error().message();
      const Checkpoint& d = **document;
      EXPECT_EQ(text_of(d, "quantize_config.bits"), "4");
      EXPECT_EQ(text_of(d, "quantize_config.group_size"), "128");
      EXPECT_EQ(text_of(d, "quantize_config.desc_act"), "false");
      EXPECT_EQ(text_of(d, "quantize_config.sym"), "true");
      EXPECT_EQ(d.files.back().name, "quantize_config.json");
      EXPECT_THAT(d.notes, IsEmpty());
      EXPECT_EQ(d.tree.parameters[0], 256U * 64U);
      ASSERT_EQ(d.packings.size(), 1U);
      EXPECT_EQ(d.packings[0].bits, 4U);
      EXPECT_EQ(tests::tree_fault(d), "");
    }
  }
}

TEST(FolderOpen, TheQuantizationInTheConfigurationWins) {
  const auto document = open_files({{"model.safetensors", gptq_layer()},
                                    {"quantize_config.json", R"({"bits": 8})"},
                                    {"config.json", R"({"quantization_config": {"bits": 4}})"}});
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->packings.at(0).bits, 4U);
  EXPECT_EQ(text_of(**document, "quantize_config.bits"), "(none)");
  EXPECT_THAT((*document)->notes, IsEmpty());
}

TEST(FolderOpen, AQuantizeConfigThatDoesNotFitOrCannotBeReadIsANote) {
  const auto note_of = [](std::string_view quantize) {
    const std::string layer =
        tests::plan_safetensors(
            {{"q.qweight", "I32", {32, 64}}, {"q.scales", "F16", {2, 64}}, {"q.g_idx", "I32", {256}}})
            .whole();
    const auto document = open_files({{"model.safetensors", layer}, {"quantize_config.json", std::string(quantize)}});
    EXPECT_TRUE(document.ok());
    return (*document)->notes.empty() ? std::string() : (*document)->notes[0];
  };
  EXPECT_EQ(note_of(kQuantize), "");
  EXPECT_THAT(note_of(R"({"bits": 3})"), HasSubstr("quantize_config.json says 3 bits a value, the shapes 4"));
  for (const char* bad : {"", "[4]", "{\"bits\": 4", "{\"bits\":\"\xFF\"}"}) {
    EXPECT_THAT(note_of(bad), HasSubstr("quantize_config.json is beside this file and cannot be read")) << bad;
  }
  // What is no number of bits is metadata only.
  for (const char* odd : {"{}", R"({"bits": null})", R"({"bits": -4})", R"({"bits": 1e400})", R"({"bits": [4]})"})
    EXPECT_EQ(note_of(odd), "") << odd;
}

TEST(FolderOpen, OnlyPackedWeightsAskForAQuantizeConfig) {
  const auto document = open_files({{"model.safetensors", one()}, {"quantize_config.json", std::string(kQuantize)}});
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(text_of(**document, "quantize_config.bits"), "(none)");
  EXPECT_EQ((*document)->files.size(), 1U);
}

TEST(FileOpen, PackedWeightsBringTheirQuantizeConfigAlong) {
  const auto bits_of = [](std::string_view name, int delay) {
    const auto files = set_of({{"quantize_config.json", std::string(kQuantize)}});
    files->delay(delay);
    const auto document =
        finish(open_checkpoint(base::make_memory_source(std::string(name), tests::to_bytes(gptq_layer())), files));
    return document.ok() ? text_of(**document, "quantize_config.bits") : document.error().message();
  };
  EXPECT_EQ(bits_of("some/folder/model.safetensors", 0), "4");
  EXPECT_EQ(bits_of("https://host/a/gptq_model-4bit-128g.safetensors?download=true", 2), "4");
  EXPECT_EQ(bits_of("other.safetensors", 0), "(none)");
}

TEST(FolderOpen, AQuantizeConfigAloneIsATreeAndSaysWhereTheWeightsAre) {
  EXPECT_EQ(opened({{"quantize_config.json", std::string(kQuantize)}}), "json quantize_config.json 0");
  EXPECT_EQ(opened({{"quantize_config.json", "{}"}, {"config.json", "{}"}}), "json config.json 0");
  const auto document = open_files({{"quantize_config.json", std::string(kQuantize)}});
  ASSERT_TRUE(document.ok());
  ASSERT_EQ((*document)->notes.size(), 1U);
  EXPECT_THAT((*document)->notes[0], HasSubstr("How the weights of a model are packed"));
  EXPECT_EQ((*document)->tree.size(), 5U);
}

TEST(JsonOpen, IsATreeOfItsEntries) {
  const auto document = tests::open_text(R"( {"a": 1, "b": {"c": [true, null, {"d": -2.5e3}], "e": {}}, "f": "x\n"} )");
  ASSERT_TRUE(document.ok()) << document.error().message();
  const Checkpoint& d = **document;
  EXPECT_EQ(d.format, "json");
  EXPECT_THAT(d.notes, IsEmpty());
  EXPECT_EQ(tests::tree_fault(d), "");
  EXPECT_EQ(tests::tree_text(d),
            ": dict = 3 entries\n"
            "  a: int = 1\n"
            "  b: dict = 2 entries\n"
            "    c: list = 3 items\n"
            "      0: bool = true\n"
            "      1: NoneType = null\n"
            "      2: dict = 1 entry\n"
            "        d: float = -2.5e3\n"
            "    e: dict = 0 entries\n"
            "  f: str = \"x\\n\"\n");
  EXPECT_FALSE(d.describe(0).inferred);
  EXPECT_EQ(d.describe(0).attributes.size(), 3U);
}

TEST(JsonOpen, LongValuesAreCutBetweenCharactersAndSayHowLongTheyAre) {
  std::string text = "{\"a\":\"";
  for (int i = 0; i < 1000; ++i) text += "\xC3\xA9";
  const auto document = tests::open_text(text + "\"}");
  ASSERT_TRUE(document.ok());
  const std::string preview((*document)->tree.strings.view((*document)->tree.preview[1]));
  EXPECT_THAT(preview, testing::EndsWith("\xC3\xA9\xE2\x80\xA6 (2002 bytes)"));
  EXPECT_LT(preview.size(), 1100U);
}

TEST(JsonRefuse, BrokenTextsAndDeepNesting) {
  const auto refusal = [](std::string_view text) {
    const auto document = tests::open_in_slices(text);
    return document.ok() ? "opened" : document.error().message();
  };
  const std::string whole = R"({"a":{"b":[1,"x"]},"c":null})";
  EXPECT_EQ(refusal(whole), "opened");
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_THAT(refusal(whole.substr(0, length)), HasSubstr("byte ")) << length;
  EXPECT_THAT(refusal("{\"a\":1} x"), HasSubstr("byte 8: the text goes on after its last"));
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100; ++i) deep += "[";
  EXPECT_THAT(refusal(deep), HasSubstr("nested deeper than 64"));
}

TEST(HuggingFaceNames, AreThoseOfFromPretrained) {
  for (const char* name :
       {"model.safetensors", "pytorch_model.bin", "model.safetensors.index.json", "pytorch_model.bin.index.json",
        "model-00001-of-00072.safetensors", "diffusion_pytorch_model.safetensors", "adapter_model.bin",
        "gptq_model-4bit-128g.safetensors"})
    EXPECT_TRUE(is_hugging_face_name(name)) << name;
  for (const char* name : {"model.pt", "mymodel.safetensors", "config.json", "model", "", "model-1-of-2.safetensors",
                           "optimizer.bin", "index.json"})
    EXPECT_FALSE(is_hugging_face_name(name)) << name;
}

}  // namespace
}  // namespace nns::checkpoint
