#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/checkpoint/statistics.h"
#include "core/session/answers.h"
#include "tests/support/files.h"
#include "tests/support/open_document.h"

namespace nns::session {
namespace {

using nlohmann::json;

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  const std::string text = value.get<std::string>();
  if (text == "nan") return std::nan("");
  return text == "inf" ? INFINITY : -INFINITY;
}

bool agree(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::fabs(found - expected) <= 1e-6 * std::max(std::fabs(expected), 1e-30);
}

// Compares the statistics of every tensor that the facts name; gives how many there were.
int compare(const std::filesystem::path& file, const json& facts) {
  auto opened =
      tests::open_document(tests::open_file(file), std::make_shared<tests::FolderFileSet>(file.parent_path()));
  if (!opened.ok()) {
    ADD_FAILURE() << opened.error().message();
    return 0;
  }
  checkpoint::Checkpoint& document = **opened;
  int compared = 0;
  for (const json& fact : facts.at("tensors")) {
    const std::string name = fact.at("name").get<std::string>();
    SCOPED_TRACE(name);
    const auto* entry = tests::find_tensor(document, name);
    if (entry == nullptr || !fact.contains("sum") || fact["sum"].is_null()) continue;
    if (!has_values(document, *entry)) continue;
    const auto index = static_cast<std::uint32_t>(entry - document.tensors.data());
    auto source = element_source(document, index);
    if (!source.ok()) {
      ADD_FAILURE() << source.error().message();
      continue;
    }
    checkpoint::StatisticsTask task(std::move(source).value());
    const auto done = task.step(base::Budget::unlimited());
    if (!done.ok()) {
      ADD_FAILURE() << done.error().message();
      continue;
    }
    const checkpoint::TensorStatistics& found = task.statistics();
    if (fact["sum"].is_array()) {
      EXPECT_TRUE(agree(found.sum, number_of(fact["sum"][0])));
      EXPECT_TRUE(agree(found.sum_imaginary, number_of(fact["sum"][1])));
    } else if (found.is_integer) {
      EXPECT_EQ(static_cast<double>(found.sum_integer), number_of(fact["sum"]));
    } else {
      // Sums that cancel are compared with what was summed.
      const double expected = number_of(fact["sum"]);
      const double reach = std::isfinite(expected) ? 1e-12 * found.absmax * static_cast<double>(found.count) : 0;
      EXPECT_TRUE(agree(found.sum, expected) || std::fabs(found.sum - expected) <= reach)
          << found.sum << " instead of " << expected;
    }
    for (const auto& [key, value] : {std::pair{"min", found.min}, std::pair{"max", found.max}}) {
      if (!fact.contains(key) || fact[key].is_null() || found.nan + found.pos_inf + found.neg_inf != 0) continue;
      EXPECT_TRUE(agree(value, number_of(fact[key]))) << key << " " << value;
    }
    EXPECT_EQ(found.nan, fact.value("n_nan", found.nan));
    EXPECT_EQ(found.pos_inf + found.neg_inf, fact.value("n_inf", found.pos_inf + found.neg_inf));
    ++compared;
  }
  return compared;
}

TEST(Facts, StatisticsAreThoseThatPyTorchGives) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with checkpoints of other projects";
  int files = 0;
  int tensors = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*data / "checkpoints")) {
    const std::string path = entry.path().string();
    constexpr std::string_view kEnding = ".facts.json";
    if (!path.ends_with(kEnding)) continue;
    const json facts = json::parse(std::ifstream(entry.path()));
    const std::string container = facts.value("container", "");
    static const std::set<std::string> kContainers = {
        "safetensors", "safetensors index", "torch zip", "torch legacy", "torchscript zip", "pt2 zip", "gguf", "npz"};
    if (kContainers.count(container) == 0 || facts.contains("expect")) continue;
    const std::filesystem::path file = path.substr(0, path.size() - kEnding.size());
    SCOPED_TRACE(path);
    tensors += compare(file, facts);
    ++files;
  }
  EXPECT_GT(files, 0);
  EXPECT_GT(tensors, 500);
  RecordProperty("files", files);
  RecordProperty("tensors", tensors);
}

}  // namespace
}  // namespace nns::session
