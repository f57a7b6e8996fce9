// `bindings`: the table of what programs can import.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Bindings, ListsEveryModuleWithItsNames) {
  const Process::Result done = run_nnscope({"bindings", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "") << "every module that is named loads";
  const json table = json::parse(done.out);
  EXPECT_EQ(table.at("torch.nn").at("Linear"), "class");
  EXPECT_EQ(table.at("torch.nn.functional").at("relu"), "function");
  EXPECT_EQ(table.at("math").at("pi"), "value");
  EXPECT_EQ(table.at("builtins").at("ValueError"), "class");
  EXPECT_EQ(table.at("torch").at("nn"), "module");
  EXPECT_TRUE(table.at("collections.abc").contains("Mapping"));
  EXPECT_TRUE(table.at("einops").contains("rearrange"));
  EXPECT_FALSE(table.contains("_warnings")) << "what begins with an underscore is nobody's business";
}

TEST(Bindings, ListsWhatIsAskedFor) {
  const Process::Result done = run_nnscope({"bindings", "torch.optim"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("torch.optim ("));
  EXPECT_THAT(done.out, HasSubstr("torch.optim.lr_scheduler ("));
  EXPECT_THAT(done.out, HasSubstr(" AdamW "));
  EXPECT_THAT(done.out, Not(HasSubstr("torch.nn")));
}

TEST(Bindings, RefusesAModuleThatThereIsNot) {
  const Process::Result done = run_nnscope({"bindings", "tensorflow"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("no module that can be imported has this name"));
}

}  // namespace
}  // namespace nns::tests
