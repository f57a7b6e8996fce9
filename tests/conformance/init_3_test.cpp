// Recorded behaviour of PyTorch, topic `init`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Init, SuperWithExplicitArguments) {
  const Outcome outcome = run([] {
    const Var Base, Child, Skip;
    Base = make_class("Base", {nn("Module")});
    def_method(Base, "__init__", {"self", "tag"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var tag = a[1];
      super_attr(Base, self, "__init__")();
      self.set("tag", tag);
      return Py();
    });
    Child = make_class("Child", {Base});
    def_method(Child, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Child, self, "__init__")("child");
      self.set("act", nn("ReLU")());
      return Py();
    });
    Skip = make_class("Skip", {Child});
    def_method(Skip, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Child, self, "__init__")("skipped");
      return Py();
    });
    builtin("print")({Child().attr("tag"), builtin("list")(Child().attr("_modules"))});
    builtin("print")({Skip().attr("tag"), builtin("list")(Skip().attr("_modules"))});
  });
  EXPECT_EQ(outcome.out, R"(child ['act']
skipped []
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, MethodResolutionOfForwardInADiamond) {
  const Outcome outcome = run([] {
    const Var Base, Left, Right, Bottom;
    Base = make_class("Base", {nn("Module")});
    def_method(Base, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py((list({"Base"}) + x));
    });
    Left = make_class("Left", {Base});
    def_method(Left, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py((list({"Left"}) + super_attr(Left, self, "forward")(x)));
    });
    Right = make_class("Right", {Base});
    def_method(Right, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py((list({"Right"}) + super_attr(Right, self, "forward")(x)));
    });
    Bottom = make_class("Bottom", {Left, Right});
    def_method(Bottom, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py((list({"Bottom"}) + super_attr(Bottom, self, "forward")(x)));
    });
    builtin("print")(Bottom()(list({})));
  });
  EXPECT_EQ(outcome.out, R"(['Bottom', 'Left', 'Right', 'Base']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, ForwardMissing) {
  const Outcome outcome = run([] {
    const Var Net, net, call, e;
    Net = make_class("Net", {nn("Module")});
    net = Py(Net());
    for_each(tuple({lambda({}, [=](const Locals&) -> Py { return Py(net()); }),
                    lambda({}, [=](const Locals&) -> Py { return Py(net(1, 2)); }),
                    lambda({}, [=](const Locals&) -> Py { return Py(net.attr("forward")()); }),
                    lambda({}, [=](const Locals&) -> Py { return Py(nn("ModuleList")()(1)); })}),
             [&](const Py& item1) {
               call = Py(item1);
               try {
                 call();
               } catch (const Raised& raised) {
                 if (matches(raised, "NotImplementedError")) {
                   e = exception_of(raised);
                   builtin("print")(e);
                 } else {
                   throw;
                 }
               }
               return true;
             });
  });
  EXPECT_EQ(outcome.out, R"(Module [Net] is missing the required "forward" function
Module [Net] is missing the required "forward" function
Module [Net] is missing the required "forward" function
Module [ModuleList] is missing the required "forward" function
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, SetstateDoesNotSupplyWhatIsNotOptional) {
  const Outcome outcome = run([] {
    const Var new_;
    new_ = Py(nn("ReLU").attr("__new__")(nn("ReLU")));
    new_.attr("__setstate__")(dict({{Py("training"), Py(true)}}));
    builtin("print")(builtin("sorted")(new_.attr("__dict__")));
    attempt()("children",
              lambda({}, [=](const Locals&) -> Py { return Py(builtin("list")(new_.attr("children")())); }));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['_backward_pre_hooks', '_forward_hooks_always_called', '_forward_hooks_with_kwargs', '_forward_pre_hooks', '_forward_pre_hooks_with_kwargs', '_is_full_backward_hook', '_load_state_dict_post_hooks', '_load_state_dict_pre_hooks', '_non_persistent_buffers_set', '_state_dict_hooks', '_state_dict_pre_hooks', 'training']
children: AttributeError: 'ReLU' object has no attribute '_modules'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, DeepcopyKeepsTies) {
  const Outcome outcome = run([] {
    const Var a_, b;
    a_ = Py(nn("Sequential")({nn("Linear")(2, 2), nn("Linear")(2, 2)}));
    a_.item(1).set("weight", a_.item(0).attr("weight"));
    a_.attr("append")(a_.item(0));
    b = Py(builtin("deepcopy")(a_));
    builtin("print")(is(b.item(0).attr("weight"), b.item(1).attr("weight")), is(b.item(2), b.item(0)),
                     is(b.item(0).attr("weight"), a_.item(0).attr("weight")));
  });
  EXPECT_EQ(outcome.out, R"(True True False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, ShallowCopySharesTheRegistries) {
  const Outcome outcome = run([] {
    const Var a_, b;
    a_ = Py(nn("Linear")(2, 2));
    a_.set("note", "original");
    b = Py(builtin("copy")(a_));
    builtin("print")(is(b, a_), is(b.attr("_parameters"), a_.attr("_parameters")),
                     is(b.attr("weight"), a_.attr("weight")));
    b.set("note", "changed");
    b.set("bias", Py());
    builtin("print")(a_.attr("note"), a_.attr("bias"));
  });
  EXPECT_EQ(outcome.out, R"(False True True
original None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, DeepcopyCopiesHooks) {
  const Outcome outcome = run([] {
    const Var hook, Net, a_, handle, b;
    hook = def("hook", {"module", "args", "output"}, [=](const Locals& a) -> Py {
      const Var module = a[0];
      builtin("print")("hook on", module.attr("tag"));
      return Py();
    });
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self", "tag"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var tag = a[1];
      super_attr(Net, self, "__init__")();
      self.set("tag", tag);
      return Py();
    });
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x = a[1];
      return Py(x);
    });
    a_ = Py(Net("first"));
    handle = Py(a_.attr("register_forward_hook")(hook));
    b = Py(builtin("deepcopy")(a_));
    b.set("tag", "second");
    a_(1);
    b(1);
    handle.attr("remove")();
    builtin("print")({builtin("len")(a_.attr("_forward_hooks")), builtin("len")(b.attr("_forward_hooks"))});
  });
  EXPECT_EQ(outcome.out, R"(hook on first
hook on second
0 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, DtypeAndDeviceArguments) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("Linear")(2, 2, kw("dtype", torch("float64")), kw("device", "cpu")));
    builtin("print")(m.attr("weight").attr("dtype"), m.attr("bias").attr("dtype"), m.attr("weight").attr("device"));
    builtin("print")(contains(Py("dtype"), m.attr("__dict__")), contains(Py("device"), m.attr("__dict__")));
    e = Py(nn("Linear")(3, 2, kw("device", "meta")));
    builtin("print")(e.attr("weight").attr("device"), e.attr("weight").attr("shape"), e.attr("weight").attr("is_meta"));
  });
  EXPECT_EQ(outcome.out, R"(torch.float64 torch.float64 cpu
False False
meta torch.Size([2, 3]) True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, DefaultDtypeAffectsNewLayers) {
  const Outcome outcome = run([] {
    const Var m;
    torch("set_default_dtype")(torch("float64"));
    m = Py(nn("Linear")(1, 1));
    builtin("print")({m.attr("weight").attr("dtype"), torch("ones")(1).attr("dtype"),
                      torch("tensor")(1.5).attr("dtype"), torch("tensor")(1).attr("dtype")});
    torch("set_default_dtype")(torch("float32"));
    builtin("print")({m.attr("weight").attr("dtype"), torch("ones")(1).attr("dtype")});
  });
  EXPECT_EQ(outcome.out, R"(torch.float64 torch.float64 torch.float64 torch.int64
torch.float64 torch.float32
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, NewWithoutInitHasAnEmptyDict) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      self.set("ready", true);
      return Py();
    });
    net = Py(Net.attr("__new__")(Net));
    builtin("print")(net.attr("__dict__"));
    net.attr("__init__")();
    builtin("print")({net.attr("ready"), builtin("len")(net.attr("__dict__"))});
  });
  EXPECT_EQ(outcome.out, R"({}
True 18
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, InitCalledOnAnInstanceWithStateFromOutside) {
  const Outcome outcome = run([] {
    const Var Counter, net, first;
    Counter = make_class("Counter", {nn("Module")});
    def_method(Counter, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Counter, self, "__init__")();
      self.set("fc", nn("Linear")(1, 1));
      return Py();
    });
    net = Py(Counter());
    first = Py(net.attr("fc"));
    net.attr("__init__")();
    builtin("print")({is(net.attr("fc"), first), builtin("len")(builtin("list")(net.attr("parameters")()))});
  });
  EXPECT_EQ(outcome.out, R"(False 2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Init, InitThatFailsHalfWay) {
  const Outcome outcome = run([] {
    const Var Net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self", "n"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var n = a[1];
      super_attr(Net, self, "__init__")();
      self.set("a", nn("ReLU")());
      if (static_cast<bool>(Py((n < Py(0))))) {
        raise(builtin("ValueError")((Py("n must not be negative, got ") + builtin("str")(n))));
      }
      self.set("b", nn("ReLU")());
      return Py();
    });
    builtin("print")(builtin("len")(builtin("list")(Net(1).attr("children")())));
    Net(-2);
  });
  EXPECT_EQ(outcome.out, R"(2
)");
  EXPECT_EQ(outcome.error, R"(ValueError: n must not be negative, got -2)");
}

TEST(Init, ClassmethodAndStaticmethodConstructors) {
  const Outcome outcome = run([] {
    const Var Net, Sub;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self", "widths"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var widths = a[1];
      super_attr(Net, self, "__init__")();
      self.set("layers", nn("ModuleList")(comprehension([&](std::vector<Value>& made) {
                 const Var a_;
                 const Var b;
                 for_each(builtin("zip")(widths, widths.item(slice(1, Py()))), [&](const Py& item1) {
                   const auto parts2 = unpack(item1, 2);
                   a_ = Py(parts2[0]);
                   b = Py(parts2[1]);
                   made.push_back(Py(nn("Linear")(a_, b)).value());
                   return true;
                 });
               })));
      return Py();
    });
    def_classmethod(Net, "square", {"cls", "width", "depth"}, [=](const Locals& a) -> Py {
      const Var cls = a[0];
      const Var width = a[1];
      const Var depth = a[2];
      return Py(cls((list({width}) * (depth + Py(1)))));
    });
    def_static(Net, "name", {}, [=](const Locals&) -> Py { return Py("net"); });
    Sub = make_class("Sub", {Net});
    builtin("print")({Sub.attr("square")(3, 2), Sub.attr("name")()});
  });
  EXPECT_EQ(outcome.out, R"(Sub(
  (layers): ModuleList(
    (0-1): 2 x Linear(in_features=3, out_features=3, bias=True)
  )
) net
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
