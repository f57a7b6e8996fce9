#include "native/host/folder_files.h"

#include <gtest/gtest.h>

#include "tests/native/temp_folder.h"

namespace nns::host {
namespace {

using tests::TempFolder;

std::string opened_name(const TempFolder& folder) {
  const auto opened = open_path(folder.path());
  return opened.ok() ? std::filesystem::path(opened->source->name()).filename().string() : opened.error().message();
}

TEST(OpenPath, OfAFolderTakesTheIndexBeforeTheShards) {
  const TempFolder folder;
  folder.write("model-00001-of-00002.safetensors", "x");
  folder.write("model-00002-of-00002.safetensors", "x");
  folder.write("model.safetensors.index.json", "{}");
  EXPECT_EQ(opened_name(folder), "model.safetensors.index.json");
}

TEST(OpenPath, OfAFolderTakesTheOnlyCheckpointWhateverItsName) {
  const TempFolder folder;
  folder.write("config.json", "{}");
  folder.write("epoch=3.ckpt", "x");
  EXPECT_EQ(opened_name(folder), "epoch=3.ckpt");
}

TEST(OpenPath, OfAFolderPrefersSafetensorsToAPickleOfTheSameModel) {
  const TempFolder folder;
  folder.write("pytorch_model.bin", "x");
  folder.write("model.safetensors", "x");
  EXPECT_EQ(opened_name(folder), "model.safetensors");
}

TEST(OpenPath, OfAFolderWithSeveralCheckpointsAsksForOneByName) {
  const TempFolder folder;
  folder.write("a.pt", "x");
  folder.write("b.pt", "x");
  const auto opened = open_path(folder.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().found.find("a.pt, b.pt"), std::string::npos) << opened.error().message();
}

TEST(OpenPath, OfAFolderWithoutCheckpointsSaysWhatItLookedFor) {
  const TempFolder folder;
  folder.write("readme.txt", "x");
  const auto opened = open_path(folder.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().found, "the folder has no checkpoint");
  EXPECT_NE(opened.error().expected.find("*.safetensors"), std::string::npos);
}

TEST(OpenPath, OfAFileFindsItsNeighboursInNaturalOrder) {
  const TempFolder folder;
  for (const char* name : {"b10.bin", "b9.bin", "a.bin"}) folder.write(name, "x");
  const auto opened = open_path(folder.path() / "a.bin");
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->siblings->names(), (std::vector<std::string>{"a.bin", "b9.bin", "b10.bin"}));
}

TEST(FolderFilesOpen, FindsNamesBelowTheFolderAndThroughLinks) {
  const TempFolder folder;
  folder.write("blobs/1234", "bytes");
  std::filesystem::create_directories(folder.path() / "snapshot");
  std::filesystem::create_symlink("../blobs/1234", folder.path() / "snapshot/model.safetensors");
  const auto files = make_folder_files(folder.path());
  ASSERT_TRUE(files->open("blobs/1234").value().ok());
  const auto linked = make_folder_files(folder.path() / "snapshot")->open("model.safetensors");
  ASSERT_TRUE(linked.value().ok());
  EXPECT_EQ(linked.value().value()->size(), 5U);
}

TEST(FolderFilesOpen, RefusesNamesThatLeaveTheFolder) {
  const TempFolder folder;
  const auto files = make_folder_files(folder.path());
  using namespace std::string_view_literals;
  for (const std::string_view name : {"../secret"sv, "a/../../secret"sv, "/etc/passwd"sv, ".."sv, ""sv, "a//b"sv,
                                      "a/"sv, "./a"sv, "C:\\x"sv, "https://example.org/x"sv, "a\\..\\b"sv, "a\0b"sv}) {
    const auto opened = files->open(name);
    ASSERT_TRUE(opened.has_value());
    ASSERT_FALSE(opened->ok()) << name;
    EXPECT_EQ(opened->error().expected, "a name inside the same folder") << name;
  }
}

}  // namespace
}  // namespace nns::host
