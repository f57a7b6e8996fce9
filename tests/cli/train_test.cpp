// `nnscope train` as a process: run folders, kills, full disks, numbers that are not finite.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/cli/process.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;

struct TrainTest : ::testing::Test {
  TrainTest() {
    std::string name = (fs::temp_directory_path() / "nnscope-train-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder";
    folder = name;
  }
  ~TrainTest() override { fs::remove_all(folder); }
  TrainTest(const TrainTest&) = delete;
  TrainTest& operator=(const TrainTest&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::string read(const fs::path& name) const {
    std::ifstream stream(folder / name);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  /// The texts of the losses in a run's metrics, by step: equal texts are equal bits.
  std::map<int, std::string> losses(const std::string& run) const {
    std::map<int, std::string> found;
    std::istringstream lines(read(run + "/metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find("\"loss\":");
      if (at != std::string::npos) found[std::atoi(line.c_str() + 8)] = line.substr(at, line.find(',', at) - at);
    }
    return found;
  }
  std::size_t checkpoints(const std::string& run) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder / run / "checkpoints")) {
      count += static_cast<std::size_t>(entry.path().extension() == ".pt");
    }
    return count;
  }
  std::string run(const std::string& name) const { return (folder / name).string(); }
  /// 120 images in the layout of CIFAR-10's files: those of a class have its own brightness in each colour, and noise.
  void write_cifar() const {
    unsigned state = 1;
    const auto batch = [&](const std::string& name) {
      std::string bytes;
      for (int i = 0; i < 20; ++i) {
        const int label = i % 10;
        bytes += static_cast<char>(label);
        for (int at = 0; at < 3 * 1024; ++at) {
          state = state * 1664525U + 1013904223U;
          const int level = (at / 1024 == label % 3 ? 120 : 20) + 8 * label;
          bytes += static_cast<char>(level + static_cast<int>(state >> 27U));
        }
      }
      write(name, bytes);
    };
    for (int i = 1; i <= 5; ++i) batch("data_batch_" + std::to_string(i) + ".bin");
    batch("test_batch.bin");
  }

  fs::path folder;
};

TEST_F(TrainTest, ARunThatWasKilledGoesOnToTheSameLosses) {
  const std::vector<std::string> start = {"train",     "--headless",         "spirals", "--set",
                                          "epochs=30", "--checkpoint-every", "37",      "--run"};
  std::vector<std::string> whole = start, killed = start;
  whole.push_back(run("whole"));
  killed.push_back(run("killed"));
  ASSERT_EQ(run_nnscope(whole).status, 0);
  {
    const Process process(killed);
    for (int i = 0; i < 2000 && (!fs::exists(folder / "killed/checkpoints") || checkpoints("killed") < 2); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    process.signal(SIGKILL);
  }
  const std::map<int, std::string> all = losses("whole");
  ASSERT_EQ(all.size(), 570U);
  ASSERT_LT(losses("killed").size(), all.size()) << "it was not killed in time";
  const Process::Result resumed =
      run_nnscope({"train", "--headless", "--resume", run("killed"), "--checkpoint-every", "37"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(losses("killed"), all);
}

TEST_F(TrainTest, ACheckpointOfTheLastBatchHoldsTheWholeEpoch) {
  // 10 steps an epoch, and after every tenth epoch what the last batch gave is printed.
  ASSERT_EQ(run_nnscope({"train", "--headless", "spirals", "--set", "epochs=21", "--set", "points=320",
                         "--checkpoint-every", "10", "--run", run("run")})
                .status,
            0);
  const std::map<int, std::string> all = losses("run");
  ASSERT_EQ(all.size(), 210U);
  const auto lines_of = [&](const std::string& mark) {
    std::ifstream stream(folder / "run/metrics.jsonl");
    std::vector<std::string> found;
    for (std::string line; std::getline(stream, line);)
      if (const std::size_t at = line.find(mark); at != std::string::npos) found.push_back(line.substr(at));
    return found;
  };
  const std::vector<std::string> accuracies = lines_of("\"accuracy\"");
  ASSERT_EQ(accuracies.size(), 2U);
  for (const std::string last : {"210", "200"}) {
    ASSERT_TRUE(fs::remove(folder / "run/checkpoints" / ("step-000000" + last + ".pt"))) << last;
    const Process::Result resumed =
        run_nnscope({"train", "--headless", "--resume", run("run"), "--checkpoint-every", "10"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(losses("run"), all) << "from the checkpoint before step " << last;
    EXPECT_EQ(lines_of("\"accuracy\""), accuracies) << "from the checkpoint before step " << last;
    fs::remove(folder / "run/checkpoints/step-000000210.pt");
  }
}

TEST_F(TrainTest, AFullDiskLeavesTheOlderCheckpointAndTheRunGoesOn) {
  ASSERT_EQ(run_nnscope({"train", "--headless", "spirals", "--set", "epochs=4", "--set", "width=100",
                         "--checkpoint-every", "50", "--run", run("run")})
                .status,
            0);
  // The last one was taken at the end: without it there is something left to train.
  fs::path last, first;
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoints")) {
    last = std::max(last, entry.path());
    first = first.empty() ? entry.path() : std::min(first, entry.path());
  }
  ASSERT_NE(first, last);
  fs::remove(last);
  const auto size = fs::file_size(first);
  // No file may grow beyond half of that: what a full disk does to a file.
  const std::vector<std::string> limit = {"/usr/bin/env", "--ignore-signal=XFSZ", "prlimit",
                                          "--fsize=" + std::to_string(size / 2)};
  Process process({"train", "--headless", "--resume", run("run"), "--checkpoint-every", "10"}, {}, nullptr, limit);
  const Process::Result result = process.wait();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("no checkpoint at step"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::exists(first));
  EXPECT_EQ(fs::file_size(first), size);
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoints")) {
    EXPECT_EQ(entry.path().extension(), ".pt") << "a part was left behind";
  }
}

TEST_F(TrainTest, ANanEndsTheRunAndNamesModuleAndOp) {
  const std::string program = write("bad.py", R"(
import torch
from torch import nn
class Root(nn.Module):
    def forward(self, x):
        return torch.sqrt(x - 1000)
net = nn.Sequential(nn.Linear(4, 4), Root(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    net(torch.randn(8, 4)).mean().backward()
    optimizer.step()
print("not reached")
)");
  const Process::Result result = run_nnscope({"train", "--headless", program, "--keep-nothing"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("NaN in the forward of 1, first made by SqrtBackward0, at " + program + ":6"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(result.out.find("not reached"), std::string::npos);
  EXPECT_EQ(run_nnscope({"train", "--headless", program, "--keep-nothing", "--ignore-nan"}).status, 0);
}

TEST_F(TrainTest, ASettingThatIsNotThereListsThoseThatAre) {
  const Process::Result result =
      run_nnscope({"train", "--headless", "spirals", "--set", "learning=1", "--keep-nothing"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("lr=0.01"), std::string::npos) << result.err;
  EXPECT_EQ(run_nnscope({"train", "--headless", "spirals", "--set", "lr=fast", "--keep-nothing"}).status, 2);
  EXPECT_EQ(run_nnscope({"train", "--headless", "cnn", "--keep-nothing"}).status, 2);
  EXPECT_EQ(run_nnscope({"train", "--headless", "cnn", "--data", run("none"), "--keep-nothing"}).status, 2);
  EXPECT_EQ(run_nnscope({"train", "--headless", "spirals", "--resume", run("none")}).status, 2);
}

TEST_F(TrainTest, AnInfinityThatABackwardMakesIsNamed) {
  const std::string program = write("bad.py", R"(
import torch
from torch import nn
class Root(nn.Module):
    def forward(self, x):
        return torch.sqrt(x - x.detach())
net = nn.Sequential(nn.Linear(4, 4), Root(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    net(torch.randn(8, 4)).mean().backward()
    optimizer.step()
print("not reached")
)");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--check-backward"}}) {
    std::vector<std::string> words = {"train", "--headless", program, "--keep-nothing"};
    words.insert(words.end(), more.begin(), more.end());
    const Process::Result result = run_nnscope(words);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out.find("not reached"), std::string::npos);
    EXPECT_NE(result.err.find("step 0"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("Inf in the backward of 1, first made by SqrtBackward0, at " + program + ":6"),
              std::string::npos)
        << result.err;
  }
  const Process::Result told = run_nnscope({"train", "--headless", program, "--keep-nothing", "--json"});
  EXPECT_NE(told.out.find(
                "{\"not_finite\":\"Inf\",\"step\":0,\"phase\":\"backward\",\"module\":\"1\",\"op\":\"SqrtBackward0\","
                "\"op_is_exact\":true,\"file\":\"" +
                program + "\",\"line\":6}\n"),
            std::string::npos)
      << told.out;
}

// Only one number of many is too large, where nobody looks at first; after it was seen all are looked at.
TEST_F(TrainTest, ARunThatGoesOnAfterABadGradientNamesTheOpOfTheNext) {
  const std::string program = write("bad.py", R"(
import torch
net = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
small, large = torch.ones(64, 4), torch.ones(64, 4)
small[1, 1], large[1, 1] = 1e-9, 1e30
for step in range(2):
    optimizer.zero_grad()
    y = net(torch.ones(64, 4)) * 1e-30
    z = y * small
    w = z * large
    v = w * large
    v.sum().backward()
    optimizer.step()
    with torch.no_grad():
        for p in net.parameters(): p.fill_(0.1)
)");
  const Process::Result result =
      run_nnscope({"train", "--headless", program, "--keep-nothing", "--ignore-nan", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::size_t first = result.out.find("\"not_finite\":\"Inf\",\"step\":0");
  const std::size_t second = result.out.find("\"not_finite\":\"Inf\",\"step\":1");
  ASSERT_NE(first, std::string::npos) << result.out;
  ASSERT_NE(second, std::string::npos) << result.out;
  const auto line_at = [&](std::size_t at) { return result.out.substr(at, result.out.find('\n', at) - at); };
  EXPECT_NE(line_at(first).find("\"op_is_exact\":false"), std::string::npos) << line_at(first);
  EXPECT_NE(line_at(second).find("\"op\":\"MulBackward0\",\"op_is_exact\":true"), std::string::npos) << line_at(second);
  EXPECT_NE(line_at(second).find("\"line\":11"), std::string::npos) << line_at(second);
}

TEST_F(TrainTest, AResNetLearnsFilesInTheLayoutOfCifar10) {
  write_cifar();
  for (const std::string kind : {"none", "bf16"}) {
    const Process::Result result = run_nnscope({"train", "--headless", "resnet", "--data", folder.string(), "--run",
                                                run(kind), "--set", "epochs=16", "--set", "n=1", "--set", "width=4",
                                                "--set", "batch=10", "--set", "lr=0.05", "--set", "autocast=" + kind});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(losses(kind).size(), 160U);
    const std::size_t at = result.out.rfind("test accuracy ");
    ASSERT_NE(at, std::string::npos) << result.out;
    EXPECT_GT(std::atof(result.out.c_str() + at + 14), 50) << kind << result.out;
  }
  EXPECT_NE(losses("none"), losses("bf16")) << "half the digits are computed with";
  fs::resize_file(folder / "data_batch_3.bin", 3073 * 4 + 5);
  const Process::Result cut =
      run_nnscope({"train", "--headless", "resnet", "--data", folder.string(), "--keep-nothing"});
  EXPECT_NE(cut.status, 0);
  EXPECT_NE(cut.err.find("data_batch_3.bin"), std::string::npos) << cut.err;
}

TEST_F(TrainTest, AGptTellsTheLossOfTheTextThatItDoesNotLearn) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "abcdefgh"[(i * i + i / 7) % 8];
  const std::string data = write("text.txt", text);
  const auto train = [&](const std::string& held) {
    return run_nnscope({"train", "--headless", "gpt", "--data", data, "--keep-nothing", "--json", "--set", "steps=4",
                        "--set", "evaluate=2", "--set", "sample=0", "--set", "block=16", "--set", "held=" + held});
  };
  const Process::Result some = train("0.2");
  ASSERT_EQ(some.status, 0) << some.err;
  EXPECT_NE(some.out.find("80 letters held out"), std::string::npos) << some.out;
  std::size_t told = 0;
  for (std::size_t at = 0;
       (at = some.out.find("{\"evaluation\":\"held_out_loss\",\"value\":", at)) != std::string::npos; ++at)
    ++told;
  EXPECT_EQ(told, 2U) << some.out;
  // Where what is left of the text is too short for a block, all of it is learned.
  const Process::Result none = train("0.02");
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(none.out.find("held_out_loss"), std::string::npos) << none.out;
  EXPECT_NE(train("2").status, 0);
}

TEST_F(TrainTest, BatchesOfWorkersAreThoseWithoutAndAKilledRunGoesOnWithThem) {
  write_cifar();
  const auto arguments = [&](const std::string& name, const std::string& workers, const std::string& prefetch) {
    return std::vector<std::string>{
        "train",   "--headless",         "resnet", "--data", folder.string(), "--run",   run(name),
        "--set",   "epochs=12",          "--set",  "n=1",    "--set",         "width=2", "--set",
        "batch=7", "--checkpoint-every", "4",      "--set",  workers,         "--set",   prefetch};
  };
  ASSERT_EQ(run_nnscope(arguments("inline", "workers=0", "prefetch=2")).status, 0);
  const std::map<int, std::string> wanted = losses("inline");
  ASSERT_EQ(wanted.size(), 180U);
  ASSERT_EQ(run_nnscope(arguments("beside", "workers=3", "prefetch=9")).status, 0);
  EXPECT_EQ(losses("beside"), wanted);
  {
    const Process process(arguments("killed", "workers=2", "prefetch=5"));
    for (int i = 0; i < 5000 && (!fs::exists(folder / "killed/checkpoints") || checkpoints("killed") < 2); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.signal(SIGKILL);
  }
  ASSERT_LT(losses("killed").size(), wanted.size()) << "it was not killed in time";
  const Process::Result resumed = run_nnscope({"train", "--headless", "--resume", run("killed")});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(losses("killed"), wanted);
}

TEST_F(TrainTest, CtrlCEndsARunWhoseWorkersAreAhead) {
  write_cifar();
  Process process({"train", "--headless", "resnet", "--data", folder.string(), "--keep-nothing", "--set",
                   "epochs=100000", "--set", "n=1", "--set", "width=2", "--set", "workers=3", "--set", "prefetch=50"});
  EXPECT_NE(process.read_until("epoch 2").find("epoch 2"), std::string::npos);
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
}

TEST_F(TrainTest, AGpuThatIsNotThereIsRefusedBeforeAnythingIsWritten) {
  const Process::Result result = run_nnscope(
      {"train", "--headless", "spirals", "--device", "cuda", "--run", run("refused")}, {"CUDA_VISIBLE_DEVICES="});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--device cuda"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--device cpu"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(folder / "refused"));
  EXPECT_EQ(run_nnscope({"train", "--headless", "spirals", "--device", "gpu"}).status, 2);
}

TEST_F(TrainTest, TheFolderTellsWhereARunComputed) {
  std::map<std::string, std::map<int, std::string>> found;
  for (const std::string device : {"auto", "cpu"}) {
    ASSERT_EQ(
        run_nnscope({"train", "--headless", "spirals", "--set", "epochs=2", "--device", device, "--run", run(device)})
            .status,
        0);
    found[device] = losses(device);
    EXPECT_NE(read(device + "/run.json").find("\"device\": \"cpu\",\n"), std::string::npos);
    const std::string description = read(device + "/run.json");
    const std::size_t environment = description.find("\"environment\"");
    EXPECT_NE(description.find("\"device\": \"cpu\"", environment), std::string::npos) << description;
  }
  EXPECT_EQ(found["auto"], found["cpu"]);
}

TEST_F(TrainTest, OnAGpuTheLossesAreThoseOfTheCpu) {
  const auto train = [&](const std::string& device) {
    return run_nnscope(
        {"train", "--headless", "spirals", "--set", "epochs=12", "--device", device, "--run", run(device)});
  };
  const Process::Result gpu = train("cuda");
  if (gpu.status == 2 && gpu.err.find("--device cuda") != std::string::npos) GTEST_SKIP() << "no GPU: " << gpu.err;
  ASSERT_EQ(gpu.status, 0) << gpu.err;
  ASSERT_EQ(train("cpu").status, 0);
  EXPECT_NE(read("cuda/run.json").find("\"device\": \"cuda: "), std::string::npos) << read("cuda/run.json");
  const std::map<int, std::string> ours = losses("cuda"), wanted = losses("cpu");
  ASSERT_EQ(ours.size(), wanted.size());
  for (const auto& [step, loss] : wanted)
    EXPECT_NEAR(std::atof(ours.at(step).c_str() + 7), std::atof(loss.c_str() + 7), 1e-3) << step;
}

TEST_F(TrainTest, WithoutANameTheSpiralsAreLearned) {
  const Process::Result result =
      run_nnscope({"train", "--headless", "--set", "epochs=2", "--set", "points=64", "--run", run("plain")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(losses("plain").size(), 4U);
  // Its folder holds a recording, too, unless nobody wants one.
  const Process::Result replayed = run_nnscope({"replay", run("plain") + "/recording.nnscope", "--headless", "--json"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_NE(replayed.out.find("\"points\": 4"), std::string::npos) << replayed.out;
  ASSERT_EQ(run_nnscope({"train", "--headless", "--set", "epochs=2", "--set", "points=64", "--run", run("without"),
                         "--no-recording"})
                .status,
            0);
  EXPECT_FALSE(fs::exists(folder / "without/recording.nnscope"));
  EXPECT_EQ(losses("without"), losses("plain")) << "recording changes nothing";
}

TEST_F(TrainTest, GradientsAreAccumulatedAndClippedAndAnEarlyStopEndsTheRun) {
  const auto idx = [&](const std::string& name, const std::vector<char>& sizes, std::size_t values) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
    for (const char size : sizes) bytes += std::string(3, '\0') + size;
    for (std::size_t i = 0; i < values; ++i) bytes += static_cast<char>(sizes.size() == 1 ? i * 7 % 10 : i * 31 % 251);
    write(name, bytes);
  };
  idx("train-images-idx3-ubyte", {64, 28, 28}, std::size_t{64} * 784);
  idx("train-labels-idx1-ubyte", {64}, 64);
  idx("t10k-images-idx3-ubyte", {20, 28, 28}, std::size_t{20} * 784);
  idx("t10k-labels-idx1-ubyte", {20}, 20);
  const auto train = [&](const std::string& name, const std::vector<std::string>& settings) {
    std::vector<std::string> arguments = {"train", "--headless", "cnn", "--data", folder.string(), "--run", run(name)};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    for (const char* small : {"width=2", "batch=16", "dropout=0"}) arguments.insert(arguments.end(), {"--set", small});
    const Process::Result result = run_nnscope(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return losses(name);
  };
  EXPECT_EQ(train("plain", {"epochs=2"}).size(), 8U);
  const auto accumulated = train("accumulated", {"epochs=2", "accumulate=2"});
  EXPECT_EQ(accumulated.size(), 4U);
  // A gradient that is made next to nothing leaves another second step.
  EXPECT_NE(train("clipped", {"epochs=2", "accumulate=2", "clip=0.001"}), accumulated);
  EXPECT_LT(train("stopped", {"epochs=30", "patience=1", "lr=0"}).size(), 30U * 4);
  EXPECT_NE(read("stopped/log.txt").find("early"), std::string::npos) << read("stopped/log.txt");
}

// A program whose loss on any share of a batch tells of the parameters alone, so that rank 0's is that of all.
constexpr const char* kTogether = R"(
import torch, nnscope.train as train, os
settings = train.settings(steps=30, rate=0.05)
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.5)
run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler)
network = train.parallel(model)
for step in run.steps(settings.steps):
    x, y = torch.randn(12, 4), torch.randn(12, 2)
    mine, wanted = train.share(x, y)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(network(mine), wanted).backward()
    optimizer.step()
    scheduler.step()
    train.log(sum=sum(one.detach().double().sum() for one in model.parameters()))
print("rank", os.environ.get("RANK"), type(network).__name__, len(mine))
)";

TEST_F(TrainTest, RanksTrainAsOneProcessWithTheWholeBatchAndOnlyTheFirstTells) {
  const std::string program = write("together.py", kTogether);
  const Process::Result alone = run_nnscope({"train", program, "--headless", "--no-recording", "--run", run("alone")});
  ASSERT_EQ(alone.status, 0) << alone.err;
  const Process::Result ranks =
      run_nnscope({"train", "--nproc", "3", program, "--headless", "--no-recording", "--run", run("ranks")});
  ASSERT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_NE(ranks.out.find("rank 0 DistributedDataParallel 4"), std::string::npos) << ranks.out;
  EXPECT_EQ(ranks.out.find("rank 1"), std::string::npos) << ranks.out;
  const auto sums = [&](const std::string& name) {
    std::vector<double> found;
    std::istringstream lines(read(name + "/metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find("\"sum\"");
      if (at == std::string::npos) continue;
      const std::size_t value = line.find("\"value\":", at);
      found.push_back(std::atof(line.c_str() + (value == std::string::npos ? at + 6 : value + 8)));
    }
    return found;
  };
  const std::vector<double> one = sums("alone"), three = sums("ranks");
  ASSERT_EQ(one.size(), 30U) << read("alone/metrics.jsonl").substr(0, 500);
  ASSERT_EQ(three.size(), 30U);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], three[i], 1e-4) << i;
  // The loss that is told is that of all, not that of the first rank's share.
  const auto whole = losses("alone"), joined = losses("ranks");
  ASSERT_EQ(joined.size(), whole.size());
  for (const auto& [step, loss] : whole) {
    EXPECT_NEAR(std::atof(joined.at(step).c_str()), std::atof(loss.c_str()), 1e-5) << step;
  }
}

TEST_F(TrainTest, WhichRankMadeTheFirstNaNIsTold) {
  std::string text = kTogether;
  const std::string share = "train.share(x, y)\n";
  text.insert(text.find(share) + share.size(),
              "    if step == 4 and os.environ.get('RANK') == '2': mine = mine * float('inf') * 0\n");
  const Process::Result ranks =
      run_nnscope({"train", "--nproc", "3", write("bad.py", text), "--headless", "--keep-nothing"});
  EXPECT_NE(ranks.status, 0);
  EXPECT_NE(ranks.err.find("on rank 2"), std::string::npos) << ranks.err;
}

TEST_F(TrainTest, RanksThatWereKilledGoOnFromTheCheckpointToTheSameLosses) {
  std::vector<std::string> whole = {"train",      "gpt",     "--headless", "--no-recording",     "--set",
                                    "steps=80",   "--nproc", "2",          "--checkpoint-every", "5",
                                    "--set",      "dim=16",  "--set",      "layers=1",           "--set",
                                    "evaluate=0", "--run"};
  std::vector<std::string> killed = whole;
  whole.push_back(run("whole"));
  killed.push_back(run("killed"));
  const Process::Result first = run_nnscope(whole);
  ASSERT_EQ(first.status, 0) << first.err;
  {
    const Process process(killed);
    for (int i = 0; i < 4000 && (!fs::exists(folder / "killed/checkpoints") || checkpoints("killed") < 2); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    process.signal(SIGKILL);
  }
  const std::map<int, std::string> all = losses("whole");
  ASSERT_EQ(all.size(), 80U);
  ASSERT_LT(losses("killed").size(), all.size()) << "it was not killed in time";
  const Process::Result resumed = run_nnscope({"train", "--nproc=2", "--headless", "--resume", run("killed")});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(losses("killed"), all);
}

// As when a viewer moves it while a step is made: before rank 0's optimiser, which is the only one that knows of it.
TEST_F(TrainTest, ALearningRateThatChangesAtTheFirstRankIsThatOfAll) {
  const std::string program = write("changes.py", R"(
import torch, nnscope.train as train, os
import torch.distributed as dist
torch.manual_seed(1)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
run = train.Run(model=model, optimizer=optimizer, scheduler=scheduler)
network = train.parallel(model)
for step in run.steps(12):
    x = train.share(torch.randn(6, 4))
    optimizer.zero_grad()
    network(x).square().mean().backward()
    if step == 7 and dist.get_rank() == 0:
        optimizer.param_groups[0]["lr"] = scheduler.base_lrs[0] = 0.5
    optimizer.step()
    scheduler.step()
told = [None] * dist.get_world_size()
state = (model.weight.tolist(), optimizer.param_groups[0]["lr"], optimizer.state_dict()["state"][0]["momentum_buffer"].tolist())
dist.all_gather_object(told, state)
print("equal:", all(one == told[0] for one in told), told[0][1] > 0.4)
)");
  const Process::Result ranks = run_nnscope({"train", "--nproc", "2", program, "--headless", "--keep-nothing"});
  EXPECT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_NE(ranks.out.find("equal: True True"), std::string::npos) << ranks.out;
}

TEST_F(TrainTest, ARankThatFailsEndsTheOthers) {
  const std::string program = write("fails.py", std::string(kTogether) + R"(
if os.environ["RANK"] == "1": raise ValueError("rank 1 has had enough")
run.steps(5)
import torch.distributed as dist
dist.barrier()
)");
  const Process::Result ranks = run_nnscope({"train", "--nproc", "2", program, "--headless", "--keep-nothing"});
  EXPECT_EQ(ranks.status, 1);
  EXPECT_NE(ranks.err.find("rank 1 has had enough"), std::string::npos) << ranks.err;
}

TEST_F(TrainTest, ARecipeCanBePrintedAndChanged) {
  const Process::Result printed = run_nnscope({"train", "--headless", "spirals", "--print-recipe"});
  ASSERT_EQ(printed.status, 0);
  const std::string copy = write("mine.py", printed.out);
  const Process::Result trained =
      run_nnscope({"train", "--headless", copy, "--set", "epochs=10", "--set", "shape=moons", "--run", run("mine")});
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.out.find("epoch 10"), std::string::npos);
  EXPECT_EQ(read("mine/recipe.py"), printed.out);
  EXPECT_NE(read("mine/run.json").find("\"shape\": \"moons\""), std::string::npos);
}

}  // namespace
}  // namespace nns::tests
