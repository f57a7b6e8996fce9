// Recorded behaviour of PyTorch, topic `state_dict`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(StateDict, BatchnormWithoutNumBatchesTracked) {
  const Outcome outcome = run([] {
    const Var old, m, new_, e;
    old = Py(dict({{Py("weight"), torch("ones")(Py(1))},
                   {Py("bias"), torch("zeros")(Py(1))},
                   {Py("running_mean"), torch("zeros")(Py(1))},
                   {Py("running_var"), torch("ones")(Py(1))}}));
    m = Py(nn("BatchNorm1d")(Py(1)));
    m(torch("tensor")(list({list({Py(1.0)}), list({Py(3.0)})})));
    builtin("print")(m.attr("num_batches_tracked").attr("item")());
    builtin("print")({m.attr("load_state_dict")(old), m.attr("num_batches_tracked").attr("item")()});
    new_ = Py(builtin("OrderedDict")(old));
    new_.set("_metadata", builtin("OrderedDict")(dict({{Py(""), dict({{Py("version"), Py(2)}})}})));
    try {
      m.attr("load_state_dict")(new_);
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(1
<All keys matched successfully> 1
Error(s) in loading state_dict for BatchNorm1d:
	Missing key(s) in state_dict: "num_batches_tracked". 
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
