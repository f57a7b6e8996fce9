// Recorded behaviour of PyTorch, topic `containers`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Containers, SequentialFromArgumentsAndFromOrdereddict) {
  const Outcome outcome = run([] {
    const Var a_, b;
    a_ = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    b = Py(nn("Sequential")(
        builtin("OrderedDict")(list({tuple({"first", nn("ReLU")()}), tuple({"second", nn("Tanh")()})}))));
    builtin("print")({builtin("list")(a_.attr("_modules")), builtin("list")(b.attr("_modules"))});
    builtin("print")({b.attr("first"), b.item(1), builtin("len")(b)});
    builtin("print")(b);
  });
  EXPECT_EQ(outcome.out, R"(['0', '1'] ['first', 'second']
ReLU() Tanh() 2
Sequential(
  (first): ReLU()
  (second): Tanh()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialPlainDictAndListAreRefused) {
  const Outcome outcome = run([] {
    attempt()("dict", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Sequential")(dict({{Py("a"), nn("ReLU")()}})));
              }));
    attempt()("list", lambda({}, [=](const Locals&) -> Py { return Py(nn("Sequential")(list({nn("ReLU")()}))); }));
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(nn("Sequential")(nn("ReLU")(), 3)); }));
    attempt()("class", lambda({}, [=](const Locals&) -> Py { return Py(nn("Sequential")(nn("ReLU"))); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(nn("Sequential")(nn("ReLU")(), Py())); }));
  });
  EXPECT_EQ(outcome.out, R"(dict: TypeError: dict is not a Module subclass
list: TypeError: list is not a Module subclass
number: TypeError: int is not a Module subclass
class: TypeError: torch.nn.modules.activation.ReLU is not a Module subclass
none: Sequential(
  (0): ReLU()
  (1): None
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialRunsInOrder) {
  const Outcome outcome = run([] {
    const Var Add, Double;
    Add = make_class("Add", {nn("Module")});
    def_method(Add, "__init__", {"self", "n"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var n = a[1];
      super_attr(Add, self, "__init__")();
      self.set("n", n);
      return Py();
    });
    def_method(Add, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      builtin("print")("add", self.attr("n"));
      return Py((x + self.attr("n")));
    });
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      builtin("print")("double");
      return Py((x * Py(2)));
    });
    builtin("print")(nn("Sequential")({Add(1), Double(), Add(3)})(10));
    builtin("print")(nn("Sequential")()("unchanged"));
  });
  EXPECT_EQ(outcome.out, R"(add 1
double
add 3
25
unchanged
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialPassesTuplesAsOneArgument) {
  const Outcome outcome = run([] {
    const Var Pair, Sum, e;
    Pair = make_class("Pair", {nn("Module")});
    def_method(Pair, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py(tuple({x, (x + Py(1))}));
    });
    Sum = make_class("Sum", {nn("Module")});
    def_method(Sum, "forward", {"self", "pair"}, [=](const Locals& a) -> Py {
      const Var pair = a[1];
      return Py((pair.item(0) + pair.item(1)));
    });
    builtin("print")(nn("Sequential")({Pair(), Sum()})(5));
    try {
      nn("Sequential")(Sum())(1, 2);
    } catch (const Raised& raised) {
      if (matches(raised, "TypeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(11
Sequential.forward() takes 2 positional arguments but 3 were given
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialIndexing) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")()}));
    builtin("print")(seq.item(0), seq.item(2), seq.item(-1), seq.item(-3));
    attempt()("3", lambda({}, [=](const Locals&) -> Py { return Py(seq.item(3)); }));
    attempt()("-4", lambda({}, [=](const Locals&) -> Py { return Py(seq.item(-4)); }));
    attempt()("text", lambda({}, [=](const Locals&) -> Py { return Py(seq.item("0")); }));
    attempt()("float", lambda({}, [=](const Locals&) -> Py { return Py(seq.item(1.0)); }));
    attempt()("bool", lambda({}, [=](const Locals&) -> Py { return Py(seq.item(true)); }));
    attempt()("empty", lambda({}, [=](const Locals&) -> Py { return Py(nn("Sequential")().item(0)); }));
    attempt()("tensor index", lambda({}, [=](const Locals&) -> Py { return Py(seq.item(torch("tensor")(1))); }));
  });
  EXPECT_EQ(outcome.out, R"(ReLU() Sigmoid() Sigmoid() ReLU()
3: IndexError: index 3 is out of range
-4: IndexError: index -4 is out of range
text: TypeError: 'str' object cannot be interpreted as an integer
float: TypeError: 'float' object cannot be interpreted as an integer
bool: Tanh()
empty: IndexError: index 0 is out of range
tensor index: Tanh()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialSliceKeepsCustomNames) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")(
        builtin("OrderedDict")({kw("a", nn("ReLU")()), kw("b", nn("Tanh")()), kw("c", nn("Sigmoid")())})));
    builtin("print")(seq.item(slice(1, Py())));
    builtin("print")({seq.item(-1), builtin("list")(seq.item(slice(Py(), Py(), 2)).attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (b): Tanh()
  (c): Sigmoid()
)
Sigmoid() ['a', 'c']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialSetitem) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    seq.set_item(0, nn("Sigmoid")());
    seq.set_item(-1, nn("Identity")());
    builtin("print")(seq);
    attempt()("out of range",
              lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("__setitem__")(2, nn("ReLU")())); }));
    attempt()("not a module", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("__setitem__")(0, 5)); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("__setitem__")(0, Py())); }));
    builtin("print")(seq, builtin("len")(seq));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): Sigmoid()
  (1): Identity()
)
out of range: IndexError: index 2 is out of range
not a module: TypeError: cannot assign 'int' as child module '0' (torch.nn.Module or None expected)
none: ok
Sequential(
  (0): None
  (1): Identity()
) 2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialDelitemRenumbers) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")(), nn("Identity")()}));
    seq.del_item(1);
    builtin("print")(seq);
    seq.del_item(-1);
    builtin("print")({builtin("list")(seq.attr("_modules")), builtin("type")(seq.attr("_modules")).attr("__name__")});
    seq.del_item(slice(Py(), Py()));
    builtin("print")(seq, builtin("len")(seq));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (1): Sigmoid()
  (2): Identity()
)
['0', '1'] OrderedDict
Sequential() 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialDelitemSliceAndErrors) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")(star(comprehension([&](std::vector<Value>& made) {
      const Var i;
      for_each(builtin("range")(1, 7), [&](const Py& item1) {
        i = Py(item1);
        made.push_back(Py(nn("Linear")(i, i)).value());
        return true;
      });
    }))));
    seq.del_item(slice(1, Py(), 2));
    builtin("print")({comprehension([&](std::vector<Value>& made) {
                        const Var m;
                        for_each(seq, [&](const Py& item2) {
                          m = Py(item2);
                          made.push_back(Py(m.attr("in_features")).value());
                          return true;
                        });
                      }),
                      builtin("list")(seq.attr("_modules"))});
    attempt()("out of range", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("__delitem__")(3)); }));
    attempt()("text", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("__delitem__")("0")); }));
  });
  EXPECT_EQ(outcome.out, R"([1, 3, 5] ['0', '1', '2']
out of range: IndexError: index 3 is out of range
text: TypeError: 'str' object cannot be interpreted as an integer
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, DelattrOnASequentialDoesNotRenumber) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")()}));
    builtin("delattr")(seq, "1");
    builtin("print")(seq, seq.item(1));
    seq.attr("append")(nn("Identity")());
    builtin("print")(seq);
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (2): Sigmoid()
) Sigmoid()
Sequential(
  (0): ReLU()
  (2): Identity()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialAppendExtendChain) {
  const Outcome outcome = run([] {
    const Var seq, r;
    seq = Py(nn("Sequential")(nn("ReLU")()));
    r = Py(seq.attr("append")(nn("Tanh")()).attr("append")(nn("Sigmoid")()));
    builtin("print")(is(r, seq), builtin("len")(seq));
    builtin("print")(is(seq.attr("extend")(nn("Sequential")({nn("Identity")(), nn("ReLU")()})), seq));
    seq.attr("extend")(list({nn("Flatten")()}));
    builtin("print")(seq);
  });
  EXPECT_EQ(outcome.out, R"(True 3
True
Sequential(
  (0): ReLU()
  (1): Tanh()
  (2): Sigmoid()
  (3): Identity()
  (4): ReLU()
  (5): Flatten(start_dim=1, end_dim=-1)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialAppendErrors) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")());
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("append")(1)); }));
    attempt()("class", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("append")(nn("ReLU"))); }));
    attempt()("none", lambda({}, [=](const Locals&) -> Py { return Py(builtin("len")(seq.attr("append")(Py()))); }));
    attempt()("extend number", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("extend")(5)); }));
    attempt()("extend mixed", lambda({}, [=](const Locals&) -> Py {
                return Py(seq.attr("extend")(list({nn("ReLU")(), "x"})));
              }));
    builtin("print")(seq);
  });
  EXPECT_EQ(outcome.out, R"(number: TypeError: int is not a Module subclass
class: TypeError: torch.nn.modules.activation.ReLU is not a Module subclass
none: 1
extend number: TypeError: 'int' object is not iterable
extend mixed: TypeError: str is not a Module subclass
Sequential(
  (0): None
  (1): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialInsert) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    builtin("print")(is(seq.attr("insert")(0, nn("Sigmoid")()), seq));
    seq.attr("insert")(3, nn("Identity")());
    seq.attr("insert")(-1, nn("Flatten")());
    builtin("print")(seq);
  });
  EXPECT_EQ(outcome.out, R"(True
Sequential(
  (0): Sigmoid()
  (1): ReLU()
  (2): Tanh()
  (3): Flatten(start_dim=1, end_dim=-1)
  (4): Identity()
)
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
