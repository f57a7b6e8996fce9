// Recorded behaviour of PyTorch, topic `traversal`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Traversal, RequiresGradOnAWholeModule) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("Linear")({Py(1), Py(1)}), nn("BatchNorm1d")(Py(1))}));
    builtin("print")(Py(is(net.attr("requires_grad_")(Py(false)), net)));
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(net.attr("parameters")())) {
        const Var p;
        p = Py(item2);
        values1.push_back(Py(p.attr("requires_grad")).value());
      }
    }));
    net.item(Py(0)).attr("requires_grad_")();
    builtin("print")(comprehension([&](std::vector<Value>& values3) {
      for (const Py& item4 : items(net.attr("parameters")())) {
        const Var p;
        p = Py(item4);
        values3.push_back(Py(p.attr("requires_grad")).value());
      }
    }));
    builtin("print")(net(torch("ones")({Py(2), Py(1)})).attr("requires_grad"));
  });
  EXPECT_EQ(outcome.out, R"(True
[False, False, False, False]
[True, True, False, False]
True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ForwardUsesTheDtypeOfTheParameters) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("Linear")({Py(2), Py(1)}).attr("double")());
    attempt_({Py("float input"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(2)})));
              })});
    attempt_({Py("double input"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(2), kw("dtype", torch("float64"))})).attr("dtype"));
              })});
  });
  EXPECT_EQ(outcome.out, R"(float input: RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Double
double input: torch.float64
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
