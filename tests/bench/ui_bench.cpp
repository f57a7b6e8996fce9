// What a frame costs the CPU, through the app's own frame(): everything but the drawing by the GPU.
#include <benchmark/benchmark.h>

#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "ui/model/treemap.h"

namespace nns {
namespace {

/// 100,002 modules and 50,000 tensors, all unfolded; the list is scrolled in every frame.
void frame(benchmark::State& state) {
  tests::Explorer explorer({tests::blocks_sample(50'000)}, 1600, 1000);
  explorer.app().open_sample("blocks");
  explorer.settle();
  explorer.type("*");
  explorer.settle();
  explorer.press(ImGuiKey_End);
  if (explorer.focused() == nullptr || explorer.focused()->name.find("weight") == std::string::npos) {
    state.SkipWithError("the tree is not unfolded");
    return;
  }
  explorer.press(ImGuiKey_PageUp);
  bool down = false;
  for (auto _ : state) {
    ImGui::GetIO().AddMousePosEvent(300, 500);
    ImGui::GetIO().AddMouseWheelEvent(0, (down = !down) ? -7.0F : 6.0F);
    explorer.draw_frame();
  }
  state.counters["controls"] = static_cast<double>(explorer.controls().size());
}
BENCHMARK(frame)->Name("ui/frame/100000_modules")->Unit(benchmark::kMicrosecond);

/// 100,000 tensors in 100 x 10 groups.
void open_experts(tests::Explorer& explorer) {
  std::vector<tests::PlannedTensor> tensors;
  for (int at = 0; at < 100'000; ++at) {
    tensors.push_back({"layers." + std::to_string(at / 1000) + ".blocks." + std::to_string(at / 100 % 10) +
                           ".experts." + std::to_string(at % 100),
                       "F32",
                       {1 + static_cast<std::uint64_t>(at % 7)}});
  }
  const tests::PlannedFile plan = tests::plan_safetensors(tensors);
  explorer.drop("experts.safetensors", base::make_memory_source("experts.safetensors", tests::to_bytes(plan.whole())));
  explorer.settle();
}

/// The map of 100,000 tiles; the pointer moves over it in every frame.
void treemap_frame(benchmark::State& state) {
  tests::Explorer explorer({}, 1600, 1000);
  open_experts(explorer);
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  explorer.frames(3);
  if (explorer.find(host::Role::Img, "Map of parameters, 101,") == nullptr) {
    state.SkipWithError("there is no map of 100,000 tiles");
    return;
  }
  float x = 0;
  for (auto _ : state) {
    x = x > 700 ? 0 : x + 3;
    ImGui::GetIO().AddMousePosEvent(800 + x, 500);
    explorer.draw_frame();
  }
  state.counters["controls"] = static_cast<double>(explorer.controls().size());
}
BENCHMARK(treemap_frame)->Name("treemap/100000")->Unit(benchmark::kMicrosecond);

/// What happens once: when the map is opened, its size or its root changes.
void treemap_layout(benchmark::State& state) {
  tests::Explorer explorer({}, 1600, 1000);
  open_experts(explorer);
  if (explorer.app().mirror().documents().empty()) {
    state.SkipWithError("the file is not open");
    return;
  }
  model::Treemap map;
  map.show(explorer.app().mirror().documents().front());
  float width = 1000;
  for (auto _ : state) {
    width = width > 1100 ? 1000 : width + 1;
    map.fit({width, 800, 18, 2});
    benchmark::DoNotOptimize(map.tiles().data());
  }
  state.counters["tiles"] = static_cast<double>(map.tiles().size());
}
BENCHMARK(treemap_layout)->Name("treemap/layout/100000")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nns
