// What Python sees of autograd beyond the recorded programs.
#include <gtest/gtest.h>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

Py leaf(std::initializer_list<Py> items) { return torch("tensor")({list(items), kw("requires_grad", true)}); }

TEST(CustomFunction, KeepsTensorsForBackward) {
  const Outcome outcome = run([] {
    const Py cls = make_class("Square", {imported("torch.autograd", "Function")});
    def_static(cls, "forward", {"ctx", "x"}, [](const Locals& a) -> Py {
      a[0].attr("save_for_backward")(a[1]);
      return binary("*", a[1], a[1]);
    });
    def_static(cls, "backward", {"ctx", "grad"}, [](const Locals& a) -> Py {
      const Py x = a[0].attr("saved_tensors").item(0);
      return binary("*", binary("*", a[1], x), 2);
    });
    const Py x = leaf({3.0});
    const Py y = cls.attr("apply")(x);
    builtin("print")({y.attr("grad_fn").attr("name")(), y});
    y.attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
    y.attr("backward")();
  });
  EXPECT_EQ(outcome.out, "SquareBackward tensor([9.], grad_fn=<SquareBackward>)\n6.0\n");
  EXPECT_EQ(outcome.error.substr(0, 70), "RuntimeError: Trying to backward through the graph a second time (or d");
}

TEST(CustomFunction, MustGiveOneGradientAnArgument) {
  const Outcome outcome = run([] {
    const Py cls = make_class("Two", {imported("torch.autograd", "Function")});
    def_static(cls, "forward", {"ctx", "x", "y"}, [](const Locals& a) -> Py { return binary("+", a[1], a[2]); });
    def_static(cls, "backward", {"ctx", "grad"}, [](const Locals& a) -> Py { return a[1]; });
    cls.attr("apply")({leaf({1.0}), leaf({2.0})}).attr("backward")();
  });
  EXPECT_EQ(outcome.error,
            "RuntimeError: function TwoBackward returned an incorrect number of gradients (expected 2, got 1)");
}

TEST(AnomalyDetection, NamesTheOpAndTheModule) {
  std::string warned;
  const Outcome outcome = run([&warned] {
    const Py net = make_class("Net", {nn("Module")});
    def_method(net, "forward", {"self", "x"}, [](const Locals& a) -> Py { return a[1].attr("sqrt")(); });
    const Py outer = nn("Sequential")(net());
    try {
      with(imported("torch.autograd", "set_detect_anomaly")(true), [&](const Py&) {
        const Py x = leaf({0.0});
        binary("*", outer(binary("*", x, 1)), 0.0).attr("sum")().attr("backward")();
      });
    } catch (const Raised&) {
      for (const Interpreter::Warning& warning : World::now().in.take_warnings()) warned += warning.text;
      throw;
    }
  });
  EXPECT_EQ(outcome.error, "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.");
  EXPECT_EQ(warned, "Error detected in SqrtBackward0. It was recorded in the forward of Sequential > Net.");
}

TEST(NodeHook, SeesAndReplacesGradients) {
  const Outcome outcome = run([] {
    const Py x = leaf({2.0});
    const Py y = binary("*", x, 3);
    y.attr("grad_fn").attr("register_prehook")(
        lambda({"grads"}, [](const Locals& a) -> Py { return tuple({binary("*", a[0].item(0), 10)}); }));
    const Py handle = y.attr("grad_fn").attr("register_hook")(lambda({"inputs", "outputs"}, [](const Locals& a) -> Py {
      builtin("print")({a[0].item(0).attr("item")(), a[1].item(0).attr("item")()});
      return Py();
    }));
    y.attr("backward")(kw("retain_graph", true));
    handle.attr("remove")();
    y.attr("backward")();
    builtin("print")({x.attr("grad").attr("item")(),
                      is(y.attr("grad_fn").attr("next_functions").item(0).item(0).attr("variable"), x)});
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, "30.0 10.0\n60.0 True\n");
}

TEST(GradMode, DecoratesFunctions) {
  const Outcome outcome = run([] {
    const Py f = def("f", {"x"}, [](const Locals& a) -> Py { return binary("*", a[0], 2); });
    const Py quiet = torch("no_grad")()(f);
    builtin("print")({quiet(leaf({1.0})).attr("requires_grad"), quiet.attr("__name__"), torch("is_grad_enabled")()});
    builtin("print")(torch("no_grad")(f)(leaf({1.0})).attr("requires_grad"));
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, "False f True\nFalse\n");
}

}  // namespace
}  // namespace nns::py
