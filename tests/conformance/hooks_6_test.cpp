// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, LegacyBackwardHook) {
  const Outcome outcome = run([] {
    const Var net, x;
    warnings("simplefilter")(Py("ignore"));
    net = Py(nn("ReLU")());
    net.attr("register_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(builtin("print")({Py("legacy"), comprehension([&](std::vector<Value>& values1) {
                                    for (const Py& item2 : items(gi)) {
                                      const Var g;
                                      g = Py(item2);
                                      values1.push_back(Py(g.attr("tolist")()).value());
                                    }
                                  }),
                                  comprehension([&](std::vector<Value>& values3) {
                                    for (const Py& item4 : items(go)) {
                                      const Var g;
                                      g = Py(item4);
                                      values3.push_back(Py(g.attr("tolist")()).value());
                                    }
                                  })}));
    }));
    x = Py(torch("tensor")({list({Py(-1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    binary("*", net(x), Py(3)).attr("sum")().attr("backward")();
    builtin("print")({net.attr("_is_full_backward_hook"), x.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(legacy [[0.0, 3.0]] [[3.0, 3.0]]
False [0.0, 3.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HookSeesTrainingModeAndType) {
  const Outcome outcome = run([] {
    const Var net, m;
    net = Py(nn("Sequential")({nn("Dropout")(Py(0.0)), nn("BatchNorm1d")(Py(1))}).attr("eval")());
    for (const Py& item1 : items(net.attr("modules")())) {
      m = Py(item1);
      m.attr("register_forward_pre_hook")(lambda({"m", "a"}, [=](const Locals& a) -> Py {
        const Var m_ = a[0];
        return Py(builtin("print")({builtin("type")(m_).attr("__name__"), m_.attr("training")}));
      }));
    }
    net(torch("zeros")({Py(2), Py(1)}));
  });
  EXPECT_EQ(outcome.out, R"(Sequential False
Dropout False
BatchNorm1d False
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
