#include "tests/support/open_document.h"

#include <fmt/format.h>

#include "tests/support/files.h"

namespace nns::tests {

using checkpoint::Checkpoint;
using checkpoint::kNone;

base::Result<std::unique_ptr<Checkpoint>> open_document(std::shared_ptr<base::ByteSource> source,
                                                        std::shared_ptr<checkpoint::FileSet> siblings) {
  NNS_TRY_ASSIGN(const auto task, checkpoint::open_checkpoint(std::move(source), std::move(siblings)));
  while (true) {
    NNS_TRY_ASSIGN(const auto state, task->step(base::Budget::unlimited()));
    if (state == checkpoint::OpenState::Done) return task->take();
  }
}

base::Result<std::unique_ptr<Checkpoint>> open_in_slices(std::string_view bytes) {
  NNS_TRY_ASSIGN(const auto task,
                 checkpoint::open_checkpoint(base::make_memory_source("test.bin", to_bytes(bytes)), nullptr));
  for (int slice = 0; slice < 1'000'000; ++slice) {
    NNS_TRY_ASSIGN(const auto state, task->step(base::Budget(std::chrono::nanoseconds(0))));
    if (state == checkpoint::OpenState::Done) return task->take();
  }
  return base::Error{"a task that does not go on", "some work in each slice", "test.bin", std::nullopt};
}

base::Result<std::unique_ptr<Checkpoint>> open_text(std::string_view bytes) {
  return open_document(base::make_memory_source("test.bin", to_bytes(bytes)));
}

std::uint32_t find_row(const Checkpoint& document, std::string_view path) {
  const auto& tree = document.tree;
  std::uint32_t row = 0;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path = part.size() == path.size() ? std::string_view() : path.substr(part.size() + 1);
    std::uint32_t child = row + 1;
    while (child < tree.end[row] && tree.strings.view(tree.name[child]) != part) child = tree.end[child];
    if (child >= tree.end[row]) return kNone;
    row = child;
  }
  return row;
}

const checkpoint::TensorEntry* find_tensor(const Checkpoint& document, std::string_view name) {
  for (const auto& entry : document.tensors) {
    if (document.name(entry) == name) return &entry;
  }
  return nullptr;
}

std::string tree_text(const Checkpoint& document) {
  const auto& tree = document.tree;
  std::string text;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t row = 0; row < tree.size(); ++row) {
    while (!ends.empty() && ends.back() <= row) ends.pop_back();
    text += fmt::format("{:{}}{}", "", 2 * ends.size(), tree.strings.view(tree.name[row]));
    if (tree.class_name[row] != 0) text += fmt::format(": {}", tree.strings.view(tree.class_name[row]));
    if (tree.preview[row] != 0) text += fmt::format(" = {}", tree.strings.view(tree.preview[row]));
    text += '\n';
    ends.push_back(tree.end[row]);
  }
  return text;
}

std::string tree_fault(const Checkpoint& document) {
  const auto& tree = document.tree;
  const std::uint32_t count = tree.size();
  if (count == 0) return "no root";
  for (const std::size_t size :
       {tree.end.size(), tree.name.size(), tree.class_name.size(), tree.preview.size(), tree.kind.size(),
        tree.flags.size(), tree.tensor.size(), tree.parameters.size(), tree.bytes.size(), tree.structure.size()}) {
    if (size != count) return "a column of another length";
  }
  if (tree.parent[0] != kNone || tree.end[0] != count) return "the root does not hold all rows";
  for (std::uint32_t row = 0; row < count; ++row) {
    if (row > 0 && (tree.parent[row] >= row || tree.end[tree.parent[row]] < tree.end[row]))
      return "a child outside its parent";
    if (tree.end[row] <= row || tree.end[row] > count) return "an end outside the tree";
    if (tree.name[row] >= tree.strings.size() || tree.class_name[row] >= tree.strings.size())
      return "an unknown string";
    if (tree.tensor[row] != kNone && tree.tensor[row] >= document.tensors.size()) return "an unknown tensor";
  }
  for (const auto& entry : document.tensors) {
    if (entry.node == kNone || tree.tensor[entry.node] == kNone) return "a tensor without row";
    if (entry.storage != kNone && entry.storage >= document.storages.size()) return "an unknown storage";
    if (entry.dims + 2U * entry.rank > document.dims.size()) return "dims outside the list";
  }
  return {};
}

}  // namespace nns::tests
