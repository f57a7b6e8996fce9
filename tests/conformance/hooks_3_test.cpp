// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, GlobalHooksRunBeforeLocalHooks) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Identity")());
    net.attr("register_forward_pre_hook")(
        lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("local pre")); }),
        kw("prepend", true));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("local post")); }),
        kw("prepend", true));
    with(modules_module("register_module_forward_pre_hook")(
             lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("global pre")); })),
         [&](const Py&) {
           with(modules_module("register_module_forward_hook")(
                    lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("global post")); })),
                [&](const Py&) { net(0); });
         });
  });
  EXPECT_EQ(outcome.out, R"(global pre
local pre
global post
local post
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, GlobalHooksCanChangeValues) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("Identity")(), nn("Identity")()}));
    with(modules_module("register_module_forward_pre_hook")(lambda({"m", "a"},
                                                                   [=](const Locals& a) -> Py {
                                                                     const Var a_ = a[1];
                                                                     return Py(tuple({(a_.item(0) + Py(1))}));
                                                                   })),
         [&](const Py&) { builtin("print")(net(0)); });
    with(modules_module("register_module_forward_hook")(lambda({"m", "a", "o"},
                                                               [=](const Locals& a) -> Py {
                                                                 const Var o = a[2];
                                                                 return Py((o * Py(2)));
                                                               })),
         [&](const Py&) { builtin("print")(net(1)); });
    with(modules_module("register_module_forward_hook")(lambda({"m", "a", "k", "o"},
                                                               [=](const Locals& a) -> Py {
                                                                 const Var a_ = a[1];
                                                                 const Var k = a[2];
                                                                 const Var o = a[3];
                                                                 return Py(builtin("print")(a_, k, o));
                                                               }),
                                                        kw("with_kwargs", true)),
         [&](const Py&) { net.item(0)(7); });
  });
  EXPECT_EQ(outcome.out, R"(3
8
(7,) {} 7
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, GlobalAlwaysCallHook) {
  const Outcome outcome = run([] {
    const Var Bad;
    Bad = make_class("Bad", {nn("Module")});
    def_method(Bad, "forward", {"self", "x"}, [=](const Locals&) -> Py { raise(builtin("ValueError")("x")); });
    with(modules_module("register_module_forward_hook")(
             lambda({"m", "a", "o"},
                    [=](const Locals& a) -> Py {
                      const Var m = a[0];
                      const Var o = a[2];
                      return Py(builtin("print")("global always", builtin("type")(m).attr("__name__"), o));
                    }),
             kw("always_call", true)),
         [&](const Py&) {
           try {
             nn("Sequential")({nn("Identity")(), Bad()})(1);
           } catch (const Raised& raised) {
             if (matches(raised, "ValueError")) {
               builtin("print")("caught");
             } else {
               throw;
             }
           }
         });
  });
  EXPECT_EQ(outcome.out, R"(global always Identity 1
global always Bad None
global always Sequential None
caught
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, MixingFullAndLegacyBackwardHooks) {
  const Outcome outcome = run([] {
    const Var a_, b, h;
    const auto parts1 = unpack(tuple({nn("ReLU")(), nn("ReLU")()}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    a_.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); }));
    attempt()("legacy after full", lambda({}, [=](const Locals&) -> Py {
                return Py(a_.attr("register_backward_hook")(
                    lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
              }));
    h = Py(b.attr("register_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
    attempt()("full after legacy", lambda({}, [=](const Locals&) -> Py {
                return Py(b.attr("register_full_backward_hook")(
                    lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
              }));
    h.attr("remove")();
    attempt()("even after removal", lambda({}, [=](const Locals&) -> Py {
                return Py(b.attr("register_full_backward_hook")(
                    lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
              }));
    builtin("print")({a_.attr("_is_full_backward_hook"), b.attr("_is_full_backward_hook"),
                      nn("ReLU")().attr("_is_full_backward_hook")});
  });
  EXPECT_EQ(
      outcome.out,
      R"(legacy after full: RuntimeError: Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them.
full after legacy: RuntimeError: Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them.
even after removal: RuntimeError: Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them.
True False None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, GlobalBackwardHooksCannotBeMixed) {
  const Outcome outcome = run([] {
    const Var h;
    h = Py(modules_module("register_module_full_backward_hook")(
        lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
    attempt()("legacy", lambda({}, [=](const Locals&) -> Py {
                return Py(modules_module("register_module_backward_hook")(
                    lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
              }));
    h.attr("remove")();
    attempt()("after removal", lambda({}, [=](const Locals&) -> Py {
                return Py(modules_module("register_module_backward_hook")(
                    lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(Py()); })));
              }));
  });
  EXPECT_EQ(
      outcome.out,
      R"(legacy: RuntimeError: Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them.
after removal: RuntimeError: Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ForwardHookWithABoundMethodAndACallableObject) {
  const Outcome outcome = run([] {
    const Var Recorder, r, net;
    Recorder = make_class("Recorder", {});
    def_method(Recorder, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("outputs", list({}));
      return Py();
    });
    def_method(Recorder, "hook", {"self", "module", "args", "output"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var output = a[3];
      self.attr("outputs").attr("append")(output);
      return Py();
    });
    def_method(Recorder, "__call__", {"self", "module", "args"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.attr("outputs").attr("append")("pre");
      return Py();
    });
    r = Py(Recorder());
    net = Py(nn("Identity")());
    net.attr("register_forward_hook")(r.attr("hook"));
    net.attr("register_forward_pre_hook")(r);
    net(1);
    net(2);
    builtin("print")(r.attr("outputs"));
  });
  EXPECT_EQ(outcome.out, R"(['pre', 1, 'pre', 2]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HooksOnAClassThatOverridesCall) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__call__", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      const Var out_;
      builtin("print")("before");
      out_ = Py(super_attr(Net, self, "__call__")(x));
      builtin("print")("after");
      return Py(out_);
    });
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py(x);
    });
    net = Py(Net());
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("hook")); }));
    net(1);
  });
  EXPECT_EQ(outcome.out, R"(before
hook
after
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, InstanceLevelCallIsNotUsed) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py((Py("forward ") + builtin("str")(x)));
    });
    net = Py(Net());
    net.set("__call__", lambda({"x"}, [=](const Locals&) -> Py { return Py("instance call"); }));
    builtin("print")({net(1), net.attr("__call__")(1)});
  });
  EXPECT_EQ(outcome.out, R"(forward 1 instance call
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ModuleHooksAreKeptPerInstance) {
  const Outcome outcome = run([] {
    const Var a_, b;
    const auto parts1 = unpack(tuple({nn("Identity")(), nn("Identity")()}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    a_.attr("register_forward_hook")(
        lambda({"m", "i", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("a")); }));
    b(0);
    a_(0);
    builtin("print")({builtin("len")(a_.attr("_forward_hooks")), builtin("len")(b.attr("_forward_hooks"))});
  });
  EXPECT_EQ(outcome.out, R"(a
1 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHookOnAModuleThatTakesNoArguments) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self"}, [=](const Locals&) -> Py { return Py("ran"); });
    net = Py(Net());
    net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py(builtin("print")("args", args));
    }));
    builtin("print")(net());
  });
  EXPECT_EQ(outcome.out, R"(args ()
ran
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HookDictionaryIterationAndIds) {
  const Outcome outcome = run([] {
    const Var net, hs, base;
    net = Py(nn("Identity")());
    hs = Py(comprehension([&](std::vector<Value>& made) {
      const Var _;
      for_each(builtin("range")(3), [&](const Py& item1) {
        _ = Py(item1);
        made.push_back(Py(net.attr("register_forward_hook")(builtin("print"))).value());
        return true;
      });
    }));
    base = Py(hs.item(0).attr("id"));
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var k;
                        for_each(net.attr("_forward_hooks"), [&](const Py& item2) {
                          k = Py(item2);
                          made.push_back(Py((k - base)).value());
                          return true;
                        });
                      }),
                      builtin("type")(net.attr("_forward_hooks")).attr("__name__")});
    hs.item(1).attr("remove")();
    hs.attr("append")(net.attr("register_forward_hook")(builtin("print")));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var k;
      for_each(net.attr("_forward_hooks"), [&](const Py& item3) {
        k = Py(item3);
        made.push_back(Py((k - base)).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"([0, 1, 2] OrderedDict
[0, 2, 3]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
