// Recorded behaviour of PyTorch, topic `registries`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Registries, FreshModuleDictKeysInOrder) {
  const Outcome outcome = run([] {
    const Var m, position, key;
    m = Py(nn("Module")());
    for_each(builtin("enumerate")(m.attr("__dict__")), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      position = Py(parts2[0]);
      key = Py(parts2[1]);
      builtin("print")(position, key);
      return true;
    });
    builtin("print")(builtin("len")(m.attr("__dict__")));
  });
  EXPECT_EQ(outcome.out, R"(0 training
1 _parameters
2 _buffers
3 _non_persistent_buffers_set
4 _backward_pre_hooks
5 _backward_hooks
6 _is_full_backward_hook
7 _forward_hooks
8 _forward_hooks_with_kwargs
9 _forward_hooks_always_called
10 _forward_pre_hooks
11 _forward_pre_hooks_with_kwargs
12 _state_dict_hooks
13 _state_dict_pre_hooks
14 _load_state_dict_pre_hooks
15 _load_state_dict_post_hooks
16 _modules
17
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, FreshModuleRegistryTypesAndContents) {
  const Outcome outcome = run([] {
    const Var m, key, value;
    m = Py(nn("Module")());
    for_each(m.attr("__dict__").attr("items")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      key = Py(parts2[0]);
      value = Py(parts2[1]);
      builtin("print")(
          {key, builtin("type")(value).attr("__name__"),
           (static_cast<bool>(Py(builtin("isinstance")(value, tuple({builtin("bool"), builtin("type")(Py())}))))
                ? Py(value)
                : Py(builtin("len")(value)))});
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"(training bool True
_parameters dict 0
_buffers dict 0
_non_persistent_buffers_set set 0
_backward_pre_hooks OrderedDict 0
_backward_hooks OrderedDict 0
_is_full_backward_hook NoneType None
_forward_hooks OrderedDict 0
_forward_hooks_with_kwargs OrderedDict 0
_forward_hooks_always_called OrderedDict 0
_forward_pre_hooks OrderedDict 0
_forward_pre_hooks_with_kwargs OrderedDict 0
_state_dict_hooks OrderedDict 0
_state_dict_pre_hooks OrderedDict 0
_load_state_dict_pre_hooks OrderedDict 0
_load_state_dict_post_hooks OrderedDict 0
_modules dict 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, RegistriesAreReachedThroughDictNotDirOnly) {
  const Outcome outcome = run([] {
    const Var Net, net, name;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("fc", nn("Linear")(2, 3));
      self.set("scale", nn("Parameter")(torch("ones")(1)));
      self.attr("register_buffer")("offset", torch("zeros")(2));
      self.set("label", "plain");
      return Py();
    });
    net = Py(Net());
    for_each(list({"fc", "scale", "offset", "label", "training", "forward", "missing"}), [&](const Py& item1) {
      name = Py(item1);
      builtin("print")({name, contains(name, net.attr("__dict__")), contains(name, builtin("dir")(net)),
                        builtin("hasattr")(net, name)});
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"(fc False True True
scale False True True
offset False True True
label True True True
training True True True
forward False True True
missing False False False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SubclassAttributeOrderInDict) {
  const Outcome outcome = run([] {
    const Var Net, keys;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      self.set("early", 1);
      super_attr(Net, self, "__init__")();
      self.set("late", 2);
      self.set("layer", nn("ReLU")());
      self.set("last", 3);
      return Py();
    });
    keys = Py(builtin("list")(Net().attr("__dict__")));
    builtin("print")({keys.item(0), keys.item(1), keys.item(slice(-2, Py())), builtin("len")(keys)});
  });
  EXPECT_EQ(outcome.out, R"(early training ['late', 'last'] 20
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrParameterIsRegistered) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("w", nn("Parameter")(torch("tensor")(list({1.0, 2.0}))));
    builtin("print")(contains(Py("w"), m.attr("__dict__")), contains(Py("w"), m.attr("_parameters")),
                     is(m.attr("w"), m.attr("_parameters").item("w")));
    builtin("print")(m.attr("w"));
  });
  EXPECT_EQ(outcome.out, R"(False True True
Parameter containing:
tensor([1., 2.], requires_grad=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrModuleIsRegistered) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("act", nn("ReLU")());
    builtin("print")({contains(Py("act"), m.attr("__dict__")), builtin("list")(m.attr("_modules")),
                      is(m.attr("act"), m.attr("_modules").item("act"))});
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(False ['act'] True
Module(
  (act): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrPlainTensorIsAnOrdinaryAttribute) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("t", torch("tensor")(list({1.0})));
    m.set("g", torch("tensor")(list({2.0}), kw("requires_grad", true)));
    builtin("print")(contains(Py("t"), m.attr("__dict__")), contains(Py("g"), m.attr("__dict__")));
    builtin("print")({builtin("list")(m.attr("_parameters")), builtin("list")(m.attr("_buffers")),
                      builtin("list")(m.attr("parameters")()), builtin("list")(m.attr("state_dict")())});
  });
  EXPECT_EQ(outcome.out, R"(True True
[] [] [] []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrNnBufferIsRegistered) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("keep", nn("Buffer")(torch("tensor")(list({1.0}))));
    m.set("drop", nn("Buffer")(torch("tensor")(list({2.0})), kw("persistent", false)));
    builtin("print")({builtin("list")(m.attr("_buffers")), builtin("sorted")(m.attr("_non_persistent_buffers_set"))});
    builtin("print")(builtin("list")(m.attr("state_dict")()));
    builtin("print")({builtin("type")(m.attr("keep")).attr("__name__"),
                      builtin("isinstance")(m.attr("keep"), nn("Buffer")),
                      builtin("isinstance")(m.attr("keep"), torch("Tensor"))});
    builtin("print")(builtin("isinstance")({torch("ones")(1), nn("Buffer")}));
  });
  EXPECT_EQ(outcome.out, R"(['keep', 'drop'] ['drop']
['keep']
Tensor True True
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrNoneCreatesAPlainAttribute) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("bias", Py());
    builtin("print")({contains(Py("bias"), m.attr("__dict__")), builtin("list")(m.attr("_parameters"))});
    m.set("bias", nn("Parameter")(torch("zeros")(2)));
    builtin("print")({contains(Py("bias"), m.attr("__dict__")), builtin("list")(m.attr("_parameters"))});
  });
  EXPECT_EQ(outcome.out, R"(True []
False ['bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, SetattrNoneOnRegisteredNamesKeepsTheSlot) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("p", nn("Parameter")(torch("ones")(1)));
    m.set("c", nn("ReLU")());
    m.attr("register_buffer")("b", torch("ones")(1));
    m.set("p", Py());
    m.set("c", Py());
    m.set("b", Py());
    builtin("print")(m.attr("_parameters"), m.attr("_buffers"), m.attr("_modules"));
    builtin("print")(m.attr("p"), m.attr("c"), m.attr("b"));
    builtin("print")({builtin("list")(m.attr("named_parameters")()), builtin("list")(m.attr("named_children")()),
                      builtin("list")(m.attr("named_buffers")())});
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"({'p': None} {'b': None} {'c': None}
None None None
[] [] []
Module(
  (c): None
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, NoneSlotCanBeFilledAgain) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("p", nn("Parameter")(torch("ones")(1)));
    m.set("p", Py());
    m.set("p", nn("Parameter")(torch("full")(tuple({2}), 3.0)));
    builtin("print")({m.attr("p").attr("tolist")(), contains(Py("p"), m.attr("__dict__"))});
    m.set("c", nn("ReLU")());
    m.set("c", Py());
    m.set("c", nn("Tanh")());
    builtin("print")(m.attr("c"));
    m.attr("register_buffer")("b", Py());
    m.set("b", torch("arange")(3));
    builtin("print")({m.attr("b").attr("tolist")(), builtin("list")(m.attr("_buffers"))});
  });
  EXPECT_EQ(outcome.out, R"([3.0, 3.0] False
Tanh()
[0, 1, 2] ['b']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, NonParameterValuesOnAParameterName) {
  const Outcome outcome = run([] {
    const Var m, value;
    m = Py(nn("Linear")(2, 2));
    for_each(list({1, 1.5, "text", list({1, 2}), tuple({}), dict({}), true, nn("ReLU"), builtin("len")}),
             [&](const Py& item1) {
               value = Py(item1);
               attempt()({builtin("type")(value).attr("__name__"),
                          lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(m, "bias", value)); })});
               return true;
             });
    attempt()("None", lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(m, "bias", Py())); }));
    builtin("print")(m.attr("bias"), m);
  });
  EXPECT_EQ(outcome.out,
            R"(int: TypeError: cannot assign 'int' as parameter 'bias' (torch.nn.Parameter or None expected)
float: TypeError: cannot assign 'float' as parameter 'bias' (torch.nn.Parameter or None expected)
str: TypeError: cannot assign 'str' as parameter 'bias' (torch.nn.Parameter or None expected)
list: TypeError: cannot assign 'list' as parameter 'bias' (torch.nn.Parameter or None expected)
tuple: TypeError: cannot assign 'tuple' as parameter 'bias' (torch.nn.Parameter or None expected)
dict: TypeError: cannot assign 'dict' as parameter 'bias' (torch.nn.Parameter or None expected)
bool: TypeError: cannot assign 'bool' as parameter 'bias' (torch.nn.Parameter or None expected)
type: TypeError: cannot assign 'torch.nn.modules.activation.ReLU' as parameter 'bias' (torch.nn.Parameter or None expected)
builtin_function_or_method: TypeError: cannot assign 'len' as parameter 'bias' (torch.nn.Parameter or None expected)
None: ok
None Linear(in_features=2, out_features=2, bias=False)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, ModuleAssignedToParameterNameIsRefused) {
  const Outcome outcome = run([] {
    const Var Net, net, e;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("w", nn("Parameter")(torch("ones")(1)));
      return Py();
    });
    net = Py(Net());
    try {
      net.set("w", nn("ReLU")());
    } catch (const Raised& raised) {
      if (matches(raised, "Exception")) {
        e = exception_of(raised);
        builtin("print")(builtin("type")(e).attr("__name__"), e);
      } else {
        throw;
      }
    }
    builtin("print")({builtin("list")(net.attr("_parameters")), builtin("list")(net.attr("_modules"))});
  });
  EXPECT_EQ(
      outcome.out,
      R"(TypeError cannot assign 'torch.nn.modules.activation.ReLU' as parameter 'w' (torch.nn.Parameter or None expected)
['w'] []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Registries, UncaughtErrorForATensorOnAParameterName) {
  const Outcome outcome = run([] {
    builtin("print")("before");
    nn("Linear")(1, 1).set("weight", torch("zeros")(1, 1));
    builtin("print")("never printed");
  });
  EXPECT_EQ(outcome.out, R"(before
)");
  EXPECT_EQ(
      outcome.error,
      R"(TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected))");
}

TEST(Registries, NonModuleValuesOnAModuleName) {
  const Outcome outcome = run([] {
    const Var Helper, m, value;
    Helper = make_class("Helper", {});
    m = Py(nn("Sequential")());
    m.attr("add_module")("layer", nn("ReLU")());
    for_each(list({0, 2.5, "text", torch("ones")(1), Helper(), nn("ReLU"), builtin("print")}), [&](const Py& item1) {
      value = Py(item1);
      attempt()({builtin("type")(value).attr("__name__"),
                 lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(m, "layer", value)); })});
      return true;
    });
    attempt()("None", lambda({}, [=](const Locals&) -> Py { return Py(builtin("setattr")(m, "layer", Py())); }));
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out,
            R"(int: TypeError: cannot assign 'int' as child module 'layer' (torch.nn.Module or None expected)
float: TypeError: cannot assign 'float' as child module 'layer' (torch.nn.Module or None expected)
str: TypeError: cannot assign 'str' as child module 'layer' (torch.nn.Module or None expected)
Tensor: TypeError: cannot assign 'torch.FloatTensor' as child module 'layer' (torch.nn.Module or None expected)
Helper: TypeError: cannot assign '__main__.Helper' as child module 'layer' (torch.nn.Module or None expected)
type: TypeError: cannot assign 'torch.nn.modules.activation.ReLU' as child module 'layer' (torch.nn.Module or None expected)
builtin_function_or_method: TypeError: cannot assign 'print' as child module 'layer' (torch.nn.Module or None expected)
None: ok
Sequential(
  (layer): None
)
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
