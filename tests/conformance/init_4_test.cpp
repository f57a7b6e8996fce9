// Recorded behaviour of PyTorch, topic `init`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Init, SecondInitOfALayer) {
  const Outcome outcome = run([] {
    const Var attempt_, fc;
    attempt_ = attempt();
    fc = Py(nn("Linear")({Py(2), Py(3)}));
    nn("Module").attr("__init__")(fc);
    attempt_({Py("repr"), lambda({}, [=](const Locals&) -> Py { return Py(builtin("repr")(fc)); })});
    attempt_({Py("forward"), lambda({}, [=](const Locals&) -> Py { return Py(fc(torch("ones")({Py(1), Py(2)}))); })});
    builtin("print")(fc.attr("in_features"));
  });
  EXPECT_EQ(outcome.out, R"(repr: AttributeError: 'Linear' object has no attribute 'bias'
forward: AttributeError: 'Linear' object has no attribute 'weight'
2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, MixinMayUseTheRegistriesAfterModuleInit) {
  const Outcome outcome = run([] {
    const Var WithScale, Net, net;
    WithScale = make_class("WithScale");
    def_method(WithScale, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(WithScale, self, "__init__")();
      self.set("scale", nn("Parameter")(torch("full")({tuple({Py(1)}), Py(2.0)})));
      return {};
    });
    Net = make_class("Net", {WithScale, nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py(binary("*", x, self.attr("scale")));
    });
    net = Py(Net());
    builtin("print")({comprehension([&](std::vector<Value>& values1) {
                        for (const Py& item2 : items(net.attr("named_parameters")())) {
                          const Var n, _;
                          const std::vector<Py> parts3 = unpack(item2, 2);
                          n = Py(parts3[0]);
                          _ = Py(parts3[1]);
                          values1.push_back(Py(n).value());
                        }
                      }),
                      net(torch("tensor")(list({Py(3.0)}))).attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(['scale'] [6.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SetstateFillsInMissingHookRegistries) {
  const Outcome outcome = run([] {
    const Var m, state, key, new_;
    m = Py(nn("ReLU")());
    state = Py(m.attr("__getstate__")());
    builtin("print")({builtin("type")(state).attr("__name__"), is(state, m.attr("__dict__")),
                      binary("==", builtin("sorted")(state), builtin("sorted")(m.attr("__dict__")))});
    for (const Py& item1 :
         items(list({Py("_forward_pre_hooks"), Py("_state_dict_pre_hooks"), Py("_non_persistent_buffers_set"),
                     Py("_is_full_backward_hook"), Py("_backward_pre_hooks"), Py("_load_state_dict_post_hooks")}))) {
      key = Py(item1);
      state.del_item(key);
    }
    new_ = Py(nn("Module").attr("__new__")(nn("ReLU")));
    builtin("print")(builtin("list")(new_.attr("__dict__")));
    new_.attr("__setstate__")(state);
    builtin("print")(binary("==", builtin("sorted")(new_.attr("__dict__")), builtin("sorted")(m.attr("__dict__"))));
    builtin("print")(new_(torch("tensor")(list({Py(-1.0), Py(2.0)}))).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(dict False True
[]
True
[0.0, 2.0]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
