#include <gtest/gtest.h>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

// The text with addresses as "0x...".
std::string without_addresses(std::string text) {
  for (std::size_t at = 0; (at = text.find("0x", at)) != std::string::npos; at += 2) {
    const std::size_t end = text.find_first_not_of("0123456789abcdef", at + 2);
    text.replace(at + 2, end - at - 2, "...");
  }
  return text;
}

TEST(Finalizers, WhatTheyRaiseIsTold) {
  const ProgramResult result = run_python(
      "class A:\n"
      "    def __del__(self):\n"
      "        raise ValueError('from __del__')\n"
      "a = A()\n"
      "del a\n"
      "print('goes on')\n");
  EXPECT_EQ(result.out, "goes on\n");
  EXPECT_EQ(without_addresses(result.err),
            "Exception ignored while calling deallocator <function A.__del__ at 0x...>:\n"
            "Traceback (most recent call last):\n"
            "  File \"program.py\", line 3, in __del__\n"
            "    raise ValueError('from __del__')\n"
            "ValueError: from __del__\n");
}

TEST(Finalizers, TheLastOnesRunBehindAnExceptionThatEndsTheProgram) {
  const ProgramResult result = run_python(
      "class A:\n"
      "    def __del__(self):\n"
      "        print('gone')\n"
      "def hold():\n"
      "    a = A()\n"
      "    b = A()\n"
      "    b.me = b\n"
      "    raise KeyError(a)\n"
      "hold()\n");
  EXPECT_EQ(result.error_type, "KeyError");
  EXPECT_EQ(result.out, "gone\ngone\n");
}

TEST(Finalizers, AProgramThatIsStoppedInOneEnds) {
  const ProgramResult result = run_python(
      "class A:\n"
      "    def __del__(self):\n"
      "        while True:\n"
      "            pass\n"
      "A()\n"
      "print('not reached')\n");
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.traceback.find("the program was stopped after"), std::string::npos) << result.traceback;
}

TEST(UncaughtException, GoesToTheHookOfTheProgram) {
  const ProgramResult result = run_python(
      "import sys\n"
      "print(sys.excepthook is sys.__excepthook__)\n"
      "try:\n"
      "    1 / 0\n"
      "except ZeroDivisionError as error:\n"
      "    sys.excepthook(type(error), error, error.__traceback__)\n");
  EXPECT_EQ(result.out, "True\n");
  EXPECT_NE(result.err.find("ZeroDivisionError: division by zero\n"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace nns::tests
