// Model files that others wrote, run unchanged, beside what PyTorch says of the models in them. The files lie in the
// folder that NNSCOPE_MODEL_SOURCES names, the facts in that of NNSCOPE_TEST_DATA; without them the tests say that they
// skip.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ModelFile {
  fs::path facts;
  /// From the folder of sources: "karpathy__nanoGPT/model.py".
  std::string file;
  std::size_t model = 0;
  std::string construct;
};

void PrintTo(const ModelFile& one, std::ostream* out) { *out << one.file << ' ' << one.construct; }

std::vector<ModelFile> models() {
  std::vector<ModelFile> found;
  const char* data = std::getenv("NNSCOPE_TEST_DATA");
  std::error_code error;
  if (data == nullptr || !fs::is_directory(fs::path(data) / "models_src", error)) return found;
  const fs::path folder = fs::path(data) / "models_src";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    constexpr std::string_view kEnding = ".facts.json";
    if (!name.ends_with(kEnding)) continue;
    std::ifstream stream(entry.path());
    const json facts = json::parse(stream);
    for (std::size_t i = 0; i < facts["models"].size(); ++i) {
      found.push_back({entry.path(), name.substr(0, name.size() - kEnding.size()), i,
                       facts["models"][i]["construct"].get<std::string>()});
    }
  }
  std::sort(found.begin(), found.end(), [](const ModelFile& a, const ModelFile& b) {
    return std::tie(a.file, a.model) < std::tie(b.file, b.model);
  });
  return found;
}

std::string model_name(const testing::TestParamInfo<ModelFile>& info) {
  std::string name = info.param.file + "_" + std::to_string(info.param.model);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Loads the file, makes the model and prints what the facts tell of it as JSON.
constexpr std::string_view kProgram = R"(
import json, sys, types
import torch

case = json.loads(CASE)
for name, values in case["stand_ins"].items():
    module = types.ModuleType(name)
    module.__dict__.update(values)
    sys.modules[name] = module
path = case["path"]
namespace = {"__name__": case["name"], "__package__": case["package"], "__file__": path}
exec(compile(open(path).read(), path, "exec"), namespace)
exec(case["setup"], namespace)
model = eval(case["construct"], namespace)

def shape(value):
    if isinstance(value, torch.Tensor):
        return list(value.shape)
    if isinstance(value, (list, tuple)):
        return [shape(one) for one in value]
    return type(value).__name__

told = {
    "class": type(model).__name__,
    "named_modules": [[name, type(m).__name__] for name, m in model.named_modules()],
    "named_parameters": [[name, list(p.shape)] for name, p in model.named_parameters()],
    "named_buffers": [[name, list(b.shape)] for name, b in model.named_buffers()],
    "state_dict_keys": len(model.state_dict()),
    "num_parameters": sum(p.numel() for p in model.parameters()),
    "repr": repr(model),
}
names = {}
for name, p in model.named_parameters(remove_duplicate=False):
    names.setdefault(id(p), []).append(name)
tied = [group for group in names.values() if len(group) > 1]
if tied:
    told["tied_parameters"] = tied
if case["call"]:
    model.eval()
    with torch.no_grad():
        told["output_shape"] = shape(eval(case["call"], {**namespace, "torch": torch, "model": model}))
print(json.dumps(told))
)";

class ModelSources : public testing::TestWithParam<ModelFile> {};

TEST_P(ModelSources, BuildAndRunToTheFactsOfPyTorch) {
  const ModelFile& param = GetParam();
  const char* sources = std::getenv("NNSCOPE_MODEL_SOURCES");
  if (sources == nullptr) GTEST_SKIP() << "NNSCOPE_MODEL_SOURCES names no folder";
  if (!fs::exists(fs::path(sources) / param.file)) GTEST_SKIP() << param.file << " is not there";
  std::ifstream stream(param.facts);
  const json all = json::parse(stream);
  const json& facts = all["models"][param.model];

  const std::size_t slash = param.file.find('/');
  const bool is_torchvision = param.file.starts_with("pytorch__vision");
  const std::string stem = fs::path(param.file).stem().string();
  const json given = {
      {"path", param.file.substr(slash + 1)},
      {"name", is_torchvision ? "torchvision.models." + stem : stem},
      {"package", is_torchvision ? json("torchvision.models") : json()},
      {"setup", all.value("setup", "")},
      {"construct", param.construct},
      {"call", facts.contains("forward") ? facts["forward"]["call"] : json("")},
      // What the facts say of a package that is not there.
      {"stand_ins", param.file.starts_with("maxrmorrison__torchcrepe") ? json{{"torchcrepe", {{"PITCH_BINS", 360}}}}
                                                                       : json::object()},
  };
  const ProgramResult result =
      run_python("CASE = r'''" + given.dump() + "'''\n" + std::string(kProgram),
                 {.folder = fs::path(sources) / param.file.substr(0, slash), .uses_stand_ins = true});
  ASSERT_EQ(result.error_type, "") << result.error_message << '\n' << result.traceback;
  const json told = json::parse(result.out.substr(result.out.rfind('{', result.out.find("\"class\""))));
  for (const char* const what : {"class", "named_modules", "named_parameters", "named_buffers", "state_dict_keys",
                                 "num_parameters", "tied_parameters"}) {
    EXPECT_EQ(told.value(what, json()), facts.value(what, json())) << what;
  }
  EXPECT_EQ(told["repr"].get<std::string>(), facts["repr"].get<std::string>());
  if (facts.contains("forward")) {
    EXPECT_EQ(told["output_shape"], facts["forward"]["output_shape"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ModelSources, testing::ValuesIn(models()), model_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelSources);

}  // namespace
}  // namespace nns::tests
