#include "core/checkpoint/scan.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "core/checkpoint/pickle_globals.h"
#include "tests/support/files.h"
#include "tests/support/make_npy.h"
#include "tests/support/make_torch_zip.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using tests::zip_of;
using tests::ZipWriter;
using namespace std::string_literals;

const std::string kSystemCall = "cos\nsystem\n(S'id'\ntR.";
const std::string kBenign = "\x80\x02}q\x00X\x01\x00\x00\x00"s + "aK\x01s.";

struct Outcome {
  ScanReport report;
  std::string error;
};

Outcome scan_source(std::shared_ptr<base::ByteSource> source, base::Budget::Clock::duration slice) {
  ScanTask task(std::move(source));
  for (int step = 0; step < 10'000'000; ++step) {
    const auto done = task.step(base::Budget(slice));
    if (!done.ok()) return {task.report(), done.error().message()};
    if (*done) return {task.report(), {}};
  }
  return {task.report(), "it does not end"};
}

/// The same in whole and in slices of no time.
ScanReport scan_bytes(std::string_view bytes) {
  const auto source = [&] { return base::make_memory_source("file", tests::to_bytes(bytes)); };
  const Outcome whole = scan_source(source(), std::chrono::hours(1));
  const Outcome sliced = scan_source(source(), std::chrono::nanoseconds(0));
  EXPECT_EQ(whole.error, "");
  EXPECT_EQ(whole.report.findings.size(), sliced.report.findings.size());
  EXPECT_EQ(whole.report.verdict(), sliced.report.verdict());
  return whole.report;
}

std::string text_of(const ScanReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::Safe) continue;
    text += (finding.verdict == Verdict::Dangerous ? "dangerous " : "unknown ") + finding.name + " "s + finding.opcode +
            " "s + std::to_string(finding.offset) + " "s + finding.member + " "s + finding.why + "\n";
  }
  return text;
}

std::string findings_of(std::string_view bytes) { return text_of(scan_bytes(bytes)); }

std::string short_text(std::string_view text) {
  return "\x8c"s + std::string(1, static_cast<char>(text.size())) + std::string(text);
}

std::string stack_global(std::string_view module, std::string_view name) {
  return short_text(module) + short_text(name) + "\x93";
}

std::string packed(std::string_view bytes, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string tar_of(std::string_view name, std::string_view bytes) {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { head.replace(at, text.size(), text); };
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", bytes.size());
  put(0, name);
  put(124, std::string_view(size, 11));
  put(148, "        ");
  head[156] = '0';
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  put(148, std::string_view(text, 7));
  std::string data(bytes);
  data.resize((data.size() + 511) / 512 * 512, '\0');
  return head + data + std::string(1024, '\0');
}

TEST(ScanPickles, NamesTheGlobalItsOpcodeAndItsOffset) {
  EXPECT_EQ(findings_of(kSystemCall), "dangerous os.system GLOBAL 0  runs commands of the system\n");
  EXPECT_EQ(findings_of("\x80\x04"s + stack_global("posix", "system") + "\x8c\x02id\x85R."),
            "dangerous posix.system STACK_GLOBAL 17  runs commands of the system\n");
  EXPECT_EQ(findings_of(zip_of({{"archive/data.pkl", kSystemCall}})),
            "dangerous os.system GLOBAL 0 archive/data.pkl runs commands of the system\n");
}

TEST(ScanPickles, PlainValuesAndTheAllowListAreSafe) {
  EXPECT_EQ(scan_bytes(kBenign).verdict(), Verdict::Safe);
  EXPECT_EQ(scan_bytes(kBenign).pickles, 1U);
  tests::PickleWriter pickle;
  pickle.ordered_dict().mark().text("w");
  pickle.tensor({"0", "FloatStorage", 4, 0, {2, 2}, {2, 1}, false}).set_items();
  const ScanReport report = scan_bytes(tests::make_torch_zip(pickle.stop(), {{"0", std::string(16, '\x80')}}));
  EXPECT_EQ(text_of(report), "");
  EXPECT_EQ(report.verdict(), Verdict::Safe);
  EXPECT_EQ(report.findings.size(), 3U);
}

TEST(ScanPickles, ClassesOfOthersAreUnknown) {
  EXPECT_EQ(scan_bytes("\x80\x02"
                       "cmypackage\nModel\n)\x81}b.")
                .verdict(),
            Verdict::Unknown);
  EXPECT_EQ(scan_bytes("\x80\x02"
                       "cfunctools\npartial\ncmypackage\nf\n\x85R.")
                .verdict(),
            Verdict::Unknown);
}

// What reaches code by another way than os.system: each must be found by its name.
TEST(ScanPickles, EveryWayToRunCodeIsDangerous) {
  const std::vector<std::pair<const char*, const char*>> ways = {
      {"os", "system"},
      {"nt", "system"},
      {"posix", "popen"},
      {"subprocess", "Popen"},
      {"pty", "spawn"},
      {"builtins", "eval"},
      {"builtins", "exec"},
      {"builtins", "getattr"},
      {"builtins", "__import__"},
      {"builtins", "compile"},
      {"builtins", "open"},
      {"__builtin__", "execfile"},
      {"__builtin__", "apply"},
      {"builtins", "eval.__call__"},
      {"runpy", "_run_code"},
      {"importlib", "import_module"},
      {"importlib.util", "x"},
      {"operator", "attrgetter"},
      {"operator", "methodcaller"},
      {"_operator", "attrgetter"},
      {"functools", "reduce"},
      {"_io", "open"},
      {"io", "FileIO"},
      {"ctypes", "CDLL"},
      {"multiprocessing.pool", "ThreadPool"},
      {"webbrowser", "open"},
      {"asyncio.unix_events", "_UnixSubprocessTransport._start"},
      {"bdb", "Bdb.run"},
      {"pdb", "run"},
      {"timeit", "timeit"},
      {"cProfile", "run"},
      {"profile", "Profile.runctx"},
      {"trace", "Trace.run"},
      {"doctest", "debug_script"},
      {"idlelib.pyshell", "ModifiedInterpreter.runcode"},
      {"lib2to3.pgen2.grammar", "Grammar.loads"},
      {"distutils.file_util", "write_file"},
      {"ensurepip", "_run_pip"},
      {"venv", "create"},
      {"code", "InteractiveInterpreter.runcode"},
      {"pip", "main"},
      {"shutil", "rmtree"},
      {"socket", "create_connection"},
      {"http.client", "HTTPSConnection"},
      {"httplib", "HTTPSConnection"},
      {"requests.api", "get"},
      {"urllib.request", "urlopen"},
      {"aiohttp.client", "ClientSession"},
      {"numpy.testing._private.utils", "runstring"},
      {"numpy", "testing._private.utils.runstring"},
      {"pydoc", "pipepager"},
      {"pydoc", "locate"},
      {"uuid", "_get_command_stdout"},
      {"_osx_support", "_read_output"},
      {"_aix_support", "_read_cmd_output"},
      {"_pyrepl.pager", "pipe_pager"},
      {"imaplib", "IMAP4_stream"},
      {"test.support.script_helper", "assert_python_ok"},
      {"logging.config", "_resolve"},
      {"linecache", "getline"},
      {"zipimport", "zipimporter"},
      {"pkgutil", "resolve_name"},
      {"sys", "modules"},
      {"types", "FunctionType"},
      {"dataclasses", "_create_fn"},
      {"torch", "load"},
      {"torch", "hub.load"},
      {"torch.hub", "load"},
      {"torch", "serialization.os.system"},
      {"torch.serialization", "load"},
      {"torch.serialization", "os"},
      {"torch.storage", "_load_from_bytes"},
      {"torch.utils._config_module", "ConfigModule.load_config"},
      {"torch.utils.bottleneck.__main__", "run_cprofile"},
      {"torch.utils.collect_env", "run"},
      {"torch.utils.cpp_extension", "load_inline"},
      {"torch._dynamo.guards", "GuardBuilder.get"},
      {"torch.fx.experimental.symbolic_shapes", "ShapeEnv.evaluate_guards_expression"},
      {"torch.fx.graph_module", "reduce_graph_module"},
      {"torch._inductor.codecache", "compile_file"},
      {"torch.jit.unsupported_tensor_ops", "execWrapper"},
      {"torch.utils.data.datapipes.utils.decoder", "basichandlers"},
      {"pickle", "loads"},
      {"dill", "loads"},
      {"cloudpickle.cloudpickle", "_builtin_type"},
      {"marshal", "loads"},
      {"joblib", "load"},
      {"numpy", "load"},
      {"pandas", "read_pickle"},
      {"keras.models", "load_model"},
      {"code", "interact"},
      {"commands", "getoutput"},
      {"thread", "start_new_thread"},
      {"atexit", "register"},
      {"somewhere.else", "system"},
      {"somewhere", "os.path"},
      {"somewhere", "x.y"},
      {"collections", "OrderedDict.__init__.__globals__"}};
  for (const auto& [module, name] : ways) {
    EXPECT_EQ(judge_global(module, name), Verdict::Dangerous) << module << " " << name;
    EXPECT_FALSE(judge(module, name).why.empty()) << module << " " << name;
    EXPECT_EQ(scan_bytes("\x80\x04"s + stack_global(module, name) + "\x8c\x02id\x85R.").verdict(), Verdict::Dangerous)
        << module << " " << name;
  }
}

TEST(ScanPickles, EveryOpcodeThatNamesOrCallsIsFollowed) {
  EXPECT_THAT(findings_of("(S'id'\nios\nsystem\n."), HasSubstr("os.system INST"));
  EXPECT_THAT(findings_of("(cos\nsystem\nS'id'\no."), HasSubstr("os.system GLOBAL"));
  EXPECT_THAT(findings_of("\x80\x02"
                          "cos\nsystem\n)\x81."),
              HasSubstr("os.system"));
  EXPECT_THAT(findings_of("\x80\x04"s + stack_global("os", "system") + ")}\x92."), HasSubstr("os.system"));
  EXPECT_THAT(findings_of("\x80\x02\x82\x01)R."), HasSubstr("by a number"));
  EXPECT_THAT(findings_of("\x80\x02"
                          "cmypackage\nf\n)R)R."),
              HasSubstr("calls what the pickle itself computed"));
  EXPECT_THAT(findings_of("\x80\x02"
                          "ccollections\nOrderedDict\n}b."),
              HasSubstr("changes a global itself"));
  EXPECT_THAT(findings_of("\x80\x02"
                          "cmypackage\nlist\nK\x01"
                          "a."),
              HasSubstr("changes a global itself"));
}

TEST(ScanPickles, NamesFromTheMemoAreFollowedAsPythonWould) {
  // os and system under other numbers than a pickler gives, fetched again after decoys took their old places.
  const std::string far = "\x80\x04"s + short_text("os") +
                          "r\xff\xff\xff\x7f"
                          "0" +
                          short_text("system") +
                          "q\x05"
                          "0" +
                          "j\xff\xff\xff\x7f"
                          "h\x05\x93\x8c\x02id\x85R.";
  EXPECT_THAT(findings_of(far), HasSubstr("os.system STACK_GLOBAL"));
  // MEMOIZE counts entries, not numbers.
  const std::string counted = "\x80\x04"s + short_text("math") +
                              "q\x07"
                              "0" +
                              short_text("os") +
                              "\x94"
                              "0" +
                              short_text("system") +
                              "\x94"
                              "0h\x01h\x02\x93\x8c\x02id\x85R.";
  EXPECT_THAT(findings_of(counted), HasSubstr("os.system"));
  // An entry that is written twice means the second.
  const std::string again = "\x80\x04"s + short_text("math") +
                            "q\x00"
                            "0"s +
                            short_text("os") + "q\x00"s + "0h\x00"s + short_text("system") + "\x93)R.";
  EXPECT_THAT(findings_of(again), HasSubstr("os.system"));
  EXPECT_THAT(findings_of("\x80\x02"
                          "cmypackage\nf\np 1_0\n0g10\n."),
              HasSubstr("spelled as no pickler does"));
}

TEST(ScanPickles, NamesThatThePickleComputesAreDangerous) {
  // str(b"os", "ascii") and others on the allow-list can make any name.
  EXPECT_THAT(findings_of("\x80\x04"s + stack_global("builtins", "str") + "\x8c\x02os\x85R"s + short_text("system") +
                          "\x93)R."),
              HasSubstr("names a global that the pickle itself computes"));
  EXPECT_THAT(findings_of("V\\u006fs\nVsystem\n\x93)R."), HasSubstr("names a global that the pickle itself computes"));
  EXPECT_EQ(scan_bytes("\x80\x02"
                       "c" +
                       std::string(5000, 'a') + "\nb\n.")
                .verdict(),
            Verdict::Dangerous);
}

TEST(ScanPickles, AllPicklesOfAFileAreRead) {
  EXPECT_THAT(findings_of(kBenign + kSystemCall), HasSubstr("os.system GLOBAL 15"));
  EXPECT_THAT(findings_of(kBenign + kBenign + kBenign +
                          "\x80\x02"
                          "cos\nsystem\n."),
              HasSubstr("os.system"));
  EXPECT_EQ(scan_bytes(kBenign + kBenign).pickles, 2U);
  EXPECT_THAT(findings_of(kBenign + "anything else"), HasSubstr("unknown"));
}

TEST(ScanPickles, WhatStandsBehindABreakIsSearchedToo) {
  EXPECT_THAT(findings_of("\x80\x02K\x01\xff\xff"s + kSystemCall), HasSubstr("dangerous os.system GLOBAL 6"));
  EXPECT_THAT(findings_of("cbuiltins\nexec\nX\xff\xff\xff\x7f"
                          "print(1)"),
              HasSubstr("builtins.exec"));
}

TEST(ScanPickles, PicklesInsideBytesOfPicklesAreRead) {
  const std::string inner = "\x80\x02"s + kSystemCall;
  EXPECT_THAT(findings_of("\x80\x04"
                          "B" +
                          std::string(1, static_cast<char>(inner.size())) + "\0\0\0"s + inner + "."),
              HasSubstr("os.system GLOBAL 2 bytes at 7"));
}

TEST(ScanPickles, TextIsNoPickleThoughItBeginsAsOne) {
  for (const char* text : {"It was a dark night.\nNo pickle.\n", "(c) 2020 somebody\n", "code\nfor everybody.\n", "",
                           ".", "import os\nos.system('id')\n"}) {
    const ScanReport report = scan_bytes(text);
    EXPECT_EQ(report.verdict(), Verdict::Safe) << text << text_of(report);
    EXPECT_EQ(report.format, "") << text;
  }
}

TEST(ScanArchives, ArchivesInArchivesAreOpened) {
  EXPECT_THAT(findings_of(zip_of({{"a.zip", zip_of({{"b.bin", kSystemCall}}, true)}}, true)),
              HasSubstr("os.system GLOBAL 0 a.zip!b.bin"));
  EXPECT_THAT(findings_of(tar_of("pickle", kSystemCall)), HasSubstr("os.system GLOBAL 0 pickle"));
  EXPECT_THAT(findings_of(packed(kSystemCall, 31)), HasSubstr("os.system GLOBAL 0 unpacked"));
  EXPECT_THAT(findings_of(packed(kSystemCall, 15)), HasSubstr("os.system GLOBAL 0 unpacked"));
  EXPECT_THAT(findings_of(zip_of({{"x", tar_of("p", packed(kSystemCall, 31))}})), HasSubstr("x!p!unpacked"));
  std::string deep = kSystemCall;
  for (int level = 0; level < 12; ++level) deep = zip_of({{"a", deep}});
  EXPECT_THAT(findings_of(deep), HasSubstr("inside so many archives"));
}

TEST(ScanArchives, MembersAreJudgedByTheirBytesNotByTheirNames) {
  EXPECT_THAT(findings_of(zip_of({{"archive/data.pkl", kBenign}, {"notes.txt", kSystemCall}})), HasSubstr("os.system"));
  EXPECT_THAT(
      findings_of(zip_of({{"archive/data.pkl", kBenign}, {"archive/.hidden/x", "\x80\x02"s + kSystemCall}}, true)),
      HasSubstr("os.system"));
  EXPECT_THAT(findings_of(zip_of({{"archive/data.pkl", kBenign}, {"archive/data/x.pkl", kSystemCall}})),
              HasSubstr("os.system"));
}

TEST(ScanArchives, WhatNobodyCanLookIntoIsDangerous) {
  for (const std::string& magic : {"7z\xbc\xaf\x27\x1c"s, "Rar!\x1a\x07"s,
                                   "\xfd"
                                   "7zXZ\0"s,
                                   "BZh91AY&SY"s, "\x28\xb5\x2f\xfd"s, "\x04\x22\x4d\x18"s}) {
    EXPECT_THAT(findings_of(zip_of({{"data.pkl", magic + std::string(40, 'x')}})), HasSubstr("hides what is in it"));
    EXPECT_EQ(scan_bytes(magic + std::string(40, 'x')).verdict(), Verdict::Dangerous);
  }
}

std::string replaced(std::string text, std::size_t at, std::string_view bytes) {
  return text.replace(at, bytes.size(), bytes);
}

TEST(ScanArchives, ContradictionsBetweenDirectoryAndMembersAreDangerous) {
  const std::string good = zip_of({{"archive/data.pkl", kBenign}});
  ASSERT_EQ(scan_bytes(good).verdict(), Verdict::Safe);
  const std::size_t directory = good.find("PK\x01\x02");
  const auto told = [&](std::string_view what, const std::string& bytes) {
    const ScanReport report = scan_bytes(bytes);
    EXPECT_EQ(report.verdict(), Verdict::Dangerous) << what;
    EXPECT_THAT(text_of(report), HasSubstr(std::string(what)));
  };
  told("encrypted", replaced(good, 6, "\x01"));
  told("encrypted", replaced(good, directory + 8, "\x01"));
  told("way of packing", replaced(good, 8, "\x08"));
  told("another name", replaced(good, 30, "b"));
  told("checksum", replaced(good, 14, "\x01\x02\x03\x04"));
  told("other sizes", replaced(good, 22, "\x01"));
  told("checksum", replaced(replaced(good, 14, "\x01\x02\x03\x04"), directory + 16, "\x01\x02\x03\x04"));
  told("no local header", replaced(good, 0, "XX") + "");
  told("reaches", replaced(replaced(good, directory + 20, "\xff"), directory + 24, "\xff"));
  told("method 12", replaced(replaced(good, 8, "\x0c"), directory + 10, "\x0c"));
  told("appears twice", [&] {
    std::string twice = zip_of({{"archive/data.pkl", kBenign}, {"archive/data.pkX", kSystemCall}});
    for (std::size_t at = twice.find("data.pkX"); at != std::string::npos; at = twice.find("data.pkX"))
      twice[at + 7] = 'l';
    return twice;
  }());
  // One deflated stream that is damaged, and one that goes on behind what is declared.
  std::string damaged = zip_of({{"archive/data.pkl", kBenign + std::string(4000, 'N')}}, true);
  told("unpacked", replaced(damaged, 30 + 16 + 2, "\xff\xff\xff\xff\xff"));
}

TEST(ScanArchives, AnArchiveBehindAPickleIsSeen) {
  const std::string zip = zip_of({{"archive/data.pkl", kSystemCall}});
  EXPECT_EQ(scan_bytes(kBenign + zip).verdict(), Verdict::Dangerous);
  // And a whole one whose offsets count the bytes before it.
  ZipWriter writer;
  writer.add("hole", std::string(64, '\0'));
  writer.add("archive/data.pkl", kSystemCall);
  writer.finish();
  EXPECT_EQ(scan_bytes(writer.whole().replace(0, 4, "\x80\x02N.")).verdict(), Verdict::Dangerous);
}

TEST(ScanArchives, OfArchivesThatEndTooEarlyTheMembersAreLookedAt) {
  const auto cut_before_directory = [](const std::string& zip) { return zip.substr(0, zip.find("PK\x01\x02")); };
  // What is whole is looked at; that the directory is missing is told.
  for (const bool deflated : {false, true}) {
    std::string cut =
        cut_before_directory(zip_of({{"archive/data.pkl", kSystemCall}, {"archive/version", "3"}}, deflated));
    EXPECT_THAT(findings_of(cut), HasSubstr("os.system GLOBAL 0 archive/data.pkl")) << deflated;
    EXPECT_THAT(findings_of(cut), HasSubstr("a zip archive without its directory")) << deflated;
    EXPECT_EQ(scan_bytes(cut_before_directory(zip_of({{"archive/data.pkl", kBenign}}, deflated))).verdict(),
              Verdict::Unknown);
  }
  std::string cut = zip_of({{"archive/data.pkl", kSystemCall}});
  cut.resize(cut.size() - 30);
  EXPECT_EQ(scan_bytes(cut).verdict(), Verdict::Dangerous);
  // In the middle of the pickle: what was told up to there.
  EXPECT_THAT(findings_of(cut.substr(0, cut.find("system") + 8)), HasSubstr("os.system"));
  EXPECT_THAT(findings_of(zip_of({{"inner", cut}})), HasSubstr("contradicts itself"));
  // Members whose sizes follow them, as torch.save writes, with either width.
  for (const bool is_wide : {false, true}) {
    std::string streamed;
    for (const std::string& bytes : {kBenign, kSystemCall}) {
      const std::string size(1, static_cast<char>(bytes.size()));
      const std::string rest(is_wide ? 7 : 3, '\0');
      streamed += "PK\x03\x04\x14\x00\x08\x00"s + std::string(18, '\0') + "\x05\x00\x00\x00"s + "a.pkl" + bytes +
                  "PK\x07\x08\x01\x02\x03\x04" + size + rest + size + rest;
    }
    EXPECT_THAT(findings_of(streamed), HasSubstr("os.system GLOBAL 0 a.pkl")) << is_wide;
  }
}

TEST(ScanArchives, BombsEndEarly) {
  ZipWriter zip;
  ZipWriter::Options options;
  options.deflated = true;
  zip.add("data.pkl", std::string(64U << 20U, 'N'), options);
  zip.finish();
  EXPECT_EQ(scan_bytes(zip.whole()).verdict(), Verdict::Dangerous);  // 64 Mi values at once
  const std::string many = "\x80\x02"s + std::string(20U << 20U, '(');
  EXPECT_EQ(scan_bytes(many).verdict(), Verdict::Dangerous);
}

TEST(ScanNumpy, ArraysOfObjectsAreReadAsThePicklesTheyAre) {
  const std::string numbers = tests::npy("<f4", "(4,)", std::string(16, 'c'));
  EXPECT_EQ(scan_bytes(numbers).verdict(), Verdict::Safe);
  const std::string objects = tests::npy("|O", "(1,)", kSystemCall);
  EXPECT_THAT(findings_of(objects), HasSubstr("os.system"));
  EXPECT_THAT(findings_of(zip_of({{"a.npy", objects}}, true)), HasSubstr("a.npy"));
}

TEST(ScanFiles, FilesOfTestDataThatCanRunCodeAreFoundAndNoOthers) {
  if (!tests::test_data_folder()) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  namespace fs = std::filesystem;
  int dangerous = 0;
  int others = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*tests::test_data_folder() / "checkpoints")) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const bool is_bad =
        entry.path().parent_path().filename() == "picklescan" && !name.ends_with(".json") &&
        (name.starts_with("malicious") || name == "broken_model.pkl" || name == "pytorch_magic_bypass.pt");
    const Outcome outcome = scan_source(tests::open_file(entry.path()), std::chrono::hours(1));
    EXPECT_EQ(outcome.report.verdict() == Verdict::Dangerous, is_bad) << entry.path() << "\n"
                                                                      << text_of(outcome.report);
    ++(is_bad ? dangerous : others);
  }
  EXPECT_EQ(dangerous, 6);
  EXPECT_GT(others, 120);
}

}  // namespace
}  // namespace nns::checkpoint
