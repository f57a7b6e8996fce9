#include <fmt/format.h>

#include <utility>

#include "core/session/samples.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"
#include "tests/ui/explorer.h"

namespace nns::tests {

namespace {

/// A checkpoint whose objects have registries and hooks, as a program's would.
class Described final : public checkpoint::Checkpoint {
 public:
  explicit Described(const checkpoint::Checkpoint& file) : Checkpoint(file) {}
  checkpoint::ObjectDescription describe(std::uint32_t node) const override {
    using checkpoint::AttributePlace;
    checkpoint::ObjectDescription made;
    made.class_name = "test.Block";
    made.is_module = true;
    made.repr = "Block(\n  (fc): Linear(in_features=4, out_features=4, bias=False)\n)";
    const auto add = [&](std::uint8_t depth, AttributePlace place, std::string name, std::string type,
                         std::string why) {
      checkpoint::AttributeRow row;
      row.depth = depth;
      row.place = place;
      row.name = std::move(name);
      row.type = std::move(type);
      row.why = std::move(why);
      made.attributes.push_back(std::move(row));
    };
    add(0, AttributePlace::Dict, "training", "bool", "");
    add(0, AttributePlace::Registry, "_parameters", "dict", "");
    add(0, AttributePlace::Registry, "_modules", "dict", "");
    add(1, AttributePlace::Modules, "fc", "Linear", "A Module goes to _modules.");
    made.attributes.back().node = node + 1;
    if (tree.strings.view(tree.name[node]) == "0") {
      for (std::uint64_t id = 0; id < 2; ++id) {
        checkpoint::HookRow hook;
        hook.dictionary = "_forward_hooks";
        hook.kind = "forward hook";
        hook.id = id;
        hook.callable = id == 0 ? "print_shapes" : "count_calls";
        made.hooks.push_back(std::move(hook));
      }
    }
    return made;
  }
};

}  // namespace

session::Sample blocks_sample(std::uint32_t blocks) {
  session::Sample sample;
  sample.name = "blocks";
  sample.title = "Blocks";
  sample.about = "Many blocks with one linear layer each.";
  sample.make = [blocks]() -> base::Result<std::unique_ptr<checkpoint::Checkpoint>> {
    std::vector<PlannedTensor> tensors;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      tensors.push_back({fmt::format("blocks.{}.fc.weight", block), "F32", {4, 4}});
    }
    NNS_TRY_ASSIGN(const auto file, open_text(plan_safetensors(tensors).whole()));
    return std::unique_ptr<checkpoint::Checkpoint>(std::make_unique<Described>(*file));
  };
  return sample;
}

}  // namespace nns::tests
