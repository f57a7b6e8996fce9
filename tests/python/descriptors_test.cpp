// Descriptors of ours in the hands of programs: what they are not made for is refused.
#include <gtest/gtest.h>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

TEST(DescriptorMethods, CalledWithObjectsOfOtherClassesRaiseTypeError) {
  for (const char* call :
       {"type(shown).__code__.__get__(5)", "BaseException.__traceback__.__get__(object())",
        "BaseException.__cause__.__set__(5, None)", "property.__new__(int)", "staticmethod.__new__(int, print)",
        "type(print).__call__(5)", "Slotted.x.__get__(5)", "type(shown).__get__(5, 5)", "property.fget.__get__(3)",
        "type('X', (), {'__call__': type(print).__call__})()()", "type(sys.flags).__repr__(5)"}) {
    const ProgramResult result = run_python(
        std::string("import sys\ndef shown(): pass\nclass Slotted:\n    __slots__ = ('x',)\n") + call + "\n");
    EXPECT_EQ(result.error_type, "TypeError") << call << ": " << result.error_message;
  }
}

TEST(DescriptorMethods, OfTheRightClassDoWhatTheLanguageDoes) {
  const ProgramResult result = run_python(
      "class P:\n"
      "    def __init__(self): self.v = 1\n"
      "    @property\n"
      "    def value(self): return self.v\n"
      "    @value.setter\n"
      "    def value(self, new): self.v = new\n"
      "    def method(self): return self.v\n"
      "p = P()\n"
      "P.value.__set__(p, 5)\n"
      "print(P.value.__get__(p), P.method.__get__(p)(), P.__dict__['method'].__get__(None, P) is P.method)\n"
      "print((lambda: 0).__call__(), p.method.__call__(), len.__call__([1]), p.method.__get__(3)())\n");
  EXPECT_EQ(result.out, "5 5 True\n0 5 1 5\n") << result.traceback;
}

}  // namespace
}  // namespace nns::tests
