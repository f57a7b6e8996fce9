// `nnscope inspect --scan` as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class InspectScan : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }

  TemporaryFolder folder_;
  const std::string harmless_ = "(lp0\nI1\na.";
  const std::string dangerous_ = "cos\nsystem\n(S'id'\ntR.";
};

TEST_F(InspectScan, TheExitStatusTellsTheVerdict) {
  const std::string safe = write("safe.pkl", harmless_);
  const std::string unknown = write("unknown.pkl", "cmypackage\nModel\n.");
  const std::string dangerous = write("dangerous.pkl", dangerous_);
  const std::string text = write("text.txt", "nothing of the kind");
  EXPECT_EQ(run_nnscope({"inspect", "--scan", safe}).status, 0);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", unknown}).status, 0);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", dangerous}).status, 1);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", safe, dangerous, text}).status, 1);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", safe, text}).status, 2);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", folder_.path().string() + "/none"}).status, 2);
  EXPECT_EQ(run_nnscope({"inspect", "--scan", "--stats", safe}).status, 2);
  EXPECT_EQ(run_nnscope_with_full_disk({"inspect", "--scan", safe}).status, 1);
}

TEST_F(InspectScan, EachFindingHasGlobalOpcodeOffsetAndReason) {
  const std::string path = write("a.pt", make_torch_zip(dangerous_, {}));
  const auto result = run_nnscope({"inspect", "--scan", path});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("dangerous  " + path));
  EXPECT_THAT(result.out, HasSubstr("os.system  GLOBAL at byte 0 of archive/data.pkl: runs commands of the system"));
  const json whole = json::parse(run_nnscope({"inspect", "--scan", "--json", path}).out);
  EXPECT_EQ(whole["dangerous"], 1);
  const json finding = whole["files"][0]["findings"][0];
  EXPECT_EQ(finding["global"], "os.system");
  EXPECT_EQ(finding["opcode"], "GLOBAL");
  EXPECT_EQ(finding["offset"], 0);
  EXPECT_EQ(finding["member"], "archive/data.pkl");
  EXPECT_EQ(whole["files"][0]["verdict"], "dangerous");
}

TEST_F(InspectScan, FoldersAreScannedToTheirDepthsAndOtherFilesAreCounted) {
  write("a/safe.pkl", harmless_);
  write("a/b/c/dangerous.bin", dangerous_);
  write("a/README.md", "No pickle here.\n");
  fs::create_directory_symlink(folder_.path(), folder_.path() / "a" / "loop");
  const auto result = run_nnscope({"inspect", "--scan", folder_.path().string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("a/b/c/dangerous.bin"));
  EXPECT_THAT(result.out, HasSubstr("1 safe, 0 unknown, 1 dangerous; 1 without pickles"));
  const json whole = json::parse(run_nnscope({"inspect", "--scan", "--json", folder_.path().string()}).out);
  EXPECT_EQ(whole["files"].size(), 2U);
  EXPECT_EQ(whole["others"], 1);
}

TEST_F(InspectScan, NamesOfFilesAndGlobalsCannotWriteToTheTerminal) {
  const std::string path = write("evil\x1b[31m.pkl", "cmy\x1b[2Jpackage\nModel\n.");
  const auto result = run_nnscope({"inspect", "--scan", path});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST_F(InspectScan, AFileOfGigabytesTakesLittleMemory) {
  // A pickle, then a hole: what stands behind is not held in memory.
  const fs::path path = folder_.write_sparse("big.pt", "\x80\x02N.", std::uint64_t{3} << 30U);
  const auto result = run_nnscope({"inspect", "--scan", path.string()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("behind the last pickle"));
  if (NNSCOPE_MEASURES_MEMORY) {
    EXPECT_LT(result.peak_kib, 64 * 1024);
  }
}

}  // namespace
}  // namespace nns::tests
