#include "ui/model/metadata_difference.h"

#include <gmock/gmock.h>

namespace nns::model {
namespace {

using testing::ElementsAre;

std::vector<std::string> told(const MetadataEntries& a, const MetadataEntries& b) {
  std::vector<std::string> lines;
  for (const MetadataChange& change : compare_metadata(a, b)) {
    lines.push_back(std::string(change.status()) + " " + change.key + " " + change.a.value_or("-") + " " +
                    change.b.value_or("-"));
  }
  return lines;
}

TEST(MetadataDifference, TellsAddedRemovedAndChangedEntries) {
  const MetadataEntries a = {{"format", "pt"}, {"licence", "MIT"}, {"epoch", "3"}};
  const MetadataEntries b = {{"step", "70"}, {"epoch", "4"}, {"format", "pt"}};
  EXPECT_THAT(told(a, b), ElementsAre("removed licence MIT -", "changed epoch 3 4", "added step - 70"));
  EXPECT_EQ(metadata_counts(compare_metadata(a, b)), "1 added, 1 removed, 1 changed");
  EXPECT_TRUE(compare_metadata(a, a).empty());
  EXPECT_EQ(metadata_counts({}), "");
}

TEST(MetadataDifference, KeysThatOccurTwiceLineUpInTheirOrder) {
  EXPECT_THAT(told({{"k", "1"}, {"k", "2"}}, {{"k", "1"}, {"k", "3"}, {"k", "4"}}),
              ElementsAre("changed k 2 3", "added k - 4"));
}

}  // namespace
}  // namespace nns::model
