#include "web/host/access_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace nns::web {
namespace {

using host::AccessNode;
using host::Role;
using testing::HasSubstr;
using testing::Not;

AccessNode control(std::uint32_t id, Role role, std::string name, std::uint32_t parent = UINT32_MAX) {
  AccessNode node;
  node.id = id;
  node.role = role;
  node.name = std::move(name);
  node.parent = parent;
  node.width = 100;
  node.height = 20;
  return node;
}

std::vector<AccessNode> tree_of_two() {
  return {control(1, Role::Tree, "Modules"), control(2, Role::TreeItem, "conv1", 0),
          control(3, Role::TreeItem, "fc", 0)};
}

TEST(AccessUpdateMake, TellsNewControlsWhole) {
  AccessUpdate update;
  EXPECT_EQ(
      update.make(std::vector{control(7, Role::Button, "Open")}),
      R"({"set":[{"id":7,"role":"button","name":"Open","box":[0.0,0.0,100.0,20.0]}],"order":{"0":[7]},"gone":[]})");
}

TEST(AccessUpdateMake, SaysNothingWhenNothingChanged) {
  AccessUpdate update;
  update.make(tree_of_two());
  EXPECT_EQ(update.make(tree_of_two()), "");
}

TEST(AccessUpdateMake, TellsOnlyTheFieldThatChanged) {
  AccessUpdate update;
  auto controls = tree_of_two();
  update.make(controls);
  controls[1].expanded = 1;
  EXPECT_EQ(update.make(controls), R"({"set":[{"id":2,"expanded":1}],"order":{},"gone":[]})");
}

TEST(AccessUpdateMake, TellsWhenAFieldIsBackAtItsDefault) {
  AccessUpdate update;
  auto controls = tree_of_two();
  controls[2].focused = true;
  controls[2].value.push_back('x');
  update.make(controls);
  EXPECT_EQ(update.make(tree_of_two()), R"({"set":[{"id":3,"value":"","focused":0}],"order":{},"gone":[]})");
}

TEST(AccessUpdateMake, ForgetsControlsThatAreGone) {
  AccessUpdate update;
  auto controls = tree_of_two();
  update.make(controls);
  controls.pop_back();
  EXPECT_EQ(update.make(controls), R"({"set":[],"order":{"1":[2]},"gone":[3]})");
  EXPECT_THAT(update.make(tree_of_two()), HasSubstr(R"("id":3,"role":"treeitem","name":"fc")"));
}

TEST(AccessUpdateMake, TellsANewOrderOfTheSameControls) {
  AccessUpdate update;
  auto controls = tree_of_two();
  update.make(controls);
  std::swap(controls[1], controls[2]);
  EXPECT_EQ(update.make(controls), R"({"set":[],"order":{"1":[3,2]},"gone":[]})");
}

TEST(AccessUpdateMake, GivesControlsOfOneIdElementsOfTheirOwn) {
  AccessUpdate update;
  const std::vector<AccessNode> controls = {control(5, Role::Button, "a"), control(5, Role::Button, "b"),
                                            control(0, Role::Button, "c")};
  const std::string first = update.make(controls);
  EXPECT_THAT(first, HasSubstr(R"({"id":5,"role":"button","name":"a")"));
  EXPECT_THAT(first, Not(HasSubstr(R"({"id":5,"role":"button","name":"b")")));
  EXPECT_THAT(first, Not(HasSubstr(R"("id":0)")));
  EXPECT_EQ(update.make(controls), "");
}

TEST(AccessUpdateMake, EscapesWhatJsonDemands) {
  AccessUpdate update;
  EXPECT_THAT(update.make(std::vector{control(1, Role::Text, "a\"b\\c\nd\x01 é")}),
              HasSubstr(R"("name":"a\"b\\c\u000ad\u0001 é")"));
}

TEST(AccessUpdateMake, WritesNumbersThatJsonHasNoWordsForAsZero) {
  AccessUpdate update;
  AccessNode slider = control(1, Role::Slider, "Range");
  slider.x = std::numeric_limits<float>::infinity();
  slider.minimum = std::numeric_limits<double>::quiet_NaN();
  slider.maximum = 2.5;
  EXPECT_THAT(update.make(std::vector{slider}), HasSubstr(R"("box":[0.0,0.0,100.0,20.0],"range":[0,2.5,0])"));
}

}  // namespace
}  // namespace nns::web
