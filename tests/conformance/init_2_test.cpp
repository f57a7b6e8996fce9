// Recorded behaviour of PyTorch, topic `init`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Init, ManualDiamondInTheOtherOrderLosesTheOtherBranch) {
  const Outcome outcome = run([] {
    const Var A, B, C;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("a", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("b", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    C = make_class("C", {A, B});
    def_method(C, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      B.attr("__init__")(self);
      A.attr("__init__")(self);
      return Py();
    });
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(C().attr("named_parameters")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['a']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, ManualDiamondStepByStep) {
  const Outcome outcome = run([] {
    const Var A, B, C;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("a", nn("ReLU")());
      self.set("note_a", "from A");
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("b", nn("ReLU")());
      return Py();
    });
    C = make_class("C", {A, B});
    def_method(C, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      A.attr("__init__")(self);
      builtin("print")({"after A:", self.attr("a"), builtin("hasattr")(self, "b")});
      B.attr("__init__")(self);
      builtin("print")("after B:", self.attr("b"), self.attr("note_a"));
      builtin("print")(self.attr("a"));
      return Py();
    });
    C();
  });
  EXPECT_EQ(outcome.out, R"(after A: ReLU() False
after B: ReLU() from A
)");
  EXPECT_EQ(outcome.error, R"(AttributeError: 'C' object has no attribute 'a')");
}

TEST(Init, CooperativeDiamondKeepsBothBranches) {
  const Outcome outcome = run([] {
    const Var A, B, C, c;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(A, self, "__init__")();
      self.set("a", nn("Linear")(1, 1));
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(B, self, "__init__")();
      self.set("b", nn("Linear")(2, 2));
      return Py();
    });
    C = make_class("C", {A, B});
    def_method(C, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(C, self, "__init__")();
      self.set("c", nn("Linear")(3, 3));
      return Py();
    });
    c = Py(C());
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var cls;
      for_each(C.attr("__mro__"), [&](const Py& item1) {
        cls = Py(item1);
        made.push_back(Py(cls.attr("__name__")).value());
        return true;
      });
    }));
    builtin("print")(builtin("list")(c.attr("_modules")));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(c.attr("named_parameters")(), [&](const Py& item2) {
        const auto parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        _ = Py(parts3[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['C', 'A', 'B', 'Module', 'object']
['b', 'a', 'c']
['b.weight', 'b.bias', 'a.weight', 'a.bias', 'c.weight', 'c.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, CooperativeDiamondCallOrder) {
  const Outcome outcome = run([] {
    const Var Base, Left, Right, Bottom;
    Base = make_class("Base", {nn("Module")});
    def_method(Base, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("Base begins");
      super_attr(Base, self, "__init__")();
      builtin("print")("Base ends");
      return Py();
    });
    Left = make_class("Left", {Base});
    def_method(Left, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("Left begins");
      super_attr(Left, self, "__init__")();
      builtin("print")("Left ends");
      return Py();
    });
    Right = make_class("Right", {Base});
    def_method(Right, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("Right begins");
      super_attr(Right, self, "__init__")();
      builtin("print")("Right ends");
      return Py();
    });
    Bottom = make_class("Bottom", {Left, Right});
    def_method(Bottom, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("Bottom begins");
      super_attr(Bottom, self, "__init__")();
      builtin("print")("Bottom ends");
      return Py();
    });
    Bottom();
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var cls;
      for_each(Bottom.attr("mro")(), [&](const Py& item1) {
        cls = Py(item1);
        made.push_back(Py(cls.attr("__name__")).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(Bottom begins
Left begins
Right begins
Base begins
Base ends
Right ends
Left ends
Bottom ends
['Bottom', 'Left', 'Right', 'Base', 'Module', 'object']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, MixedDiamondOneBranchCallsModuleInitDirectly) {
  const Outcome outcome = run([] {
    const Var A, B, AB, BA;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(A, self, "__init__")();
      self.set("a", nn("ReLU")());
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("b", nn("ReLU")());
      return Py();
    });
    AB = make_class("AB", {A, B});
    BA = make_class("BA", {B, A});
    builtin("print")(builtin("list")(AB().attr("_modules")));
    builtin("print")(builtin("list")(BA().attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"(['b', 'a']
['b']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, RegisteringAgainAfterTheSecondInitIsAWorkaround) {
  const Outcome outcome = run([] {
    const Var A, B, C;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.attr("build")();
      return Py();
    });
    def_method(A, "build", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("a", nn("Linear")(1, 1));
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("b", nn("Linear")(2, 2));
      return Py();
    });
    C = make_class("C", {A, B});
    def_method(C, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var first;
      A.attr("__init__")(self);
      first = Py(self.attr("a"));
      B.attr("__init__")(self);
      A.attr("build")(self);
      builtin("print")(is(first, self.attr("a")));
      self.set("c", nn("Linear")(3, 3));
      return Py();
    });
    builtin("print")(builtin("list")(C().attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"(False
['b', 'a', 'c']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, WrongArgumentsToALayer) {
  const Outcome outcome = run([] {
    attempt()("missing", lambda({}, [=](const Locals&) -> Py { return Py(nn("Linear")(3)); }));
    attempt()("missing both", lambda({}, [=](const Locals&) -> Py { return Py(nn("Linear")()); }));
    attempt()("unknown keyword",
              lambda({}, [=](const Locals&) -> Py { return Py(nn("Linear")(3, 3, kw("size", 1))); }));
    attempt()("too many", lambda({}, [=](const Locals&) -> Py { return Py(nn("ReLU")(true, 1, 2)); }));
  });
  EXPECT_EQ(outcome.out, R"(missing: TypeError: Linear.__init__() missing 1 required positional argument: 'out_features'
missing both: TypeError: Linear.__init__() missing 2 required positional arguments: 'in_features' and 'out_features'
unknown keyword: TypeError: Linear.__init__() got an unexpected keyword argument 'size'
too many: TypeError: ReLU.__init__() takes from 1 to 2 positional arguments but 4 were given
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, CallSuperInitIsFalseSoTheChainStopsAtModule) {
  const Outcome outcome = run([] {
    const Var Mixin, Net, net;
    Mixin = make_class("Mixin", {});
    def_method(Mixin, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("mixin init");
      self.set("mixed", true);
      return Py();
    });
    Net = make_class("Net", {nn("Module"), Mixin});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      return Py();
    });
    net = Py(Net());
    builtin("print")({nn("Module").attr("call_super_init"), builtin("hasattr")(net, "mixed")});
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var c;
      for_each(Net.attr("__mro__"), [&](const Py& item1) {
        c = Py(item1);
        made.push_back(Py(c.attr("__name__")).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(False False
['Net', 'Module', 'Mixin', 'object']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, CallSuperInitTrueContinuesTheChain) {
  const Outcome outcome = run([] {
    const Var Mixin, Net, net;
    Mixin = make_class("Mixin", {});
    def_method(Mixin, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      builtin("print")("mixin init");
      self.set("mixed", true);
      return Py();
    });
    Net = make_class("Net", {nn("Module"), Mixin});
    Net.set("call_super_init", true);
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("fc", nn("ReLU")());
      return Py();
    });
    net = Py(Net());
    builtin("print")({net.attr("mixed"), builtin("list")(net.attr("_modules")),
                      builtin("list")(net.attr("__dict__")).item(slice(-2, Py()))});
  });
  EXPECT_EQ(outcome.out, R"(mixin init
True ['fc'] ['_modules', 'mixed']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, MixinBeforeModuleRunsFirst) {
  const Outcome outcome = run([] {
    const Var Mixin, Net, net;
    Mixin = make_class("Mixin", {});
    def_method(Mixin, "__init__", {"self", "**options"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var options = a[1];
      builtin("print")("mixin", builtin("sorted")(options));
      super_attr(Mixin, self, "__init__")();
      return Py();
    });
    Net = make_class("Net", {Mixin, nn("Module")});
    def_method(Net, "__init__", {"self", "**options"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var options = a[1];
      super_attr(Net, self, "__init__")(dstar(options));
      self.set("act", nn("ReLU")());
      return Py();
    });
    net = Py(Net(kw("depth", 2)));
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var c;
                        for_each(Net.attr("__mro__"), [&](const Py& item1) {
                          c = Py(item1);
                          made.push_back(Py(c.attr("__name__")).value());
                          return true;
                        });
                      }),
                      builtin("list")(net.attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"(mixin ['depth']
['Net', 'Mixin', 'Module', 'object'] ['act']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, DuplicateBase) {
  const Outcome outcome = run([] {
    const Var Base, Wrong, e;
    Base = make_class("Base", {nn("Module")});
    try {
      Wrong = make_class("Wrong", {Base, Base});
    } catch (const Raised& raised) {
      if (matches(raised, "TypeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(duplicate base class Base
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
