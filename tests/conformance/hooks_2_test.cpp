// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, HandleContextManagerWithAnException) {
  const Outcome outcome = run([] {
    const Var net, e;
    net = Py(nn("Identity")());
    try {
      with(net.attr("register_forward_hook")(
               lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("hook")); })),
           [&](const Py&) {
             net(0);
             raise(builtin("ValueError")("inside"));
           });
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")(e, builtin("len")(net.attr("_forward_hooks")));
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(hook
inside 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, RemovingClearsTheSideTables) {
  const Outcome outcome = run([] {
    const Var net, h, p;
    net = Py(nn("Identity")());
    h = Py(
        net.attr("register_forward_hook")(lambda({"m", "a", "k", "o"}, [=](const Locals&) -> Py { return Py(Py()); }),
                                          kw("with_kwargs", true), kw("always_call", true)));
    p = Py(net.attr("register_forward_pre_hook")(lambda({"m", "a", "k"}, [=](const Locals&) -> Py { return Py(Py()); }),
                                                 kw("with_kwargs", true)));
    builtin("print")({builtin("len")(net.attr("_forward_hooks_with_kwargs")),
                      builtin("len")(net.attr("_forward_hooks_always_called")),
                      builtin("len")(net.attr("_forward_pre_hooks_with_kwargs"))});
    h.attr("remove")();
    p.attr("remove")();
    builtin("print")({builtin("len")(net.attr("_forward_hooks_with_kwargs")),
                      builtin("len")(net.attr("_forward_hooks_always_called")),
                      builtin("len")(net.attr("_forward_pre_hooks_with_kwargs"))});
  });
  EXPECT_EQ(outcome.out, R"(1 1 1
0 0 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HookThatRemovesItself) {
  const Outcome outcome = run([] {
    const Var net, once, handle;
    net = Py(nn("Identity")());
    once = def("once", {"module", "args", "out"}, [=](const Locals& a) -> Py {
      const Var out_ = a[2];
      builtin("print")("once", out_);
      handle.attr("remove")();
      return Py();
    });
    handle = Py(net.attr("register_forward_hook")(once));
    net.attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals& a) -> Py {
      const Var o = a[2];
      return Py(builtin("print")("always", o));
    }));
    net(1);
    net(2);
    builtin("print")(builtin("len")(net.attr("_forward_hooks")));
  });
  EXPECT_EQ(outcome.out, R"(once 1
always 1
always 2
1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HookThatRemovesALaterHook) {
  const Outcome outcome = run([] {
    const Var net, handles;
    net = Py(nn("Identity")());
    handles = Py(list({}));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(handles.item(0).attr("remove")()); }));
    handles.attr("append")(net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("later hook still ran")); })));
    net(0);
    builtin("print")(builtin("len")(net.attr("_forward_hooks")));
    net(0);
  });
  EXPECT_EQ(outcome.out, R"(later hook still ran
1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HooksOfNestedModulesInOrder) {
  const Outcome outcome = run([] {
    const Var watch, net, name, m;
    watch = def("watch", {"name", "module"}, [=](const Locals& a) -> Py {
      const Var name_ = a[0];
      const Var module = a[1];
      module.attr("register_forward_pre_hook")(
          lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("enter", name_)); }));
      module.attr("register_forward_hook")(
          lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("leave", name_)); }));
      return Py();
    });
    net = Py(nn("Sequential")({nn("Sequential")(nn("Identity")()), nn("Identity")()}));
    for_each(net.attr("named_modules")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      m = Py(parts2[1]);
      watch((static_cast<bool>(Py(name)) ? Py(name) : Py(Py("root"))), m);
      return true;
    });
    net(0);
  });
  EXPECT_EQ(outcome.out, R"(enter root
enter 0
enter 0.0
leave 0.0
leave 0
enter 1
leave 1
leave root
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, SharedModuleFiresOncePerCall) {
  const Outcome outcome = run([] {
    const Var shared, net, count;
    shared = Py(nn("Identity")());
    net = Py(nn("Sequential")(shared, shared, shared));
    count = Py(list({}));
    shared.attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals& a) -> Py {
      const Var o = a[2];
      return Py(count.attr("append")(o));
    }));
    net(4);
    builtin("print")(count);
  });
  EXPECT_EQ(outcome.out, R"([4, 4, 4]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallHookRunsAfterAnException) {
  const Outcome outcome = run([] {
    const Var Net, net, e;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"},
               [=](const Locals&) -> Py { raise(builtin("ValueError")("forward failed")); });
    net = Py(Net());
    net.attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals& a) -> Py {
      const Var o = a[2];
      return Py(builtin("print")("normal hook", o));
    }));
    net.attr("register_forward_hook")(lambda({"m", "a", "o"},
                                             [=](const Locals& a) -> Py {
                                               const Var a_ = a[1];
                                               const Var o = a[2];
                                               return Py(builtin("print")("always hook", a_, o));
                                             }),
                                      kw("always_call", true));
    try {
      net(3);
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")("caught", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(always hook (3,) None
caught forward failed
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallHookRunsOnceOnSuccess) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Identity")());
    net.attr("register_forward_hook")(lambda({"m", "a", "o"},
                                             [=](const Locals& a) -> Py {
                                               const Var o = a[2];
                                               return Py(builtin("print")("always", o));
                                             }),
                                      kw("always_call", true));
    net(1);
  });
  EXPECT_EQ(outcome.out, R"(always 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallAfterAFailingHook) {
  const Outcome outcome = run([] {
    const Var net, bad, e;
    net = Py(nn("Identity")());
    bad = def("bad", {"m", "a", "o"}, [=](const Locals&) -> Py {
      builtin("print")("bad hook");
      raise(builtin("RuntimeError")("hook failed"));
    });
    net.attr("register_forward_hook")(lambda({"m", "a", "o"},
                                             [=](const Locals& a) -> Py {
                                               const Var o = a[2];
                                               return Py(builtin("print")("first always", o));
                                             }),
                                      kw("always_call", true));
    net.attr("register_forward_hook")(bad);
    net.attr("register_forward_hook")(lambda({"m", "a", "o"},
                                             [=](const Locals& a) -> Py {
                                               const Var o = a[2];
                                               return Py(builtin("print")("last always", o));
                                             }),
                                      kw("always_call", true));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("never")); }));
    try {
      net(1);
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")("caught", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(first always 1
bad hook
last always 1
caught hook failed
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallAfterAFailingPreHook) {
  const Outcome outcome = run([] {
    const Var net, bad, e;
    net = Py(nn("Identity")());
    bad = def("bad", {"m", "a"}, [=](const Locals&) -> Py { raise(builtin("KeyError")("pre hook failed")); });
    net.attr("register_forward_pre_hook")(bad);
    net.attr("register_forward_hook")(lambda({"m", "a", "k", "o"},
                                             [=](const Locals& a) -> Py {
                                               const Var a_ = a[1];
                                               const Var k = a[2];
                                               const Var o = a[3];
                                               return Py(builtin("print")("always", a_, k, o));
                                             }),
                                      kw("always_call", true), kw("with_kwargs", true));
    try {
      net(1);
    } catch (const Raised& raised) {
      if (matches(raised, "KeyError")) {
        e = exception_of(raised);
        builtin("print")("caught", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(always (1,) {} None
caught 'pre hook failed'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallHookThatFailsIsSilenced) {
  const Outcome outcome = run([] {
    const Var Net, bad, net, seen, e;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals&) -> Py { raise(builtin("ValueError")("original")); });
    bad = def("bad", {"m", "a", "o"}, [=](const Locals&) -> Py { raise(builtin("RuntimeError")("from the hook")); });
    net = Py(Net());
    net.attr("register_forward_hook")(bad, kw("always_call", true));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("still called")); }),
        kw("always_call", true));
    with(warnings("catch_warnings")(kw("record", true)), [&](const Py& entered) {
      seen = Py(entered);
      warnings("simplefilter")("always");
      try {
        net(1);
      } catch (const Raised& raised) {
        if (matches(raised, "ValueError")) {
          e = exception_of(raised);
          builtin("print")("caught", e);
        } else {
          throw;
        }
      }
    });
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var w;
      for_each(seen, [&](const Py& item1) {
        w = Py(item1);
        made.push_back(Py(tuple({w.attr("category").attr("__name__"), builtin("str")(w.attr("message"))})).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(still called
caught original
[('UserWarning', 'module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: from the hook')]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, AlwaysCallHookCannotRescueTheCall) {
  const Outcome outcome = run([] {
    const Var Net, net, e;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"},
               [=](const Locals&) -> Py { raise(builtin("ValueError")("still raised")); });
    net = Py(Net());
    net.attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(42); }),
                                      kw("always_call", true));
    try {
      builtin("print")(net(1));
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")("caught", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(caught still raised
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ExceptionInAPreHookStopsTheCall) {
  const Outcome outcome = run([] {
    const Var Net, refuse, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals&) -> Py {
      builtin("print")("forward");
      return Py();
    });
    refuse = def("refuse", {"m", "a"}, [=](const Locals& a) -> Py {
      const Var a_ = a[1];
      builtin("print")("refusing", a_);
      raise(builtin("PermissionError")("no"));
    });
    net = Py(Net());
    net.attr("register_forward_pre_hook")(refuse);
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("post")); }));
    net(1);
  });
  EXPECT_EQ(outcome.out, R"(refusing (1,)
)");
  EXPECT_EQ(outcome.error, R"(PermissionError: no)");
}

}  // namespace
}  // namespace nns::py
