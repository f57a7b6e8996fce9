// Recorded behaviour of PyTorch, topic `state_dict`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(StateDict, KeysAndOrder) {
  const Outcome outcome = run([] {
    const Var Net, key, value;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.attr("register_buffer")("first", torch("zeros")(1));
      self.set("fc", nn("Linear")(2, 1));
      self.set("scale", nn("Parameter")(torch("ones")(1)));
      self.set("norm", nn("BatchNorm1d")(1));
      return Py();
    });
    for_each(Net().attr("state_dict")().attr("items")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      key = Py(parts2[0]);
      value = Py(parts2[1]);
      builtin("print")({key, builtin("tuple")(value.attr("shape")), value.attr("dtype")});
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"(scale (1,) torch.float32
first (1,) torch.float32
fc.weight (1, 2) torch.float32
fc.bias (1,) torch.float32
norm.weight (1,) torch.float32
norm.bias (1,) torch.float32
norm.running_mean (1,) torch.float32
norm.running_var (1,) torch.float32
norm.num_batches_tracked () torch.int64
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, TypeAndMetadata) {
  const Outcome outcome = run([] {
    const Var sd;
    sd = Py(nn("Sequential")({nn("Linear")(1, 1), nn("BatchNorm1d")(1)}).attr("state_dict")());
    builtin("print")(builtin("type")(sd).attr("__name__"));
    builtin("print")(builtin("dict")(sd.attr("_metadata")));
    builtin("print")(builtin("hasattr")(builtin("dict")(sd), "_metadata"));
  });
  EXPECT_EQ(outcome.out, R"(OrderedDict
{'': {'version': 1}, '0': {'version': 1}, '1': {'version': 2}}
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, KeepVarsReturnsTheParametersThemselves) {
  const Outcome outcome = run([] {
    const Var m, sd;
    m = Py(nn("Linear")(1, 1));
    sd = Py(m.attr("state_dict")(kw("keep_vars", true)));
    builtin("print")({is(sd.item("weight"), m.attr("weight")), builtin("type")(sd.item("weight")).attr("__name__"),
                      sd.item("weight").attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(True Parameter True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, PrefixArgument) {
  const Outcome outcome = run([] {
    const Var m, sd;
    m = Py(nn("Sequential")(nn("Linear")(1, 1)));
    sd = Py(m.attr("state_dict")(kw("prefix", "net.")));
    builtin("print")({builtin("list")(sd), builtin("list")(sd.attr("_metadata"))});
    builtin("print")({builtin("list")(m.attr("state_dict")(kw("prefix", "net"))),
                      builtin("list")(m.attr("state_dict")(kw("prefix", "net")).attr("_metadata"))});
  });
  EXPECT_EQ(outcome.out, R"(['net.0.weight', 'net.0.bias'] ['net', 'net.0']
['net0.weight', 'net0.bias'] ['ne', 'net0']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, NoneEntriesAreLeftOut) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1, kw("bias", false)));
    m.attr("register_buffer")("b", Py());
    m.attr("register_parameter")("p", Py());
    m.set("child", nn("ReLU")());
    m.set("child", Py());
    builtin("print")(
        {builtin("list")(m.attr("state_dict")()), builtin("dict")(m.attr("state_dict")().attr("_metadata"))});
  });
  EXPECT_EQ(outcome.out, R"(['weight'] {'': {'version': 1}}
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, PlainAttributesAreLeftOut) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Module")());
    m.set("t", torch("ones")(1));
    m.set("n", 5);
    m.set("items", list({nn("Linear")(1, 1)}));
    builtin("print")(builtin("list")(m.attr("state_dict")()));
  });
  EXPECT_EQ(outcome.out, R"([]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, TiedParametersAppearTwice) {
  const Outcome outcome = run([] {
    const Var a_, b, sd;
    const auto parts1 = unpack(tuple({nn("Linear")(1, 1), nn("Linear")(1, 1)}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    b.set("weight", a_.attr("weight"));
    sd = Py(nn("Sequential")(a_, b, a_).attr("state_dict")());
    builtin("print")(builtin("list")(sd));
    builtin("print")({equal(sd.item("0.weight").attr("data_ptr")(), sd.item("1.weight").attr("data_ptr")()),
                      is(sd.item("0.weight"), sd.item("1.weight"))});
  });
  EXPECT_EQ(outcome.out, R"(['0.weight', '0.bias', '1.weight', '1.bias', '2.weight', '2.bias']
True False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StrictMissingKeysMessage) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Sequential")({nn("Linear")(1, 1), nn("Linear")(1, 1)}));
    m.attr("load_state_dict")(dict({{Py("0.weight"), torch("ones")(1, 1)}}));
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error, R"(RuntimeError: Error(s) in loading state_dict for Sequential:
	Missing key(s) in state_dict: "0.bias", "1.weight", "1.bias". )");
}

TEST(StateDict, StrictUnexpectedKeysMessage) {
  const Outcome outcome = run([] {
    const Var m, sd, e;
    m = Py(nn("Linear")(1, 1));
    sd = Py(m.attr("state_dict")());
    sd.set_item("gamma", torch("ones")(1));
    sd.set_item("deep.er", torch("ones")(1));
    try {
      m.attr("load_state_dict")(sd);
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
	Unexpected key(s) in state_dict: "gamma", "deep.er". 
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StrictBothMessages) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(1, 1));
    try {
      m.attr("load_state_dict")(dict({{Py("a"), torch("ones")(1)}, {Py("b.c"), torch("ones")(1)}}));
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
	Missing key(s) in state_dict: "weight", "bias". 
	Unexpected key(s) in state_dict: "a", "b.c". 
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, SizeMismatchMessage) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(2, 3));
    try {
      m.attr("load_state_dict")(dict({{Py("weight"), torch("ones")(4, 2)}, {Py("bias"), torch("ones")(1)}}));
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
	size mismatch for weight: copying a param with shape torch.Size([4, 2]) from checkpoint, the shape in current model is torch.Size([3, 2]).
	size mismatch for bias: copying a param with shape torch.Size([1]) from checkpoint, the shape in current model is torch.Size([3]).
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, SizeMismatchWithMissingAndUnexpected) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Sequential")({nn("Linear")(2, 3), nn("ReLU")(), nn("Linear")(3, 1)}));
    try {
      m.attr("load_state_dict")(dict({{Py("0.weight"), torch("ones")(2, 3)},
                                      {Py("2.bias"), torch("ones")(1)},
                                      {Py("3.weight"), torch("ones")(1)}}));
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Error(s) in loading state_dict for Sequential:
	Missing key(s) in state_dict: "0.bias", "2.weight". 
	Unexpected key(s) in state_dict: "3.weight". 
	size mismatch for 0.weight: copying a param with shape torch.Size([2, 3]) from checkpoint, the shape in current model is torch.Size([3, 2]).
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, NonTensorEntryMessage) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1));
    attempt()("float", lambda({}, [=](const Locals&) -> Py {
                return Py(m.attr("load_state_dict")(dict({{Py("weight"), Py(1.0)}, {Py("bias"), torch("ones")(1)}})));
              }));
    attempt()(
        "list", lambda({}, [=](const Locals&) -> Py {
          return Py(m.attr("load_state_dict")(dict({{Py("weight"), list({list({1.0})})}, {Py("bias"), Py(Py())}})));
        }));
  });
  EXPECT_EQ(outcome.out, R"(float: RuntimeError: Error(s) in loading state_dict for Linear:
	While copying the parameter named "weight", expected torch.Tensor or Tensor-like object from checkpoint but received <class 'float'>
list: RuntimeError: Error(s) in loading state_dict for Linear:
	While copying the parameter named "weight", expected torch.Tensor or Tensor-like object from checkpoint but received <class 'list'>
	While copying the parameter named "bias", expected torch.Tensor or Tensor-like object from checkpoint but received <class 'NoneType'>
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, StateDictArgumentTypes) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1));
    attempt()("list", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("load_state_dict")(list({}))); }));
    attempt()("module", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("load_state_dict")(m)); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(m.attr("load_state_dict")(Py())); }));
    attempt()("items", lambda({}, [=](const Locals&) -> Py {
                return Py(m.attr("load_state_dict")(m.attr("state_dict")().attr("items")()));
              }));
    attempt()("generator dict", lambda({}, [=](const Locals&) -> Py {
                return Py(m.attr("load_state_dict")(dict_comprehension([&](object::Dict& made) {
                  const Var k;
                  const Var v;
                  for_each(m.attr("state_dict")().attr("items")(), [&](const Py& item1) {
                    const auto parts2 = unpack(item1, 2);
                    k = Py(parts2[0]);
                    v = Py(parts2[1]);
                    made.set(Py(k).value(), Py(v).value());
                    return true;
                  });
                })));
              }));
  });
  EXPECT_EQ(outcome.out, R"(list: TypeError: Expected state_dict to be dict-like, got <class 'list'>.
module: TypeError: Expected state_dict to be dict-like, got <class 'torch.nn.modules.linear.Linear'>.
none: TypeError: Expected state_dict to be dict-like, got <class 'NoneType'>.
items: TypeError: Expected state_dict to be dict-like, got <class 'odict_items'>.
generator dict: <All keys matched successfully>
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, UnexpectedKeysBelowUnknownAndKnownChildren) {
  const Outcome outcome = run([] {
    const Var m, r;
    m = Py(nn("Module")());
    m.set("fc", nn("Linear")(1, 1));
    m.set("empty", nn("Module")());
    r = Py(m.attr("load_state_dict")(dict({{Py("fc.weight"), torch("ones")(1, 1)},
                                           {Py("fc.bias"), torch("ones")(1)},
                                           {Py("fc.more"), torch("ones")(1)},
                                           {Py("fc.a.b"), torch("ones")(1)},
                                           {Py("empty.x"), torch("ones")(1)},
                                           {Py("nope.x.y"), torch("ones")(1)},
                                           {Py("fcweight"), torch("ones")(1)}}),
                                     kw("strict", false)));
    builtin("print")(r.attr("unexpected_keys"), r.attr("missing_keys"));
  });
  EXPECT_EQ(outcome.out, R"(['nope.x.y', 'fcweight', 'fc.more', 'fc.a.b', 'empty.x'] []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, UnexpectedKeyOrder) {
  const Outcome outcome = run([] {
    const Var m, sd;
    m = Py(nn("Sequential")({nn("Linear")(1, 1), nn("Linear")(1, 1)}));
    sd = Py(dict({{Py("1.z"), torch("ones")(1)},
                  {Py("q"), torch("ones")(1)},
                  {Py("0.z"), torch("ones")(1)},
                  {Py("5.w"), torch("ones")(1)}}));
    sd.attr("update")(m.attr("state_dict")());
    builtin("print")(m.attr("load_state_dict")(sd, kw("strict", false)).attr("unexpected_keys"));
  });
  EXPECT_EQ(outcome.out, R"(['q', '5.w', '0.z', '1.z']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, DtypeIsConvertedOnLoad) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1));
    m.attr("load_state_dict")(dict({{Py("weight"), torch("ones")(1, 1, kw("dtype", torch("float64")))},
                                    {Py("bias"), torch("tensor")(list({2}))}}));
    builtin("print")({m.attr("weight").attr("dtype"), m.attr("weight").attr("item")(), m.attr("bias").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(torch.float32 1.0 2.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, ScalarParameterAcceptsAOneElementTensor) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Module")());
    m.set("s", nn("Parameter")(torch("tensor")(1.0)));
    m.attr("register_buffer")("c", torch("tensor")(0));
    builtin("print")(m.attr("load_state_dict")(
        dict({{Py("s"), torch("tensor")(list({5.0}))}, {Py("c"), torch("tensor")(list({7}))}})));
    builtin("print")({m.attr("s").attr("item")(), m.attr("c").attr("item")(), m.attr("s").attr("shape")});
    try {
      m.attr("load_state_dict")(
          dict({{Py("s"), torch("tensor")(list({5.0, 6.0}))}, {Py("c"), torch("tensor")(list({list({7})}))}}));
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(<All keys matched successfully>
5.0 7 torch.Size([])
Error(s) in loading state_dict for Module:
	size mismatch for s: copying a param with shape torch.Size([2]) from checkpoint, the shape in current model is torch.Size([]).
	size mismatch for c: copying a param with shape torch.Size([1, 1]) from checkpoint, the shape in current model is torch.Size([]).
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(StateDict, AssignKeepsDtypeOfTheLoadedTensor) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")(1, 1));
    m.attr("load_state_dict")(dict({{Py("weight"), torch("ones")(1, 1, kw("dtype", torch("float64")))},
                                    {Py("bias"), torch("ones")(1, kw("dtype", torch("float16")))}}),
                              kw("assign", true));
    builtin("print")(m.attr("weight").attr("dtype"), m.attr("bias").attr("dtype"));
  });
  EXPECT_EQ(outcome.out, R"(torch.float64 torch.float16
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
