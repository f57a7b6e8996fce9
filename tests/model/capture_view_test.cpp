// Ways to modules, as sources of the tracer name them.
#include <gtest/gtest.h>

#include "ui/model/capture_view.h"

namespace nns::tests {
namespace {

TEST(SourcePath, IsTheWayBelowTheFramesModule) {
  EXPECT_EQ(model::source_path("L['self']._modules['blocks']._modules['0'].up"), "blocks.0.up");
  EXPECT_EQ(model::source_path("L['self'].blocks[0]"), "blocks.0");
  EXPECT_EQ(model::source_path("L['self']"), "");
  EXPECT_EQ(model::source_path("G['net'].fc"), "fc");
  EXPECT_EQ(model::source_path(""), "");
  EXPECT_EQ(model::source_path("L["), "");
  EXPECT_EQ(model::source_path("blocks.0.up"), "blocks.0.up");
}

}  // namespace
}  // namespace nns::tests
