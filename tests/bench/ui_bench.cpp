// What a frame costs the CPU, through the app's own frame(): everything but the drawing by the GPU.
#include <benchmark/benchmark.h>

#include <string>

#include "tests/ui/explorer.h"

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

}  // namespace
}  // namespace nns
