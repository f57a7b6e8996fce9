// Recorded behaviour of PyTorch, topic `traversal`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Traversal, ReprWithBlankLinesInExtraRepr) {
  const Outcome outcome = run([] {
    const Var Net, line;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "extra_repr", {"self"}, [=](const Locals&) -> Py { return Py("first\n\nthird"); });
    for_each(builtin("repr")(nn("Sequential")(Net())).attr("split")("\n"), [&](const Py& item1) {
      line = Py(item1);
      builtin("print")(((Py("|") + line) + Py("|")));
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"(|Sequential(|
|  (0): Net(|
|    first|
||
|    third|
|  )|
|)|
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprWithAChangedName) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "_get_name", {"self"}, [=](const Locals&) -> Py { return Py("Renamed"); });
    builtin("print")(Net());
    builtin("print")(nn("Sequential")(Net()));
  });
  EXPECT_EQ(outcome.out, R"(Renamed()
Sequential(
  (0): Renamed()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprShowsNoneChildren) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("a", nn("ReLU")());
    m.set("b", nn("ReLU")());
    m.set("a", Py());
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(Module(
  (a): None
  (b): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprDoesNotShowParametersOrBuffers) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("w", nn("Parameter")(torch("ones")(1)));
    m.attr("register_buffer")("b", torch("ones")(1));
    m.set("plain", 1);
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(Module()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfSequentialDoesNotFold) {
  const Outcome outcome = run([] {
    builtin("print")(nn("Sequential")({nn("ReLU")(), nn("ReLU")(), nn("ReLU")()}));
    builtin("print")(nn("Sequential")());
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (1): ReLU()
  (2): ReLU()
)
Sequential()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfModulelistFoldsRepeats) {
  const Outcome outcome = run([] {
    builtin("print")(nn("ModuleList")(comprehension([&](std::vector<Value>& made) {
      const Var _;
      for_each(builtin("range")(3), [&](const Py& item1) {
        _ = Py(item1);
        made.push_back(Py(nn("ReLU")()).value());
        return true;
      });
    })));
    builtin("print")(nn("ModuleList")(list({nn("ReLU")(), nn("Tanh")(), nn("Tanh")(), nn("ReLU")()})));
    builtin("print")(nn("ModuleList")());
    builtin("print")(nn("ModuleList")(list({nn("ReLU")()})));
  });
  EXPECT_EQ(outcome.out, R"(ModuleList(
  (0-2): 3 x ReLU()
)
ModuleList(
  (0): ReLU()
  (1-2): 2 x Tanh()
  (3): ReLU()
)
ModuleList()
ModuleList(
  (0): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfModulelistFoldsEqualTextNotEqualObjects) {
  const Outcome outcome = run([] {
    const Var shared;
    shared = Py(nn("Linear")(2, 2));
    builtin("print")(
        nn("ModuleList")(list({shared, shared, nn("Linear")(2, 2), nn("Linear")(2, 3), nn("Linear")(2, 2)})));
  });
  EXPECT_EQ(outcome.out, R"(ModuleList(
  (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
  (3): Linear(in_features=2, out_features=3, bias=True)
  (4): Linear(in_features=2, out_features=2, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfNestedModulelists) {
  const Outcome outcome = run([] {
    const Var block, net;
    block = def("block", {}, [=](const Locals&) -> Py {
      return Py(nn("Sequential")({nn("Linear")(1, 1), nn("ReLU")()}));
    });
    net = Py(nn("Module")());
    net.set("stages",
            nn("ModuleList")(list({nn("ModuleList")(list({block(), block()})),
                                   nn("ModuleList")(list({block(), block()})), nn("ModuleList")(list({block()}))})));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(Module(
  (stages): ModuleList(
    (0-1): 2 x ModuleList(
      (0-1): 2 x Sequential(
        (0): Linear(in_features=1, out_features=1, bias=True)
        (1): ReLU()
      )
    )
    (2): ModuleList(
      (0): Sequential(
        (0): Linear(in_features=1, out_features=1, bias=True)
        (1): ReLU()
      )
    )
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfModulelistSubclassAndCustomEntries) {
  const Outcome outcome = run([] {
    const Var Stack, Wide;
    Stack = make_class("Stack", {nn("ModuleList")});
    Wide = make_class("Wide", {nn("Module")});
    def_method(Wide, "extra_repr", {"self"}, [=](const Locals&) -> Py { return Py("a\nb"); });
    builtin("print")(Stack(list({Wide(), Wide(), nn("ReLU")()})));
  });
  EXPECT_EQ(outcome.out, R"(Stack(
  (0-1): 2 x Wide(
    a
    b
  )
  (2): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfModuledict) {
  const Outcome outcome = run([] {
    builtin("print")(nn("ModuleDict")(dict({{Py("one"), nn("ReLU")()},
                                            {Py("two"), nn("ReLU")()},
                                            {Py("three"), nn("ModuleList")(list({nn("Tanh")(), nn("Tanh")()}))}})));
    builtin("print")(nn("ModuleDict")());
  });
  EXPECT_EQ(outcome.out, R"(ModuleDict(
  (one): ReLU()
  (two): ReLU()
  (three): ModuleList(
    (0-1): 2 x Tanh()
  )
)
ModuleDict()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfParameterlist) {
  const Outcome outcome = run([] {
    const Var net;
    builtin("print")(nn("ParameterList")(
        list({torch("zeros")(2, 3),
              nn("Parameter")(torch("zeros")(4, kw("dtype", torch("float64"))), kw("requires_grad", false))})));
    builtin("print")(nn("ParameterList")());
    net = Py(nn("Module")());
    net.set("ps", nn("ParameterList")(list({torch("zeros")(1), "text", 5})));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(ParameterList(
    (0): Parameter containing: [torch.float32 of size 2x3]
    (1): Parameter containing: [torch.float64 of size 4]
)
ParameterList()
Module(
  (ps): ParameterList(
      (0): Parameter containing: [torch.float32 of size 1]
      (1): Object of type: str
      (2): Object of type: int
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfParameterdict) {
  const Outcome outcome = run([] {
    builtin("print")(
        nn("ParameterDict")(dict({{Py("b"), torch("zeros")(2)},
                                  {Py("a"), nn("Parameter")(torch("zeros")(1, 1, kw("dtype", torch("float64"))))}})));
    builtin("print")(nn("ParameterDict")(dict({{Py("x"), Py(1)}, {Py("y"), Py(Py())}, {Py("z"), Py("s")}})));
    builtin("print")(nn("ParameterDict")());
  });
  EXPECT_EQ(outcome.out, R"(ParameterDict(
    (a): Parameter containing: [torch.DoubleTensor of size 1x1]
    (b): Parameter containing: [torch.FloatTensor of size 2]
)
ParameterDict(
    (x): Object of type: int
    (y): Object of type: NoneType
    (z): Object of type: str
)
ParameterDict()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfAModuleThatContainsItselfByHand) {
  const Outcome outcome = run([] {
    const Var Loop, a_, b, e;
    Loop = make_class("Loop", {nn("Module")});
    a_ = Py(Loop());
    b = Py(Loop());
    a_.set("b", b);
    b.set("a", a_);
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(a_.attr("named_modules")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    try {
      builtin("repr")(a_);
    } catch (const Raised& raised) {
      if (matches(raised, "RecursionError")) {
        e = exception_of(raised);
        builtin("print")(builtin("type")(e).attr("__name__"));
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(['', 'b']
RecursionError
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, RecursiveReplacementByType) {
  const Outcome outcome = run([] {
    const Var replace, net;
    replace = def("replace", {"module", "old", "new"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      const Var old = a[1];
      const Var new_ = a[2];
      const Var name;
      const Var child;
      for_each(module.attr("named_children")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        name = Py(parts2[0]);
        child = Py(parts2[1]);
        if (static_cast<bool>(Py(builtin("isinstance")(child, old)))) {
          builtin("setattr")(module, name, new_());
        } else {
          replace(child, old, new_);
        }
        return true;
      });
      return Py();
    });
    net = Py(nn("Sequential")({nn("ReLU")(), nn("ModuleDict")(dict({{Py("x"), nn("ReLU")()}, {Py("y"), nn("Tanh")()}})),
                               nn("ModuleList")(list({nn("ReLU")()}))}));
    replace(net, nn("ReLU"), nn("SiLU"));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): SiLU()
  (1): ModuleDict(
    (x): SiLU()
    (y): Tanh()
  )
  (2): ModuleList(
    (0): SiLU()
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, FreezingByName) {
  const Outcome outcome = run([] {
    const Var net, name, p;
    net = Py(nn("Sequential")());
    net.attr("add_module")("features", nn("Linear")(2, 2));
    net.attr("add_module")("classifier", nn("Linear")(2, 1));
    for_each(net.attr("named_parameters")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      p = Py(parts2[1]);
      if (static_cast<bool>(Py(name.attr("startswith")("features")))) {
        p.set("requires_grad", false);
      }
      return true;
    });
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var p_;
      for_each(net.attr("named_parameters")(), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        p_ = Py(parts4[1]);
        made.push_back(Py(tuple({n, p_.attr("requires_grad")})).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(
      outcome.out,
      R"([('features.weight', False), ('features.bias', False), ('classifier.weight', True), ('classifier.bias', True)]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ShareMemoryReturnsSelf) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1));
    builtin("print")({is(m.attr("share_memory")(), m), m.attr("weight").attr("is_shared")()});
  });
  EXPECT_EQ(outcome.out, R"(True True
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
