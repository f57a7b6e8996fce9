// Recorded behaviour of PyTorch, topic `init`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Init, AssignParameterBeforeInit) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("w", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    Net();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error, R"(AttributeError: cannot assign parameters before Module.__init__() call)");
}

TEST(Init, AssignModuleBeforeInit) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("fc", nn("Linear")(1, 1));
      return Py();
    });
    Net();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error, R"(AttributeError: cannot assign module before Module.__init__() call)");
}

TEST(Init, RegisterBufferBeforeInit) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.attr("register_buffer")("b", torch("ones")(1));
      return Py();
    });
    Net();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error, R"(AttributeError: cannot assign buffer before Module.__init__() call)");
}

TEST(Init, EachKindOfAssignmentBeforeInit) {
  const Outcome outcome = run([] {
    const Var Bare, bare;
    Bare = make_class("Bare", {nn("Module")});
    def_method(Bare, "__init__", {"self"}, [=](const Locals&) -> Py { return Py(); });
    bare = Py(Bare());
    attempt()("parameter", lambda({}, [=](const Locals&) -> Py {
                return Py(builtin("setattr")(bare, "x", nn("Parameter")(torch("ones")(1))));
              }));
    attempt()("module",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(bare, "x", nn("ReLU")())); }));
    attempt()("nn.Buffer", lambda({}, [=](const Locals&) -> Py {
                return Py(builtin("setattr")(bare, "x", nn("Buffer")(torch("ones")(1))));
              }));
    attempt()("register_parameter",
              lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("register_parameter")("x", Py())); }));
    attempt()("register_buffer",
              lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("register_buffer")("x", Py())); }));
    attempt()("add_module",
              lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("add_module")("x", nn("ReLU")())); }));
    attempt()("tensor",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(bare, "x", torch("ones")(1))); }));
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(bare, "y", 1)); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(bare, "z", Py())); }));
    builtin("print")(builtin("list")(bare.attr("__dict__")));
  });
  EXPECT_EQ(outcome.out, R"(parameter: AttributeError: cannot assign parameters before Module.__init__() call
module: AttributeError: cannot assign module before Module.__init__() call
nn.Buffer: AttributeError: cannot assign buffer before Module.__init__() call
register_parameter: AttributeError: cannot assign parameter before Module.__init__() call
register_buffer: AttributeError: cannot assign buffer before Module.__init__() call
add_module: AttributeError: 'Bare' object has no attribute '_modules'
tensor: ok
number: ok
none: ok
['x', 'y', 'z']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, UsingAModuleWithoutInit) {
  const Outcome outcome = run([] {
    const Var Bare, bare;
    Bare = make_class("Bare", {nn("Module")});
    def_method(Bare, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("x", 1);
      return Py();
    });
    def_method(Bare, "forward", {"self", "v"}, [=](const Locals& a) -> Py {
      const Var v = a[1];
      return Py(v);
    });
    bare = Py(Bare());
    attempt()("plain attribute", lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("x")); }));
    attempt()("unknown attribute", lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("y")); }));
    attempt()("call", lambda({}, [=](const Locals&) -> Py { return Py(bare(1)); }));
    attempt()("repr", lambda({}, [=](const Locals&) -> Py { return Py(builtin("repr")(bare)); }));
    attempt()("parameters",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("list")(bare.attr("parameters")())); }));
    attempt()("children",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("list")(bare.attr("children")())); }));
    attempt()("state_dict", lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("state_dict")()); }));
    attempt()("train", lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("train")()); }));
    attempt()("delete", lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(bare, "x")); }));
    attempt()("hook", lambda({}, [=](const Locals&) -> Py {
                return Py(bare.attr("register_forward_hook")(builtin("print")));
              }));
    attempt()("forward", lambda({}, [=](const Locals&) -> Py { return Py(bare.attr("forward")(5)); }));
  });
  EXPECT_EQ(outcome.out, R"(plain attribute: 1
unknown attribute: AttributeError: 'Bare' object has no attribute 'y'
call: AttributeError: 'Bare' object has no attribute '_backward_hooks'
repr: AttributeError: 'Bare' object has no attribute '_modules'
parameters: AttributeError: 'Bare' object has no attribute '_parameters'
children: AttributeError: 'Bare' object has no attribute '_modules'
state_dict: AttributeError: 'Bare' object has no attribute '_state_dict_pre_hooks'
train: AttributeError: 'Bare' object has no attribute '_modules'
delete: AttributeError: 'Bare' object has no attribute '_parameters'
hook: AttributeError: 'Bare' object has no attribute '_forward_hooks'
forward: 5
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, AddModuleToAChildWithoutInitIsPossible) {
  const Outcome outcome = run([] {
    const Var Bare, outer, e;
    Bare = make_class("Bare", {nn("Module")});
    def_method(Bare, "__init__", {"self"}, [=](const Locals&) -> Py { return Py(); });
    outer = Py(nn("Module")());
    outer.set("child", Bare());
    builtin("print")(builtin("list")(outer.attr("_modules")));
    try {
      builtin("print")(outer);
    } catch (const Raised& raised) {
      if (matches(raised, "AttributeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(['child']
'Bare' object has no attribute '_modules'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, PlainAttributesMayBeSetBeforeInit) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self", "width"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var width = a[1];
      self.set("width", width);
      super_attr(Net, self, "__init__")();
      self.set("fc", nn("Linear")(width, 1));
      return Py();
    });
    net = Py(Net(4));
    builtin("print")({net.attr("width"), net.attr("fc").attr("in_features"),
                      builtin("list")(net.attr("__dict__")).item(slice(Py(), 2))});
  });
  EXPECT_EQ(outcome.out, R"(4 4 ['width', 'training']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, TensorSetBeforeInitSurvivesAsPlain) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("t", torch("ones")(2));
      super_attr(Net, self, "__init__")();
      return Py();
    });
    net = Py(Net());
    builtin("print")({contains(Py("t"), net.attr("__dict__")), builtin("list")(net.attr("named_buffers")())});
  });
  EXPECT_EQ(outcome.out, R"(True []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SecondModuleInitEmptiesTheRegistries) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("fc", nn("Linear")(1, 1));
      self.set("w", nn("Parameter")(torch("ones")(1)));
      self.attr("register_buffer")("b", torch("ones")(1), kw("persistent", false));
      self.set("plain", "kept");
      return Py();
    });
    net = Py(Net());
    builtin("print")({builtin("list")(net.attr("_modules")), builtin("list")(net.attr("_parameters")),
                      builtin("list")(net.attr("_buffers")),
                      builtin("sorted")(net.attr("_non_persistent_buffers_set"))});
    nn("Module").attr("__init__")(net);
    builtin("print")(net.attr("_modules"), net.attr("_parameters"), net.attr("_buffers"),
                     net.attr("_non_persistent_buffers_set"));
    builtin("print")({net.attr("plain"), builtin("hasattr")(net, "fc")});
  });
  EXPECT_EQ(outcome.out, R"(['fc'] ['w'] ['b'] ['b']
{} {} {} set()
kept False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SecondInitKeepsDictKeyOrder) {
  const Outcome outcome = run([] {
    const Var Net, net, before;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("x", 1);
      return Py();
    });
    net = Py(Net());
    before = Py(builtin("list")(net.attr("__dict__")));
    nn("Module").attr("__init__")(net);
    builtin("print")(equal(builtin("list")(net.attr("__dict__")), before));
  });
  EXPECT_EQ(outcome.out, R"(True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SecondInitLeavesOldRegistryObjectsAlone) {
  const Outcome outcome = run([] {
    const Var net, old;
    net = Py(nn("Module")());
    net.set("fc", nn("Linear")(1, 1));
    old = Py(net.attr("_modules"));
    nn("Module").attr("__init__")(net);
    builtin("print")({is(old, net.attr("_modules")), builtin("list")(old), builtin("list")(net.attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"(False ['fc'] []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SecondInitOfASequential) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    seq.attr("__init__")(nn("Sigmoid")());
    builtin("print")(seq, builtin("len")(seq));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): Sigmoid()
) 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, ManualDiamondLosesTheFirstBranch) {
  const Outcome outcome = run([] {
    const Var A, B, C, c;
    A = make_class("A", {nn("Module")});
    def_method(A, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("a", nn("Linear")(1, 1));
      return Py();
    });
    B = make_class("B", {nn("Module")});
    def_method(B, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      nn("Module").attr("__init__")(self);
      self.set("b", nn("Linear")(2, 2));
      return Py();
    });
    C = make_class("C", {A, B});
    def_method(C, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      A.attr("__init__")(self);
      B.attr("__init__")(self);
      self.set("c", nn("Linear")(3, 3));
      return Py();
    });
    c = Py(C());
    builtin("print")(builtin("list")(c.attr("_modules")));
    builtin("print")(c);
  });
  EXPECT_EQ(outcome.out, R"(['b', 'c']
C(
  (b): Linear(in_features=2, out_features=2, bias=True)
  (c): Linear(in_features=3, out_features=3, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
