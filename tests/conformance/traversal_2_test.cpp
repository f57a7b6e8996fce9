// Recorded behaviour of PyTorch, topic `traversal`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Traversal, GetBufferAndErrors) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")(nn("BatchNorm1d")(2)));
    net.attr("register_buffer")("own", torch("ones")(1));
    net.set("plain", torch("ones")(1));
    attempt()("own",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_buffer")("own").attr("tolist")()); }));
    attempt()("nested", lambda({}, [=](const Locals&) -> Py {
                return Py(net.attr("get_buffer")("0.running_var").attr("tolist")());
              }));
    attempt()("parameter", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_buffer")("0.weight")); }));
    attempt()("plain tensor", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_buffer")("plain")); }));
    attempt()("missing", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_buffer")("0.nope")); }));
    attempt()("missing module",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_buffer")("1.running_var")); }));
  });
  EXPECT_EQ(outcome.out, R"(own: [1.0]
nested: [1.0, 1.0]
parameter: AttributeError: `weight` is not a buffer
plain tensor: AttributeError: `plain` is not a buffer
missing: AttributeError: BatchNorm1d has no attribute `nope`
missing module: AttributeError: Sequential has no attribute `1`
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SetSubmoduleReplacesAndAdds) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Module")());
    net.set("enc", nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    net.attr("set_submodule")("enc.1", nn("Sigmoid")());
    net.attr("set_submodule")("enc.2", nn("Identity")());
    net.attr("set_submodule")("head", nn("Linear")(1, 1));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(Module(
  (enc): Sequential(
    (0): ReLU()
    (1): Sigmoid()
    (2): Identity()
  )
  (head): Linear(in_features=1, out_features=1, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SetSubmoduleErrors) {
  const Outcome outcome = run([] {
    const Var net, new_;
    net = Py(nn("Module")());
    net.set("enc", nn("Sequential")(nn("ReLU")()));
    net.set("note", 5);
    net.set("w", nn("Parameter")(torch("ones")(1)));
    new_ = Py(nn("Tanh")());
    attempt()("empty", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("set_submodule")("", new_)); }));
    attempt()("not a module",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("set_submodule")("enc.0", 5)); }));
    attempt()("parent missing",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("set_submodule")("dec.0", new_)); }));
    attempt()("strict missing", lambda({}, [=](const Locals&) -> Py {
                return Py(net.attr("set_submodule")("enc.7", new_, kw("strict", true)));
              }));
    attempt()("strict present", lambda({}, [=](const Locals&) -> Py {
                return Py(net.attr("set_submodule")("enc.0", new_, kw("strict", true)));
              }));
    attempt()("plain attribute",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("set_submodule")("note", new_)); }));
    attempt()("parameter", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("set_submodule")("w", new_)); }));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(empty: ValueError: Cannot set the submodule without a target name!
not a module: ValueError: `module` is not an nn.Module, found <class 'int'>
parent missing: AttributeError: Module has no attribute `dec`
strict missing: AttributeError: Sequential has no attribute `7`
strict present: ok
plain attribute: AttributeError: `note` is not an nn.Module
parameter: AttributeError: `w` is not an nn.Module
Module(
  (enc): Sequential(
    (0): Tanh()
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ApplyVisitsAModuleSharedByTwoParentsTwice) {
  const Outcome outcome = run([] {
    const Var shared, net, order;
    shared = Py(nn("ReLU")());
    net = Py(nn("Sequential")({nn("Sequential")(shared), nn("Sequential")(shared), shared, shared}));
    order = Py(list({}));
    net.attr("apply")(lambda({"m"}, [=](const Locals& a) -> Py {
      const Var m = a[0];
      return Py(order.attr("append")(builtin("type")(m).attr("__name__")));
    }));
    builtin("print")(order);
  });
  EXPECT_EQ(outcome.out, R"(['ReLU', 'Sequential', 'ReLU', 'Sequential', 'ReLU', 'Sequential']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, TrainNeedsABool) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("ReLU")());
    attempt()("one", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("train")(1)); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("train")(Py())); }));
    attempt()("text", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("train")("yes")); }));
    attempt()("false", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("train")(false).attr("training")); }));
  });
  EXPECT_EQ(outcome.out, R"(one: ValueError: training mode is expected to be boolean
none: ValueError: training mode is expected to be boolean
text: ValueError: training mode is expected to be boolean
false: False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, OverriddenTrainKeepsAPartFrozen) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("backbone", nn("Sequential")(nn("BatchNorm1d")(1)));
      self.set("head", nn("Dropout")());
      return Py();
    });
    def_method(Net, "train", {"self", {"mode", true}}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var mode = a[1];
      super_attr(Net, self, "train")(mode);
      self.attr("backbone").attr("eval")();
      return Py(self);
    });
    net = Py(Net().attr("train")());
    builtin("print")(net.attr("training"), net.attr("backbone").attr("training"),
                     net.attr("backbone").item(0).attr("training"), net.attr("head").attr("training"));
    builtin("print")(net.attr("eval")().attr("training"));
  });
  EXPECT_EQ(outcome.out, R"(True False False True
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, HalfBfloat16FloatRoundTrip) {
  const Outcome outcome = run([] {
    const Var m, step, r;
    m = Py(nn("Linear")(2, 1));
    nn_init("constant_")(m.attr("weight"), 0.1);
    for_each(list({"half", "bfloat16", "float", "double"}), [&](const Py& item1) {
      step = Py(item1);
      r = Py(builtin("getattr")(m, step)());
      builtin("print")({step, m.attr("weight").attr("dtype"), is(r, m),
                        format_value(m.attr("weight").item(tuple({0, 0})).attr("item")(), ".6f")});
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"(half torch.float16 True 0.099976
bfloat16 torch.bfloat16 True 0.100098
float torch.float32 True 0.100098
double torch.float64 True 0.100098
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ToDeviceCpuKeepsEverything) {
  const Outcome outcome = run([] {
    const Var m, w, p;
    m = Py(nn("Linear")(1, 1));
    const auto parts1 = unpack(tuple({m.attr("weight"), m.attr("weight").attr("data_ptr")()}), 2);
    w = Py(parts1[0]);
    p = Py(parts1[1]);
    builtin("print")({is(m.attr("to")("cpu"), m), is(m.attr("to")(torch("device")("cpu")), m), is(m.attr("cpu")(), m)});
    builtin("print")(
        {is(m.attr("weight"), w), equal(m.attr("weight").attr("data_ptr")(), p), m.attr("weight").attr("device")});
  });
  EXPECT_EQ(outcome.out, R"(True True True
True True cpu
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ConversionKeepsParameterObjectsButReplacesBuffers) {
  const Outcome outcome = run([] {
    const Var m, w, b;
    m = Py(nn("BatchNorm1d")(1));
    const auto parts1 = unpack(tuple({m.attr("weight"), m.attr("running_mean")}), 2);
    w = Py(parts1[0]);
    b = Py(parts1[1]);
    m.attr("double")();
    builtin("print")(is(m.attr("weight"), w), w.attr("dtype"), is(m.attr("running_mean"), b), b.attr("dtype"));
  });
  EXPECT_EQ(outcome.out, R"(True torch.float64 False torch.float32
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ConversionKeepsTies) {
  const Outcome outcome = run([] {
    const Var a_, b, net;
    const auto parts1 = unpack(tuple({nn("Linear")(1, 1), nn("Linear")(1, 1)}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    b.set("weight", a_.attr("weight"));
    net = Py(nn("Sequential")(a_, b).attr("double")());
    builtin("print")(is(a_.attr("weight"), b.attr("weight")), a_.attr("weight").attr("dtype"));
  });
  EXPECT_EQ(outcome.out, R"(True torch.float64
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ConversionSeparatesSharedBuffers) {
  const Outcome outcome = run([] {
    const Var t, m;
    t = Py(torch("zeros")(2));
    m = Py(nn("Module")());
    m.attr("register_buffer")("a", t);
    m.attr("register_buffer")("b", t);
    m.attr("float")();
    builtin("print")(is(m.attr("a"), m.attr("b")));
    m.attr("double")();
    builtin("print")(is(m.attr("a"), m.attr("b")), m.attr("a").attr("dtype"), m.attr("b").attr("dtype"));
  });
  EXPECT_EQ(outcome.out, R"(True
False torch.float64 torch.float64
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, OverwriteParamsOnConversionFlag) {
  const Outcome outcome = run([] {
    const Var m, w;
    torch("set_overwrite_module_params_on_conversion")(true);
    m = Py(nn("Linear")(1, 1));
    w = Py(m.attr("weight"));
    m.attr("double")();
    builtin("print")({is(m.attr("weight"), w), w.attr("dtype"), m.attr("weight").attr("dtype"),
                      builtin("type")(m.attr("weight")).attr("__name__")});
    torch("set_overwrite_module_params_on_conversion")(false);
  });
  EXPECT_EQ(outcome.out, R"(False torch.float32 torch.float64 Parameter
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ToEmptyAndMeta) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(2, 2, kw("device", "meta")));
    try {
      m.attr("to")("cpu");
    } catch (const Raised& raised) {
      if (matches(raised, "NotImplementedError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
    m.attr("to_empty")(kw("device", "cpu"));
    nn_init("ones_")(m.attr("weight"));
    builtin("print")(
        {m.attr("weight").attr("device"), m.attr("weight").attr("tolist")(), m.attr("weight").attr("requires_grad")});
  });
  EXPECT_EQ(
      outcome.out,
      R"(Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device.
cpu [[1.0, 1.0], [1.0, 1.0]] True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprOfABareModuleAndSubclass) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    builtin("print")(nn("Module")());
    builtin("print")(Net());
    builtin("print")({builtin("repr")(Net()), builtin("str")(Net()), text(Net())});
  });
  EXPECT_EQ(outcome.out, R"(Module()
Net()
Net() Net() Net()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprWithExtraReprAndChildren) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("fc", nn("Linear")(1, 1));
      return Py();
    });
    def_method(Net, "extra_repr", {"self"}, [=](const Locals&) -> Py { return Py("mode=fast"); });
    builtin("print")(Net());
  });
  EXPECT_EQ(outcome.out, R"(Net(
  mode=fast
  (fc): Linear(in_features=1, out_features=1, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ReprWithMultiLineExtraRepr) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "extra_repr", {"self"}, [=](const Locals&) -> Py { return Py("first\nsecond\nthird"); });
    builtin("print")(Net());
    builtin("print")(nn("Sequential")(Net()));
  });
  EXPECT_EQ(outcome.out, R"(Net(
  first
  second
  third
)
Sequential(
  (0): Net(
    first
    second
    third
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
