// Recorded behaviour of PyTorch, topic `containers`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Containers, ModulelistSharedEntries) {
  const Outcome outcome = run([] {
    const Var r, ml;
    r = Py(nn("Linear")(1, 1));
    ml = Py(nn("ModuleList")((list({r}) * Py(3))));
    builtin("print")({ml, builtin("len")(ml), builtin("len")(builtin("list")(ml.attr("children")())),
                      builtin("len")(builtin("list")(ml.attr("parameters")())),
                      builtin("list")(ml.attr("state_dict")())});
  });
  EXPECT_EQ(outcome.out, R"(ModuleList(
  (0-2): 3 x Linear(in_features=1, out_features=1, bias=True)
) 3 1 2 ['0.weight', '0.bias', '1.weight', '1.bias', '2.weight', '2.bias']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModuledictUpdatePopClear) {
  const Outcome outcome = run([] {
    const Var d;
    d = Py(nn("ModuleDict")(dict({{Py("a"), nn("ReLU")()}})));
    d.attr("update")(dict({{Py("b"), nn("Tanh")()}, {Py("a"), nn("Sigmoid")()}}));
    builtin("print")(d);
    builtin("print")({d.attr("pop")("a"), builtin("len")(d)});
    attempt()("pop missing", lambda({}, [=](const Locals&) -> Py { return Py(d.attr("pop")("a")); }));
    attempt()("get", lambda({}, [=](const Locals&) -> Py { return Py(d.attr("get")("b")); }));
    d.attr("clear")();
    builtin("print")(builtin("len")(d), d);
  });
  EXPECT_EQ(outcome.out, R"(ModuleDict(
  (a): Sigmoid()
  (b): Tanh()
)
Sigmoid() 1
pop missing: KeyError: 'a'
get: AttributeError: 'ModuleDict' object has no attribute 'get'
0 ModuleDict()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModuledictNoneValues) {
  const Outcome outcome = run([] {
    const Var d;
    d = Py(nn("ModuleDict")(dict({{Py("a"), nn("ReLU")()}})));
    d.set_item("a", Py());
    builtin("print")({d, d.item("a"), builtin("list")(d.attr("children")()), builtin("len")(d)});
  });
  EXPECT_EQ(outcome.out, R"(ModuleDict(
  (a): None
) None [] 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterlistHoldsAnything) {
  const Outcome outcome = run([] {
    const Var pl;
    pl = Py(nn("ParameterList")(list({1, "text", Py(), torch("ones")(1), nn("ReLU")()})));
    builtin("print")({builtin("len")(pl), pl.item(0), pl.item(1), pl.item(2),
                      builtin("type")(pl.item(3)).attr("__name__"), pl.item(4)});
    builtin("print")({builtin("list")(pl.attr("_parameters")), builtin("list")(pl.attr("_modules"))});
    builtin("print")(pl);
  });
  EXPECT_EQ(outcome.out, R"(5 1 text None Parameter ReLU()
['3'] ['4']
ParameterList(
    (0): Object of type: int
    (1): Object of type: str
    (2): Object of type: NoneType
    (3): Parameter containing: [torch.float32 of size 1]
    (4): Object of type: ReLU
  (4): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterlistErrors) {
  const Outcome outcome = run([] {
    const Var pl;
    pl = Py(nn("ParameterList")(list({torch("ones")(1)})));
    attempt()("index", lambda({}, [=](const Locals&) -> Py { return Py(pl.item(1)); }));
    attempt()("negative", lambda({}, [=](const Locals&) -> Py { return Py(pl.item(-2)); }));
    attempt()("set", lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("__setitem__")(1, torch("ones")(1))); }));
    attempt()("replace by number", lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("__setitem__")(0, 3)); }));
    attempt()("tensor to extend",
              lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("extend")(torch("ones")(2))); }));
    attempt()("number to extend", lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("extend")(3)); }));
    attempt()("call", lambda({}, [=](const Locals&) -> Py { return Py(pl(1)); }));
    attempt()("delete", lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("__delitem__")(0)); }));
    attempt()("constructor", lambda({}, [=](const Locals&) -> Py { return Py(nn("ParameterList")(3)); }));
    attempt()("int tensor", lambda({}, [=](const Locals&) -> Py { return Py(pl.attr("append")(torch("arange")(2))); }));
    builtin("print")(builtin("len")(pl));
  });
  EXPECT_EQ(outcome.out, R"(index: IndexError: index 1 is out of range
negative: IndexError: index -2 is out of range
set: IndexError: index 1 is out of range
replace by number: TypeError: cannot assign 'int' as parameter '0' (torch.nn.Parameter or None expected)
tensor to extend: TypeError: ParameterList.extend should be called with an iterable, but got Tensor
number to extend: TypeError: ParameterList.extend should be called with an iterable, but got int
call: RuntimeError: ParameterList should not be called.
delete: AttributeError: 'ParameterList' object has no attribute '__delitem__'
constructor: TypeError: ParameterList.extend should be called with an iterable, but got int
int tensor: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterlistSliceExtendIadd) {
  const Outcome outcome = run([] {
    const Var pl, part;
    pl = Py(nn("ParameterList")(comprehension([&](std::vector<Value>& made) {
      const Var i;
      for_each(builtin("range")(4), [&](const Py& item1) {
        i = Py(item1);
        made.push_back(Py(torch("full")(tuple({1}), builtin("float")(i))).value());
        return true;
      });
    })));
    part = Py(pl.item(slice(1, 3)));
    builtin("print")({builtin("type")(part).attr("__name__"), comprehension([&](std::vector<Value>& made) {
                        const Var p;
                        for_each(part, [&](const Py& item2) {
                          p = Py(item2);
                          made.push_back(Py(p.attr("item")()).value());
                          return true;
                        });
                      }),
                      is(part.item(0), pl.item(1))});
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var p;
      for_each(pl.item(slice(Py(), Py(), -2)), [&](const Py& item3) {
        p = Py(item3);
        made.push_back(Py(p.attr("item")()).value());
        return true;
      });
    }));
    pl = Py(in_place("+", pl, list({torch("full")(tuple({1}), 9.0)})));
    pl.attr("extend")(tuple({torch("zeros")(1)}));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var p;
      for_each(pl, [&](const Py& item4) {
        p = Py(item4);
        made.push_back(Py(p.attr("item")()).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out, R"(ParameterList [1.0, 2.0] True
[3.0, 1.0]
[0.0, 1.0, 2.0, 3.0, 9.0, 0.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterdictBasics) {
  const Outcome outcome = run([] {
    const Var pd;
    pd = Py(nn("ParameterDict")(dict({{Py("b"), torch("ones")(1)}, {Py("a"), nn("Parameter")(torch("zeros")(2))}})));
    builtin("print")({builtin("list")(pd), builtin("list")(pd.attr("keys")()), builtin("len")(pd),
                      contains(Py("a"), pd), contains(Py("z"), pd)});
    builtin("print")({builtin("type")(pd.item("b")).attr("__name__"), is(pd.attr("b"), pd.item("b")),
                      comprehension([&](std::vector<Value>& made) {
                        const Var n;
                        const Var _;
                        for_each(pd.attr("named_parameters")(), [&](const Py& item1) {
                          const auto parts2 = unpack(item1, 2);
                          n = Py(parts2[0]);
                          _ = Py(parts2[1]);
                          made.push_back(Py(n).value());
                          return true;
                        });
                      })});
    pd.set_item("c", torch("full")(tuple({1}), 5.0));
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var k;
                        const Var v;
                        for_each(pd.attr("items")(), [&](const Py& item3) {
                          const auto parts4 = unpack(item3, 2);
                          k = Py(parts4[0]);
                          v = Py(parts4[1]);
                          made.push_back(Py(tuple({k, v.attr("tolist")()})).value());
                          return true;
                        });
                      }),
                      comprehension([&](std::vector<Value>& made) {
                        const Var v;
                        for_each(pd.attr("values")(), [&](const Py& item5) {
                          v = Py(item5);
                          made.push_back(Py(v.attr("numel")()).value());
                          return true;
                        });
                      })});
  });
  EXPECT_EQ(outcome.out, R"(['a', 'b'] ['a', 'b'] 2 True False
Parameter True ['a', 'b']
[('a', [0.0, 0.0]), ('b', [1.0]), ('c', [5.0])] [2, 1, 1]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterdictSortsPlainDicts) {
  const Outcome outcome = run([] {
    builtin("print")(builtin("list")(nn("ParameterDict")(
        dict({{Py("z"), torch("ones")(1)}, {Py("a"), torch("ones")(1)}, {Py("m"), torch("ones")(1)}}))));
    builtin("print")(builtin("list")(nn("ParameterDict")(
        builtin("OrderedDict")(list({tuple({"z", torch("ones")(1)}), tuple({"a", torch("ones")(1)})})))));
    builtin("print")(
        builtin("list")(nn("ParameterDict")(list({tuple({"z", torch("ones")(1)}), tuple({"a", torch("ones")(1)})}))));
  });
  EXPECT_EQ(outcome.out, R"(['a', 'm', 'z']
['z', 'a']
['z', 'a']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterdictPopPopitemSetdefaultGet) {
  const Outcome outcome = run([] {
    const Var pd, k, v;
    pd = Py(nn("ParameterDict")(list({tuple({"a", torch("ones")(1)}), tuple({"b", torch("zeros")(1)})})));
    builtin("print")({pd.attr("get")("a").attr("item")(), pd.attr("get")("q"), pd.attr("get")("q", 5)});
    builtin("print")({pd.attr("setdefault")("a", 3).attr("item")(),
                      pd.attr("setdefault")("c", torch("full")(tuple({1}), 4.0)).attr("item")()});
    const auto parts1 = unpack(pd.attr("popitem")(), 2);
    k = Py(parts1[0]);
    v = Py(parts1[1]);
    builtin("print")({k, v.attr("item")(), pd.attr("pop")("a").attr("item")(), builtin("list")(pd)});
    attempt()("pop missing", lambda({}, [=](const Locals&) -> Py { return Py(pd.attr("pop")("a")); }));
    attempt()("get missing", lambda({}, [=](const Locals&) -> Py { return Py(pd.item("a")); }));
    attempt()("delete missing", lambda({}, [=](const Locals&) -> Py { return Py(pd.attr("__delitem__")("a")); }));
    pd.attr("clear")();
    builtin("print")(builtin("len")(pd), pd);
  });
  EXPECT_EQ(outcome.out, R"(1.0 None 5
1.0 4.0
c 4.0 1.0 ['b']
pop missing: AttributeError: 'ParameterDict' object has no attribute 'a'
get missing: AttributeError: 'ParameterDict' object has no attribute 'a'
delete missing: KeyError: 'a'
0 ParameterDict()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterdictErrors) {
  const Outcome outcome = run([] {
    const Var pd;
    pd = Py(nn("ParameterDict")());
    attempt()("int key",
              lambda({}, [=](const Locals&) -> Py { return Py(pd.attr("__setitem__")(1, torch("ones")(1))); }));
    attempt()("dotted",
              lambda({}, [=](const Locals&) -> Py { return Py(pd.attr("__setitem__")("a.b", torch("ones")(1))); }));
    attempt()("method name",
              lambda({}, [=](const Locals&) -> Py { return Py(pd.attr("__setitem__")("keys", torch("ones")(1))); }));
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(nn("ParameterDict")(5)); }));
    attempt()("list of numbers", lambda({}, [=](const Locals&) -> Py { return Py(nn("ParameterDict")(list({1}))); }));
    attempt()("short", lambda({}, [=](const Locals&) -> Py { return Py(nn("ParameterDict")(list({tuple({"a"})}))); }));
    attempt()("call", lambda({}, [=](const Locals&) -> Py { return Py(pd(1)); }));
  });
  EXPECT_EQ(
      outcome.out,
      R"(int key: TypeError: Index given to ParameterDict cannot be used as a key as it is not a string (type is 'int'). Open an issue on github if you need non-string keys.
dotted: KeyError: 'parameter name can\'t contain "."'
method name: KeyError: "attribute 'keys' already exists"
number: TypeError: ParametersDict.update should be called with an iterable of key/value pairs, but got int
list of numbers: TypeError: ParameterDict update sequence element #0 should be Iterable; isint
short: ValueError: ParameterDict update sequence element #0 has length 1; 2 is required
call: RuntimeError: ParameterDict should not be called.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ParameterdictInStateDict) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Module")());
    net.set("table",
            nn("ParameterDict")(list({tuple({"left", torch("ones")(1)}), tuple({"right", torch("zeros")(2)})})));
    builtin("print")({builtin("list")(net.attr("state_dict")()), comprehension([&](std::vector<Value>& made) {
                        const Var p;
                        for_each(net.attr("parameters")(), [&](const Py& item1) {
                          p = Py(item1);
                          made.push_back(Py(builtin("tuple")(p.attr("shape"))).value());
                          return true;
                        });
                      })});
  });
  EXPECT_EQ(outcome.out, R"(['table.left', 'table.right'] [(1,), (2,)]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ContainersNestAndNameTheirContents) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Module")());
    net.set("blocks", nn("ModuleList")(list({nn("ModuleDict")(dict({{Py("a"), nn("Linear")(1, 1)},
                                                                    {Py("b"), nn("Sequential")(nn("Linear")(1, 1))}})),
                                             nn("ParameterList")(list({torch("ones")(1)}))})));
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
      for_each(net.attr("named_modules")(), [&](const Py& item3) {
        const auto parts4 = unpack(item3, 2);
        n = Py(parts4[0]);
        _ = Py(parts4[1]);
        made.push_back(Py(n).value());
        return true;
      });
    }));
  });
  EXPECT_EQ(outcome.out,
            R"(['blocks.0.a.weight', 'blocks.0.a.bias', 'blocks.0.b.0.weight', 'blocks.0.b.0.bias', 'blocks.1.0']
['', 'blocks', 'blocks.0', 'blocks.0.a', 'blocks.0.b', 'blocks.0.b.0', 'blocks.1']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, DunderDictOfContainers) {
  const Outcome outcome = run([] {
    const Var m;
    for_each(tuple({nn("Sequential")(nn("ReLU")()), nn("ModuleList")(list({nn("ReLU")()})),
                    nn("ModuleDict")(dict({{Py("a"), nn("ReLU")()}})), nn("ParameterList")(list({torch("ones")(1)})),
                    nn("ParameterDict")(dict({{Py("a"), torch("ones")(1)}}))}),
             [&](const Py& item1) {
               m = Py(item1);
               builtin("print")({builtin("type")(m).attr("__name__"),
                                 builtin("list")(m.attr("__dict__")).item(slice(17, Py())),
                                 builtin("len")(m.attr("_modules")), builtin("len")(m.attr("_parameters"))});
               return true;
             });
  });
  EXPECT_EQ(outcome.out, R"(Sequential [] 1 0
ModuleList [] 1 0
ModuleDict [] 1 0
ParameterList ['_size'] 0 1
ParameterDict ['_keys'] 0 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ClassNamesInErrorsOfSubclassedContainers) {
  const Outcome outcome = run([] {
    const Var Tower;
    Tower = make_class("Tower", {nn("ModuleList")});
    attempt()("extend", lambda({}, [=](const Locals&) -> Py { return Py(Tower(3)); }));
    attempt()("attribute", lambda({}, [=](const Locals&) -> Py { return Py(Tower().attr("missing")); }));
    attempt()("call", lambda({}, [=](const Locals&) -> Py { return Py(Tower()(1)); }));
  });
  EXPECT_EQ(outcome.out, R"(extend: TypeError: ModuleList.extend should be called with an iterable, but got int
attribute: AttributeError: 'Tower' object has no attribute 'missing'
call: NotImplementedError: Module [Tower] is missing the required "forward" function
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
