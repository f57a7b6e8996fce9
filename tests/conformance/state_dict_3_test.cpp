// Recorded behaviour of PyTorch, topic `state_dict`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(StateDict, PrivateStateDictHookMayReplaceTheResultAtTheRoot) {
  const Outcome outcome = run([] {
    const Var m, outer;
    m = Py(nn("Sequential")(nn("Linear")(1, 1)));
    m.attr("_register_state_dict_hook")(lambda({"module", "sd", "prefix", "meta"}, [=](const Locals& a) -> Py {
      const Var sd = a[1];
      return Py(dict({{Py("replaced"), builtin("len")(sd)}}));
    }));
    builtin("print")(m.attr("state_dict")());
    outer = Py(nn("Sequential")(m));
    builtin("print")(builtin("list")(outer.attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"({'replaced': 2}
['0.0.weight', '0.0.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, SameFunctionAsPublicAndPrivateHook) {
  const Outcome outcome = run([] {
    const Var m, hook, e;
    m = Py(nn("Linear")(1, 1));
    hook = def("hook", {"module", "sd", "prefix", "meta"}, [=](const Locals&) -> Py { return Py(); });
    m.attr("register_state_dict_post_hook")(hook);
    try {
      m.attr("_register_state_dict_hook")(hook);
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"(Cannot register the same function as the state dict post hook that was previously registered via register_state_dict_post_hook
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, RenameKeysWithAPostHook) {
  const Outcome outcome = run([] {
    const Var Wrapper;
    Wrapper = make_class("Wrapper", {nn("Module")});
    def_method(Wrapper, "__init__", {"self", "inner"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var inner = a[1];
      super_attr(Wrapper, self, "__init__")();
      self.set("inner", inner);
      self.attr("register_state_dict_post_hook")(self.attr("strip"));
      return Py();
    });
    def_static(Wrapper, "strip", {"module", "sd", "prefix", "meta"}, [=](const Locals& a) -> Py {
      const Var sd = a[1];
      const Var key;
      for_each(builtin("list")(sd), [&](const Py& item1) {
        key = Py(item1);
        sd.set_item(key.attr("replace")("inner.", ""), sd.attr("pop")(key));
        return true;
      });
      return Py();
    });
    builtin("print")(builtin("list")(Wrapper(nn("Linear")(1, 1)).attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"(['weight', 'bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadStateDictPreHookWithoutModule) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1, kw("bias", false)));
    m.attr("_register_load_state_dict_pre_hook")(lambda({"*args"}, [=](const Locals& a) -> Py {
      const Var args = a[0];
      return Py(builtin("print")(
          {builtin("len")(args), builtin("type")(args.item(0)).attr("__name__"), builtin("repr")(args.item(1))}));
    }));
    m.attr("register_load_state_dict_pre_hook")(lambda({"*args"}, [=](const Locals& a) -> Py {
      const Var args = a[0];
      return Py(builtin("print")(
          {builtin("len")(args), builtin("type")(args.item(0)).attr("__name__"), builtin("repr")(args.item(2))}));
    }));
    m.attr("load_state_dict")(m.attr("state_dict")());
  });
  EXPECT_EQ(outcome.out, R"(7 OrderedDict ''
8 Linear ''
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadStateDictPreHookCanReportErrors) {
  const Outcome outcome = run([] {
    const Var m, hook, e;
    m = Py(nn("Linear")(1, 1));
    hook = def("hook", {"module", "sd", "prefix", "meta", "strict", "missing", "unexpected", "errors"},
               [=](const Locals& a) -> Py {
                 const Var errors = a[7];
                 errors.attr("append")("a custom complaint");
                 return Py();
               });
    m.attr("register_load_state_dict_pre_hook")(hook);
    try {
      m.attr("load_state_dict")(m.attr("state_dict")());
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Error(s) in loading state_dict for Linear:
	a custom complaint
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadStateDictPostHook) {
  const Outcome outcome = run([] {
    const Var net, name, m;
    net = Py(nn("Sequential")({nn("Linear")(1, 1), nn("Linear")(1, 1)}));
    for_each(net.attr("named_modules")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      m = Py(parts2[1]);
      m.attr("register_load_state_dict_post_hook")(lambda({"m", "keys", {"name", name}}, [=](const Locals& a) -> Py {
        const Var keys = a[1];
        const Var name_ = a[2];
        return Py(builtin("print")(builtin("repr")(name_), keys));
      }));
      return true;
    });
    net.attr("load_state_dict")(dict({{Py("0.weight"), torch("ones")(1, 1)}}), kw("strict", false));
  });
  EXPECT_EQ(outcome.out, R"('0' _IncompatibleKeys(missing_keys=['0.bias'], unexpected_keys=[])
'1' _IncompatibleKeys(missing_keys=['0.bias', '1.weight', '1.bias'], unexpected_keys=[])
'' _IncompatibleKeys(missing_keys=['0.bias', '1.weight', '1.bias'], unexpected_keys=[])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadStateDictPostHookMayClearTheLists) {
  const Outcome outcome = run([] {
    const Var m, forgive;
    m = Py(nn("Linear")(1, 1));
    forgive = def("forgive", {"module", "keys"}, [=](const Locals& a) -> Py {
      const Var keys = a[1];
      keys.attr("missing_keys").attr("clear")();
      keys.attr("unexpected_keys").attr("clear")();
      return Py();
    });
    m.attr("register_load_state_dict_post_hook")(forgive);
    builtin("print")(m.attr("load_state_dict")(dict({{Py("other"), torch("ones")(1)}})));
  });
  EXPECT_EQ(outcome.out, R"(<All keys matched successfully>
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadStateDictPostHookMustReturnNone) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(1, 1));
    m.attr("register_load_state_dict_post_hook")(lambda({"module", "keys"}, [=](const Locals& a) -> Py {
      const Var keys = a[1];
      return Py(keys);
    }));
    try {
      m.attr("load_state_dict")(m.attr("state_dict")());
    } catch (const Raised& raised) {
      if (matches(raised, "AssertionError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"(Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if incompatible_keys need to be modified, it should be done inplace.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadOrderAndEventLog) {
  const Outcome outcome = run([] {
    const Var log_, net, name, m;
    log_ = Py(list({}));
    net = Py(nn("Sequential")({nn("Linear")(1, 1), nn("Linear")(1, 1)}));
    for_each(net.attr("named_modules")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      m = Py(parts2[1]);
      m.attr("register_load_state_dict_pre_hook")(lambda({"m", "*rest", {"name", name}}, [=](const Locals& a) -> Py {
        const Var name_ = a[2];
        return Py(log_.attr("append")((Py("pre ") + name_)));
      }));
      m.attr("register_load_state_dict_post_hook")(lambda({"m", "keys", {"name", name}}, [=](const Locals& a) -> Py {
        const Var name_ = a[2];
        return Py(log_.attr("append")((Py("post ") + name_)));
      }));
      m.attr("register_state_dict_pre_hook")(lambda({"m", "p", "k", {"name", name}}, [=](const Locals& a) -> Py {
        const Var name_ = a[3];
        return Py(log_.attr("append")((Py("save pre ") + name_)));
      }));
      m.attr("register_state_dict_post_hook")(
          lambda({"m", "sd", "p", "meta", {"name", name}}, [=](const Locals& a) -> Py {
            const Var name_ = a[4];
            return Py(log_.attr("append")((Py("save post ") + name_)));
          }));
      return true;
    });
    net.attr("load_state_dict")(net.attr("state_dict")());
    builtin("print")(log_);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['save pre ', 'save pre 0', 'save post 0', 'save pre 1', 'save post 1', 'save post ', 'pre ', 'pre 0', 'post 0', 'pre 1', 'post 1', 'post ']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, OverridingStateDictOfAChild) {
  const Outcome outcome = run([] {
    const Var Quiet;
    Quiet = make_class("Quiet", {nn("Module")});
    def_method(Quiet, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Quiet, self, "__init__")();
      self.set("w", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    def_method(Quiet, "state_dict", {"self", "*args", {"destination", Py()}, {"prefix", ""}, {"keep_vars", false}},
               [=](const Locals& a) -> Py {
                 const Var destination = a[2];
                 const Var prefix = a[3];
                 destination.set_item((prefix + Py("only")), torch("zeros")(1));
                 return Py(destination);
               });
    builtin("print")(builtin("list")(nn("Sequential")({nn("Linear")(1, 1), Quiet()}).attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"(['0.weight', '0.bias', '1.only']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadingOnlyTheMatchingPart) {
  const Outcome outcome = run([] {
    const Var big, small, mine, usable;
    big = Py(nn("Sequential")({nn("Linear")(2, 2), nn("Linear")(2, 3)}));
    small = Py(nn("Sequential")({nn("Linear")(2, 2), nn("Linear")(2, 1)}));
    mine = Py(small.attr("state_dict")());
    usable = Py(dict_comprehension([&](object::Dict& made) {
      const Var k;
      const Var v;
      for_each(big.attr("state_dict")().attr("items")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        k = Py(parts2[0]);
        v = Py(parts2[1]);
        if (!static_cast<bool>(
                Py((static_cast<bool>(Py(contains(k, mine))) ? Py(equal(mine.item(k).attr("shape"), v.attr("shape")))
                                                             : Py(contains(k, mine))))))
          return true;
        made.set(Py(k).value(), Py(v).value());
        return true;
      });
    }));
    builtin("print")(builtin("sorted")(usable));
    mine.attr("update")(usable);
    builtin("print")(small.attr("load_state_dict")(mine));
    builtin("print")(torch("equal")(small.item(0).attr("weight"), big.item(0).attr("weight")));
  });
  EXPECT_EQ(outcome.out, R"(['0.bias', '0.weight']
<All keys matched successfully>
True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StrippingAPrefixBeforeLoading) {
  const Outcome outcome = run([] {
    const Var wrapped, m;
    wrapped = Py(dict({{Py("module.weight"), torch("ones")(1, 1)}, {Py("module.bias"), torch("zeros")(1)}}));
    m = Py(nn("Linear")(1, 1));
    builtin("print")(m.attr("load_state_dict")(dict_comprehension([&](object::Dict& made) {
      const Var k;
      const Var v;
      for_each(wrapped.attr("items")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        k = Py(parts2[0]);
        v = Py(parts2[1]);
        made.set(Py(k.attr("removeprefix")("module.")).value(), Py(v).value());
        return true;
      });
    })));
    builtin("print")(m.attr("load_state_dict")(wrapped, kw("strict", false)));
  });
  EXPECT_EQ(outcome.out, R"(<All keys matched successfully>
_IncompatibleKeys(missing_keys=['weight', 'bias'], unexpected_keys=['module.weight', 'module.bias'])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, SwapWithSharedModuleMissingKeys) {
  const Outcome outcome = run([] {
    const Var shared, net;
    shared = Py(nn("Linear")(1, 1, kw("bias", false)));
    net = Py(nn("Sequential")(shared, shared));
    builtin("print")(
        net.attr("load_state_dict")(dict({{Py("0.weight"), torch("full")(tuple({1, 1}), 2.0)}}), kw("strict", false)));
    builtin("print")(net.item(1).attr("weight").attr("item")());
    net.attr("load_state_dict")(dict(
        {{Py("0.weight"), torch("full")(tuple({1, 1}), 2.0)}, {Py("1.weight"), torch("full")(tuple({1, 1}), 3.0)}}));
    builtin("print")(net.item(0).attr("weight").attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(_IncompatibleKeys(missing_keys=['1.weight'], unexpected_keys=[])
2.0
3.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, IncompatibleKeysText) {
  const Outcome outcome = run([] {
    builtin("print")(nn("Module")().attr("load_state_dict")(dict({})));
    builtin("print")(builtin("repr")(nn("Module")().attr("load_state_dict")(dict({}))));
    builtin("print")(list({nn("Module")().attr("load_state_dict")(dict({}))}));
  });
  EXPECT_EQ(outcome.out, R"(<All keys matched successfully>
<All keys matched successfully>
[<All keys matched successfully>]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
