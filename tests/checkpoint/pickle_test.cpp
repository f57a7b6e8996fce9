#include "core/checkpoint/pickle.h"

#include <gmock/gmock.h>

#include "core/checkpoint/pickle_globals.h"
#include "core/checkpoint/pickle_preview.h"
#include "tests/support/make_torch_zip.h"

namespace nns::checkpoint {
namespace {

using tests::PickleWriter;

/// The repr of what the pickle holds, or the message of the refusal.
std::string read(std::string_view pickle) {
  PickleMachine machine(pickle, "p", "");
  const auto done = machine.step(base::Budget::unlimited());
  return done.ok() ? preview(machine.heap(), machine.result(), 400) : done.error().message();
}

template <std::size_t Size>
std::string bytes(const char (&text)[Size]) {
  return std::string(text, Size - 1);
}

TEST(PickleRead, NumbersOfEveryProtocol) {
  EXPECT_EQ(read("I42\n."), "42");
  EXPECT_EQ(read("I-7\n."), "-7");
  EXPECT_EQ(read("I01\n."), "True");
  EXPECT_EQ(read("I00\n."), "False");
  EXPECT_EQ(read("L123L\n."), "123");
  EXPECT_EQ(read("L-9223372036854775809L\n."), "-9223372036854775809");
  EXPECT_EQ(read("F1.5\n."), "1.5");
  EXPECT_EQ(read("F-1e300\n."), "-1e+300");
  EXPECT_EQ(read("K\xFF."), "255");
  EXPECT_EQ(read(bytes("M\x00\x01.")), "256");
  EXPECT_EQ(read("J\xFF\xFF\xFF\xFF."), "-1");
  EXPECT_EQ(read(bytes("\x8a\x00.")), "0");
  EXPECT_EQ(read(bytes("\x8a\x02\x00\x80.")), "-32768");
  EXPECT_EQ(read(bytes("\x8a\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00.")), "18446744073709551615");
  EXPECT_EQ(read(bytes("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.")), "119547037146038801333356");
  EXPECT_EQ(read(bytes("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xFF.")), "-18446744073709551616");
  EXPECT_EQ(read(bytes("\x8b\x01\x00\x00\x00\x07.")), "7");
  EXPECT_EQ(read(bytes("G\x3f\xf8\x00\x00\x00\x00\x00\x00.")), "1.5");
  EXPECT_EQ(read(bytes("G\x40\x00\x00\x00\x00\x00\x00\x00.")), "2.0");
}

TEST(PickleRead, TextsOfEveryProtocol) {
  EXPECT_EQ(read("S'a\\x41\\n\\''\n."), "\"aA\\n'\"");
  EXPECT_EQ(read("V\\u00e9\xE9\\U0001F600\\x\n."), "'\xC3\xA9\xC3\xA9\xF0\x9F\x98\x80\\\\x'");
  EXPECT_EQ(read(bytes("X\x02\x00\x00\x00hi.")), "'hi'");
  EXPECT_EQ(read("\x8c\x02hi."), "'hi'");
  EXPECT_EQ(read(bytes("\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi.")), "'hi'");
  EXPECT_EQ(read("U\x02\xFFi."), "b'\\xffi'");
  EXPECT_EQ(read(bytes("T\x01\x00\x00\x00z.")), "'z'");
  EXPECT_EQ(read("C\x01z."), "b'z'");
  EXPECT_EQ(read(bytes("B\x01\x00\x00\x00z.")), "b'z'");
  EXPECT_EQ(read(bytes("\x8e\x01\x00\x00\x00\x00\x00\x00\x00z.")), "b'z'");
  EXPECT_EQ(read(bytes("\x96\x01\x00\x00\x00\x00\x00\x00\x00z.")), "b'z'");
}

TEST(PickleRead, ContainersOfEveryProtocol) {
  EXPECT_EQ(read("(lp0\nI1\naI2\na."), "[1, 2]");
  EXPECT_EQ(read("](K\1K\2e."), "[1, 2]");
  EXPECT_EQ(read("(dS'a'\nI1\ns."), "{'a': 1}");
  EXPECT_EQ(read("}(K\1K\2K\3K\4u."), "{1: 2, 3: 4}");
  EXPECT_EQ(read("(K\1K\2K\3K\4d."), "{1: 2, 3: 4}");
  EXPECT_EQ(read("(K\1K\2l."), "[1, 2]");
  EXPECT_EQ(read(")."), "()");
  EXPECT_EQ(read("K\1\x85."), "(1,)");
  EXPECT_EQ(read("K\1K\2\x86."), "(1, 2)");
  EXPECT_EQ(read("K\1K\2K\3\x87."), "(1, 2, 3)");
  EXPECT_EQ(read("(K\1K\2K\3K\4t."), "(1, 2, 3, 4)");
  EXPECT_EQ(read("\x8f(K\1\x90."), "{1}");
  EXPECT_EQ(read("(K\1\x91."), "frozenset({1})");
  EXPECT_EQ(read("(K\1K\2"
                 "1K\3."),
            "3");
  EXPECT_EQ(read("K\1"
                 "2\x86."),
            "(1, 1)");
  EXPECT_EQ(read("K\1((0"
                 "0K\2\x86."),
            "(1, 2)");
}

TEST(PickleRead, TheMemoGivesTheSameValueAgain) {
  EXPECT_EQ(read(bytes("]q\x00(K\x01K\x02"
                       "eh\x00\x86.")),
            "([1, 2], [1, 2])");
  EXPECT_EQ(read("](p0\ng0\ne."), "p: byte 2: the stack is empty; expected a value for this opcode");
  EXPECT_EQ(read(bytes("K\x05\x94K\x06\x94h\x00h\x01\x86.")), "(5, 6)");
  EXPECT_EQ(read(bytes("K\x05r\xFF\xFF\xFF\xFFj\xFF\xFF\xFF\xFF\x86.")), "(5, 5)");
  EXPECT_EQ(read("K\5p18446744073709551615\ng3\n."), "p: byte 2: a memo index that is no index; expected a number");
}

TEST(PickleRead, CyclesAreFine) {
  PickleMachine machine(std::string_view("]q\0h\0a.", 7), "p", "");
  ASSERT_TRUE(machine.step(base::Budget::unlimited()).ok());
  PickleId child = kNone;
  machine.heap().first_items(machine.result(), {&child, 1});
  EXPECT_EQ(child, machine.result());
  EXPECT_EQ(preview(machine.heap(), machine.result()), "[[[[[...]]]]]");
}

TEST(PickleRead, GlobalsAreNamedAndNothingIsCalled) {
  PickleMachine machine(std::string_view("cos\nsystem\nX\4\0\0\0true\x85R.", 23), "p", "m");
  ASSERT_TRUE(machine.step(base::Budget::unlimited()).ok());
  EXPECT_EQ(preview(machine.heap(), machine.result()), "os.system('true')");
  ASSERT_EQ(machine.globals().size(), 1U);
  EXPECT_EQ(machine.globals()[0].name, "os.system");
  EXPECT_EQ(machine.globals()[0].opcode, "GLOBAL");
  EXPECT_EQ(machine.globals()[0].offset, 0U);
  EXPECT_EQ(machine.globals()[0].member, "m");
  EXPECT_EQ(machine.globals()[0].verdict, Verdict::Dangerous);
}

TEST(PickleRead, GlobalsByStackInstanceAndExtension) {
  const std::string pickle = bytes(
      "\x8c\x01"
      "a\x8c\x03"
      "b.c\x93(K\x01ix\ny\n\x82\x07\x87.");
  PickleMachine machine(pickle, "p", "");
  const auto done = machine.step(base::Budget::unlimited());
  ASSERT_TRUE(done.ok()) << done.error().message();
  ASSERT_EQ(machine.globals().size(), 3U);
  EXPECT_EQ(machine.globals()[0].name, "a.b.c");
  EXPECT_EQ(machine.globals()[0].opcode, "STACK_GLOBAL");
  EXPECT_EQ(machine.globals()[0].offset, 8U);
  EXPECT_EQ(machine.globals()[1].opcode, "INST");
  EXPECT_EQ(machine.globals()[2].name, "copyreg.extension.7");
  EXPECT_EQ(preview(machine.heap(), machine.result()), "(a.b.c, x.y(1), copyreg.extension.7)");
}

TEST(PickleRead, ObjectsKeepStateAndItems) {
  const std::string pickle = bytes(
      "ca\nb\n)\x81}b(K\x01K\x02uK\x05"
      "a.");
  PickleMachine machine(pickle, "p", "");
  ASSERT_TRUE(machine.step(base::Budget::unlimited()).ok());
  const PickleObject& object = machine.heap().object(machine.result());
  EXPECT_EQ(machine.heap().kind(object.state), PickleKind::Dict);
  EXPECT_EQ(object.items.count, 2U);
  EXPECT_EQ(object.appended.count, 1U);
  EXPECT_FALSE(object.is_call);
}

TEST(PickleRead, WorksInSlicesOfNoTime) {
  PickleWriter writer;
  writer.empty_list().mark();
  for (int at = 0; at < 50'000; ++at) writer.integer(at);
  const std::string pickle = writer.appends().stop();
  PickleMachine machine(pickle, "p", "");
  int steps = 1;
  while (true) {
    const auto done = machine.step(base::Budget(std::chrono::nanoseconds(0)));
    ASSERT_TRUE(done.ok());
    if (*done) break;
    ++steps;
  }
  EXPECT_GT(steps, 10);
  EXPECT_EQ(machine.heap().chain(machine.result()).count, 50'000U);
}

TEST(PickleRefuses, WhatIsNoPickleWithTheOffsetOfItsOpcode) {
  EXPECT_EQ(read(""), "p: byte 0: the pickle ends; expected a STOP opcode");
  EXPECT_EQ(read("K\1"), "p: byte 2: the pickle ends; expected a STOP opcode");
  EXPECT_EQ(read("."), "p: byte 0: the stack is empty; expected a value for this opcode");
  EXPECT_EQ(read("K\1\xEE."), "p: byte 2: byte 0xee is no pickle opcode; expected an opcode of protocols 0 to 5");
  EXPECT_EQ(read("\x80\x06."), "p: byte 0: protocol 6; expected at most 5");
  EXPECT_EQ(read("X\xFF\xFF\xFF\x7Fhi"),
            "p: byte 0: a string of 2147483647 bytes, but 2 are left; expected a string inside the pickle");
  EXPECT_EQ(read(bytes("X\x02\x00\x00\x00\xC3\x28.")), "p: byte 0: a string that is not UTF-8; expected UTF-8");
  EXPECT_EQ(read("I4x\n."), "p: byte 0: a number with other characters; expected decimal digits");
  EXPECT_EQ(read("I4"), "p: byte 0: a line without end; expected a newline after the argument");
  EXPECT_EQ(read("t."), "p: byte 0: no MARK on the stack; expected one for this opcode");
  EXPECT_EQ(read("K\1K\2a."), "p: byte 4: an item is appended to something else; expected a list or an object");
  EXPECT_EQ(read("}(K\1u."), "p: byte 4: a key without value; expected pairs of key and value");
  EXPECT_EQ(read("h\7."), "p: byte 0: memo entry 7 does not exist; expected an entry that was put before");
  EXPECT_EQ(read("K\1K\2\x93."), "p: byte 4: a global whose names are no strings; expected two strings");
  EXPECT_EQ(read("ca\nb\nK\1R."), "p: byte 7: arguments that are no tuple; expected a tuple");
  EXPECT_EQ(read("\x97."),
            "p: byte 0: a buffer that is not in the file; expected a pickle without out-of-band buffers");
  EXPECT_EQ(read("\x95\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFK\1."),
            "p: byte 0: a frame of 18446744073709551615 bytes, but 3 are left; expected a frame inside the pickle");
}

TEST(PickleRefuses, EveryTruncation) {
  PickleWriter writer;
  PickleWriter::Tensor tensor;
  tensor.shape = {2, 3};
  tensor.stride = {3, 1};
  writer.empty_dict().mark().text("a").parameter(tensor).text("b").real(1).text("c").integer(1LL << 40).set_items();
  const std::string whole = writer.stop();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    PickleMachine machine(std::string_view(whole).substr(0, length), "p", "");
    const auto done = machine.step(base::Budget::unlimited());
    ASSERT_FALSE(done.ok()) << length;
    EXPECT_TRUE(done.error().offset.has_value());
  }
}

TEST(PickleRead, AMillionNestedListsNeedNoStackOfOurs) {
  std::string pickle(1'000'000, ']');
  pickle += std::string(999'999, 'a') + ".";
  EXPECT_EQ(read(pickle), "[[[[[...]]]]]");
}

TEST(JudgeGlobal, KnowsWhatIsHarmlessAndWhatIsNot) {
  EXPECT_EQ(judge_global("torch._utils", "_rebuild_tensor_v2"), Verdict::Safe);
  EXPECT_EQ(judge_global("torch", "BFloat16Storage"), Verdict::Safe);
  EXPECT_EQ(judge_global("torch", "float32"), Verdict::Safe);
  EXPECT_EQ(judge_global("torch.nn.modules.conv", "Conv2d"), Verdict::Safe);
  EXPECT_EQ(judge_global("torch.optim.adam", "Adam"), Verdict::Safe);
  EXPECT_EQ(judge_global("__builtin__", "set"), Verdict::Safe);
  EXPECT_EQ(judge_global("mypackage", "Model"), Verdict::Unknown);
  EXPECT_EQ(judge_global("torch.nn.modules.module", "warnings"), Verdict::Unknown);
  for (const auto& [module, name] :
       std::vector<std::pair<const char*, const char*>>{{"os", "system"},
                                                        {"posix", "system"},
                                                        {"nt", "system"},
                                                        {"builtins", "eval"},
                                                        {"__builtin__", "exec"},
                                                        {"builtins", "getattr"},
                                                        {"builtins", "__import__"},
                                                        {"builtins", "eval.__call__"},
                                                        {"subprocess", "Popen"},
                                                        {"os.path", "join"},
                                                        {"importlib", "import_module"},
                                                        {"torch", "load"},
                                                        {"torch", "hub.load"},
                                                        {"torch", "serialization.load"},
                                                        {"torch.hub", "load"},
                                                        {"operator", "attrgetter"},
                                                        {"pickle", "loads"},
                                                        {"builtins", "__dict__.__getitem__"},
                                                        {"collections", "OrderedDict.__init__.__globals__"},
                                                        {"numpy.testing._private.utils", "runstring"}}) {
    EXPECT_EQ(judge_global(module, name), Verdict::Dangerous) << module << " " << name;
  }
}

}  // namespace
}  // namespace nns::checkpoint
