// `run`: which files a program may have, and what torch.save leaves in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/byte_source.h"
#include "core/checkpoint/zip_archive.h"
#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = folder.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  TemporaryFolder folder;
};

// Where a program was asked to write, as a list of "ErrorType: text" or "fine".
constexpr std::string_view kTry =
    "def attempt(*how):\n"
    "    try:\n"
    "        with open(*how) as f:\n"
    "            if len(how) > 1: f.write('x')\n"
    "            print('fine')\n"
    "    except OSError as e:\n"
    "        print(type(e).__name__, e)\n";

TEST_F(RunFiles, WritesBelowTheFoldersThatItWasGivenAndNowhereElse) {
  fs::create_directories(folder.path() / "program" / "out");
  const std::string program = write("program/main.py", std::string(kTry) +
                                                           "attempt('out/a.txt', 'w')\n"
                                                           "attempt('out/a.txt', 'a')\n"
                                                           "attempt('out/a.txt', 'x')\n"
                                                           "attempt('b.txt', 'w')\n"
                                                           "attempt('out/../b.txt', 'w')\n"
                                                           "attempt('out/none/c.txt', 'w')\n");
  const Process::Result result = run_nnscope({"run", "--allow-write", at("program/out"), program});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto refused = [](const std::string& path) {
    return "PermissionError [Errno 13] nnscope lets programs write only below folders that --allow-write names: '" +
           path + "'\n";
  };
  EXPECT_EQ(result.out, "fine\nfine\nFileExistsError [Errno 17] File exists: 'out/a.txt'\n" + refused("b.txt") +
                            refused("out/../b.txt") +
                            "FileNotFoundError [Errno 2] No such file or directory: 'out/none/c.txt'\n");
  std::ifstream stream(at("program/out/a.txt"));
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "xx");
  EXPECT_FALSE(fs::exists(folder.path() / "program" / "b.txt"));
}

TEST_F(RunFiles, FollowsLinksBeforeItLetsAProgramWrite) {
  fs::create_directories(folder.path() / "out");
  write("outside/kept.txt", "kept");
  fs::create_symlink(folder.path() / "outside", folder.path() / "out" / "link");
  const std::string program = write("main.py", std::string(kTry) + "attempt('out/link/kept.txt', 'w')\n");
  const Process::Result result = run_nnscope({"run", "--allow-write", at("out"), program});
  EXPECT_THAT(result.out, HasSubstr("PermissionError"));
  std::ifstream stream(at("outside/kept.txt"));
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "kept");
}

TEST_F(RunFiles, ReadsElsewhereWhereItWasAllowedTo) {
  write("other/data.txt", "numbers");
  const std::string program = write("program/main.py", std::string(kTry) +
                                                           "attempt('../other/data.txt')\n"
                                                           "attempt('../program/main.py')\n"
                                                           "attempt('none.txt')\n");
  EXPECT_EQ(
      run_nnscope({"run", program}).out,
      "PermissionError [Errno 13] nnscope lets programs read only below their own folder and those that --allow-read "
      "names: '../other/data.txt'\nfine\nFileNotFoundError [Errno 2] No such file or directory: 'none.txt'\n");
  EXPECT_EQ(run_nnscope({"run", "--allow-read", at("other"), program}).out,
            "fine\nfine\nFileNotFoundError [Errno 2] No such file or directory: 'none.txt'\n");
}

TEST_F(RunFiles, TextsAreReadLineByLineAsPythonReadsThem) {
  fs::create_directories(folder.path() / "out");
  const std::string program =
      write("main.py",
            "with open('out/t.txt', 'wb') as f: f.write(b'one\\ntwo\\r\\nthree\\rfour')\n"
            "for newline in (None, '\\n', '\\r\\n'):\n"
            "    with open('out/t.txt', newline=newline) as f:\n"
            "        print([line for line in f])\n"
            "        f.seek(0)\n"
            "        print(repr(f.read(2)), repr(f.readline()), repr(f.readline(1)), f.tell())\n"
            "with open('out/t.txt', 'w') as f: f.writelines(['a\\n', 'b\\n'])\n"
            "f = open('out/t.txt')\n"
            "print(f.readlines(), repr(f.readline()), f.seek(2), repr(f.read()), f.seek(0, 2))\n"
            "try: f.write('x')\n"
            "except OSError as e: print(e)\n"
            "f.close()\n"
            "try: f.read()\n"
            "except ValueError as e: print(e)\n"
            "print('left', file=open('out/left.txt', 'w'))\n"
            "raise SystemExit(3)\n");
  const Process::Result result = run_nnscope({"run", "--allow-write", at("out"), program});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_EQ(result.out,
            "['one\\n', 'two\\n', 'three\\n', 'four']\n'on' 'e\\n' 't' 5\n"
            "['one\\n', 'two\\r\\n', 'three\\rfour']\n'on' 'e\\n' 't' 5\n"
            "['one\\ntwo\\r\\n', 'three\\rfour']\n'on' 'e\\ntwo\\r\\n' 't' 10\n"
            "['a\\n', 'b\\n'] '' 2 'b\\n' 4\nnot writable\nI/O operation on closed file.\n");
  std::ifstream stream(at("out/left.txt"));
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "left");
}

TEST_F(RunFiles, ACheckpointThatItSavedIsLoadedByTheNextProgramAndByInspect) {
  fs::create_directories(folder.path() / "out");
  const std::string saves = write("saves.py",
                                  "import torch\nfrom torch import nn\n"
                                  "m = nn.Linear(2, 3)\nnn.init.constant_(m.weight, 0.5)\n"
                                  "torch.save({'model': m.state_dict(), 'epoch': 4}, 'out/run.pt')\n"
                                  "torch.save(m.state_dict(), 'out/old.pt', _use_new_zipfile_serialization=False)\n"
                                  "try: torch.save(1, 'out/none/run.pt')\n"
                                  "except RuntimeError as e: print(e)\n");
  const Process::Result saved = run_nnscope({"run", "--allow-write", at("out"), saves});
  EXPECT_EQ(saved.out, "Parent directory out/none does not exist.\n") << saved.err;
  const std::string loads = write("loads.py",
                                  "import torch\nfrom pathlib import Path\n"
                                  "for mmap in (None, True):\n"
                                  "    c = torch.load(Path('out') / 'run.pt', mmap=mmap)\n"
                                  "    print(c['epoch'], c['model']['weight'].sum().item(), list(c['model']))\n"
                                  "with open('out/old.pt', 'rb') as f:\n"
                                  "    print(torch.load(f)['weight'].shape)\n");
  EXPECT_EQ(run_nnscope({"run", loads}).out,
            "4 3.0 ['weight', 'bias']\n4 3.0 ['weight', 'bias']\ntorch.Size([3, 2])\n");
  for (const char* name : {"out/run.pt", "out/old.pt"}) {
    const Process::Result inspected = run_nnscope({"inspect", at(name)});
    EXPECT_EQ(inspected.status, 0) << inspected.err;
    EXPECT_THAT(inspected.out, HasSubstr("2 tensors · 9 parameters"));
  }
}

// The pickle in an archive of PyTorch; empty where it is none.
std::string pickle_of(const fs::path& path) {
  auto archive = checkpoint::ZipArchive::open(open_file(path));
  if (!archive.ok()) return {};
  for (std::uint32_t i = 0; i < archive.value()->members().size(); ++i) {
    if (!archive.value()->members()[i].name.ends_with("/data.pkl")) continue;
    const auto read = archive.value()->read(i, 1U << 30U);
    if (read.ok()) return {reinterpret_cast<const char*>(read.value().bytes.data()), read.value().bytes.size()};
  }
  return {};
}

TEST_F(RunFiles, WhatPyTorchSavedIsSavedAgainWithTheSamePickle) {
  const auto data = test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder";
  fs::create_directories(folder.path() / "out");
  const std::string program =
      write("main.py", "import sys, torch\ntorch.save(torch.load(sys.argv[1]), 'out/again.pt')\n");
  for (const char* name :
       {"burn/reader/checkpoint.pt", "burn/reader/complex_structure.pt", "burn/reader/parameter.pt",
        "burn/reader/mixed_types.pt", "candle/test.pt", "executorch/kws_model.pth", "bumblebee/tensors.zip.pt"}) {
    const fs::path path = *data / name;
    if (!fs::exists(path)) continue;
    const Process::Result result = run_nnscope(
        {"run", "--allow-read", data->string(), "--allow-write", at("out"), program, fs::absolute(path).string()});
    EXPECT_EQ(result.status, 0) << name << ": " << result.err;
    const std::string before = pickle_of(path);
    EXPECT_FALSE(before.empty()) << name;
    EXPECT_EQ(pickle_of(folder.path() / "out" / "again.pt"), before) << name;
  }
}

}  // namespace
}  // namespace nns::tests
