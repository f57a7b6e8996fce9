// `nnscope inspect` as programs use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Inspect, TheSumOfComplexNumbersHasBothParts) {
  const TempFolder folder;
  std::string bytes = plan_safetensors({{"c", "C64", {2}}}).beginning;
  for (const float part : {1.0F, -2.0F, 0.5F, -0.5F}) bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
  const std::string file = folder.write("complex.safetensors", bytes).string();
  EXPECT_THAT(run_nnscope({"inspect", file, "--tensor", "c"}).out, HasSubstr("1.5 - 2.5j"));
  const json found = json::parse(run_nnscope({"inspect", file, "--tensor", "c", "--json"}).out);
  EXPECT_EQ(found["sum"], 1.5);
  EXPECT_EQ(found["sum_imaginary"], -2.5);
}

TEST(Inspect, ProgramsAreToldWhatPeopleAre) {
  const TempFolder folder;
  const std::string file =
      folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"gone.safetensors"}})").string();
  const json found = json::parse(run_nnscope({"inspect", file, "--json"}).out);
  ASSERT_FALSE(found["notes"].empty());
  EXPECT_THAT(found["notes"].dump(), HasSubstr("gone.safetensors"));
}

}  // namespace
}  // namespace nns::tests
