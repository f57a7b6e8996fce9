// Every safetensors, GGUF and NumPy file, torch checkpoint and pickle of other projects, against what PyTorch says of
// it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "tests/checkpoint/fact_objects.h"
#include "tests/support/files.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using Json = nlohmann::json;

struct Case {
  std::filesystem::path file;
  Json facts;
};

std::vector<Case> cases_of(const std::filesystem::path& data, std::string_view container) {
  std::vector<Case> cases;
  constexpr std::string_view kEnd = ".facts.json";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "checkpoints")) {
    const std::string path = entry.path().string();
    if (path.size() <= kEnd.size() || path.substr(path.size() - kEnd.size()) != kEnd) continue;
    Json facts = Json::parse(std::ifstream(path));
    if (facts.value("container", "") == container)
      cases.push_back({path.substr(0, path.size() - kEnd.size()), std::move(facts)});
  }
  return cases;
}

bool is_refused(const Case& c) { return c.facts.contains("expect"); }

base::Result<std::unique_ptr<Checkpoint>> open_case(const Case& c) {
  return tests::open_document(tests::open_file(c.file), std::make_shared<tests::FolderFileSet>(c.file.parent_path()));
}

std::vector<std::int64_t> list(const Json& json) { return json.get<std::vector<std::int64_t>>(); }

std::vector<std::int64_t> copy(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

std::tuple<std::uint32_t, std::uint64_t, std::uint64_t> place_of(const TensorEntry& entry) {
  return {entry.storage, entry.storage_offset, entry.numel};
}

/// The value in the row beside a tensor's, as "weight.scale" beside "weight".
std::string value_beside(const Checkpoint& document, const TensorEntry& entry, std::string_view what) {
  const ModuleTree& tree = document.tree;
  const std::uint32_t parent = tree.parent[entry.node];
  const std::string name = fmt::format("{}.{}", tree.strings.view(tree.name[entry.node]), what);
  for (std::uint32_t row = parent + 1; row < tree.end[parent]; row = tree.end[row]) {
    if (tree.strings.view(tree.name[row]) == name) return std::string(tree.strings.view(tree.preview[row]));
  }
  return {};
}

void expect_tensors(const Checkpoint& document, const Json& facts) {
  std::map<std::string, const TensorEntry*> found;
  std::map<std::uint32_t, std::set<std::string>> users;
  std::uint64_t numel = 0;
  for (const TensorEntry& entry : document.tensors) {
    const std::string name(document.name(entry));
    EXPECT_TRUE(found.emplace(name, &entry).second) << "twice: " << name;
    if (entry.storage != kNone) users[entry.storage].insert(name);
    numel += entry.numel;
  }
  const Json tensors = facts.value("tensors", Json::array());
  if (facts["container"] == "torchscript zip") {
    // The facts name parameters, buffers and what is packed; tensors that are plain attributes have rows, too.
    for (auto at = found.begin(); at != found.end();) {
      const NodeKind kind = document.tree.kind[at->second->node];
      const bool is_named = std::any_of(tensors.begin(), tensors.end(),
                                        [&](const Json& expected) { return expected["name"] == at->first; });
      const std::string_view name = at->first;
      const std::string_view leaf = name.substr(name.find_last_of('.') + 1);
      const bool is_old_buffer = leaf.substr(0, 8) == "running_" || leaf == "num_batches_tracked";
      if (is_named || !(kind == NodeKind::Tensor || (kind == NodeKind::Buffer && is_old_buffer))) {
        ++at;
        continue;
      }
      numel -= at->second->numel;
      if (at->second->storage != kNone) users[at->second->storage].erase(at->first);
      at = found.erase(at);
    }
  } else if (facts.contains("modules")) {
    // The facts name a module that is reached twice once only; we, like state_dict(), by each of its names.
    std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> listed;
    for (const Json& expected : tensors) {
      const auto at = found.find(expected["name"].get<std::string>());
      if (at != found.end()) listed.insert(place_of(*at->second));
    }
    for (auto at = found.begin(); at != found.end();) {
      const bool is_named = std::any_of(tensors.begin(), tensors.end(),
                                        [&](const Json& expected) { return expected["name"] == at->first; });
      if (is_named || listed.count(place_of(*at->second)) == 0) {
        ++at;
        continue;
      }
      users[at->second->storage].erase(at->first);
      numel -= at->second->numel;
      at = found.erase(at);
    }
  }
  EXPECT_EQ(found.size(), facts.value("n_tensors", tensors.size()));
  if (facts.contains("total_numel")) {
    EXPECT_EQ(numel, facts["total_numel"].get<std::uint64_t>());
  }
  for (const Json& expected : tensors) {
    const std::string name = expected["name"];
    SCOPED_TRACE(name);
    const auto at = found.find(name);
    if (at == found.end()) {
      ADD_FAILURE() << "not found";
      continue;
    }
    const TensorEntry& entry = *at->second;
    EXPECT_EQ(document.dtype_name(entry), expected["dtype"].get<std::string>());
    EXPECT_EQ(copy(document.shape(entry)), list(expected["shape"]));
    EXPECT_EQ(entry.numel, expected["numel"].get<std::uint64_t>());
    if (expected.contains("stride")) {
      EXPECT_EQ(copy(document.stride(entry)), list(expected["stride"]));
    }
    if (expected.contains("storage_offset")) {
      EXPECT_EQ(entry.storage_offset, expected["storage_offset"].get<std::uint64_t>());
    }
    EXPECT_EQ(entry.is_parameter, expected.value("parameter", expected.value("kind", "") == "parameter"));
    if (expected.contains("kind")) {
      EXPECT_EQ(document.tree.kind[entry.node], expected["kind"] == "parameter" ? NodeKind::Parameter
                                                : expected["kind"] == "buffer"  ? NodeKind::Buffer
                                                                                : NodeKind::Tensor);
    }
    if (expected.contains("scale")) {
      const double scale = expected["scale"];
      EXPECT_EQ(value_beside(document, entry, "scale"), fmt::format("{}", scale));
      EXPECT_EQ(value_beside(document, entry, "zero_point"), expected["zero_point"].dump());
    }
    if (expected.contains("requires_grad")) {
      EXPECT_EQ(entry.requires_grad, expected["requires_grad"].get<bool>());
    }
    if (expected.contains("data_offsets")) {
      const auto offsets = list(expected["data_offsets"]);
      EXPECT_EQ(document.storages[entry.storage].nbytes, static_cast<std::uint64_t>(offsets[1] - offsets[0]));
    }
    std::set<std::string> shares = users[entry.storage];
    shares.erase(name);
    EXPECT_EQ(shares, expected.value("shares_storage_with", std::set<std::string>()));
    if (found.size() == document.tensors.size()) {
      EXPECT_EQ((document.tree.flags[entry.node] & kShared) != 0, !shares.empty());
    }
  }
}

void expect_globals(const Checkpoint& document, const Json& facts) {
  // The facts do not look into the pickles of NumPy's arrays of objects.
  if (document.format == "npz") return;
  std::vector<std::string> names;
  for (const Global& global : document.globals) names.push_back(global.name);
  EXPECT_EQ(names, facts.value("globals", std::vector<std::string>()));
}

void expect_modules(const Checkpoint& document, const Json& facts) {
  const Json modules = facts.value("modules", Json::array());
  if (modules.empty()) return;
  // Paths begin at the module, which may be an entry of a dict.
  std::string base;
  if (document.tree.kind[0] != NodeKind::Module) {
    for (std::uint32_t row = 1; row < document.tree.end[0] && base.empty(); row = document.tree.end[row]) {
      if (document.tree.kind[row] == NodeKind::Module) base = document.tree.strings.view(document.tree.name[row]);
    }
  }
  for (const Json& module : modules) {
    std::string path = module[0];
    std::replace(path.begin(), path.end(), '.', '/');
    if (!base.empty()) path = path.empty() ? base : fmt::format("{}/{}", base, path);
    const std::uint32_t row = tests::find_row(document, path);
    ASSERT_NE(row, kNone) << path;
    const ObjectDescription description = document.describe(row);
    const std::string& name = description.class_name;
    EXPECT_EQ(document.format == "torchscript zip" ? name.substr(name.find_last_of('.') + 1) : name,
              module[1].get<std::string>());
    EXPECT_TRUE(description.is_module);
    EXPECT_FALSE(description.inferred);
  }
}

/// The metadata of a GGUF file: each key with its value, or the first elements and the number of an array.
void expect_gguf_metadata(const Checkpoint& document, const Json& facts) {
  const Json expected = facts.value("metadata", Json::object());
  ASSERT_EQ(document.metadata.size(), expected.size() + 1);
  EXPECT_EQ(document.metadata[0].key, "GGUF.version");
  EXPECT_EQ(document.metadata[0].value, fmt::format("{}", facts["GGUF.version"].get<int>()));
  std::map<std::string, std::string> found;
  for (const MetadataEntry& entry : document.metadata) found[entry.key] = entry.value;
  for (const auto& [key, fact] : expected.items()) {
    SCOPED_TRACE(key);
    // gguf-py's name for a key that appears a second time.
    const std::string ours = key == "general.architecture_71" ? "general.architecture (2)" : key;
    ASSERT_TRUE(found.count(ours) != 0);
    const std::string& text = found[ours];
    if (fact["type"] == "ARRAY") {
      const auto first = fact["first"];
      std::string begin = "[";
      for (std::size_t i = 0; i < first.size(); ++i) {
        if (i != 0) begin += ", ";
        if (!first[i].is_string()) break;
        begin += fmt::format("\"{}\"", first[i].get<std::string>());
      }
      EXPECT_EQ(text.substr(0, begin.size()), begin);
      if (fact["n"].get<int>() > 16) {
        EXPECT_THAT(text, testing::EndsWith(
                              fmt::format("... {} {} values]", fact["n"].get<int>(), fact["of"].get<std::string>())));
      }
    } else if (fact["value"].is_string()) {
      EXPECT_EQ(text, fact["value"].get<std::string>());
    } else if (fact["value"].is_boolean()) {
      EXPECT_EQ(text, fact["value"].get<bool>() ? "true" : "false");
    } else {
      EXPECT_NEAR(std::stod(text), fact["value"].get<double>(), 1e-6 * std::fabs(fact["value"].get<double>()));
    }
  }
}

/// Every storage has exactly its bytes, and what is stored in one piece has a place in the file.
void expect_bytes(Checkpoint& document) {
  for (std::uint32_t storage = 0; storage < document.storages.size(); ++storage) {
    const auto bytes = document.storage_bytes(storage);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    EXPECT_EQ((*bytes)->size(), document.storages[storage].nbytes);
    std::vector<std::byte> read(static_cast<std::size_t>((*bytes)->size()));
    ASSERT_TRUE((*bytes)->read(0, read).ok());
    const auto place = document.locate(storage);
    if (!place.ok() || read.empty()) continue;
    std::vector<std::byte> in_file(read.size());
    ASSERT_TRUE(document.files[place->file].source->read(place->offset, in_file).ok());
    EXPECT_EQ(in_file, read);
  }
}

/// Sum, smallest and largest value of each tensor, as NumPy has them in float64.
void expect_values(Checkpoint& document, const Json& facts) {
  for (const Json& expected : facts.value("tensors", Json::array())) {
    if (!expected.contains("sum") || !expected["sum"].is_number()) continue;
    const TensorEntry* entry = tests::find_tensor(document, expected["name"].get<std::string>());
    ASSERT_NE(entry, nullptr);
    SCOPED_TRACE(expected["name"].get<std::string>());
    auto bytes = document.value_bytes(static_cast<std::uint32_t>(entry - document.tensors.data()));
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    const ElementSource source{*bytes, entry->dtype, copy(document.shape(*entry)), copy(document.stride(*entry)),
                               entry->storage_offset};
    std::vector<double> values(static_cast<std::size_t>(entry->numel));
    const auto read = read_values(source, 0, values);
    ASSERT_TRUE(read.ok()) << read.error().message();
    long double sum = 0;
    long double magnitude = 0;
    double smallest = INFINITY;
    double largest = -INFINITY;
    for (double value : values) {
      smallest = std::min(smallest, value), largest = std::max(largest, value);
      sum += value;
      magnitude += std::fabs(value);
    }
    EXPECT_NEAR(static_cast<double>(sum), expected["sum"].get<double>(), 1e-6 * static_cast<double>(magnitude) + 1e-12);
    if (values.empty()) continue;
    if (expected.contains("scale")) {
      EXPECT_NEAR(smallest, expected["min"].get<double>(), 1e-6 * std::fabs(smallest));
      EXPECT_NEAR(largest, expected["max"].get<double>(), 1e-6 * std::fabs(largest));
      continue;
    }
    if (expected["min"].is_number()) {
      EXPECT_EQ(*std::min_element(values.begin(), values.end()), expected["min"].get<double>());
    }
    if (expected["max"].is_number()) {
      EXPECT_EQ(*std::max_element(values.begin(), values.end()), expected["max"].get<double>());
    }
  }
}

void run(std::string_view container, std::string_view format) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  int opened = 0;
  int refused = 0;
  for (const Case& c : cases_of(*data, container)) {
    SCOPED_TRACE(c.file.string());
    auto document = open_case(c);
    if (is_refused(c)) {
      ++refused;
      EXPECT_FALSE(document.ok());
      if (!document.ok()) {
        EXPECT_FALSE(document.error().found.empty());
        EXPECT_TRUE(document.error().offset.has_value()) << document.error().message();
      }
      continue;
    }
    if (!document.ok()) {
      ADD_FAILURE() << document.error().message();
      continue;
    }
    ++opened;
    EXPECT_EQ((*document)->format, format);
    EXPECT_EQ(tests::tree_fault(**document), "");
    expect_tensors(**document, c.facts);
    expect_globals(**document, c.facts);
    expect_modules(**document, c.facts);
    expect_objects(**document, c.facts);
    expect_bytes(**document);
    if (format == "gguf") expect_gguf_metadata(**document, c.facts);
    expect_values(**document, c.facts);
    for (std::uint32_t row = 0; row < (*document)->tree.size(); ++row) (*document)->describe(row);
  }
  EXPECT_GT(opened, 5);
  if (container == "gguf") {
    EXPECT_GE(refused, 4);
  }
}

TEST(ConformanceSafetensors, EveryFileOpensAsItsFactsSay) { run("safetensors", "safetensors"); }

TEST(ConformanceSafetensorsIndex, NamesAreListedWithoutTheShards) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  for (const Case& c : cases_of(*data, "safetensors index")) {
    SCOPED_TRACE(c.file.string());
    const auto document = open_case(c);
    ASSERT_TRUE(document.ok()) << document.error().message();
    const Checkpoint& d = **document;
    EXPECT_EQ(d.format, "safetensors index");
    EXPECT_EQ(tests::tree_fault(d), "");
    ASSERT_EQ(d.tensors.size(), c.facts["n_tensors"].get<std::size_t>());
    std::vector<std::string> names;
    for (const TensorEntry& entry : d.tensors) names.emplace_back(d.name(entry));
    const auto first = c.facts["first_names"].get<std::vector<std::string>>();
    const auto last = c.facts["last_names"].get<std::vector<std::string>>();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), names.begin()));
    EXPECT_TRUE(std::equal(last.begin(), last.end(), names.end() - static_cast<std::ptrdiff_t>(last.size())));
    std::set<std::string> shards;
    for (std::size_t file = 1; file < d.files.size(); ++file) shards.insert(d.files[file].name);
    // The configuration beside it came along, and says which class the weights are of.
    ASSERT_EQ(shards.erase("config.json"), 1U);
    const Json config = Json::parse(std::ifstream(c.file.parent_path() / "config.json"));
    EXPECT_EQ(d.describe(0).class_name, config["architectures"][0].get<std::string>());
    EXPECT_EQ(shards, c.facts["shards"].get<std::set<std::string>>());
    EXPECT_FALSE(d.notes.empty());
  }
}

TEST(ConformanceJson, EveryFileIsATreeOfItsKeys) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  int opened = 0;
  for (const Case& c : cases_of(*data, "json")) {
    SCOPED_TRACE(c.file.string());
    const auto document = open_case(c);
    ASSERT_TRUE(document.ok()) << document.error().message();
    const Checkpoint& d = **document;
    EXPECT_EQ(d.format, "json");
    EXPECT_EQ(tests::tree_fault(d), "");
    std::vector<std::string> keys;
    for (std::uint32_t row = 1; row < d.tree.end[0]; row = d.tree.end[row])
      keys.emplace_back(d.tree.strings.view(d.tree.name[row]));
    std::sort(keys.begin(), keys.end());
    auto expected = c.facts["top_keys"].get<std::vector<std::string>>();
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(keys, expected);
    ++opened;
  }
  EXPECT_GE(opened, 6);
}

TEST(ConformanceGguf, EveryFileOpensAsItsFactsSay) { run("gguf", "gguf"); }

TEST(ConformanceNpz, EveryFileOpensAsItsFactsSay) { run("npz", "npz"); }

TEST(ConformanceTorchZip, EveryFileOpensAsItsFactsSay) { run("torch zip", "torch zip"); }

TEST(ConformanceTorchLegacy, EveryFileOpensAsItsFactsSay) { run("torch legacy", "torch legacy"); }

TEST(ConformanceTorchScript, EveryFileOpensAsItsFactsSay) { run("torchscript zip", "torchscript zip"); }

TEST(ConformancePickle, GlobalsOfHostilePicklesAreListedWithVerdicts) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  int hostile = 0;
  for (const Case& c : cases_of(*data, "pickle or unknown")) {
    SCOPED_TRACE(c.file.string());
    const auto document = open_case(c);
    if (!document.ok()) {
      EXPECT_TRUE(c.facts["globals"].empty()) << document.error().message();
      EXPECT_TRUE(document.error().offset.has_value()) << document.error().message();
      continue;
    }
    EXPECT_FALSE(is_refused(c));
    EXPECT_EQ((*document)->format, "pickle or unknown");
    expect_globals(**document, c.facts);
    for (const Global& global : (*document)->globals) {
      const bool is_plain = global.name == "__builtin__.dict";
      EXPECT_EQ(global.verdict, is_plain ? Verdict::Safe : Verdict::Dangerous) << global.name;
      hostile += is_plain ? 0 : 1;
    }
    EXPECT_EQ(tests::tree_fault(**document), "");
  }
  EXPECT_GE(hostile, 8);
}

TEST(ConformancePlainZip, CheckpointsInsideAreAsTheirFactsSay) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  int nested = 0;
  for (const Case& c : cases_of(*data, "plain zip")) {
    SCOPED_TRACE(c.file.string());
    const auto document = open_case(c);
    ASSERT_TRUE(document.ok()) << document.error().message();
    EXPECT_EQ((*document)->format, "plain zip");
    EXPECT_EQ(tests::tree_fault(**document), "");
    for (const Json& member : c.facts["members"])
      EXPECT_NE(tests::find_row(**document, member[0].get<std::string>()), kNone) << member;
    // The facts of all members as those of one file.
    Json all = Json::array();
    for (const auto& [member, facts] : c.facts["nested"].items()) {
      ++nested;
      for (Json tensor : facts["tensors"]) {
        tensor["name"] = member + "/" + tensor["name"].get<std::string>();
        EXPECT_FALSE(tensor.contains("shares_storage_with"));
        all.push_back(tensor);
      }
      std::vector<std::string> globals;
      for (const Global& global : (*document)->globals) {
        if (global.member.substr(0, member.size() + 1) == member + "!") globals.push_back(global.name);
      }
      EXPECT_EQ(globals, facts["globals"].get<std::vector<std::string>>());
    }
    const Json facts = {{"container", "plain zip"}, {"tensors", all}};
    expect_tensors(**document, facts);
    expect_bytes(**document);
    expect_values(**document, facts);
    for (std::uint32_t row = 0; row < (*document)->tree.size(); ++row) (*document)->describe(row);
  }
  EXPECT_GE(nested, 3);
}

TEST(ConformancePt2, GraphsAndMembersAreAsTheirFactsSay) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  int graphs = 0;
  for (const Case& c : cases_of(*data, "pt2 zip")) {
    SCOPED_TRACE(c.file.string());
    const auto document = open_case(c);
    ASSERT_TRUE(document.ok()) << document.error().message();
    const Checkpoint& d = **document;
    EXPECT_EQ(d.format, "pt2 zip");
    EXPECT_EQ(tests::tree_fault(d), "");
    expect_tensors(d, c.facts);
    expect_bytes(**document);
    expect_values(**document, c.facts);
    std::set<std::string> children;
    for (std::uint32_t row = 1; row < d.tree.size(); row = d.tree.end[row])
      children.emplace(d.tree.strings.view(d.tree.name[row]));
    if (!c.facts.contains("graph_nodes")) {
      for (const Json& member : c.facts["members"]) EXPECT_EQ(children.count(member[0]), 1U) << member;
      EXPECT_FALSE(d.notes.empty());
      continue;
    }
    ++graphs;
    const std::uint32_t graph = tests::find_row(d, "graph");
    ASSERT_NE(graph, kNone);
    std::uint32_t row = graph + 1;
    for (const Json& node : c.facts["graph_nodes"]) {
      ASSERT_LT(row, d.tree.end[graph]);
      EXPECT_EQ(d.tree.strings.view(d.tree.class_name[row]), node[0].get<std::string>());
      EXPECT_EQ(d.tree.strings.view(d.tree.name[row]), node[1].get<std::string>());
      if (node[0] == "call_function") {
        EXPECT_THAT(std::string(d.tree.strings.view(d.tree.preview[row])),
                    testing::HasSubstr(node[2].get<std::string>() + "("));
      }
      row = d.tree.end[row];
    }
    EXPECT_EQ(row, d.tree.end[graph]);
    for (std::uint32_t at = 0; at < d.tree.size(); ++at) d.describe(at);
  }
  EXPECT_EQ(graphs, 1);
}

TEST(ConformanceGitLfs, APointerIsRefusedByName) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  for (const Case& c : cases_of(*data, "git-lfs pointer")) {
    const auto document = open_case(c);
    ASSERT_FALSE(document.ok());
    EXPECT_THAT(document.error().message(), testing::HasSubstr("Git LFS"));
  }
}

TEST(ConformanceTorchZip, TruncatedFilesAreRefused) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with the files of other projects";
  for (const char* container : {"torch zip", "torchscript zip", "plain zip", "pt2 zip", "torch legacy", "safetensors",
                                "pickle or unknown", "gguf", "npz"}) {
    for (const Case& c : cases_of(*data, container)) {
      SCOPED_TRACE(c.file.string());
      const std::vector<std::byte> whole = tests::read_file(c.file);
      const std::size_t step = std::max<std::size_t>(1, whole.size() / 97);
      for (std::size_t length = 0; length < whole.size(); length += step) {
        const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        const auto document = tests::open_document(base::make_memory_source("cut", part));
        // Behind the last tensor of a GGUF file there is padding only, which may be missing; a file without tensors
        // ends anywhere behind its keys.
        bool may_open = container == std::string_view("gguf");
        for (const Json& tensor : c.facts["tensors"]) {
          may_open =
              may_open && tensor["data_offset"].get<std::size_t>() + tensor["n_bytes"].get<std::size_t>() <= length;
        }
        const bool lists_globals = document.ok() && !(*document)->notes.empty() && (*document)->tensors.empty();
        if (container != std::string_view("pickle or unknown") && !may_open && !lists_globals) {
          EXPECT_FALSE(document.ok()) << length;
        }
        if (!document.ok()) {
          EXPECT_FALSE(document.error().found.empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace nns::checkpoint
