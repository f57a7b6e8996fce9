#include "native/host/file_watch.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/native/temp_folder.h"

namespace nns::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FileWatch, TellsOfAChangeOnceItIsOver) {
  const tests::TempFolder folder;
  const std::string place = folder.write("model.bin", "one");
  const std::string other = folder.write("other.bin", "one");
  FileWatch watch;
  watch.watch({place, other});
  EXPECT_THAT(watch.look(), IsEmpty());
  folder.write("model.bin", "one and");
  EXPECT_THAT(watch.look(), IsEmpty()) << "it may still be written";
  folder.write("model.bin", "one and more");
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_THAT(watch.look(), ElementsAre(place));
  EXPECT_THAT(watch.look(), IsEmpty()) << "once";
}

TEST(FileWatch, ATimeOfChangeIsEnough) {
  const tests::TempFolder folder;
  const std::filesystem::path place = folder.write("model.bin", "one");
  FileWatch watch;
  watch.watch({place});
  std::filesystem::last_write_time(place, std::filesystem::last_write_time(place) + std::chrono::seconds(5));
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_THAT(watch.look(), ElementsAre(place));
}

TEST(FileWatch, AFileThatIsReplacedIsToldOfWhenItIsThereAgain) {
  const tests::TempFolder folder;
  const std::filesystem::path place = folder.write("model.bin", "one");
  FileWatch watch;
  watch.watch({place});
  std::filesystem::remove(place);
  for (int look = 0; look < 3; ++look) EXPECT_THAT(watch.look(), IsEmpty()) << "there is nothing to open";
  folder.write("model.bin", "another");
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_THAT(watch.look(), ElementsAre(place));
}

TEST(FileWatch, WhatIsWatchedOnKeepsWhatWasSeen) {
  const tests::TempFolder folder;
  const std::string place = folder.write("model.bin", "one");
  const std::string other = folder.write("other.bin", "one");
  FileWatch watch;
  watch.watch({place, other});
  folder.write("model.bin", "changed");
  folder.write("other.bin", "changed");
  watch.watch({place});
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_THAT(watch.look(), ElementsAre(place));
}

}  // namespace
}  // namespace nns::host
