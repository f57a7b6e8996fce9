// Recorded behaviour of PyTorch, topic `lazy_parametrize`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(LazyParametrize, LazyUserHooksRunAfterTheInitialisingHook) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("LazyLinear")(Py(1)));
    m.attr("register_forward_pre_hook")(lambda({"mod", "args"}, [=](const Locals& a) -> Py {
      const Var mod = a[0];
      const Var args = a[1];
      return Py(builtin("print")({Py("user hook sees"), builtin("type")(mod).attr("__name__"),
                                  builtin("tuple")(mod.attr("weight").attr("shape"))}));
    }));
    m.attr("register_forward_pre_hook")(
        {lambda({"mod", "args"},
                [=](const Locals& a) -> Py {
                  const Var mod = a[0];
                  const Var args = a[1];
                  return Py(builtin("print")({Py("prepended sees"), builtin("type")(mod).attr("__name__")}));
                }),
         kw("prepend", Py(true))});
    m(torch("ones")({Py(1), Py(2)}));
    builtin("print")(Py("again"));
    m(torch("ones")({Py(1), Py(2)}));
  });
  EXPECT_EQ(outcome.out, R"(prepended sees LazyLinear
user hook sees Linear (1, 2)
again
prepended sees Linear
user hook sees Linear (1, 2)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyCustomModuleWithoutInitializeParameters) {
  const Outcome outcome = run([] {
    const Var Plain, LazyPlain, e;
    Plain = make_class("Plain", {nn("Module")});
    def_method(Plain, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py(x);
    });
    LazyPlain = make_class("LazyPlain", {imported("torch.nn.modules.lazy", "LazyModuleMixin"), Plain});
    try {
      LazyPlain()(Py(1));
    } catch (const Raised& raised) {
      if (!matches(raised, "NotImplementedError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(outcome.out, R"(initialize_parameters is not implemented for LazyPlain
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyCustomModuleThatForgetsToMaterialise) {
  const Outcome outcome = run([] {
    const Var Plain, LazyPlain, e;
    Plain = make_class("Plain", {nn("Module")});
    def_method(Plain, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Plain, self, "__init__")();
      self.set("w", nn("UninitializedParameter")());
      return {};
    });
    def_method(Plain, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py(x);
    });
    LazyPlain = make_class("LazyPlain", {imported("torch.nn.modules.lazy", "LazyModuleMixin"), Plain});
    def_method(LazyPlain, "initialize_parameters", {"self", "x"}, [=](const Locals&) -> Py { return {}; });
    try {
      LazyPlain()(Py(1));
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(outcome.out, R"(module LazyPlain has not been fully initialized
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyModuleCannotBeReplicated) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("LazyLinear")(Py(1)));
    try {
      m.attr("_replicate_for_data_parallel")();
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"(Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to correctly initialize the modules
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, DeepcopyOfALazyModule) {
  const Outcome outcome = run([] {
    const Var a_, b;
    a_ = Py(nn("LazyLinear")(Py(2)));
    b = Py(builtin("deepcopy")(a_));
    b(torch("ones")({Py(1), Py(3)}));
    builtin("print")(a_);
    builtin("print")(b);
  });
  EXPECT_EQ(outcome.out, R"(LazyLinear(in_features=0, out_features=2, bias=True)
Linear(in_features=3, out_features=2, bias=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationChangesTheClass) {
  const Outcome outcome = run([] {
    const Var Double, m, r;
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, Py(2)));
    });
    m = Py(nn("Linear")({Py(2), Py(1)}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(3.0)});
    r = Py(imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Double()}));
    builtin("print")({is(r, m), builtin("type")(m).attr("__name__"),
                      builtin("type")(m).attr("__mro__").item(Py(1)).attr("__name__"),
                      builtin("isinstance")({m, nn("Linear")})});
    builtin("print")({m.attr("weight").attr("tolist")(),
                      m.attr("parametrizations").attr("weight").attr("original").attr("tolist")()});
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(True ParametrizedLinear Linear True
[[6.0, 6.0]] [[3.0, 3.0]]
ParametrizedLinear(
  in_features=2, out_features=1, bias=True
  (parametrizations): ModuleDict(
    (weight): ParametrizationList(
      (0): Double()
    )
  )
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationRegistryLayout) {
  const Outcome outcome = run([] {
    const Var Double, m;
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, Py(2)));
    });
    m = Py(nn("Linear")({Py(2), Py(1)}));
    imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Double()});
    builtin("print")({builtin("list")(m.attr("_parameters")), builtin("list")(m.attr("_modules")),
                      contains(Py("weight"), m.attr("__dict__")), contains(Py("weight"), builtin("dir")(m))});
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(m.attr("named_parameters")())) {
        const std::vector<Py> parts3 = unpack(item2, 2);
        const Var n = parts3[0];
        values1.push_back(Py(n).value());
      }
    }));
    builtin("print")(comprehension([&](std::vector<Value>& values4) {
      for (const Py& item5 : items(m.attr("named_modules")())) {
        const std::vector<Py> parts6 = unpack(item5, 2);
        const Var n = parts6[0];
        values4.push_back(Py(n).value());
      }
    }));
    builtin("print")(builtin("list")(m.attr("state_dict")()));
    builtin("print")({builtin("type")(m.attr("parametrizations")).attr("__name__"),
                      builtin("type")(m.attr("parametrizations").attr("weight")).attr("__name__")});
    builtin("print")({builtin("type")(m.attr("weight")).attr("__name__"), m.attr("weight").attr("requires_grad"),
                      m.attr("weight").attr("is_leaf")});
    builtin("print")(
        builtin("isinstance")({builtin("type")(m).attr("__dict__").item(Py("weight")), builtin("property")}));
  });
  EXPECT_EQ(outcome.out, R"(['bias'] ['parametrizations'] False True
['bias', 'parametrizations.weight.original']
['', 'parametrizations', 'parametrizations.weight', 'parametrizations.weight.0']
['bias', 'parametrizations.weight.original']
ModuleDict ParametrizationList
Tensor True False
True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationGradientReachesTheOriginal) {
  const Outcome outcome = run([] {
    const Var Square, m, out;
    Square = make_class("Square", {nn("Module")});
    def_method(Square, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, w));
    });
    m = Py(nn("Linear")({Py(1), Py(1), kw("bias", Py(false))}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(3.0)});
    imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Square()});
    out = Py(m(torch("full")({tuple({Py(1), Py(1)}), Py(2.0)})));
    out.attr("sum")().attr("backward")();
    builtin("print")(
        {out.attr("item")(), m.attr("parametrizations").attr("weight").attr("original").attr("grad").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(18.0 12.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationAssignmentNeedsRightInverse) {
  const Outcome outcome = run([] {
    const Var Double, Invertible, m, n, original;
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, Py(2)));
    });
    Invertible = make_class("Invertible", {Double});
    def_method(Invertible, "right_inverse", {"self", "v"}, [=](const Locals& a) -> Py {
      const Var v = a[1];
      return Py(binary("/", v, Py(2)));
    });
    m = Py(nn("Linear")({Py(1), Py(1)}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(1.0)});
    imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Double()});
    attempt()({Py("no inverse"), lambda({}, [=](const Locals&) -> Py {
                 return Py(builtin("setattr")({m, Py("weight"), torch("ones")({Py(1), Py(1)})}));
               })});
    n = Py(nn("Linear")({Py(1), Py(1)}));
    imported("torch.nn.init", "constant_")({n.attr("weight"), Py(1.0)});
    original = Py(n.attr("weight"));
    imported("torch.nn.utils.parametrize", "register_parametrization")({n, Py("weight"), Invertible()});
    builtin("print")({n.attr("weight").attr("item")(),
                      n.attr("parametrizations").attr("weight").attr("original").attr("item")(),
                      is(n.attr("parametrizations").attr("weight").attr("original"), original)});
    n.set("weight", torch("full")({tuple({Py(1), Py(1)}), Py(10.0)}));
    builtin("print")(
        {n.attr("weight").attr("item")(), n.attr("parametrizations").attr("weight").attr("original").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"(no inverse: RuntimeError: parametrization Double does not implement right_inverse.
1.0 0.5 True
10.0 5.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationWithTwoOriginals) {
  const Outcome outcome = run([] {
    const Var Sum, m;
    Sum = make_class("Sum", {nn("Module")});
    def_method(Sum, "forward", {"self", "a", "b"}, [=](const Locals& a) -> Py {
      const Var a_ = a[1];
      const Var b = a[2];
      return Py(binary("+", a_, b));
    });
    def_method(Sum, "right_inverse", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(tuple({binary("*", w, Py(0.25)), binary("*", w, Py(0.75))}));
    });
    m = Py(nn("Linear")({Py(1), Py(1), kw("bias", Py(false))}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(4.0)});
    imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Sum()});
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(m.attr("named_parameters")())) {
        const std::vector<Py> parts3 = unpack(item2, 2);
        const Var n = parts3[0];
        const Var p = parts3[1];
        values1.push_back(Py(tuple({n, p.attr("item")()})).value());
      }
    }));
    builtin("print")({m.attr("weight").attr("item")(), m.attr("parametrizations").attr("weight").attr("is_tensor"),
                      m.attr("parametrizations").attr("weight").attr("ntensors")});
    m.set("weight", torch("full")({tuple({Py(1), Py(1)}), Py(8.0)}));
    builtin("print")(comprehension([&](std::vector<Value>& values4) {
      for (const Py& item5 : items(m.attr("named_parameters")())) {
        const std::vector<Py> parts6 = unpack(item5, 2);
        const Var n = parts6[0];
        const Var p = parts6[1];
        values4.push_back(Py(tuple({n, p.attr("item")()})).value());
      }
    }));
  });
  EXPECT_EQ(outcome.out, R"([('parametrizations.weight.original0', 1.0), ('parametrizations.weight.original1', 3.0)]
4.0 False 2
[('parametrizations.weight.original0', 2.0), ('parametrizations.weight.original1', 6.0)]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizationErrors) {
  const Outcome outcome = run([] {
    const Var Shape, Dtype, Text, m;
    Shape = make_class("Shape", {nn("Module")});
    def_method(Shape, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(w.attr("sum")());
    });
    Dtype = make_class("Dtype", {nn("Module")});
    def_method(Dtype, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(w.attr("double")());
    });
    Text = make_class("Text", {nn("Module")});
    def_method(Text, "forward", {"self", "w"}, [=](const Locals&) -> Py { return Py(Py("text")); });
    m = Py(nn("Linear")({Py(2), Py(1)}));
    attempt()(
        {Py("shape"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Shape()}));
         })});
    attempt()(
        {Py("dtype"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Dtype()}));
         })});
    attempt()(
        {Py("not a tensor"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Text()}));
         })});
    attempt()({Py("unknown"), lambda({}, [=](const Locals&) -> Py {
                 return Py(imported("torch.nn.utils.parametrize",
                                    "register_parametrization")({m, Py("gamma"), nn("Identity")()}));
               })});
    attempt()({Py("plain attribute"), lambda({}, [=](const Locals&) -> Py {
                 return Py(imported("torch.nn.utils.parametrize",
                                    "register_parametrization")({m, Py("in_features"), nn("Identity")()}));
               })});
    attempt()({Py("unsafe"), lambda({}, [=](const Locals&) -> Py {
                 return Py(imported("torch.nn.utils.parametrize",
                                    "register_parametrization")({m, Py("weight"), Shape(), kw("unsafe", Py(true))})
                               .attr("weight")
                               .attr("shape"));
               })});
  });
  EXPECT_EQ(
      outcome.out,
      R"(shape: ValueError: Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.
unparametrized shape: torch.Size([1, 2])
parametrized shape: torch.Size([])
dtype: ValueError: Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.
unparametrized dtype: torch.float32
parametrized dtype: torch.float64
not a tensor: ValueError: A parametrization must return a tensor. Got str.
unknown: ValueError: Module 'Linear(in_features=2, out_features=1, bias=True)' does not have a parameter, a buffer, or a parametrized element with name 'gamma'
plain attribute: ValueError: Module 'Linear(in_features=2, out_features=1, bias=True)' does not have a parameter, a buffer, or a parametrized element with name 'in_features'
unsafe: torch.Size([])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, RemovingParametrizations) {
  const Outcome outcome = run([] {
    const Var Double, leave, m, original;
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, Py(2)));
    });
    for (const Py& item1 : items(tuple({Py(true), Py(false)}))) {
      leave = Py(item1);
      m = Py(nn("Linear")({Py(1), Py(1)}));
      imported("torch.nn.init", "constant_")({m.attr("weight"), Py(3.0)});
      imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Double()});
      original = Py(m.attr("parametrizations").attr("weight").attr("original"));
      imported("torch.nn.utils.parametrize",
               "remove_parametrizations")({m, Py("weight"), kw("leave_parametrized", leave)});
      builtin("print")({builtin("type")(m).attr("__name__"), m.attr("weight").attr("item")(),
                        builtin("type")(m.attr("weight")).attr("__name__"), is(m.attr("weight"), original),
                        comprehension([&](std::vector<Value>& values2) {
                          for (const Py& item3 : items(m.attr("named_parameters")())) {
                            const std::vector<Py> parts4 = unpack(item3, 2);
                            const Var n = parts4[0];
                            values2.push_back(Py(n).value());
                          }
                        }),
                        builtin("hasattr")({m, Py("parametrizations")})});
    }
  });
  EXPECT_EQ(outcome.out, R"(Linear 6.0 Parameter True ['bias', 'weight'] False
Linear 3.0 Parameter True ['bias', 'weight'] False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, EachParametrizedModuleGetsItsOwnClass) {
  const Outcome outcome = run([] {
    const Var a_, b;
    const Py right1 = nn("Linear")({Py(1), Py(1)});
    const Py right2 = nn("Linear")({Py(1), Py(1)});
    a_ = Py(right1);
    b = Py(right2);
    imported("torch.nn.utils.parametrize", "register_parametrization")({a_, Py("weight"), nn("Identity")()});
    imported("torch.nn.utils.parametrize", "register_parametrization")({b, Py("weight"), nn("Identity")()});
    builtin("print")({builtin("type")(a_).attr("__name__"), builtin("type")(b).attr("__name__"),
                      is(builtin("type")(a_), builtin("type")(b))});
    builtin("print")(
        {builtin("type")(a_).attr("__module__"),
         imported("torch.nn.utils.parametrize", "type_before_parametrizations")(a_).attr("__name__"),
         imported("torch.nn.utils.parametrize", "type_before_parametrizations")(nn("ReLU")()).attr("__name__")});
  });
  EXPECT_EQ(outcome.out, R"(ParametrizedLinear ParametrizedLinear False
torch.nn.utils.parametrize Linear ReLU
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, AttributeErrorInsideAParametrization) {
  const Outcome outcome = run([] {
    const Var Broken, m;
    Broken = make_class("Broken", {nn("Module")});
    def_method(Broken, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(w.attr("no_such_attribute"));
    });
    m = Py(nn("Linear")({Py(1), Py(1)}));
    attempt()(
        {Py("register"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Broken()}));
         })});
    attempt()({Py("register unsafe"), lambda({}, [=](const Locals&) -> Py {
                 return Py(builtin("type")(imported("torch.nn.utils.parametrize", "register_parametrization")(
                                               {m, Py("weight"), Broken(), kw("unsafe", Py(true))}))
                               .attr("__name__"));
               })});
    attempt()({Py("access"), lambda({}, [=](const Locals&) -> Py { return Py(m.attr("weight")); })});
  });
  EXPECT_EQ(outcome.out, R"(register: AttributeError: 'Parameter' object has no attribute 'no_such_attribute'
register unsafe: ParametrizedLinear
access: AttributeError: 'ParametrizedLinear' object has no attribute 'weight'
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
