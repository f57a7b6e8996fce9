// Recorded behaviour of PyTorch, topic `registries`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Registries, OverrideOfSetattrSeesEveryAssignment) {
  const Outcome outcome = run([] {
    const Var Watch, w;
    Watch = make_class("Watch", {nn("Module")});
    def_method(Watch, "__setattr__", {"self", "name", "value"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var name = a[1];
      const Var value = a[2];
      builtin("print")("set", name, builtin("type")(value).attr("__name__"));
      super_attr(Watch, self, "__setattr__")(name, value);
      return Py();
    });
    w = Py(Watch());
    w.set("a", nn("Parameter")(torch("ones")(1)));
    w.set("b", nn("ReLU")());
    w.set("c", 3);
    w.attr("register_buffer")("d", torch("ones")(1));
    w.set("d", torch("zeros")(1));
  });
  EXPECT_EQ(outcome.out, R"(set a Parameter
set b ReLU
set c int
set d Tensor
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, GlobalParameterRegistrationHook) {
  const Outcome outcome = run([] {
    const Var log_, hook, handle, layer;
    log_ = Py(list({}));
    hook = def("hook", {"module", "name", "param"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      const Var name = a[1];
      const Var param = a[2];
      log_.attr("append")(
          tuple({builtin("type")(module).attr("__name__"), name, builtin("tuple")(param.attr("shape"))}));
      return Py();
    });
    handle = Py(modules_module("register_module_parameter_registration_hook")(hook));
    layer = Py(nn("Linear")(2, 3));
    layer.set("extra", nn("Parameter")(torch("ones")(1)));
    layer.set("extra", Py());
    handle.attr("remove")();
    layer.set("more", nn("Parameter")(torch("ones")(1)));
    builtin("print")(log_);
  });
  EXPECT_EQ(outcome.out, R"([('Linear', 'weight', (3, 2)), ('Linear', 'bias', (3,)), ('Linear', 'extra', (1,))]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, GlobalParameterRegistrationHookCanReplace) {
  const Outcome outcome = run([] {
    const Var frozen, m, given;
    frozen = def("frozen", {"module", "name", "param"}, [=](const Locals& a) -> Py {
      const Var param = a[2];
      return Py(nn("Parameter")(torch("full_like")(param, 7.0), kw("requires_grad", false)));
    });
    m = Py(nn("Module")());
    given = Py(nn("Parameter")(torch("zeros")(2)));
    with(modules_module("register_module_parameter_registration_hook")(frozen), [&](const Py&) {
      m.set("w", given);
      m.attr("register_parameter")("v", given);
    });
    m.set("u", given);
    builtin("print")(m.attr("w"));
    builtin("print")(m.attr("v").attr("requires_grad"), is(m.attr("w"), m.attr("v")), is(m.attr("u"), given));
  });
  EXPECT_EQ(outcome.out, R"(Parameter containing:
tensor([7., 7.])
False False True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, GlobalModuleAndBufferRegistrationHooks) {
  const Outcome outcome = run([] {
    const Var on_module, on_buffer, h1, h2, m;
    on_module = def("on_module", {"module", "name", "child"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      const Var name = a[1];
      const Var child = a[2];
      builtin("print")(
          {"module", builtin("type")(module).attr("__name__"), name, builtin("type")(child).attr("__name__")});
      if (static_cast<bool>(Py(builtin("isinstance")(child, nn("Tanh"))))) {
        return Py(nn("ReLU")());
      }
      return Py();
    });
    on_buffer = def("on_buffer", {"module", "name", "buffer"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      const Var name = a[1];
      const Var buffer = a[2];
      builtin("print")(
          {"buffer", builtin("type")(module).attr("__name__"), name,
           (static_cast<bool>(Py(is(buffer, Py(Py())))) ? Py(Py()) : Py(builtin("tuple")(buffer.attr("shape"))))});
      if (static_cast<bool>(Py(equal(name, Py("swap"))))) {
        return Py(torch("full")(tuple({2}), 9.0));
      }
      return Py();
    });
    h1 = Py(modules_module("register_module_module_registration_hook")(on_module));
    h2 = Py(modules_module("register_module_buffer_registration_hook")(on_buffer));
    m = Py(nn("Module")());
    m.set("a", nn("Tanh")());
    m.attr("add_module")("b", nn("Sigmoid")());
    m.attr("register_buffer")("swap", torch("zeros")(3));
    m.attr("register_buffer")("keep", Py());
    m.set("keep", torch("ones")(1));
    h1.attr("remove")();
    h2.attr("remove")();
    builtin("print")(m, m.attr("swap").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(module Module a Tanh
module Module b Sigmoid
buffer Module swap (3,)
buffer Module keep None
buffer Module keep (1,)
Module(
  (a): ReLU()
  (b): Sigmoid()
) [9.0, 9.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, IsinstanceAndTypeNames) {
  const Outcome outcome = run([] {
    const Var m, Mine;
    m = Py(nn("Linear")(1, 1));
    builtin("print")({builtin("isinstance")(m, nn("Module")), builtin("isinstance")(m, nn("Linear")),
                      builtin("issubclass")(nn("Sequential"), nn("Module"))});
    builtin("print")({builtin("type")(m), builtin("type")(m).attr("__name__"), builtin("type")(m).attr("__module__")});
    builtin("print")({torch("typename")(m), torch("typename")(1), torch("typename")("s"),
                      torch("typename")(torch("ones")(1)), torch("typename")(nn("Parameter")())});
    builtin("print")(nn("Module"), nn("Parameter"));
    Mine = make_class("Mine", {nn("Module")});
    builtin("print")(Mine, torch("typename")(Mine()));
  });
  EXPECT_EQ(outcome.out, R"(True True True
<class 'torch.nn.modules.linear.Linear'> Linear torch.nn.modules.linear
torch.nn.modules.linear.Linear int str torch.FloatTensor torch.FloatTensor
<class 'torch.nn.modules.module.Module'> <class 'torch.nn.parameter.Parameter'>
<class '__main__.Mine'> __main__.Mine
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, TrainingFlagIsAPlainAttribute) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    builtin("print")(contains(Py("training"), m.attr("__dict__")), m.attr("training"));
    m.set("training", "anything");
    builtin("print")(m.attr("training"));
    m.set("training", false);
    builtin("print")(m.attr("training"));
  });
  EXPECT_EQ(outcome.out, R"(True True
anything
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegistryNamesCannotBeUsedForChildren) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    attempt()("_modules",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("add_module")("_modules", nn("ReLU")())); }));
    attempt()("_parameters",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_parameter")("_parameters", Py())); }));
    attempt()("_buffers",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_buffer")("_buffers", Py())); }));
    attempt()("_version",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("add_module")("_version", nn("ReLU")())); }));
    attempt()("dump_patches",
              lambda({}, [=](const Locals&) -> Py { return Py(m.attr("register_buffer")("dump_patches", Py())); }));
  });
  EXPECT_EQ(outcome.out, R"(_modules: KeyError: "attribute '_modules' already exists"
_parameters: KeyError: "attribute '_parameters' already exists"
_buffers: KeyError: "attribute '_buffers' already exists"
_version: KeyError: "attribute '_version' already exists"
dump_patches: KeyError: "attribute 'dump_patches' already exists"
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, AssigningARegistryWholesale) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("a", nn("ReLU")());
    m.set("_modules", dict({{Py("b"), nn("Tanh")()}}));
    builtin("print")({m, builtin("hasattr")(m, "a"), m.attr("b")});
    m.set("_parameters", dict({{Py("w"), nn("Parameter")(torch("ones")(1))}}));
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(m.attr("named_parameters")(), [&](const Py& item1) {
                          const auto parts2 = unpack(item1, 2);
                          n = Py(parts2[0]);
                          _ = Py(parts2[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      }),
                      m.attr("w").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(Module(
  (b): Tanh()
) False Tanh()
['w'] 1.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, HasattrAndGetattrWithDefault) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(2, 2, kw("bias", false)));
    builtin("print")({builtin("hasattr")(m, "bias"), m.attr("bias"), builtin("getattr")(m, "bias", "default")});
    builtin("print")({builtin("hasattr")(m, "gamma"), builtin("getattr")(m, "gamma", "default")});
    builtin("print")(contains(Py("bias"), m.attr("_parameters")));
  });
  EXPECT_EQ(outcome.out, R"(True None None
False default
True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, NestedAttributeAssignmentReachesTheChild) {
  const Outcome outcome = run([] {
    const Var Block, Net, net;
    Block = make_class("Block", {nn("Module")});
    def_method(Block, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Block, self, "__init__")();
      self.set("fc", nn("Linear")(1, 1));
      return Py();
    });
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("block", Block());
      return Py();
    });
    net = Py(Net());
    net.attr("block").set("fc", nn("Identity")());
    net.attr("block").attr("fc").set("note", "changed");
    builtin("print")(net, net.attr("block").attr("fc").attr("note"));
  });
  EXPECT_EQ(outcome.out, R"(Net(
  (block): Block(
    (fc): Identity()
  )
) changed
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrDuringIterationOverChildrenFails) {
  const Outcome outcome = run([] {
    const Var m, name, child, e;
    m = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    try {
      for_each(m.attr("named_children")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        name = Py(parts2[0]);
        child = Py(parts2[1]);
        builtin("setattr")(m, (name + Py("_copy")), child);
        return true;
      });
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
    for_each(builtin("list")(m.attr("named_children")()), [&](const Py& item3) {
      const auto parts4 = unpack(item3, 2);
      name = Py(parts4[0]);
      child = Py(parts4[1]);
      builtin("setattr")(m, (name + Py("_new")), nn("Identity")());
      return true;
    });
    builtin("print")(builtin("list")(m.attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"(dictionary changed size during iteration
['0', '1', '0_copy', '0_new', '1_new']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
