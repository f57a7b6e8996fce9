#include "native/host/folder_files.h"

#include <gtest/gtest.h>

#include "tests/native/temp_folder.h"

namespace nns::host {
namespace {

using tests::TempFolder;

TEST(OpenPath, OfAFolderGivesItsFilesAndNoSource) {
  const TempFolder folder;
  folder.write("model.safetensors", "x");
  folder.write("sub/other.bin", "x");
  const auto opened = open_path(folder.path());
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->source, nullptr);
  EXPECT_EQ(opened->siblings->names(), std::vector<std::string>{"model.safetensors"});
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
