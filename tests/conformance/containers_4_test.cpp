// Recorded behaviour of PyTorch, topic `containers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Containers, SequentialWithANoneChildFailsAtTheCall) {
  const Outcome outcome = run([] {
    const Var seq, e;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    seq.set_item(Py(1), Py());
    builtin("print")(seq);
    try {
      seq(torch("ones")(Py(1)));
    } catch (const Raised& raised) {
      if (matches(raised, "TypeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (1): None
)
'NoneType' object is not callable
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialPop) {
  const Outcome outcome = run([] {
    const Var attempt_, seq;
    attempt_ = attempt();
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")()}));
    builtin("print")({seq.attr("pop")(Py(0)), seq.attr("pop")(Py(-1)), seq});
    builtin("print")({seq.attr("pop")(builtin("slice")({Py(0), Py(1)})), builtin("len")(seq)});
    attempt_({Py("empty"), lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("pop")(Py(0))); })});
    attempt_({Py("no argument"), lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("pop")()); })});
  });
  EXPECT_EQ(outcome.out, R"(ReLU() Sigmoid() Sequential(
  (0): Tanh()
)
Sequential(
  (0): Tanh()
) 0
empty: IndexError: index 0 is out of range
no argument: TypeError: Sequential.pop() missing 1 required positional argument: 'key'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialAddModuleWithAName) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")(nn("ReLU")()));
    seq.attr("add_module")({Py("named"), nn("Tanh")()});
    seq.set("other", nn("Sigmoid")());
    builtin("print")(
        {seq, builtin("len")(seq), seq.item(Py(1)), seq(torch("tensor")(list({Py(0.0)}))).attr("tolist")()});
    seq.attr("append")(nn("Identity")());
    builtin("print")(builtin("list")(seq.attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (named): Tanh()
  (other): Sigmoid()
) 3 Tanh() [0.5]
['0', 'named', 'other', '3']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialSubclassWithOwnForward) {
  const Outcome outcome = run([] {
    const Var Residual, net;
    Residual = make_class("Residual", {nn("Sequential")});
    def_method(Residual, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py(binary("+", x, super_attr(Residual, self, "forward")(x)));
    });
    net = Py(Residual({nn("Identity")(), nn("ReLU")()}));
    builtin("print")(net(torch("tensor")(list({Py(-1.0), Py(2.0)}))).attr("tolist")());
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"([-1.0, 4.0]
Residual(
  (0): Identity()
  (1): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistUsedByForward) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self", "n"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var n = a[1];
      const Var i, layer;
      super_attr(Net, self, "__init__")();
      self.set("layers", nn("ModuleList")(comprehension([&](std::vector<Value>& values1) {
                 for (const Py& item2 : items(builtin("range")(n))) {
                   const Var _;
                   _ = Py(item2);
                   values1.push_back(Py(nn("Linear")({Py(1), Py(1)})).value());
                 }
               })));
      for (const Py& item3 : items(builtin("enumerate")(self.attr("layers")))) {
        const std::vector<Py> parts4 = unpack(item3, 2);
        i = Py(parts4[0]);
        layer = Py(parts4[1]);
        nn_init("constant_")({layer.attr("weight"), binary("+", i, Py(1.0))});
        nn_init("zeros_")(layer.attr("bias"));
      }
      return {};
    });
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      const Var layer;
      for (const Py& item5 : items(self.attr("layers").item(slice(Py(), Py(-1), Py())))) {
        layer = Py(item5);
        x = Py(layer(x));
      }
      return Py(self.attr("layers").item(Py(-1))(x));
    });
    builtin("print")(Net(Py(4))(torch("ones")({Py(1), Py(1)})).attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(24.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterlistInAModule) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("ps", nn("ParameterList")(
                         list({torch("full")({tuple({Py(1)}), Py(2.0)}), torch("full")({tuple({Py(1)}), Py(3.0)})})));
      return {};
    });
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      const Var p;
      for (const Py& item1 : items(self.attr("ps"))) {
        p = Py(item1);
        x = Py(binary("*", x, p));
      }
      return Py(x);
    });
    net = Py(Net());
    net(torch("ones")(Py(1))).attr("sum")().attr("backward")();
    builtin("print")({comprehension([&](std::vector<Value>& values2) {
                        for (const Py& item3 : items(net.attr("named_parameters")())) {
                          const Var n, _;
                          const std::vector<Py> parts4 = unpack(item3, 2);
                          n = Py(parts4[0]);
                          _ = Py(parts4[1]);
                          values2.push_back(Py(n).value());
                        }
                      }),
                      comprehension([&](std::vector<Value>& values5) {
                        for (const Py& item6 : items(net.attr("parameters")())) {
                          const Var p;
                          p = Py(item6);
                          values5.push_back(Py(p.attr("grad").attr("item")()).value());
                        }
                      })});
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(['ps.0', 'ps.1'] [3.0, 2.0]
Net(
  (ps): ParameterList(
      (0): Parameter containing: [torch.float32 of size 1]
      (1): Parameter containing: [torch.float32 of size 1]
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
