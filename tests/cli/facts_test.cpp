// `inspect --json --stats` of real files against what PyTorch says about them (<file>.facts.json).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Fact {
  fs::path file;
  json facts;
};

/// Facts of every file whose container is one of `containers`.
std::vector<Fact> facts_of(const std::set<std::string>& containers) {
  std::vector<Fact> found;
  for (const auto& entry : fs::recursive_directory_iterator(*test_data_folder() / "checkpoints")) {
    const std::string name = entry.path().string();
    constexpr std::string_view kEnding = ".facts.json";
    if (!name.ends_with(kEnding)) continue;
    Fact fact{name.substr(0, name.size() - kEnding.size()), json::parse(std::ifstream(entry.path()))};
    if (containers.contains(fact.facts.value("container", ""))) found.push_back(std::move(fact));
  }
  std::sort(found.begin(), found.end(), [](const Fact& a, const Fact& b) { return a.file < b.file; });
  return found;
}

bool is_refused(const Fact& fact) { return fact.facts.contains("expect"); }

/// A number, or "nan", "inf", "-inf", or a truth value.
double as_number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) {
    if (value == "nan") return std::nan("");
    return value == "inf" ? HUGE_VAL : -HUGE_VAL;
  }
  return value.get<double>();
}

void expect_same_number(const json& ours, const json& facts, double scale, const std::string& what) {
  if (facts.is_null()) {
    EXPECT_TRUE(ours.is_null()) << what;
    return;
  }
  ASSERT_FALSE(ours.is_null()) << what;
  const double expected = as_number(facts);
  const double found = as_number(ours);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << what;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(found, expected) << what;
  } else {
    EXPECT_NEAR(found, expected, 1e-6 * std::max({std::abs(expected), scale, 1e-300})) << what;
  }
}

void expect_tensor(const json& ours, const json& facts) {
  const std::string what = facts["name"];
  EXPECT_EQ(ours["dtype"], facts["dtype"]) << what;
  EXPECT_EQ(ours["shape"], facts["shape"]) << what;
  if (facts.contains("stride")) {
    EXPECT_EQ(ours["stride"], facts["stride"]) << what;
  }
  const auto sharers = [](const json& names) {
    std::set<std::string> set;
    for (const auto& name : names) set.insert(name.get<std::string>());
    return set;
  };
  const json none = json::array();
  EXPECT_EQ(sharers(ours["shares_storage_with"]),
            sharers(facts.contains("shares_storage_with") ? facts["shares_storage_with"] : none))
      << what;
  // Complex sums are pairs; ours are of magnitudes.
  // Of quantised tensors the statistics are those of the stored integers.
  if (!facts.contains("sum") || facts["sum"].is_array() || facts.contains("scale")) return;
  // A sum of many numbers of both signs is as exact as the numbers are large.
  const double scale = facts["max"].is_number() && facts["min"].is_number()
                           ? std::max(std::abs(facts["max"].get<double>()), std::abs(facts["min"].get<double>()))
                           : 0;
  expect_same_number(ours["sum"], facts["sum"], scale, what + " sum");
  expect_same_number(ours["min"], facts["min"], 0, what + " min");
  expect_same_number(ours["max"], facts["max"], 0, what + " max");
  EXPECT_EQ(ours["nan"], facts.value("n_nan", 0)) << what;
  EXPECT_EQ(ours["inf"], facts.value("n_inf", 0)) << what;
}

/// The facts name a module that is reached twice once only; we, like state_dict(), by each of its names. Takes the
/// further names away, and TorchScript's tensors that are neither parameters nor buffers, which the facts leave out.
json without_second_names(json ours, const json& facts) {
  if (!facts.contains("modules")) return ours;
  std::set<std::string> named;
  for (const json& tensor : facts["tensors"]) named.insert(tensor["name"]);
  const auto only_named = [&](const json& list, auto&& name_of) {
    json kept = json::array();
    for (const json& entry : list) {
      if (named.count(name_of(entry)) != 0) kept.push_back(entry);
    }
    return kept;
  };
  json kept = json::array();
  for (json& tensor : ours["tensors"]) {
    json& sharers = tensor["shares_storage_with"];
    const json others = only_named(sharers, [](const json& name) { return name.get<std::string>(); });
    const bool is_attribute = facts["container"] == "torchscript zip";
    const bool is_second = named.count(tensor["name"]) == 0 && (!others.empty() || is_attribute);
    sharers = others;
    if (!is_second) kept.push_back(tensor);
  }
  ours["tensors"] = kept;
  return ours;
}

void expect_document(const json& whole, const json& facts) {
  const json ours = without_second_names(whole, facts);
  EXPECT_EQ(ours["format"], facts["container"]);
  std::map<std::string, const json*> by_name;
  for (const json& tensor : ours["tensors"]) {
    EXPECT_TRUE(by_name.emplace(tensor["name"], &tensor).second) << "twice: " << tensor["name"];
  }
  if (facts["container"] != "safetensors index") {
    EXPECT_EQ(ours["tensors"].size(), facts["tensors"].size());
  }
  for (const json& tensor : facts["tensors"]) {
    const auto found = by_name.find(tensor["name"]);
    if (found == by_name.end()) {
      ADD_FAILURE() << "missing: " << tensor["name"];
    } else {
      expect_tensor(*found->second, tensor);
    }
  }
  // The facts do not look into the pickles of NumPy's arrays of objects.
  if (facts["container"] == "npz") return;
  std::vector<std::string> globals;
  for (const json& global : ours["globals"]) globals.push_back(global["name"]);
  EXPECT_EQ(json(globals), facts["globals"]);
}

class Facts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test_data_folder()) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  }

  /// All files in one call of the program, which gives a list.
  void expect_all_readable(const std::set<std::string>& containers) {
    std::vector<Fact> facts;
    std::vector<std::string> arguments = {"inspect", "--json", "--stats"};
    for (Fact& fact : facts_of(containers)) {
      if (is_refused(fact)) continue;
      arguments.push_back(fact.file.string());
      facts.push_back(std::move(fact));
    }
    ASSERT_GT(facts.size(), 1U);
    const auto result = run_nnscope(arguments);
    EXPECT_NE(result.status, 2) << result.err;
    const json documents = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(documents.is_array());
    ASSERT_EQ(documents.size(), facts.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, facts[i].file.string());
      if (documents[i].contains("error")) {
        ADD_FAILURE() << documents[i]["error"];
      } else {
        expect_document(documents[i], facts[i].facts);
      }
    }
  }
};

TEST_F(Facts, OfSafetensorsFilesAgree) { expect_all_readable({"safetensors"}); }

TEST_F(Facts, OfGgufFilesAgree) { expect_all_readable({"gguf"}); }

TEST_F(Facts, OfNpzFilesAgree) { expect_all_readable({"npz"}); }

TEST_F(Facts, OfTorchZipFilesAgree) { expect_all_readable({"torch zip"}); }

TEST_F(Facts, OfTorchLegacyFilesAgree) { expect_all_readable({"torch legacy"}); }

TEST_F(Facts, OfTorchScriptFilesAgree) { expect_all_readable({"torchscript zip"}); }

TEST_F(Facts, OfTorchExportFilesAgree) { expect_all_readable({"pt2 zip"}); }

TEST_F(Facts, NamesOfAnIndexAreShownWithoutItsShards) {
  for (const Fact& fact : facts_of({"safetensors index"})) {
    const auto result = run_nnscope({"inspect", "--json", fact.file.string()});
    EXPECT_EQ(result.status, 0) << result.err;
    const json document = json::parse(result.out);
    EXPECT_EQ(document["tensors"].size(), fact.facts["n_tensors"]) << fact.file;
    EXPECT_TRUE(document["tensors"][0]["shape"].is_null()) << fact.file;
  }
}

TEST_F(Facts, FilesThatPyTorchRefusesAreRefusedWithAReason) {
  int refused = 0;
  for (const Fact& fact : facts_of({"safetensors", "torch zip", "git-lfs pointer", "pickle or unknown", "gguf"})) {
    if (!is_refused(fact)) continue;
    ++refused;
    const auto result = run_nnscope({"inspect", fact.file.string()});
    EXPECT_EQ(result.status, 2) << fact.file;
    EXPECT_THAT(result.err, ::testing::HasSubstr(fact.file.filename().string()));
    if (fact.facts["container"] == "git-lfs pointer") {
      EXPECT_THAT(result.err, ::testing::HasSubstr("Git LFS"));
    }
  }
  EXPECT_GE(refused, 7);
}

TEST_F(Facts, HostilePicklesEndWithStatusOneOrTwoAndAreNeverRun) {
  for (const auto& entry : fs::directory_iterator(*test_data_folder() / "checkpoints" / "picklescan")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("malicious") || name.ends_with(".facts.json")) continue;
    const auto result = run_nnscope({"inspect", entry.path().string()});
    EXPECT_THAT(result.status, ::testing::AnyOf(1, 2)) << entry.path() << result.out;
    if (result.status == 1) {
      EXPECT_THAT(result.out, ::testing::HasSubstr("dangerous")) << entry.path();
    }
  }
}

}  // namespace
}  // namespace nns::tests
