// Recorded behaviour of PyTorch, topic `traversal`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Traversal, ZeroGradSetsToNoneByDefault) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Linear")({Py(2), Py(1)}));
    net(torch("ones")({Py(1), Py(2)})).attr("sum")().attr("backward")();
    builtin("print")(
        {net.attr("weight").attr("grad").attr("tolist")(), net.attr("bias").attr("grad").attr("tolist")()});
    net.attr("zero_grad")();
    builtin("print")({net.attr("weight").attr("grad"), net.attr("bias").attr("grad")});
  });
  EXPECT_EQ(outcome.out, R"([[1.0, 1.0]] [1.0]
None None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ZeroGradCanKeepTheGradientTensors) {
  const Outcome outcome = run([] {
    const Var net, kept;
    net = Py(nn("Linear")({Py(2), Py(1)}));
    net(torch("ones")({Py(1), Py(2)})).attr("sum")().attr("backward")();
    kept = Py(net.attr("weight").attr("grad"));
    net.attr("zero_grad")(kw("set_to_none", Py(false)));
    builtin("print")({net.attr("weight").attr("grad").attr("tolist")(), is(net.attr("weight").attr("grad"), kept)});
    net(torch("full")({tuple({Py(1), Py(2)}), Py(3.0)})).attr("sum")().attr("backward")();
    builtin("print")(kept.attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[0.0, 0.0]] True
[[3.0, 3.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ConversionConvertsGradients) {
  const Outcome outcome = run([] {
    const Var m, g;
    m = Py(nn("Linear")({Py(2), Py(1)}));
    m(torch("ones")({Py(1), Py(2)})).attr("sum")().attr("backward")();
    g = Py(m.attr("weight").attr("grad"));
    m.attr("double")();
    builtin("print")({m.attr("weight").attr("grad").attr("dtype"), m.attr("weight").attr("grad").attr("tolist")(),
                      is(m.attr("weight").attr("grad"), g)});
    builtin("print")({m.attr("weight").attr("requires_grad"), m.attr("weight").attr("is_leaf")});
  });
  EXPECT_EQ(outcome.out, R"(torch.float64 [[1.0, 1.0]] True
True True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ApplyInternalVisitsChildrenFirstAndGrads) {
  const Outcome outcome = run([] {
    const Var m, values, note;
    m = Py(nn("Module")());
    m.set("own", nn("Parameter")(torch("full")({tuple({Py(1)}), Py(1.0)})));
    m.set("child", nn("Module")());
    m.attr("child").set("w", nn("Parameter")(torch("full")({tuple({Py(1)}), Py(2.0)})));
    m.attr("register_buffer")({Py("b"), torch("full")({tuple({Py(1)}), Py(3.0)})});
    m.attr("own").set("grad", torch("full")({tuple({Py(1)}), Py(10.0)}));
    values = Py(list({}));
    note = Py(def("note", {"t"}, [=](const Locals& a) -> Py {
      const Var t = a[0];
      values.attr("append")(t.attr("item")());
      return Py(binary("*", t, Py(2)));
    }));
    m.attr("_apply")(note);
    builtin("print")(values);
    builtin("print")({m.attr("own").attr("item")(), m.attr("own").attr("grad").attr("item")(),
                      m.attr("child").attr("w").attr("item")(), m.attr("b").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"([2.0, 1.0, 10.0, 3.0]
2.0 20.0 4.0 6.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, MetaForwardComputesShapesOnly) {
  const Outcome outcome = run([] {
    const Var m, out_;
    m = Py(nn("Sequential")({nn("Linear")({Py(4), Py(8)}), nn("ReLU")(), nn("Linear")({Py(8), Py(2)})})
               .attr("to")(Py("meta")));
    out_ = Py(m(torch("ones")({Py(5), Py(4), kw("device", Py("meta"))})));
    builtin("print")({out_.attr("shape"), out_.attr("device"), out_.attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(torch.Size([5, 2]) meta True
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
