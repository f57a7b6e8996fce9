// `nnscope convert` as a process: there and back gives the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/process.h"
#include "tests/support/files.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;

class Convert : public ::testing::Test {
 protected:
  void SetUp() override {
    // As the writer lays them out: larger items first, then by name.
    const std::string bytes = valued_safetensors({float_tensor("a.bias", {1.5F, -2}),
                                                  float_tensor("a.weight", {2, 2}, {1, 2, 3, 4}),
                                                  {{"n", "U8", {3}}, std::string("xyz")}});
    std::ofstream(file_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Process::Result convert(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "convert");
    return run_nnscope(arguments);
  }
  TemporaryFolder folder_;
  std::string file_ = path("model.safetensors");
};

TEST_F(Convert, ThereAndBackIsTheSame) {
  const auto there = convert({file_, path("model.pt")});
  EXPECT_EQ(there.status, 0) << there.err;
  const auto scanned = run_nnscope({"inspect", "--scan", path("model.pt")});
  EXPECT_EQ(scanned.status, 0) << scanned.out;
  const auto back = convert({path("model.pt"), path("again.safetensors")});
  EXPECT_EQ(back.status, 0) << back.err;
  const auto difference = run_nnscope({"diff", "--values", file_, path("again.safetensors")});
  EXPECT_EQ(difference.status, 0) << difference.out;
  EXPECT_EQ(std::filesystem::file_size(path("again.safetensors")) % 8, (2 + 4) * 4 % 8 + 3U);
}

TEST_F(Convert, AFileThatIsThereStays) {
  std::ofstream(path("model.pt")) << "mine";
  const auto refused = convert({file_, path("model.pt")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(std::filesystem::file_size(path("model.pt")), 4U);
  EXPECT_EQ(convert({file_, path("model.pt"), "--force"}).status, 0);
  EXPECT_GT(std::filesystem::file_size(path("model.pt")), 100U);
}

TEST_F(Convert, AnUnknownEndingIsRefused) {
  const auto refused = convert({file_, path("model.onnx")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("the ending names no format"));
  EXPECT_EQ(convert({file_, path("model.onnx"), "--to", "torch"}).status, 0);
}

TEST_F(Convert, WhatCannotBeReadIsRefused) {
  EXPECT_EQ(convert({path("none.pt"), path("model.pt")}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("model.pt")));
}

}  // namespace
}  // namespace nns::tests
