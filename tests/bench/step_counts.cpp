// Training steps of one model, for callgrind, which counts the same on a busy machine:
//   step_counts MODEL plain|captured STEPS
//   step_counts Adam|SGD STEPS         (steps of an optimiser over 2,000 small tensors)
// The count of one step is the difference of two runs with other numbers of steps.
#include <charconv>
#include <cstdio>
#include <string_view>

#include "core/base/parallel.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "tests/training/workload.h"

namespace {

int count_of(std::string_view text) {
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

bool run_model(std::string_view name, bool is_captured, int steps) {
  nns::nn::Interpreter in;
  nns::tests::Workload workload(in, name);
  bool is_done = true;
  for (int i = 0; i < steps; ++i) {
    is_done = is_done && (is_captured ? workload.captured_step() : workload.step()).ok();
  }
  return is_done;
}

bool run_optimizer(std::string_view name, int steps) {
  nns::nn::Interpreter in;
  std::vector<nns::nn::Value> params;
  for (int i = 0; i < 1000; ++i) {
    const auto layer = nns::nn::make_layer(in, "Linear", {8, 8}).value();
    const auto own = layer->parameters().value();
    for (const auto& param : own) {
      param->set_grad(nns::tensor::full(in, param->shape(), 0.01));
      params.emplace_back(param);
    }
  }
  const auto optimizer = nns::optim::make_optimizer(in, name, nns::nn::Value(in.list(std::move(params)))).value();
  bool is_done = true;
  for (int i = 0; i < steps; ++i) is_done = is_done && optimizer->step().ok();
  return is_done;
}

}  // namespace

int main(int count, char** given) {
  nns::base::set_thread_count(1);
  const std::string_view name = count > 1 ? given[1] : "";
  if (count == 3 && run_optimizer(name, count_of(given[2]))) return 0;
  if (count == 4 && run_model(name, std::string_view(given[2]) == "captured", count_of(given[3]))) return 0;
  std::fputs("step_counts MODEL plain|captured STEPS, or step_counts OPTIMIZER STEPS\n", stderr);
  return 1;
}
