// Recorded behaviour of PyTorch, topic `traversal`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Traversal, ChildrenAreDirectOnly) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("Sequential")({nn("ReLU")(), nn("Tanh")()}), nn("Sigmoid")()}));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var c;
      for_each(net.attr("children")(), [&](const Py& item1) {
        c = Py(item1);
        made.push_back(Py(builtin("type")(c).attr("__name__")).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_children")(), [&](const Py& item2) {
        const auto parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        _ = Py(parts3[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var m;
      for_each(net.attr("modules")(), [&](const Py& item4) {
        m = Py(item4);
        made.push_back(Py(builtin("type")(m).attr("__name__")).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['Sequential', 'Sigmoid']
['0', '1']
['Sequential', 'Sequential', 'ReLU', 'Tanh', 'Sigmoid']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ChildrenSkipNoneAndRepeats) {
  const Outcome outcome = run([] {
    const Var act, m;
    act = Py(nn("ReLU")());
    m = Py(nn("Module")());
    m.set("a", act);
    m.set("b", Py());
    m.set("c", act);
    m.attr("add_module")("d", Py());
    m.set("e", nn("Tanh")());
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var c;
      for_each(m.attr("named_children")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        c = Py(parts2[1]);
        made.push_back(Py(tuple({n, builtin("type")(c).attr("__name__")})).value());
        return true;
      });
    }));
    builtin("print")(builtin("list")(m.attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"([('a', 'ReLU'), ('e', 'Tanh')]
['a', 'c', 'd', 'e']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, NamedModulesInDepthFirstOrder) {
  const Outcome outcome = run([] {
    const Var net, name, m;
    net = Py(nn("Module")());
    net.set("enc", nn("Sequential")({nn("Linear")(1, 1), nn("ReLU")()}));
    net.set("dec", nn("Module")());
    net.attr("dec").set("head", nn("Tanh")());
    for_each(net.attr("named_modules")(), [&](const Py& item1) {
      const auto parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      m = Py(parts2[1]);
      builtin("print")({builtin("repr")(name), builtin("type")(m).attr("__name__")});
      return true;
    });
  });
  EXPECT_EQ(outcome.out, R"('' Module
'enc' Sequential
'enc.0' Linear
'enc.1' ReLU
'dec' Module
'dec.head' Tanh
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, NamedModulesWithPrefix) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("ReLU")(), nn("Sequential")(nn("Tanh")())}));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_modules")(kw("prefix", "net")), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_modules")(kw("prefix", "a.b")), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['net', 'net.0', 'net.1', 'net.1.0']
['a.b', 'a.b.0', 'a.b.1', 'a.b.1.0']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SharedModuleIsListedOnceUnderItsFirstName) {
  const Outcome outcome = run([] {
    const Var shared, net;
    shared = Py(nn("Linear")(1, 1));
    net = Py(nn("Sequential")(shared, nn("ReLU")(), shared));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_modules")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_modules")(kw("remove_duplicate", false)), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")({builtin("len")(builtin("list")(net.attr("modules")())),
                      builtin("len")(builtin("list")(net.attr("children")())), builtin("len")(net)});
  });
  EXPECT_EQ(outcome.out, R"(['', '0', '1']
['', '0', '1', '2']
3 2 3
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SharedModuleAtDifferentDepths) {
  const Outcome outcome = run([] {
    const Var shared, net;
    shared = Py(nn("ReLU")());
    net = Py(nn("Module")());
    net.set("inner", nn("Module")());
    net.attr("inner").set("act", shared);
    net.set("act", shared);
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_modules")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_children")(), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['', 'inner', 'inner.act']
['inner', 'act']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, ModulesRemoveDuplicateFalse) {
  const Outcome outcome = run([] {
    const Var shared, net;
    shared = Py(nn("ReLU")());
    net = Py(nn("Sequential")(shared, shared));
    builtin("print")({builtin("len")(builtin("list")(net.attr("modules")())),
                      builtin("len")(builtin("list")(net.attr("modules")(kw("remove_duplicate", false))))});
  });
  EXPECT_EQ(outcome.out, R"(2 3
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, OwnParametersComeBeforeThoseOfChildren) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Module")());
    net.set("child", nn("Linear")(1, 1));
    net.set("own", nn("Parameter")(torch("ones")(1)));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(kw("recurse", false)), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")({builtin("len")(builtin("list")(net.attr("parameters")())),
                      builtin("len")(builtin("list")(net.attr("parameters")(kw("recurse", false))))});
  });
  EXPECT_EQ(outcome.out, R"(['own', 'child.weight', 'child.bias']
['own']
3 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, NamedParametersWithPrefix) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")(nn("Linear")(1, 1)));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(kw("prefix", "model")), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.item(0).attr("named_parameters")("layer"), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.item(0).attr("named_parameters")(kw("prefix", "layer"), kw("recurse", false)), [&](const Py& item5) {
        const auto parts6 = unpack(item5, 2);
        n = Py(parts6[0]);
        _ = Py(parts6[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['model.0.weight', 'model.0.bias']
['layer.weight', 'layer.bias']
['layer.weight', 'layer.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, TiedParametersAreListedOnce) {
  const Outcome outcome = run([] {
    const Var a_, b, net;
    const auto parts1 = unpack(tuple({nn("Linear")(2, 2), nn("Linear")(2, 2)}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    b.set("weight", a_.attr("weight"));
    net = Py(nn("Sequential")(a_, b));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(), [&](const Py& item2) {
        const auto parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        _ = Py(parts3[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(kw("remove_duplicate", false)), [&](const Py& item4) {
        const auto parts5 = unpack(item4, 2);
        n = Py(parts5[0]);
        _ = Py(parts5[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(
        {builtin("len")(builtin("list")(net.attr("parameters")())), builtin("list")(net.attr("state_dict")())});
  });
  EXPECT_EQ(outcome.out, R"(['0.weight', '0.bias', '1.bias']
['0.weight', '0.bias', '1.weight', '1.bias']
3 ['0.weight', '0.bias', '1.weight', '1.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SharedModuleAndParametersWithoutDuplicateRemoval) {
  const Outcome outcome = run([] {
    const Var shared, net;
    shared = Py(nn("Linear")(1, 1));
    net = Py(nn("Sequential")(shared, shared));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(kw("remove_duplicate", false)), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['0.weight', '0.bias']
['0.weight', '0.bias', '1.weight', '1.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, EqualValuesAreNotDuplicates) {
  const Outcome outcome = run([] {
    const Var net, view;
    net = Py(nn("Module")());
    net.set("a", nn("Parameter")(torch("zeros")(1)));
    net.set("b", nn("Parameter")(torch("zeros")(1)));
    view = Py(nn("Parameter")(net.attr("a").attr("data")));
    net.set("c", view);
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var n;
      const Var _;
      for_each(net.attr("named_parameters")(), [&](const Py& item1) {
        const auto parts2 = unpack(item1, 2);
        n = Py(parts2[0]);
        _ = Py(parts2[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(['a', 'b', 'c']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, NoneParametersAreSkipped) {
  const Outcome outcome = run([] {
    const Var m, bn;
    m = Py(nn("Linear")(2, 2, kw("bias", false)));
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
                      builtin("list")(m.attr("_parameters"))});
    bn = Py(nn("BatchNorm1d")(2, kw("affine", false)));
    builtin("print")(
        {builtin("list")(bn.attr("parameters")()), builtin("list")(bn.attr("_parameters")), bn.attr("weight")});
  });
  EXPECT_EQ(outcome.out, R"(['weight'] ['weight', 'bias']
[] ['weight', 'bias'] None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, SharedBuffersAreListedOnce) {
  const Outcome outcome = run([] {
    const Var t, m;
    t = Py(torch("zeros")(1));
    m = Py(nn("Module")());
    m.attr("register_buffer")("a", t);
    m.attr("register_buffer")("b", t);
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
                        for_each(m.attr("named_buffers")(kw("remove_duplicate", false)), [&](const Py& item3) {
                          const auto parts4 = unpack(item3, 2);
                          n = Py(parts4[0]);
                          _ = Py(parts4[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      })});
  });
  EXPECT_EQ(outcome.out, R"(['a'] ['a', 'b']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, CountingParameters) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("Conv2d")(3, 8, 3), nn("BatchNorm2d")(8), nn("Flatten")(), nn("Linear")(8, 10)}));
    net.item(0).attr("requires_grad_")(false);
    builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& made) {
      const Var p;
      for_each(net.attr("parameters")(), [&](const Py& item1) {
        p = Py(item1);
        made.push_back(Py(p.attr("numel")()).value());
        return true;
      });
    })));
    builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& made) {
      const Var p;
      for_each(net.attr("parameters")(), [&](const Py& item2) {
        p = Py(item2);
        if (!static_cast<bool>(Py(p.attr("requires_grad")))) return true;
        made.push_back(Py(p.attr("numel")()).value());
        return true;
      });
    })));
    builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& made) {
      const Var b;
      for_each(net.attr("buffers")(), [&](const Py& item3) {
        b = Py(item3);
        made.push_back(Py(b.attr("numel")()).value());
        return true;
      });
    })));
  });
  EXPECT_EQ(outcome.out, R"(330
106
17
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, GetSubmoduleErrors) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Module")());
    net.set("block", nn("Module")());
    net.attr("block").set("w", nn("Parameter")(torch("ones")(1)));
    net.attr("block").set("note", "text");
    net.set("gone", nn("ReLU")());
    net.set("gone", Py());
    attempt()("missing top", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("nope")); }));
    attempt()("missing deep",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("block.nope.more")); }));
    attempt()("parameter", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("block.w")); }));
    attempt()("plain", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("block.note")); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("gone")); }));
    attempt()("method", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("forward")); }));
    attempt()("leading dot", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")(".block")); }));
    attempt()("trailing dot", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_submodule")("block.")); }));
  });
  EXPECT_EQ(outcome.out, R"(missing top: AttributeError: Module has no attribute `nope`
missing deep: AttributeError: Module has no attribute `nope`
parameter: AttributeError: `w` is not an nn.Module
plain: AttributeError: `note` is not an nn.Module
none: AttributeError: `gone` is not an nn.Module
method: AttributeError: `forward` is not an nn.Module
leading dot: AttributeError: Module has no attribute ``
trailing dot: AttributeError: Module has no attribute ``
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Traversal, GetParameterAndErrors) {
  const Outcome outcome = run([] {
    const Var net, own;
    net = Py(nn("Sequential")({nn("Linear")(1, 1), nn("BatchNorm1d")(1)}));
    builtin("print")(is(net.attr("get_parameter")("0.weight"), net.item(0).attr("weight")));
    attempt()("missing module",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("5.weight")); }));
    attempt()("missing name",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("0.gamma")); }));
    attempt()("buffer",
              lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("1.running_mean")); }));
    attempt()("plain", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("0.in_features")); }));
    attempt()("module", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("0")); }));
    attempt()("empty", lambda({}, [=](const Locals&) -> Py { return Py(net.attr("get_parameter")("")); }));
    own = Py(nn("Linear")(1, 1, kw("bias", false)));
    attempt()("no prefix", lambda({}, [=](const Locals&) -> Py {
                return Py(builtin("tuple")(own.attr("get_parameter")("weight").attr("shape")));
              }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(own.attr("get_parameter")("bias")); }));
  });
  EXPECT_EQ(outcome.out, R"(True
missing module: AttributeError: Sequential has no attribute `5`
missing name: AttributeError: Linear has no attribute `gamma`
buffer: AttributeError: `running_mean` is not an nn.Parameter
plain: AttributeError: `in_features` is not an nn.Parameter
module: AttributeError: `0` is not an nn.Parameter
empty: AttributeError: Sequential has no attribute ``
no prefix: (1, 1)
none: AttributeError: `bias` is not an nn.Parameter
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
