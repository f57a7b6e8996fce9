// Recorded behaviour of PyTorch, topic `registries`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Registries, ParameterTakesOverAModuleName) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("x", nn("ReLU")());
    m.set("x", nn("Parameter")(torch("tensor")(list({4.0}))));
    builtin("print")(
        {builtin("list")(m.attr("_modules")), builtin("list")(m.attr("_parameters")), m.attr("x").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"([] ['x'] 4.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ParameterTakesOverABufferName) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.attr("register_buffer")("x", torch("zeros")(1), kw("persistent", false));
    builtin("print")(builtin("sorted")(m.attr("_non_persistent_buffers_set")));
    m.set("x", nn("Parameter")(torch("tensor")(list({4.0}))));
    builtin("print")({builtin("list")(m.attr("_buffers")), builtin("sorted")(m.attr("_non_persistent_buffers_set")),
                      builtin("list")(m.attr("_parameters"))});
    builtin("print")(builtin("list")(m.attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"(['x']
[] [] ['x']
['x']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ParameterTakesOverAPlainAttribute) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("x", "plain");
    m.set("x", nn("Parameter")(torch("tensor")(list({4.0}))));
    builtin("print")(
        {contains(Py("x"), m.attr("__dict__")), builtin("list")(m.attr("_parameters")), m.attr("x").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(False ['x'] 4.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ModuleTakesOverABufferAndAPlainAttribute) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.attr("register_buffer")("x", torch("zeros")(1), kw("persistent", false));
    m.set("y", list({1, 2, 3}));
    m.set("x", nn("Identity")());
    m.set("y", nn("Identity")());
    builtin("print")({builtin("list")(m.attr("_buffers")), builtin("sorted")(m.attr("_non_persistent_buffers_set")),
                      contains(Py("y"), m.attr("__dict__")), builtin("list")(m.attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"([] [] False ['x', 'y']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, PlainValueOnAFreshNameStaysPlainAfterDelete) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("x", nn("Parameter")(torch("ones")(1)));
    m.del("x");
    m.set("x", torch("zeros")(1));
    builtin("print")(
        {contains(Py("x"), m.attr("__dict__")), builtin("list")(m.attr("_parameters")), m.attr("x").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(True [] [0.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, TensorOnABufferNameKeepsThePersistenceFlag) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.attr("register_buffer")("a", torch("zeros")(1), kw("persistent", false));
    m.attr("register_buffer")("b", torch("zeros")(1));
    m.set("a", torch("ones")(2));
    m.set("b", torch("ones")(2));
    builtin("print")(
        {builtin("list")(m.attr("state_dict")()), builtin("sorted")(m.attr("_non_persistent_buffers_set"))});
    m.set("a", Py());
    builtin("print")(builtin("sorted")(m.attr("_non_persistent_buffers_set")));
  });
  EXPECT_EQ(outcome.out, R"(['b'] ['a']
['a']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegisterBufferAgainChangesThePersistenceFlag) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.attr("register_buffer")("a", torch("zeros")(1), kw("persistent", false));
    builtin("print")(builtin("list")(m.attr("state_dict")()));
    m.attr("register_buffer")("a", torch("zeros")(1));
    builtin("print")(
        {builtin("list")(m.attr("state_dict")()), builtin("sorted")(m.attr("_non_persistent_buffers_set"))});
    m.attr("register_buffer")("a", torch("zeros")(1), false);
    builtin("print")(
        {builtin("list")(m.attr("state_dict")()), builtin("sorted")(m.attr("_non_persistent_buffers_set"))});
  });
  EXPECT_EQ(outcome.out, R"([]
['a'] []
[] ['a']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, DelattrReachesEveryRegistry) {
  const Outcome outcome = run([] {
    const Var Net, net, name;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("p", nn("Parameter")(torch("ones")(1)));
      self.set("c", nn("ReLU")());
      self.attr("register_buffer")("b", torch("ones")(1), kw("persistent", false));
      self.set("plain", 5);
      return Py();
    });
    net = Py(Net());
    for_each(list({"p", "c", "b", "plain"}), [&](const Py& item1) {
      name = Py(item1);
      builtin("delattr")(net, name);
      builtin("print")({name, builtin("hasattr")(net, name), contains(name, builtin("dir")(net))});
      return true;
    });
    builtin("print")(net.attr("_parameters"), net.attr("_buffers"), net.attr("_modules"),
                     net.attr("_non_persistent_buffers_set"));
  });
  EXPECT_EQ(outcome.out, R"(p False False
c False False
b False False
plain False False
{} {} {} set()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, DelattrOfUnknownNames) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    Net.set("class_level", 1);
    net = Py(Net());
    attempt()("nothing", lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(net, "nothing")); }));
    attempt()("class attribute",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(net, "class_level")); }));
    attempt()("method", lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(net, "forward")); }));
    net.set("x", nn("ReLU")());
    attempt()("first", lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(net, "x")); }));
    attempt()("second", lambda({}, [=](const Locals&) -> Py { return Py(builtin("delattr")(net, "x")); }));
  });
  EXPECT_EQ(outcome.out, R"(nothing: AttributeError: 'Net' object has no attribute 'nothing'
class attribute: AttributeError: 'Net' object has no attribute 'class_level'
method: AttributeError: 'Net' object has no attribute 'forward'
first: ok
second: AttributeError: 'Net' object has no attribute 'x'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, UncaughtGetattrFailure) {
  const Outcome outcome = run([] {
    const Var Encoder;
    Encoder = make_class("Encoder", {nn("Module")});
    def_method(Encoder, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Encoder, self, "__init__")();
      self.set("fc", nn("Linear")(1, 1));
      return Py();
    });
    Encoder().attr("fc").attr("custom_method")();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error, R"(AttributeError: 'Linear' object has no attribute 'custom_method')");
}

TEST(Registries, GetattrIsOnlyCalledWhenNormalLookupFails) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    Net.set("name", "from the class");
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("calls", list({}));
      self.set("fc", nn("Identity")());
      return Py();
    });
    def_method(Net, "__getattr__", {"self", "key"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var key = a[1];
      self.attr("__dict__").attr("setdefault")("calls", list({})).attr("append")(key);
      return Py(super_attr(Net, self, "__getattr__")(key));
    });
    net = Py(Net());
    net.attr("calls").attr("clear")();
    static_cast<void>(net.attr("name"));
    static_cast<void>(net.attr("training"));
    static_cast<void>(net.attr("fc"));
    static_cast<void>(net.attr("fc"));
    builtin("hasattr")(net, "absent");
    builtin("print")(net.attr("calls"));
  });
  EXPECT_EQ(outcome.out, R"(['fc', 'fc', 'absent']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, CustomGetattrCanForwardToAWrappedModule) {
  const Outcome outcome = run([] {
    const Var Wrapper, Inner, w, e;
    Wrapper = make_class("Wrapper", {nn("Module")});
    def_method(Wrapper, "__init__", {"self", "module"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var module = a[1];
      super_attr(Wrapper, self, "__init__")();
      self.set("module", module);
      return Py();
    });
    def_method(Wrapper, "__getattr__", {"self", "name"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var name = a[1];
      try {
        return Py(super_attr(Wrapper, self, "__getattr__")(name));
      } catch (const Raised& raised) {
        if (matches(raised, "AttributeError")) {
          return Py(builtin("getattr")(self.attr("module"), name));
        } else {
          throw;
        }
      }
      return Py();
    });
    Inner = make_class("Inner", {nn("Module")});
    def_method(Inner, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Inner, self, "__init__")();
      self.set("tag", "inner tag");
      return Py();
    });
    def_method(Inner, "custom", {"self", "n"}, [=](const Locals& a) -> Py {
      const Var n = a[1];
      return Py((n * Py(2)));
    });
    w = Py(Wrapper(Inner()));
    builtin("print")({w.attr("module").attr("tag"), w.attr("tag"), w.attr("custom")(21)});
    try {
      static_cast<void>(w.attr("other"));
    } catch (const Raised& raised) {
      if (matches(raised, "AttributeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(inner tag inner tag 42
'Inner' object has no attribute 'other'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ClassAttributeHidesARegisteredChild) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    Net.set("layer", "class attribute");
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("layer", nn("ReLU")());
      return Py();
    });
    net = Py(Net());
    builtin("print")(
        {net.attr("layer"), builtin("list")(net.attr("_modules")), contains(Py("layer"), net.attr("__dict__"))});
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(class attribute ['layer'] False
Net(
  (layer): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ClassAttributeBlocksAParameterOfTheSameName) {
  const Outcome outcome = run([] {
    const Var Net, e;
    Net = make_class("Net", {nn("Module")});
    Net.set("weight", Py());
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("weight", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    try {
      Net();
    } catch (const Raised& raised) {
      if (matches(raised, "KeyError")) {
        e = exception_of(raised);
        builtin("print")("KeyError", e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(KeyError "attribute 'weight' already exists"
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, PropertyHidesAChildOfTheSameName) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("head", nn("ReLU")());
      return Py();
    });
    def_property(Net, "head", [=](const Locals&) -> Py { return Py("from the property"); });
    net = Py(Net());
    builtin("print")({net.attr("head"), builtin("list")(net.attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"(from the property ['head']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
