// What a run's folder holds at the moments at which the run may be killed.
#include "core/train/metrics_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/python/packages/packages.h"
#include "core/train/training.h"

namespace nns::tests {
namespace {

/// A folder in memory that remembers what its files held when a checkpoint got its name.
class RememberingFolder final : public train::RunFiles {
 public:
  std::string folder() const override { return "run"; }
  base::Result<std::unique_ptr<base::ByteSink>> append(const std::string& name) override {
    return std::unique_ptr<base::ByteSink>(std::make_unique<End>(files[name]));
  }
  base::Result<std::string> read(const std::string& name) override { return files[name]; }
  base::Result<void> replace(const std::string& name, std::string_view contents) override {
    files[name] = contents;
    return {};
  }
  base::Result<void> commit(const std::string& from, const std::string& to) override {
    at_commit = files;
    if (is_full) return base::Error{.found = "disk full", .expected = {}, .where = to, .offset = {}};
    files[to] = files[from];
    files.erase(from);
    return {};
  }
  void remove(const std::string& name) override { files.erase(name); }
  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [name, text] : files)
      if (name.starts_with(folder + "/")) names.push_back(name.substr(folder.size() + 1));
    return names;
  }
  std::uint64_t size(const std::string& name) override { return files[name].size(); }

  std::map<std::string, std::string> files, at_commit;
  bool is_full = false;

 private:
  class End final : public base::ByteSink {
   public:
    explicit End(std::string& file) : file_(file) {}
    base::Result<void> write(std::span<const std::byte> bytes) override {
      for (const std::byte byte : bytes) file_ += static_cast<char>(byte);
      return {};
    }

   private:
    std::string& file_;
  };
};

struct MetricsFileTest : ::testing::Test {
  MetricsFileTest() {
    python::add_python(machine);
    auto opened = train::MetricsFile::open(*folder, 0);
    EXPECT_TRUE(opened.ok());
    metrics = std::move(opened).value();
    training.add_listener(*metrics);
  }
  void make_steps(std::uint64_t end) {
    for (; made < end; ++made) {
      train::StepReport step;
      step.step = made;
      step.has_loss = true;
      step.loss = 1.0 / static_cast<double>(made + 1);
      training.step_made(std::move(step));
    }
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  std::shared_ptr<RememberingFolder> folder = std::make_shared<RememberingFolder>();
  train::Training training{machine, {}, folder};
  std::unique_ptr<train::MetricsFile> metrics;
  std::uint64_t made = 0;
};

TEST_F(MetricsFileTest, EveryStepBeforeACheckpointIsKeptWhenTheCheckpointGetsItsName) {
  make_steps(37);
  ASSERT_TRUE(training.save_checkpoint("step.part", "checkpoints/step-000000037.pt", 0.1, 3));
  EXPECT_EQ(lines(folder->at_commit["metrics.jsonl"]), 37U);
  make_steps(74);
  ASSERT_TRUE(training.save_checkpoint("step.part", "checkpoints/step-000000074.pt", 0.1, 3));
  EXPECT_EQ(lines(folder->at_commit["metrics.jsonl"]), 74U);
  EXPECT_NE(folder->files["log.txt"].find("checkpoints/step-000000074.pt written"), std::string::npos);
}

TEST_F(MetricsFileTest, WhatWasMeasuredBetweenTheStepAndItsCheckpointOutlivesTheRestart) {
  make_steps(10);
  metrics->scalar_logged("accuracy", true, 10, 0.1, 0.5);
  metrics->scalar_logged("perplexity", false, 10, 0.1, std::nan(""));
  metrics->flush();
  const std::string before = folder->files["metrics.jsonl"];
  make_steps(12);
  metrics->scalar_logged("accuracy", true, 12, 0.1, 0.75);
  metrics->flush();
  metrics.reset();
  folder->files["metrics.jsonl"] += "{\"step\":12,\"sec";
  ASSERT_TRUE(train::MetricsFile::open(*folder, 10).ok());
  EXPECT_EQ(folder->files["metrics.jsonl"], before);
  // Readers of event files forget what is from that step on, so that it is told anew.
  const auto events = std::find_if(folder->files.rbegin(), folder->files.rend(), [](const auto& file) {
    return file.first.starts_with("events.out.tfevents.") && file.first.ends_with(".nnscope.10");
  });
  ASSERT_NE(events, folder->files.rend());
  EXPECT_NE(events->second.find("evaluation/accuracy"), std::string::npos);
  EXPECT_NE(events->second.find("perplexity"), std::string::npos);
}

TEST_F(MetricsFileTest, OnlyTheLastCheckpointsAreKept) {
  for (int i = 1; i <= 4; ++i) {
    make_steps(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(training.save_checkpoint("step.part", "checkpoints/step-" + std::to_string(i) + ".pt", 0.1, 2));
  }
  EXPECT_EQ(folder->list("checkpoints"), (std::vector<std::string>{"step-3.pt", "step-4.pt"}));
}

TEST_F(MetricsFileTest, ACheckpointThatCannotBeNamedLeavesTheOlderAndNoPart) {
  make_steps(1);
  ASSERT_TRUE(training.save_checkpoint("step.part", "checkpoints/step-1.pt", 0.1, 1));
  folder->is_full = true;
  folder->files["step.part"] = "bytes";
  make_steps(2);
  EXPECT_FALSE(training.save_checkpoint("step.part", "checkpoints/step-2.pt", 0.1, 1));
  EXPECT_EQ(folder->list("checkpoints"), std::vector<std::string>{"step-1.pt"});
  EXPECT_FALSE(folder->files.contains("step.part"));
  metrics->flush();
  EXPECT_NE(folder->files["log.txt"].find("disk full"), std::string::npos) << folder->files["log.txt"];
}

}  // namespace
}  // namespace nns::tests
