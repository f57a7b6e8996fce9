// Recorded behaviour of PyTorch, topic `state_dict`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(StateDict, AssignKeepsRequiresGradOfTheModule) {
  const Outcome outcome = run([] {
    const Var m, p;
    m = Py(nn("Linear")(1, 1));
    m.attr("weight").attr("requires_grad_")(false);
    p = Py(nn("Parameter")(torch("ones")(1, 1)));
    m.attr("load_state_dict")(dict({{Py("weight"), p}, {Py("bias"), torch("zeros")(1)}}), kw("assign", true));
    builtin("print")(is(m.attr("weight"), p), m.attr("weight").attr("requires_grad"),
                     m.attr("bias").attr("requires_grad"), p.attr("requires_grad"));
  });
  EXPECT_EQ(outcome.out, R"(True False True False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, AssignStillChecksShapes) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(1, 1));
    try {
      m.attr("load_state_dict")(dict({{Py("weight"), torch("ones")(2, 2)}, {Py("bias"), torch("ones")(1)}}),
                                kw("assign", true));
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
	size mismatch for weight: copying a param with shape torch.Size([2, 2]) from checkpoint, the shape in current model is torch.Size([1, 1]).
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, LoadingIntoAMetaModuleWithoutAssignWarns) {
  const Outcome outcome = run([] {
    const Var m, seen;
    m = Py(nn("Linear")(1, 1, kw("bias", false), kw("device", "meta")));
    with(warnings("catch_warnings")(kw("record", true)), [&](const Py& entered) {
      seen = Py(entered);
      warnings("simplefilter")("always");
      m.attr("load_state_dict")(dict({{Py("weight"), torch("ones")(1, 1)}}));
    });
    builtin("print")(m.attr("weight").attr("device"));
    builtin("print")(builtin("str")(seen.item(0).attr("message")));
  });
  EXPECT_EQ(outcome.out, R"(meta
for weight: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the module instead of copying them in place?)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, AssignBreaksTies) {
  const Outcome outcome = run([] {
    const Var a_, b, net;
    const auto parts1 =
        unpack(tuple({nn("Linear")(1, 1, kw("bias", false)), nn("Linear")(1, 1, kw("bias", false))}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    b.set("weight", a_.attr("weight"));
    net = Py(nn("Sequential")(a_, b));
    net.attr("load_state_dict")(dict({{Py("0.weight"), torch("ones")(1, 1)}, {Py("1.weight"), torch("zeros")(1, 1)}}));
    builtin("print")({is(a_.attr("weight"), b.attr("weight")), a_.attr("weight").attr("item")()});
    net.attr("load_state_dict")(dict({{Py("0.weight"), torch("ones")(1, 1)}, {Py("1.weight"), torch("zeros")(1, 1)}}),
                                kw("assign", true));
    builtin("print")(
        {is(a_.attr("weight"), b.attr("weight")), a_.attr("weight").attr("item")(), b.attr("weight").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(True 0.0
False 1.0 0.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, AssignOnABuffer) {
  const Outcome outcome = run([] {
    const Var m, old, new_, sd;
    m = Py(nn("BatchNorm1d")(1));
    old = Py(m.attr("running_mean"));
    new_ = Py(torch("full")(tuple({1}), 2.0, kw("dtype", torch("float64"))));
    sd = Py(m.attr("state_dict")());
    sd.set_item("running_mean", new_);
    m.attr("load_state_dict")(sd, kw("assign", true));
    builtin("print")(
        {is(m.attr("running_mean"), new_), is(m.attr("running_mean"), old), builtin("list")(m.attr("_buffers"))});
  });
  EXPECT_EQ(outcome.out, R"(True False ['running_mean', 'running_var', 'num_batches_tracked']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, CustomLoadUsesTheVersion) {
  const Outcome outcome = run([] {
    const Var Layer, net;
    Layer = make_class("Layer", {nn("Module")});
    Layer.set("_version", 2);
    def_method(Layer, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Layer, self, "__init__")();
      self.set("gain", nn("Parameter")(torch("zeros")(1)));
      return Py();
    });
    def_method(Layer, "_load_from_state_dict",
               {"self", "state_dict", "prefix", "local_metadata", "strict", "missing", "unexpected", "errors"},
               [=](const Locals& a) -> Py {
                 const Var self = a[0];
                 const Var state_dict = a[1];
                 const Var prefix = a[2];
                 const Var local_metadata = a[3];
                 const Var strict = a[4];
                 const Var missing = a[5];
                 const Var unexpected = a[6];
                 const Var errors = a[7];
                 const Var version;
                 version = Py(local_metadata.attr("get")("version", Py()));
                 builtin("print")("version", version, "prefix", builtin("repr")(prefix));
                 if (static_cast<bool>(Py((static_cast<bool>(Py(is(version, Py(Py())))) ? Py(is(version, Py(Py())))
                                                                                        : Py((version < Py(2))))))) {
                   state_dict.set_item((prefix + Py("gain")), state_dict.attr("pop")((prefix + Py("old_gain"))));
                 }
                 super_attr(Layer, self, "_load_from_state_dict")(state_dict, prefix, local_metadata, strict, missing,
                                                                  unexpected, errors);
                 return Py();
               });
    net = Py(nn("Sequential")(Layer()));
    builtin("print")(net.attr("load_state_dict")(dict({{Py("0.old_gain"), torch("full")(tuple({1}), 3.0)}})));
    builtin("print")(net.item(0).attr("gain").attr("item")());
    builtin("print")(net.attr("load_state_dict")(net.attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"(version None prefix '0.'
<All keys matched successfully>
3.0
version 2 prefix '0.'
<All keys matched successfully>
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, CustomLoadDoesNotChangeTheCallersDict) {
  const Outcome outcome = run([] {
    const Var Layer, sd, m;
    Layer = make_class("Layer", {nn("Module")});
    def_method(Layer, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Layer, self, "__init__")();
      self.set("w", nn("Parameter")(torch("zeros")(1)));
      return Py();
    });
    def_method(Layer, "_load_from_state_dict", {"self", "state_dict", "prefix", "*rest"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var state_dict = a[1];
      const Var prefix = a[2];
      const Var rest = a[3];
      state_dict.set_item((prefix + Py("w")), state_dict.attr("pop")((prefix + Py("v"))));
      super_attr(Layer, self, "_load_from_state_dict")(state_dict, prefix, star(rest));
      return Py();
    });
    sd = Py(dict({{Py("v"), torch("ones")(1)}}));
    m = Py(Layer());
    m.attr("load_state_dict")(sd);
    builtin("print")({builtin("list")(sd), m.attr("w").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(['v'] 1.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, ExtraStateRoundTrip) {
  const Outcome outcome = run([] {
    const Var Counter, a_, sd, b, net;
    Counter = make_class("Counter", {nn("Module")});
    def_method(Counter, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Counter, self, "__init__")();
      self.set("count", 0);
      self.set("w", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    def_method(Counter, "get_extra_state", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      return Py(dict({{Py("count"), self.attr("count")}}));
    });
    def_method(Counter, "set_extra_state", {"self", "state"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var state = a[1];
      builtin("print")("set_extra_state", state);
      self.set("count", state.item("count"));
      return Py();
    });
    a_ = Py(Counter());
    a_.set("count", 5);
    sd = Py(a_.attr("state_dict")());
    builtin("print")({builtin("list")(sd), sd.item("_extra_state")});
    b = Py(Counter());
    builtin("print")({b.attr("load_state_dict")(sd), b.attr("count")});
    net = Py(nn("Sequential")(a_));
    builtin("print")(builtin("list")(net.attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"(['w', '_extra_state'] {'count': 5}
set_extra_state {'count': 5}
<All keys matched successfully> 5
['0.w', '0._extra_state']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, ExtraStateMissingAndUnexpected) {
  const Outcome outcome = run([] {
    const Var Counter;
    Counter = make_class("Counter", {nn("Module")});
    def_method(Counter, "get_extra_state", {"self"}, [=](const Locals&) -> Py { return Py(1); });
    def_method(Counter, "set_extra_state", {"self", "state"}, [=](const Locals&) -> Py { return Py(); });
    attempt()("missing",
              lambda({}, [=](const Locals&) -> Py { return Py(Counter().attr("load_state_dict")(dict({}))); }));
    attempt()("missing, not strict", lambda({}, [=](const Locals&) -> Py {
                return Py(Counter().attr("load_state_dict")(dict({}), kw("strict", false)));
              }));
    attempt()("unexpected", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Module")().attr("load_state_dict")(dict({{Py("_extra_state"), Py(1)}})));
              }));
    attempt()(
        "nested", lambda({}, [=](const Locals&) -> Py {
          return Py(nn("Sequential")(nn("ReLU")()).attr("load_state_dict")(dict({{Py("0._extra_state"), Py(1)}})));
        }));
  });
  EXPECT_EQ(outcome.out, R"(missing: RuntimeError: Error(s) in loading state_dict for Counter:
	Missing key(s) in state_dict: "_extra_state". 
missing, not strict: _IncompatibleKeys(missing_keys=['_extra_state'], unexpected_keys=[])
unexpected: RuntimeError: Error(s) in loading state_dict for Module:
	Unexpected key(s) in state_dict: "_extra_state". 
nested: RuntimeError: Error(s) in loading state_dict for Sequential:
	Unexpected key(s) in state_dict: "0._extra_state". 
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, ExtraStateWithOnlyOneHalf) {
  const Outcome outcome = run([] {
    const Var Half, m;
    Half = make_class("Half", {nn("Module")});
    def_method(Half, "get_extra_state", {"self"}, [=](const Locals&) -> Py { return Py(3); });
    m = Py(Half());
    builtin("print")(m.attr("state_dict")());
    attempt()("load",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("load_state_dict")(m.attr("state_dict")())); }));
    attempt()("base get",
              lambda({}, [=](const Locals&) -> Py { return Py(nn("Module")().attr("get_extra_state")()); }));
    attempt()("base set",
              lambda({}, [=](const Locals&) -> Py { return Py(nn("Module")().attr("set_extra_state")(1)); }));
  });
  EXPECT_EQ(outcome.out, R"(OrderedDict({'_extra_state': 3})
load: RuntimeError: Error(s) in loading state_dict for Half:
	Unexpected key(s) in state_dict: "_extra_state". 
base get: RuntimeError: Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.
base set: RuntimeError: Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StateDictPreHook) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")(nn("Linear")(1, 1)));
    net.attr("register_state_dict_pre_hook")(lambda({"m", "prefix", "keep_vars"}, [=](const Locals& a) -> Py {
      const Var prefix = a[1];
      const Var keep_vars = a[2];
      return Py(builtin("print")("root", builtin("repr")(prefix), keep_vars));
    }));
    net.item(0).attr("register_state_dict_pre_hook")(lambda({"m", "prefix", "keep_vars"}, [=](const Locals& a) -> Py {
      const Var prefix = a[1];
      const Var keep_vars = a[2];
      return Py(builtin("print")("child", builtin("repr")(prefix), keep_vars));
    }));
    net.attr("state_dict")();
    net.attr("state_dict")(kw("prefix", "p."), kw("keep_vars", true));
  });
  EXPECT_EQ(outcome.out, R"(root '' False
child '0.' False
root 'p.' True
child 'p.0.' True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StateDictPreHookMayChangeTheModule) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1, kw("bias", false)));
    m.attr("register_state_dict_pre_hook")(lambda({"m", "prefix", "keep_vars"}, [=](const Locals& a) -> Py {
      const Var m_ = a[0];
      return Py(nn_init("constant_")(m_.attr("weight"), 2.0));
    }));
    builtin("print")(m.attr("state_dict")().item("weight").attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(2.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StateDictPostHook) {
  const Outcome outcome = run([] {
    const Var m, hook, sd;
    m = Py(nn("Sequential")(nn("Linear")(1, 1, kw("bias", false))));
    hook = def("hook", {"module", "state_dict", "prefix", "local_metadata"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      const Var state_dict = a[1];
      const Var prefix = a[2];
      const Var local_metadata = a[3];
      builtin("print")({builtin("type")(module).attr("__name__"), builtin("repr")(prefix), local_metadata,
                        builtin("list")(state_dict)});
      local_metadata.set_item("note", "seen");
      state_dict.set_item((prefix + Py("added")), 1);
      return Py();
    });
    m.item(0).attr("register_state_dict_post_hook")(hook);
    m.attr("register_state_dict_post_hook")(hook);
    sd = Py(m.attr("state_dict")());
    builtin("print")({builtin("list")(sd), builtin("dict")(sd.attr("_metadata"))});
  });
  EXPECT_EQ(outcome.out, R"(Linear '0.' {'version': 1} ['0.weight']
Sequential '' {'version': 1} ['0.weight', '0.added']
['0.weight', '0.added', 'added'] {'': {'version': 1, 'note': 'seen'}, '0': {'version': 1, 'note': 'seen'}}
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StateDictPostHookMustReturnNone) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(1, 1));
    m.attr("register_state_dict_post_hook")(lambda({"*args"}, [=](const Locals&) -> Py { return Py(dict({})); }));
    try {
      m.attr("state_dict")();
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(state_dict post-hook must return None
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
