// Recorded behaviour of PyTorch, topic `containers`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Containers, SequentialInsertErrors) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")(nn("ReLU")()));
    attempt()("too far", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("insert")(5, nn("Tanh")())); }));
    attempt()("too negative",
              lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("insert")(-2, nn("Tanh")())); }));
    attempt()("class", lambda({}, [=](const Locals&) -> Py { return Py(seq.attr("insert")(0, nn("Tanh"))); }));
    builtin("print")(seq);
  });
  EXPECT_EQ(outcome.out, R"(too far: IndexError: Index out of range: 5
too negative: IndexError: Index out of range: -2
class: AssertionError: module should be of type: <class 'torch.nn.modules.module.Module'>
Sequential(
  (0): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialAdd) {
  const Outcome outcome = run([] {
    const Var a_, b, c, e;
    a_ = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    b = Py(nn("Sequential")(nn("Sigmoid")()));
    c = Py((a_ + b));
    builtin("print")({c, is(c, a_), is(c.item(0), a_.item(0)), builtin("len")(a_)});
    try {
      static_cast<void>((a_ + list({nn("ReLU")()})));
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (1): Tanh()
  (2): Sigmoid()
) False True 2
add operator supports only objects of Sequential class, but <class 'list'> is given.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialIadd) {
  const Outcome outcome = run([] {
    const Var a_, alias, e;
    a_ = Py(nn("Sequential")(nn("ReLU")()));
    alias = Py(a_);
    a_ = Py(in_place("+", a_, nn("Sequential")({nn("Tanh")(), nn("Sigmoid")()})));
    builtin("print")(is(alias, a_), a_);
    try {
      a_ = Py(in_place("+", a_, nn("ReLU")()));
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(True Sequential(
  (0): ReLU()
  (1): Tanh()
  (2): Sigmoid()
)
add operator supports only objects of Sequential class, but <class 'torch.nn.modules.activation.ReLU'> is given.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialMul) {
  const Outcome outcome = run([] {
    const Var a_, b;
    a_ = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    b = Py((a_ * Py(2)));
    builtin("print")(b, is(b.item(0), b.item(2)), is(b.item(0), a_.item(0)));
    builtin("print")(builtin("len")((Py(3) * a_)));
    attempt()("zero", lambda({}, [=](const Locals&) -> Py { return Py((a_ * Py(0))); }));
    attempt()("negative", lambda({}, [=](const Locals&) -> Py { return Py((a_ * Py(-1))); }));
    attempt()("float", lambda({}, [=](const Locals&) -> Py { return Py((a_ * Py(2.0))); }));
    attempt()("text", lambda({}, [=](const Locals&) -> Py { return Py((a_ * Py("2"))); }));
    attempt()("bool", lambda({}, [=](const Locals&) -> Py { return Py(builtin("len")((a_ * Py(true)))); }));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): ReLU()
  (1): Tanh()
  (2): ReLU()
  (3): Tanh()
) True True
6
zero: ValueError: Non-positive multiplication factor 0 for <class 'torch.nn.modules.container.Sequential'>
negative: ValueError: Non-positive multiplication factor -1 for <class 'torch.nn.modules.container.Sequential'>
float: TypeError: unsupported operand type(s) for *: <class 'torch.nn.modules.container.Sequential'> and <class 'float'>
text: TypeError: unsupported operand type(s) for *: <class 'torch.nn.modules.container.Sequential'> and <class 'str'>
bool: 2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, SequentialImul) {
  const Outcome outcome = run([] {
    const Var a_, alias, e;
    a_ = Py(nn("Sequential")({nn("ReLU")(), nn("Tanh")()}));
    alias = Py(a_);
    a_ = Py(in_place("*", a_, 3));
    builtin("print")(
        {is(alias, a_), builtin("len")(a_), is(a_.item(0), a_.item(4)), comprehension([&](std::vector<Value>& made) {
           const Var n;
           const Var _;
           for_each(a_.attr("named_modules")(), [&](const Py& item1) {
             const auto parts2 = unpack(item1, 2);
             n = Py(parts2[0]);
             _ = Py(parts2[1]);
             made.push_back(Py(n).value());
             return true;
           });
         })});
    try {
      a_ = Py(in_place("*", a_, 0));
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(True 6 True ['', '0', '1']
Non-positive multiplication factor 0 for <class 'torch.nn.modules.container.Sequential'>
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, AppendAfterCustomNamesUsesTheLength) {
  const Outcome outcome = run([] {
    const Var seq;
    seq = Py(nn("Sequential")(builtin("OrderedDict")(list({tuple({"1", nn("ReLU")()})}))));
    seq.attr("append")(nn("Tanh")());
    builtin("print")(seq, builtin("len")(seq));
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (1): Tanh()
) 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistBasics) {
  const Outcome outcome = run([] {
    const Var ml, ml2;
    ml = Py(nn("ModuleList")(list({nn("ReLU")(), nn("Tanh")()})));
    builtin("print")({builtin("len")(ml), ml.item(0), ml.item(-1), builtin("list")(ml.attr("_modules"))});
    ml2 = Py(nn("ModuleList")(comprehension([&](std::vector<Value>& made) {
      const Var i;
      for_each(builtin("range")(1, 4), [&](const Py& item1) {
        i = Py(item1);
        made.push_back(Py(nn("Linear")(i, i)).value());
        return true;
      });
    })));
    builtin("print")(comprehension([&](std::vector<Value>& made) {
      const Var m;
      for_each(ml2, [&](const Py& item2) {
        m = Py(item2);
        made.push_back(Py(m.attr("in_features")).value());
        return true;
      });
    }));
    builtin("print")({is_not(nn("ModuleList")(), Py(Py())), builtin("len")(nn("ModuleList")()),
                      builtin("bool")(nn("ModuleList")())});
  });
  EXPECT_EQ(outcome.out, R"(2 ReLU() Tanh() ['0', '1']
[1, 2, 3]
True 0 False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistConstructorErrors) {
  const Outcome outcome = run([] {
    attempt()("module", lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")(nn("ReLU")())); }));
    attempt()("number", lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")(5)); }));
    attempt()("list of numbers", lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")(list({1, 2}))); }));
    attempt()("several", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("ModuleList")({nn("ReLU")(), nn("Tanh")()}));
              }));
    attempt()("text", lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")("ab")); }));
    attempt()("none inside", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("ModuleList")(list({Py(), nn("ReLU")()})));
              }));
    attempt()("dict", lambda({}, [=](const Locals&) -> Py {
                return Py(nn("ModuleList")(dict({{Py("a"), nn("ReLU")()}})));
              }));
    attempt()("sequential",
              lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")(nn("Sequential")(nn("ReLU")()))); }));
  });
  EXPECT_EQ(outcome.out, R"(module: TypeError: ModuleList.extend should be called with an iterable, but got ReLU
number: TypeError: ModuleList.extend should be called with an iterable, but got int
list of numbers: TypeError: int is not a Module subclass
several: TypeError: ModuleList.__init__() takes from 1 to 2 positional arguments but 3 were given
text: TypeError: str is not a Module subclass
none inside: ModuleList(
  (0): None
  (1): ReLU()
)
dict: TypeError: str is not a Module subclass
sequential: ModuleList(
  (0): ReLU()
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistSetitemAndDelitem) {
  const Outcome outcome = run([] {
    const Var ml;
    ml = Py(nn("ModuleList")(list({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")(), nn("Identity")()})));
    ml.set_item(0, nn("Flatten")());
    ml.set_item(-1, nn("Softmax")(kw("dim", 1)));
    ml.del_item(1);
    builtin("print")(ml, builtin("list")(ml.attr("_modules")));
    ml.del_item(slice(0, 2));
    builtin("print")(ml);
    attempt()("set out of range",
              lambda({}, [=](const Locals&) -> Py { return Py(ml.attr("__setitem__")(1, nn("ReLU")())); }));
    attempt()("del out of range", lambda({}, [=](const Locals&) -> Py { return Py(ml.attr("__delitem__")(1)); }));
    attempt()("set number", lambda({}, [=](const Locals&) -> Py { return Py(ml.attr("__setitem__")(0, 1)); }));
  });
  EXPECT_EQ(outcome.out, R"(ModuleList(
  (0): Flatten(start_dim=1, end_dim=-1)
  (1): Sigmoid()
  (2): Softmax(dim=1)
) ['0', '1', '2']
ModuleList(
  (0): Softmax(dim=1)
)
set out of range: IndexError: index 1 is out of range
del out of range: IndexError: index 1 is out of range
set number: TypeError: cannot assign 'int' as child module '0' (torch.nn.Module or None expected)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistInsertDoesNotCheck) {
  const Outcome outcome = run([] {
    const Var ml;
    ml = Py(nn("ModuleList")(list({nn("ReLU")()})));
    ml.attr("insert")(0, "not a module");
    builtin("print")({builtin("list")(ml.attr("_modules").attr("items")()).item(0), builtin("len")(ml)});
    ml.attr("insert")(-1, nn("Tanh")());
    builtin("print")(builtin("list")(ml.attr("_modules")));
  });
  EXPECT_EQ(outcome.out, R"(('0', 'not a module') 2
)");
  EXPECT_EQ(outcome.error, R"(KeyError: '-1')");
}

TEST(Containers, ModulelistAddAndIadd) {
  const Outcome outcome = run([] {
    const Var a_, b, c;
    a_ = Py(nn("ModuleList")(list({nn("ReLU")()})));
    b = Py((a_ + list({nn("Tanh")()})));
    c = Py((a_ + nn("Sequential")(nn("Sigmoid")())));
    builtin("print")(b, c, builtin("len")(a_));
    a_ = Py(in_place("+", a_, list({nn("Identity")()})));
    builtin("print")(a_);
    attempt()("add number", lambda({}, [=](const Locals&) -> Py { return Py((a_ + Py(5))); }));
    attempt()("mul", lambda({}, [=](const Locals&) -> Py { return Py((a_ * Py(2))); }));
  });
  EXPECT_EQ(outcome.out, R"(ModuleList(
  (0): ReLU()
  (1): Tanh()
) ModuleList(
  (0): ReLU()
  (1): Sigmoid()
) 1
ModuleList(
  (0): ReLU()
  (1): Identity()
)
add number: TypeError: 'int' object is not iterable
mul: TypeError: unsupported operand type(s) for *: 'ModuleList' and 'int'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistPopAndReverse) {
  const Outcome outcome = run([] {
    const Var ml;
    ml = Py(nn("ModuleList")(list({nn("ReLU")(), nn("Tanh")(), nn("Sigmoid")()})));
    builtin("print")(ml.attr("pop")(1), ml);
    builtin("print")({ml.attr("pop")(-1), builtin("len")(ml)});
    builtin("print")(nn("ModuleList")(builtin("reversed")(list({nn("ReLU")(), nn("Tanh")()}))).item(0));
  });
  EXPECT_EQ(outcome.out, R"(Tanh() ModuleList(
  (0): ReLU()
  (1): Sigmoid()
)
Sigmoid() 1
Tanh()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Containers, ModulelistIsNotCallableAndNotAList) {
  const Outcome outcome = run([] {
    const Var ml;
    ml = Py(nn("ModuleList")(list({nn("ReLU")()})));
    attempt()("call", lambda({}, [=](const Locals&) -> Py { return Py(ml(1)); }));
    attempt()("sort", lambda({}, [=](const Locals&) -> Py { return Py(ml.attr("sort")()); }));
    attempt()("index", lambda({}, [=](const Locals&) -> Py { return Py(ml.attr("index")(0)); }));
    attempt()("isinstance",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("isinstance")(ml, builtin("list"))); }));
    attempt()("compare", lambda({}, [=](const Locals&) -> Py { return Py(equal(ml, list({ml.item(0)}))); }));
    attempt()("contains", lambda({}, [=](const Locals&) -> Py { return Py(contains(ml.item(0), ml)); }));
  });
  EXPECT_EQ(outcome.out, R"(call: NotImplementedError: Module [ModuleList] is missing the required "forward" function
sort: AttributeError: 'ModuleList' object has no attribute 'sort'
index: AttributeError: 'ModuleList' object has no attribute 'index'
isinstance: False
compare: False
contains: True
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
