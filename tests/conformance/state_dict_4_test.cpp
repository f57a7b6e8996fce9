// Recorded behaviour of PyTorch, topic `state_dict`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(StateDict, AssignMaterialisesAMetaModule) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(1), Py(2), kw("device", Py("meta"))}));
    m.attr("load_state_dict")(
        {dict({{Py("weight"), torch("ones")({Py(2), Py(1)})}, {Py("bias"), torch("zeros")(Py(2))}}),
         kw("assign", Py(true))});
    builtin("print")(
        {m.attr("weight").attr("device"), m(torch("full")({tuple({Py(1), Py(1)}), Py(3.0)})).attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(cpu [[3.0, 3.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, GradientsAndTrainingFlagsAreNotSaved) {
  const Outcome outcome = run([] {
    const Var m, n;
    m = Py(nn("Linear")({Py(1), Py(1)}));
    m(torch("ones")({Py(1), Py(1)})).attr("sum")().attr("backward")();
    m.attr("eval")();
    n = Py(nn("Linear")({Py(1), Py(1)}));
    n.attr("load_state_dict")(m.attr("state_dict")());
    builtin("print")({n.attr("weight").attr("grad"), n.attr("training"), is_not(m.attr("weight").attr("grad"), Py())});
  });
  EXPECT_EQ(outcome.out, R"(None True True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadKeepsExistingGradients) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(1), Py(1)}));
    m(torch("ones")({Py(1), Py(1)})).attr("sum")().attr("backward")();
    m.attr("load_state_dict")(nn("Linear")({Py(1), Py(1)}).attr("state_dict")());
    builtin("print")({m.attr("weight").attr("grad").attr("tolist")(), m.attr("weight").attr("is_leaf")});
  });
  EXPECT_EQ(outcome.out, R"([[1.0]] True
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
