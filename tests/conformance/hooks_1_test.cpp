// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, CallingForwardDirectlyFiresNoHooks) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py((x * Py(2)));
    });
    net = Py(Net());
    net.attr("register_forward_pre_hook")(
        lambda({"m", "args"}, [=](const Locals&) -> Py { return Py(builtin("print")("pre")); }));
    net.attr("register_forward_hook")(
        lambda({"m", "args", "out"}, [=](const Locals&) -> Py { return Py(builtin("print")("post")); }));
    builtin("print")(net.attr("forward")(3));
    builtin("print")(net(3));
    builtin("print")(net.attr("__call__")(3));
  });
  EXPECT_EQ(outcome.out, R"(6
pre
post
6
pre
post
6
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHooksRunInRegistrationOrder) {
  const Outcome outcome = run([] {
    const Var net, name;
    net = Py(nn("Identity")());
    for_each("abc", [&](const Py& item1) {
      name = Py(item1);
      net.attr("register_forward_pre_hook")(lambda({"m", "args", {"name", name}}, [=](const Locals& a) -> Py {
        const Var name_ = a[2];
        return Py(builtin("print")("pre", name_));
      }));
      net.attr("register_forward_hook")(lambda({"m", "args", "out", {"name", name}}, [=](const Locals& a) -> Py {
        const Var name_ = a[3];
        return Py(builtin("print")("post", name_));
      }));
      return true;
    });
    net(0);
  });
  EXPECT_EQ(outcome.out, R"(pre a
pre b
pre c
post a
post b
post c
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PrependPutsAHookFirst) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Identity")());
    net.attr("register_forward_pre_hook")(
        lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("pre 1")); }));
    net.attr("register_forward_pre_hook")(
        lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("pre 2")); }), kw("prepend", true));
    net.attr("register_forward_pre_hook")(
        lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(builtin("print")("pre 3")); }), kw("prepend", true));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("post 1")); }));
    net.attr("register_forward_hook")(
        lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(builtin("print")("post 2")); }),
        kw("prepend", true));
    net(0);
    builtin("print")({builtin("list")(net.attr("_forward_pre_hooks")), builtin("list")(net.attr("_forward_hooks"))});
  });
  EXPECT_EQ(outcome.out, R"(pre 3
pre 2
pre 1
post 2
post 1
[2, 1, 0] [4, 3]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHookChangesTheInput) {
  const Outcome outcome = run([] {
    const Var Net, net, h;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "*args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py(args);
    });
    net = Py(Net());
    h = Py(net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py((args.item(0) * Py(10)));
    })));
    builtin("print")({net(1), net(2, 3)});
    h.attr("remove")();
    h = Py(net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals&) -> Py {
      return Py(tuple({7, 8, 9}));
    })));
    builtin("print")(net(1));
    h.attr("remove")();
    h = Py(net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals&) -> Py {
      return Py(list({1, 2}));
    })));
    builtin("print")(net(5));
    h.attr("remove")();
    h = Py(net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals&) -> Py { return Py(Py()); })));
    builtin("print")(net(5));
    h.attr("remove")();
    h = Py(net.attr("register_forward_pre_hook")(
        lambda({"m", "args"}, [=](const Locals&) -> Py { return Py(tuple({})); })));
    builtin("print")(net(5));
  });
  EXPECT_EQ(outcome.out, R"((10,) (20,)
(7, 8, 9)
([1, 2],)
(5,)
()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHooksFeedOneAnother) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Identity")());
    net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py((args.item(0) + Py(1)));
    }));
    net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py((args.item(0) * Py(10)));
    }));
    builtin("print")(net(1));
  });
  EXPECT_EQ(outcome.out, R"(20
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHookWithKwargs) {
  const Outcome outcome = run([] {
    const Var Net, double_scale, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x", {"scale", 1}}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      const Var scale = a[2];
      return Py((x * scale));
    });
    double_scale = def("double_scale", {"module", "args", "kwargs"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      const Var kwargs = a[2];
      builtin("print")("saw", args, kwargs);
      return Py(tuple({args, dict({{Py("scale"), (kwargs.attr("get")("scale", 1) * Py(2))}})}));
    });
    net = Py(Net());
    net.attr("register_forward_pre_hook")(double_scale, kw("with_kwargs", true));
    builtin("print")({net(3, kw("scale", 5)), net(3)});
    builtin("print")(builtin("list")(net.attr("_forward_pre_hooks_with_kwargs").attr("values")()));
  });
  EXPECT_EQ(outcome.out, R"(saw (3,) {'scale': 5}
saw (3,) {}
30 6
[True]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PreHookWithKwargsReturningWrongThings) {
  const Outcome outcome = run([] {
    const Var Net, result, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "*args", "**kwargs"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      const Var kwargs = a[2];
      return Py(tuple({args, kwargs}));
    });
    for_each(list({5, tuple({1}), tuple({1, 2, 3}), list({tuple({1}), dict({})}), "ab"}), [&](const Py& item1) {
      result = Py(item1);
      net = Py(Net());
      net.attr("register_forward_pre_hook")(lambda({"m", "a", "k"}, [=](const Locals&) -> Py { return Py(result); }),
                                            kw("with_kwargs", true));
      attempt()({builtin("repr")(result), lambda({}, [=](const Locals&) -> Py { return Py(net(0)); })});
      return true;
    });
    net = Py(Net());
    net.attr("register_forward_pre_hook")(lambda({"m", "a", "k"},
                                                 [=](const Locals&) -> Py {
                                                   return Py(tuple({tuple({9}), dict({{Py("y"), Py(1)}})}));
                                                 }),
                                          kw("with_kwargs", true));
    attempt()("right", lambda({}, [=](const Locals&) -> Py { return Py(net(0)); }));
    net = Py(Net());
    net.attr("register_forward_pre_hook")(lambda({"m", "a", "k"},
                                                 [=](const Locals&) -> Py {
                                                   return Py(tuple({9, dict({})}));
                                                 }),
                                          kw("with_kwargs", true));
    attempt()("args not a tuple", lambda({}, [=](const Locals&) -> Py { return Py(net(0)); }));
  });
  EXPECT_EQ(outcome.out,
            R"(5: RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 5.
(1,): RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got (1,).
(1, 2, 3): RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got (1, 2, 3).
[(1,), {}]: RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got [(1,), {}].
'ab': RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got ab.
right: ((9,), {'y': 1})
args not a tuple: TypeError: __main__.Net.forward() argument after * must be an iterable, not int
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ForwardHookWithKwargs) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x", "*", {"bias", 0}}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      const Var bias = a[2];
      return Py((x + bias));
    });
    net = Py(Net());
    net.attr("register_forward_hook")(lambda({"m", "args", "kwargs", "out"},
                                             [=](const Locals& a) -> Py {
                                               const Var args = a[1];
                                               const Var kwargs = a[2];
                                               const Var out_ = a[3];
                                               return Py(builtin("print")("hook", args, kwargs, out_));
                                             }),
                                      kw("with_kwargs", true));
    net.attr("register_forward_hook")(lambda({"m", "args", "out"}, [=](const Locals& a) -> Py {
      const Var out_ = a[2];
      return Py((out_ * Py(100)));
    }));
    builtin("print")(net(1, kw("bias", 2)));
    builtin("print")(
        {builtin("list")(net.attr("_forward_hooks_with_kwargs")), builtin("list")(net.attr("_forward_hooks"))});
  });
  EXPECT_EQ(outcome.out, R"(hook (1,) {'bias': 2} 3
300
[0] [0, 1]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ForwardHookSeesChangedArguments) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Identity")());
    net.attr("register_forward_pre_hook")(lambda({"m", "args"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      return Py(tuple({(args.item(0) + Py(5))}));
    }));
    net.attr("register_forward_hook")(lambda({"m", "args", "out"}, [=](const Locals& a) -> Py {
      const Var args = a[1];
      const Var out_ = a[2];
      return Py(builtin("print")("args", args, "out", out_));
    }));
    net(1);
  });
  EXPECT_EQ(outcome.out, R"(args (6,) out 6
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, HookArityErrors) {
  const Outcome outcome = run([] {
    const Var net, h;
    net = Py(nn("Identity")());
    h = Py(net.attr("register_forward_pre_hook")(lambda({"m"}, [=](const Locals&) -> Py { return Py(Py()); })));
    attempt()("pre hook with one argument", lambda({}, [=](const Locals&) -> Py { return Py(net(1)); }));
    h.attr("remove")();
    h = Py(net.attr("register_forward_hook")(lambda({"m", "a"}, [=](const Locals&) -> Py { return Py(Py()); })));
    attempt()("hook with two arguments", lambda({}, [=](const Locals&) -> Py { return Py(net(1)); }));
    h.attr("remove")();
    h = Py(net.attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals&) -> Py { return Py(Py()); }),
                                             kw("with_kwargs", true)));
    attempt()("with_kwargs hook with three arguments", lambda({}, [=](const Locals&) -> Py { return Py(net(1)); }));
  });
  EXPECT_EQ(outcome.out,
            R"(pre hook with one argument: TypeError: <lambda>() takes 1 positional argument but 2 were given
hook with two arguments: TypeError: <lambda>() takes 2 positional arguments but 3 were given
with_kwargs hook with three arguments: TypeError: <lambda>() takes 3 positional arguments but 4 were given
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, RegisteringSomethingNotCallable) {
  const Outcome outcome = run([] {
    const Var net, handle, e;
    net = Py(nn("Identity")());
    handle = Py(net.attr("register_forward_hook")("not a function"));
    builtin("print")(builtin("len")(net.attr("_forward_hooks")));
    try {
      net(1);
    } catch (const Raised& raised) {
      if (matches(raised, "TypeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(1
'str' object is not callable
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PrependAndWithKwargsAreKeywordOnly) {
  const Outcome outcome = run([] {
    const Var net, e;
    net = Py(nn("Identity")());
    try {
      net.attr("register_forward_hook")(builtin("print"), true);
    } catch (const Raised& raised) {
      if (matches(raised, "TypeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Module.register_forward_hook() takes 2 positional arguments but 3 were given
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
