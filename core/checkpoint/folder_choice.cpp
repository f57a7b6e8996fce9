#include "core/checkpoint/folder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "core/checkpoint/module_tree.h"

namespace nns::checkpoint {

namespace {

using Names = std::vector<std::string>;

/// In the order in which from_pretrained looks for them.
constexpr std::array<std::string_view, 4> kWeights = {"model", "pytorch_model", "diffusion_pytorch_model",
                                                      "adapter_model"};
constexpr std::array<std::string_view, 2> kWeightEndings = {".safetensors", ".bin"};

Names all_with(const Names& names, std::initializer_list<std::string_view> ends) {
  Names found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found), [&](const std::string& name) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
  });
  return found;
}

/// "model" of "model-00001-of-00002.bin"; empty if the name has no such numbers.
std::string_view stem_of_shard(std::string_view name) {
  constexpr std::string_view kPattern = "-00000-of-00000";
  name = name.substr(0, name.rfind('.'));
  if (name.size() <= kPattern.size()) return {};
  const std::string_view numbers = name.substr(name.size() - kPattern.size());
  const bool is_shard = std::equal(numbers.begin(), numbers.end(), kPattern.begin(), [](char c, char pattern) {
    return pattern == '0' ? c >= '0' && c <= '9' : c == pattern;
  });
  return is_shard ? name.substr(0, name.size() - kPattern.size()) : std::string_view();
}

/// Those of `names` that are numbered as shards, if they are shards of one model.
Names numbered_shards(const Names& names) {
  Names found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found),
               [](const std::string& name) { return !stem_of_shard(name).empty(); });
  const bool is_one = std::all_of(found.begin(), found.end(), [&](const std::string& name) {
    return stem_of_shard(name) == stem_of_shard(found.front());
  });
  return is_one ? found : Names();
}

/// The index, the file of the usual name or the shards among files with this ending.
std::optional<FolderChoice> choose_model(const Names& names, std::string_view ending) {
  // An index names the shards that belong together; the plain one is the model's own.
  const std::string index_ending = fmt::format("{}.index.json", ending);
  const Names indexes = all_with(names, {index_ending});
  const Names files = all_with(names, {ending});
  for (const std::string_view weights : kWeights) {
    const std::string index = fmt::format("{}{}", weights, index_ending);
    if (std::find(indexes.begin(), indexes.end(), index) != indexes.end()) return FolderChoice{index, {}};
  }
  if (!indexes.empty()) return FolderChoice{indexes.front(), {}};
  for (const std::string_view weights : kWeights) {
    const std::string file = fmt::format("{}{}", weights, ending);
    if (std::find(files.begin(), files.end(), file) != files.end()) return FolderChoice{file, {}};
  }
  Names shards = numbered_shards(files);
  if (!shards.empty()) return FolderChoice{{}, std::move(shards)};
  return std::nullopt;
}

}  // namespace

bool is_hugging_face_name(std::string_view name) {
  constexpr std::string_view kIndex = ".index.json";
  if (name.ends_with(kIndex)) name.remove_suffix(kIndex.size());
  const std::string_view stem = name.substr(0, name.rfind('.'));
  const std::string_view of_shard = stem_of_shard(name);
  const bool is_gptq = stem.starts_with("gptq_model-");  // "gptq_model-4bit-128g"
  return (is_gptq || std::any_of(kWeights.begin(), kWeights.end(),
                                 [&](std::string_view weights) { return weights == stem || weights == of_shard; })) &&
         std::any_of(kWeightEndings.begin(), kWeightEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

base::Result<FolderChoice> choose_in_folder(std::vector<std::string> names, std::string_view folder) {
  std::sort(names.begin(), names.end(), natural_less);
  // 1. One model of safetensors files, whatever they are called: all of them make it up.
  if (auto choice = choose_model(names, ".safetensors")) return std::move(*choice);
  Names shards = all_with(names, {".safetensors"});
  if (shards.size() == 1) return FolderChoice{shards.front(), {}};
  if (!shards.empty()) return FolderChoice{{}, std::move(shards)};
  // 2. One model of torch.save, beside which its optimizer and arguments may lie.
  if (auto choice = choose_model(names, ".bin")) return std::move(*choice);
  // 3. One file of any format.
  const Names others =
      all_with(names, {".pt", ".pt2", ".pth", ".ckpt", ".bin", ".th", ".jit", ".zip", ".pkl", ".gguf", ".npz", ".npy"});
  if (others.size() == 1) return FolderChoice{others.front(), {}};
  // 4. What is known of a model without its weights.
  for (const std::string_view known : {"config.json", "quantize_config.json"}) {
    if (others.empty() && std::find(names.begin(), names.end(), known) != names.end())
      return FolderChoice{std::string(known), {}};
  }
  return base::Error{
      others.empty() ? "no checkpoint in this folder" : fmt::format("{} checkpoints in this folder", others.size()),
      others.empty() ? "an index, .safetensors files, one .pt, .pt2, .pth, .ckpt, .bin, .th, .jit, .zip, .pkl, .gguf, "
                       ".npz or .npy file, or a "
                       "config.json"
                     : "one of them: open it by name",
      std::string(folder), std::nullopt};
}

}  // namespace nns::checkpoint
