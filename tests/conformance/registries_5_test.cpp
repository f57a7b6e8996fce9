// Recorded behaviour of PyTorch, topic `registries`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Registries, ClassLevelParametersAndModulesAreNotRegistered) {
  const Outcome outcome = run([] {
    const Var Net, a_, b;
    Net = make_class("Net", {nn("Module")});
    Net.set("shared", nn("Parameter")(torch("ones")(Py(1))));
    Net.set("act", nn("ReLU")());
    const Py value1(Net());
    const Py value2(Net());
    a_ = Py(value1);
    b = Py(value2);
    builtin("print")({builtin("list")(a_.attr("parameters")()), builtin("list")(a_.attr("children")())});
    builtin("print")({is(a_.attr("shared"), b.attr("shared")), is(a_.attr("act"), b.attr("act")),
                      a_.attr("act")(torch("tensor")(list({Py(-1.0), Py(1.0)}))).attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([] []
True True [0.0, 1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterParameterRefusesANonLeaf) {
  const Outcome outcome = run([] {
    const Var base, derived, m, tensor, e;
    base = Py(nn("Parameter")(torch("ones")(Py(2))));
    derived = Py(nn("Parameter")(torch("ones")(Py(2))));
    builtin("print")(derived.attr("grad_fn"));
    m = Py(nn("Module")());
    tensor = Py(binary("*", base, Py(2)));
    builtin("print")({is_not(tensor.attr("grad_fn"), Py()), builtin("isinstance")({tensor, nn("Parameter")})});
    tensor.set("__class__", nn("Parameter"));
    try {
      m.attr("register_parameter")({Py("w"), tensor});
    } catch (const Raised& raised) {
      if (matches(raised, "Exception")) {
        e = exception_of(raised);
        builtin("print")(builtin("type")(e).attr("__name__"));
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(None
True False
ValueError
Cannot assign non-leaf Tensor to parameter 'w'. Model parameters must be created explicitly. To express 'w' as a function of another Tensor, compute the value in the forward() method.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ParameterBasics) {
  const Outcome outcome = run([] {
    const Var p, q;
    p = Py(nn("Parameter")(torch("tensor")(list({list({Py(1.0), Py(2.0)}), list({Py(3.0), Py(4.0)})}))));
    builtin("print")(p);
    builtin("print")({builtin("type")(p).attr("__name__"), builtin("isinstance")({p, torch("Tensor")}),
                      p.attr("requires_grad"), p.attr("is_leaf")});
    q = Py(nn("Parameter")({torch("zeros")(Py(2)), kw("requires_grad", Py(false))}));
    builtin("print")(q);
    builtin("print")(nn("Parameter")());
    builtin("print")(
        {builtin("type")(p.attr("data")).attr("__name__"), builtin("type")(binary("+", p, Py(1))).attr("__name__"),
         builtin("type")(p.attr("detach")()).attr("__name__"), builtin("type")(p.item(Py(0))).attr("__name__")});
  });
  EXPECT_EQ(outcome.out, R"(Parameter containing:
tensor([[1., 2.],
        [3., 4.]], requires_grad=True)
Parameter True True True
Parameter containing:
tensor([0., 0.])
Parameter containing:
tensor([], requires_grad=True)
Tensor Tensor Tensor Tensor
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
