#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/train/training.h"
#include "core/train/watch.h"

namespace nns::tests {

/// A program with a Watch, and all that it told.
class WatchedProgram final : public train::WatchClient {
 public:
  WatchedProgram() : machine_(python::Machine::of(interpreter_)) {
    machine_.streams.out = [this](std::string_view text) { out += text; };
    machine_.streams.error = [this](std::string_view text) { out += text; };
    python::add_python(machine_);
    train::add_training(machine_, nullptr);
    watch_ = std::make_unique<train::Watch>(interpreter_, *this);
  }
  ~WatchedProgram() override {
    // Reports hold tensors, which may not outlive the interpreter.
    steps.clear();
    watch_->release();
  }
  WatchedProgram(const WatchedProgram&) = delete;
  WatchedProgram& operator=(const WatchedProgram&) = delete;

  /// The traceback that ended it, or nothing.
  std::string run(const std::string& source) {
    const auto done = python::run_program(machine_, "program.py", source);
    return done.ok() ? std::string() : python::traceback_text(machine_, done.error());
  }

  train::StepPlan plan_step(const train::ModuleTable& table) override {
    train::StepPlan plan;
    plan.times = times;
    plan.timeline = timeline;
    plan.checks_gradients = checks_gradients;
    if (attention) plan.attention.assign(table.modules().size(), 1);
    plan.modules.assign(table.modules().size(), module_bits);
    plan.tensors.assign(table.tensors().size(), tensor_bits);
    plan.tensor_histograms.assign(table.tensors().size(), histogram_bits);
    return plan;
  }
  void step_made(train::StepReport report) override { steps.push_back(std::move(report)); }

  const train::ModuleTable& table() const { return watch_->table(); }
  train::Watch& watch() { return *watch_; }

  bool times = false, timeline = false, checks_gradients = false, attention = false;
  std::uint8_t module_bits = 0, tensor_bits = 0, histogram_bits = 0;
  std::vector<train::StepReport> steps;
  std::string out;

 private:
  object::Interpreter interpreter_;
  python::Machine& machine_;
  std::unique_ptr<train::Watch> watch_;
};

}  // namespace nns::tests
