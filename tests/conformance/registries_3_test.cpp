// Recorded behaviour of PyTorch, topic `registries`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Registries, AttributeErrorInsideAPropertyIsReportedForTheProperty) {
  const Outcome outcome = run([] {
    const Var Net, e;
    Net = make_class("Net", {nn("Module")});
    def_property(Net, "size", [=](const Locals& a) -> Py {
      const Var self = a[0];
      return Py(self.attr("not_there").attr("shape"));
    });
    try {
      static_cast<void>(Net().attr("size"));
    } catch (const Raised& raised) {
      if (matches(raised, "AttributeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"('Net' object has no attribute 'size'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, DirLeavesOutNamesThatStartWithADigit) {
  const Outcome outcome = run([] {
    const Var seq, d;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      for_each(builtin("dir")(seq), [&](const Py& item1) {
        n = Py(item1);
        if (!static_cast<bool>(Py(n.item(0).attr("isdigit")()))) return true;
        made.push_back(Py(n).value());
        return true;
      });
    }));
    d = Py(nn("ModuleDict")(dict({{Py("1x"), nn("ReLU")()}, {Py("x1"), nn("Tanh")()}})));
    builtin("print")({contains(Py("1x"), builtin("dir")(d)), contains(Py("x1"), builtin("dir")(d))});
    builtin("print")({builtin("hasattr")(seq, "0"), builtin("getattr")(seq, "1")});
  });
  EXPECT_EQ(outcome.out, R"([]
False True
True Tanh()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, PublicNamesOfABareModule) {
  const Outcome outcome = run([] {
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      for_each(builtin("dir")(nn("Module")()), [&](const Py& item1) {
        n = Py(item1);
        if (!static_cast<bool>(Py(negation(n.attr("startswith")("_"))))) return true;
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['T_destination', 'add_module', 'apply', 'bfloat16', 'buffers', 'call_super_init', 'children', 'compile', 'cpu', 'cuda', 'double', 'dump_patches', 'eval', 'extra_repr', 'float', 'forward', 'get_buffer', 'get_extra_state', 'get_parameter', 'get_submodule', 'half', 'ipu', 'load_state_dict', 'modules', 'mtia', 'named_buffers', 'named_children', 'named_modules', 'named_parameters', 'parameters', 'register_backward_hook', 'register_buffer', 'register_forward_hook', 'register_forward_pre_hook', 'register_full_backward_hook', 'register_full_backward_pre_hook', 'register_load_state_dict_post_hook', 'register_load_state_dict_pre_hook', 'register_module', 'register_parameter', 'register_state_dict_post_hook', 'register_state_dict_pre_hook', 'requires_grad_', 'set_extra_state', 'set_submodule', 'share_memory', 'state_dict', 'to', 'to_empty', 'train', 'training', 'type', 'xpu', 'zero_grad']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, PrivateNamesOfABareModule) {
  const Outcome outcome = run([] {
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      for_each(builtin("dir")(nn("Module")()), [&](const Py& item1) {
        n = Py(item1);
        if (!static_cast<bool>(
                Py((static_cast<bool>(Py(n.attr("startswith")("_"))) ? Py(Py(negation(n.attr("startswith")("__"))))
                                                                     : Py(n.attr("startswith")("_"))))))
          return true;
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['_apply', '_backward_hooks', '_backward_pre_hooks', '_buffers', '_call_impl', '_compiled_call_impl', '_forward_hooks', '_forward_hooks_always_called', '_forward_hooks_with_kwargs', '_forward_pre_hooks', '_forward_pre_hooks_with_kwargs', '_get_backward_hooks', '_get_backward_pre_hooks', '_get_name', '_is_full_backward_hook', '_load_from_state_dict', '_load_state_dict_post_hooks', '_load_state_dict_pre_hooks', '_maybe_warn_non_full_backward_hook', '_modules', '_named_members', '_non_persistent_buffers_set', '_parameters', '_register_load_state_dict_pre_hook', '_register_state_dict_hook', '_replicate_for_data_parallel', '_save_to_state_dict', '_slow_forward', '_state_dict_hooks', '_state_dict_pre_hooks', '_version', '_wrapped_call_impl']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, VarsAndRegistriesAreLive) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("fc", nn("Identity")());
    builtin("print")(
        {is(builtin("vars")(m), m.attr("__dict__")), is(builtin("vars")(m).item("_modules"), m.attr("_modules"))});
    m.attr("_modules").set_item("extra", nn("ReLU")());
    builtin("print")({m.attr("extra"), comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(m.attr("named_children")(), [&](const Py& item1) {
                          const auto parts2 = unpack(item1, 2);
                          n = Py(parts2[0]);
                          _ = Py(parts2[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      })});
    m.attr("_modules").del_item("fc");
    builtin("print")(builtin("hasattr")(m, "fc"));
  });
  EXPECT_EQ(outcome.out, R"(True True
ReLU() ['fc', 'extra']
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterParameterErrorCases) {
  const Outcome outcome = run([] {
    const Var m, ok;
    m = Py(nn("Module")());
    m.set("taken", 1);
    m.set("child", nn("ReLU")());
    m.attr("register_buffer")("buf", torch("ones")(1));
    ok = Py(nn("Parameter")(torch("ones")(1)));
    attempt()("not a string", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")(5, ok)); }));
    attempt()("none as name",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")(Py(), ok)); }));
    attempt()("dot", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("a.b", ok)); }));
    attempt()("empty", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("", ok)); }));
    attempt()("plain attribute",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("taken", ok)); }));
    attempt()("child name",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("child", ok)); }));
    attempt()("buffer name",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("buf", ok)); }));
    attempt()("method name",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("forward", ok)); }));
    attempt()("tensor",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("t", torch("ones")(1))); }));
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("t", 3)); }));
    attempt()("module",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("t", nn("ReLU")())); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("n", Py())); }));
    attempt()("again", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("n", ok)); }));
    builtin("print")({builtin("list")(m.attr("_parameters")), is(m.attr("n"), ok)});
  });
  EXPECT_EQ(outcome.out, R"(not a string: TypeError: parameter name should be a string. Got int
none as name: TypeError: parameter name should be a string. Got NoneType
dot: KeyError: 'parameter name can\'t contain "."'
empty: KeyError: 'parameter name can\'t be empty string ""'
plain attribute: KeyError: "attribute 'taken' already exists"
child name: KeyError: "attribute 'child' already exists"
buffer name: KeyError: "attribute 'buf' already exists"
method name: KeyError: "attribute 'forward' already exists"
tensor: TypeError: cannot assign 'torch.FloatTensor' object to parameter 't' (torch.nn.Parameter or None required)
number: TypeError: cannot assign 'int' object to parameter 't' (torch.nn.Parameter or None required)
module: TypeError: cannot assign 'torch.nn.modules.activation.ReLU' object to parameter 't' (torch.nn.Parameter or None required)
none: ok
again: ok
['n'] True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterParameterChecksComeInAFixedOrder) {
  const Outcome outcome = run([] {
    const Var Bare, m;
    Bare = make_class("Bare", {nn("Module")});
    def_method(Bare, "__init__", {"self"}, [=](const Locals&) -> Py { return Py(); });
    attempt()("no init, bad name",
              lambda({}, [=](const Locals&) -> Py { return Py(Bare().attr("register_parameter")(3, 3)); }));
    m = Py(nn("Module")());
    m.set("taken", 1);
    attempt()("bad name type before value type",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")(3, 3)); }));
    attempt()("dot before value type",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")(".", 3)); }));
    attempt()("taken before value type",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("taken", 3)); }));
  });
  EXPECT_EQ(outcome.out, R"(no init, bad name: AttributeError: cannot assign parameter before Module.__init__() call
bad name type before value type: TypeError: parameter name should be a string. Got int
dot before value type: KeyError: 'parameter name can\'t contain "."'
taken before value type: KeyError: "attribute 'taken' already exists"
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterBufferAcceptsAParameter) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.attr("register_buffer")("b", nn("Parameter")(torch("ones")(2)));
    builtin("print")({builtin("list")(m.attr("_buffers")), builtin("list")(m.attr("_parameters")),
                      builtin("type")(m.attr("b")).attr("__name__")});
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(m.attr("named_buffers")(), [&](const Py& item1) {
                          const auto parts2 = unpack(item1, 2);
                          n = Py(parts2[0]);
                          _ = Py(parts2[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      }),
                      comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(m.attr("named_parameters")(), [&](const Py& item3) {
                          const auto parts4 = unpack(item3, 2);
                          n = Py(parts4[0]);
                          _ = Py(parts4[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      })});
    builtin("print")({m.attr("b").attr("requires_grad"), m.attr("state_dict")().item("b").attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(['b'] [] Parameter
['b'] []
True False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, AddModuleChecksValueBeforeName) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    attempt()("both wrong", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("add_module")(5, 5)); }));
    attempt()("taken and dotted",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("add_module")("forward", 5)); }));
    m.attr("__dict__").set_item("a.b", 1);
    attempt()("exists before dot",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("add_module")("a.b", nn("ReLU")())); }));
  });
  EXPECT_EQ(outcome.out, R"(both wrong: TypeError: int is not a Module subclass
taken and dotted: TypeError: int is not a Module subclass
exists before dot: KeyError: "attribute 'a.b' already exists"
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterModuleIsAddModule) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Module")());
    m.attr("register_module")("one", nn("ReLU")());
    m.attr("add_module")("two", nn("Tanh")());
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(m.attr("named_children")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    try {
      m.attr("register_module")("a.b", nn("ReLU")());
    } catch (const Raised& raised) {
      if (matches(raised, "KeyError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(['one', 'two']
'module name can\'t contain ".", got: a.b'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrOfAModuleDoesNotCheckTheName) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Module")());
    builtin("setattr")(m, "a.b", nn("ReLU")());
    builtin("setattr")(m, "", nn("Tanh")());
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(m.attr("named_modules")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    try {
      builtin("setattr")(m, "c.d", nn("Parameter")(torch("ones")(1)));
    } catch (const Raised& raised) {
      if (matches(raised, "KeyError")) {
        e = exception_of(raised);
        builtin("print")("KeyError", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(['', 'a.b', '']
KeyError 'parameter name can\'t contain "."'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrOfAFunctionReplacesForwardOnTheInstance) {
  const Outcome outcome = run([] {
    const Var Net, a_, b;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py((x + Py(1)));
    });
    const auto parts1 = unpack(tuple({Net(), Net()}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    a_.set("forward", lambda({"x"}, [=](const Locals& a) -> Py {
             const Var x = a[0];
             return Py((x * Py(10)));
           }));
    builtin("print")({a_(2), b(2), contains(Py("forward"), a_.attr("__dict__"))});
    a_.del("forward");
    builtin("print")(a_(2));
  });
  EXPECT_EQ(outcome.out, R"(20 3 True
3
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SameParameterUnderTwoNames) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("a", nn("Parameter")(torch("ones")(1)));
    m.set("b", m.attr("a"));
    builtin("print")({is(m.attr("a"), m.attr("b")), builtin("list")(m.attr("_parameters"))});
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(m.attr("named_parameters")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    m.set("a", nn("Parameter")(torch("zeros")(1)));
    builtin("print")({is(m.attr("a"), m.attr("b")), comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(m.attr("named_parameters")(), [&](const Py& item3) {
                          const auto parts4 = unpack(item3, 2);
                          n = Py(parts4[0]);
                          _ = Py(parts4[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      })});
  });
  EXPECT_EQ(outcome.out, R"(True ['a', 'b']
['a']
False ['a', 'b']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ParameterSharesMemoryWithItsSource) {
  const Outcome outcome = run([] {
    const Var t, p, again;
    t = Py(torch("zeros")(3));
    p = Py(nn("Parameter")(t));
    t.set_item(0, 5.0);
    builtin("print")({p.attr("tolist")(), t.attr("requires_grad"), p.attr("requires_grad")});
    again = Py(nn("Parameter")(p));
    builtin("print")(is(again, p), equal(again.attr("data_ptr")(), p.attr("data_ptr")()));
  });
  EXPECT_EQ(outcome.out, R"([5.0, 0.0, 0.0] False True
False True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ParameterOfIntegersNeedsRequiresGradFalse) {
  const Outcome outcome = run([] {
    attempt()("int", lambda({}, [=](const Locals&) -> Py { return Py(nn("Parameter")(torch("arange")(3))); }));
    attempt()("int frozen", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Parameter")(torch("arange")(3), kw("requires_grad", false)).attr("tolist")());
              }));
    attempt()("bool",
              lambda({}, [=](const Locals&) -> Py { return Py(nn("Parameter")(torch("tensor")(list({true})))); }));
    attempt()("a list", lambda({}, [=](const Locals&) -> Py { return Py(nn("Parameter")(list({1.0, 2.0}))); }));
    attempt()("a number", lambda({}, [=](const Locals&) -> Py { return Py(nn("Parameter")(1.0)); }));
  });
  EXPECT_EQ(outcome.out, R"(int: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
int frozen: [0, 1, 2]
bool: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
a list: AttributeError: 'list' object has no attribute 'detach'
a number: AttributeError: 'float' object has no attribute 'detach'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, TensorAttributesCanHoldExtraAttributes) {
  const Outcome outcome = run([] {
    const Var p, m;
    p = Py(nn("Parameter")(torch("ones")(1)));
    p.set("group", "slow");
    m = Py(nn("Module")());
    m.set("p", p);
    builtin("print")({m.attr("p").attr("group"), builtin("hasattr")(m.attr("p"), "other")});
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var q;
      for_each(m.attr("parameters")(), [&](const Py& item1) {
        q = Py(item1);
        made.push_back(Py(q.attr("group")).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(slow False
['slow']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
