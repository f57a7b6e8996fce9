#include "native/host/file_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "tests/native/temp_folder.h"

namespace nns::host {
namespace {

using tests::TempFolder;

std::string text_at(base::ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  const auto read = source.read(offset, std::as_writable_bytes(std::span(text)));
  return read.ok() ? text : read.error().message();
}

TEST(FileSourceRead, GivesTheBytesAtAnyPlace) {
  const TempFolder folder;
  const auto file = open_file(folder.write("a.bin", "0123456789"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), 10U);
  EXPECT_EQ(text_at(**file, 0, 3), "012");
  EXPECT_EQ(text_at(**file, 7, 3), "789");
  EXPECT_EQ((*file)->bytes_read(), 6U);
}

TEST(FileSourceRead, BehindTheEndIsAnErrorWithThePlace) {
  const TempFolder folder;
  const auto file = open_file(folder.write("a.bin", "0123456789"));
  ASSERT_TRUE(file.ok());
  std::array<std::byte, 4> into{};
  const auto read = (*file)->read(8, into);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().offset, 8U);
}

TEST(FileSourceRead, OfAFileThatBecameShorterIsAnErrorAndNoSignal) {
  const TempFolder folder;
  const auto path = folder.write("a.bin", std::string(100'000, 'x'));
  const auto file = open_file(path);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  EXPECT_EQ(text_at(**file, 0, 4), "xxxx");
  std::array<std::byte, 4> into{};
  const auto read = (*file)->read(90'000, into);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().found.find("became shorter"), std::string::npos) << read.error().message();
}

TEST(FileSourceRead, ReachesTheEndOfAnEightHundredGigabyteFile) {
  const TempFolder folder;
  constexpr std::uint64_t kSize = 810'000'000'000;
  if (!folder.write_sparse("huge.bin", "head", kSize)) GTEST_SKIP() << "the file system takes no file of 810 GB";
  const auto file = open_file(folder.path() / "huge.bin");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), kSize);
  EXPECT_EQ(text_at(**file, 0, 4), "head");
  EXPECT_EQ(text_at(**file, kSize - 2, 2), std::string(2, '\0'));
}

TEST(FileSourceOpen, SaysInTheSystemsWordsWhyAFileCannotBeOpened) {
  const TempFolder folder;
  const auto file = open_file(folder.path() / "none.bin");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message().find("No such file or directory"), std::string::npos) << file.error().message();
  EXPECT_EQ(file.error().where, (folder.path() / "none.bin").string());
}

TEST(FileSourceOpen, RefusesFoldersAndPipesWithoutWaiting) {
  const TempFolder folder;
  const auto opened_folder = open_file(folder.path());
  ASSERT_FALSE(opened_folder.ok());
  EXPECT_EQ(opened_folder.error().found, "is a folder");
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto opened_pipe = open_file(pipe);
  ASSERT_FALSE(opened_pipe.ok());
  EXPECT_EQ(opened_pipe.error().expected, "a regular file");
}

}  // namespace
}  // namespace nns::host
