// Recorded behaviour of PyTorch, topic `lazy_parametrize`, translated line by line.
#include <gtest/gtest.h>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(LazyParametrize, LazyLinearBeforeAndAfterTheFirstCall) {
  const Outcome outcome = run([] {
    const Var m, out;
    m = Py(nn("LazyLinear")(Py(3)));
    builtin("print")({m, builtin("type")(m).attr("__name__"), m.attr("in_features")});
    builtin("print")({m.attr("weight"), m.attr("bias"), builtin("type")(m.attr("weight")).attr("__name__")});
    out = Py(m(torch("ones")({Py(2), Py(5)})));
    builtin("print")({m, builtin("type")(m).attr("__name__"), out.attr("shape")});
    builtin("print")({builtin("type")(m.attr("weight")).attr("__name__"), m.attr("weight").attr("shape"),
                      m.attr("bias").attr("shape"), m.attr("weight").attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(LazyLinear(in_features=0, out_features=3, bias=True) LazyLinear 0
<UninitializedParameter> <UninitializedParameter> UninitializedParameter
Linear(in_features=5, out_features=3, bias=True) Linear torch.Size([2, 3])
Parameter torch.Size([3, 5]) torch.Size([3]) True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyLinearDictKeysChange) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("LazyLinear")(Py(3)));
    builtin("print")({builtin("list")(m.attr("__dict__")).item(slice(Py(17), Py(), Py())),
                      builtin("len")(m.attr("_forward_pre_hooks")),
                      builtin("len")(m.attr("_load_state_dict_pre_hooks"))});
    m(torch("ones")({Py(1), Py(2)}));
    builtin("print")({builtin("list")(m.attr("__dict__")).item(slice(Py(17), Py(), Py())),
                      builtin("len")(m.attr("_forward_pre_hooks")),
                      builtin("len")(m.attr("_load_state_dict_pre_hooks"))});
  });
  EXPECT_EQ(outcome.out, R"(['in_features', 'out_features', '_load_hook', '_initialize_hook'] 1 1
['in_features', 'out_features'] 0 0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyConv2d) {
  const Outcome outcome = run([] {
    const Var m, out;
    m = Py(nn("LazyConv2d")({Py(4), kw("kernel_size", Py(3)), kw("padding", Py(1))}));
    builtin("print")(m);
    out = Py(m(torch("ones")({Py(1), Py(2), Py(5), Py(5)})));
    builtin("print")({m, out.attr("shape"), m.attr("weight").attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"(LazyConv2d(0, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)) torch.Size([1, 4, 5, 5]) torch.Size([4, 2, 3, 3])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyConvTransposeAnd1d3d) {
  const Outcome outcome = run([] {
    const Var a_, b, c;
    a_ = Py(nn("LazyConv1d")({Py(2), Py(3)}));
    b = Py(nn("LazyConv3d")({Py(2), Py(1)}));
    c = Py(nn("LazyConvTranspose2d")({Py(2), Py(2), kw("stride", Py(2))}));
    builtin("print")({a_(torch("ones")({Py(1), Py(4), Py(9)})).attr("shape"),
                      b(torch("ones")({Py(1), Py(5), Py(2), Py(2), Py(2)})).attr("shape"),
                      c(torch("ones")({Py(1), Py(3), Py(4), Py(4)})).attr("shape")});
    builtin("print")(a_);
    builtin("print")(b);
    builtin("print")(c);
  });
  EXPECT_EQ(outcome.out, R"(torch.Size([1, 2, 7]) torch.Size([1, 2, 2, 2, 2]) torch.Size([1, 2, 8, 8])
Conv1d(4, 2, kernel_size=(3,), stride=(1,))
Conv3d(5, 2, kernel_size=(1, 1, 1), stride=(1, 1, 1))
ConvTranspose2d(3, 2, kernel_size=(2, 2), stride=(2, 2))
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyBatchnorm) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("LazyBatchNorm1d")());
    builtin("print")({m, builtin("type")(m.attr("running_mean")).attr("__name__"), m.attr("running_mean"),
                      m.attr("num_batches_tracked")});
    m(torch("tensor")(list({list({Py(1.0), Py(2.0), Py(3.0)}), list({Py(3.0), Py(4.0), Py(5.0)})})));
    builtin("print")({m, builtin("type")(m).attr("__name__"), m.attr("running_mean").attr("shape"),
                      m.attr("num_batches_tracked").attr("item")()});
  });
  EXPECT_EQ(
      outcome.out,
      R"(LazyBatchNorm1d(0, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True) UninitializedBuffer <UninitializedBuffer> tensor(0)
BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True) BatchNorm1d torch.Size([3]) 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, UninitializedParameterMaterialize) {
  const Outcome outcome = run([] {
    const Var p, q, b;
    p = Py(nn("UninitializedParameter")());
    builtin("print")({p, builtin("type")(p).attr("__name__"), p.attr("requires_grad")});
    p.attr("materialize")(tuple({Py(2), Py(3)}));
    builtin("print")({builtin("type")(p).attr("__name__"), p.attr("shape"), p.attr("dtype"), p.attr("requires_grad")});
    q = Py(nn("UninitializedParameter")({kw("requires_grad", Py(false)), kw("dtype", torch("float64"))}));
    q.attr("materialize")(tuple({Py(1)}));
    builtin("print")({q.attr("dtype"), q.attr("requires_grad")});
    b = Py(nn("UninitializedBuffer")());
    b.attr("materialize")(tuple({Py(4)}));
    builtin("print")({builtin("type")(b).attr("__name__"), b.attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"(<UninitializedParameter> UninitializedParameter True
Parameter torch.Size([2, 3]) torch.float32 True
torch.float64 False
Tensor torch.Size([4])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, CountingParametersOfALazyModelFails) {
  const Outcome outcome = run([] {
    const Var net, e;
    net = Py(nn("Sequential")({nn("LazyLinear")(Py(4)), nn("ReLU")(), nn("LazyLinear")(Py(2))}));
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(net.attr("named_parameters")())) {
        const std::vector<Py> parts3 = unpack(item2, 2);
        const Var n = parts3[0];
        values1.push_back(Py(n).value());
      }
    }));
    try {
      builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& values4) {
        for (const Py& item5 : items(net.attr("parameters")())) {
          const Var p = item5;
          values4.push_back(Py(p.attr("numel")()).value());
        }
      })));
    } catch (const Raised& raised) {
      if (!matches(raised, "ValueError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(builtin("str")(e).item(slice(Py(), Py(60), Py())));
    }
    net(torch("ones")({Py(1), Py(3)}));
    builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& values6) {
      for (const Py& item7 : items(net.attr("parameters")())) {
        const Var p = item7;
        values6.push_back(Py(p.attr("numel")()).value());
      }
    })));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(['0.weight', '0.bias', '2.weight', '2.bias']
Attempted to use an uninitialized parameter in <method 'nume
26
Sequential(
  (0): Linear(in_features=3, out_features=4, bias=True)
  (1): ReLU()
  (2): Linear(in_features=4, out_features=2, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyModulesInitialiseOneAfterAnother) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")({nn("LazyLinear")(Py(2)), nn("LazyLinear")(Py(3))}));
    net.item(Py(0))(torch("ones")({Py(1), Py(7)}));
    builtin("print")(net);
    net(torch("ones")({Py(1), Py(7)}));
    builtin("print")(net);
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): Linear(in_features=7, out_features=2, bias=True)
  (1): LazyLinear(in_features=0, out_features=3, bias=True)
)
Sequential(
  (0): Linear(in_features=7, out_features=2, bias=True)
  (1): Linear(in_features=2, out_features=3, bias=True)
)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyInitialisationHappensOnce) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("LazyLinear")(Py(2)));
    m(torch("ones")({Py(1), Py(3)}));
    attempt()({Py("other width"), lambda({}, [=](const Locals&) -> Py {
                 return Py(m(torch("ones")({Py(1), Py(4)})));
               })});
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(other width: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x4 and 3x2)
Linear(in_features=3, out_features=2, bias=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyForwardDirectlyDoesNotInitialise) {
  const Outcome outcome = run([] {
    const Var m, e;
    m = Py(nn("LazyLinear")(Py(2)));
    try {
      m.attr("forward")(torch("ones")({Py(1), Py(3)}));
    } catch (const Raised& raised) {
      if (!matches(raised, "Exception")) throw;
      e = Py(exception_of(raised));
      builtin("print")({builtin("type")(e).attr("__name__"), builtin("str")(e).item(slice(Py(), Py(51), Py()))});
    }
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"(ValueError Attempted to use an uninitialized parameter in <bui
LazyLinear(in_features=0, out_features=2, bias=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyInitialisationInNoGradAndEval) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("LazyLinear")(Py(1)).attr("eval")());
    with(torch("no_grad")(), [&](const Py&) { m(torch("ones")({Py(1), Py(2)})); });
    builtin("print")({m.attr("weight").attr("requires_grad"), m.attr("training"), m.attr("weight").attr("is_leaf")});
  });
  EXPECT_EQ(outcome.out, R"(True False True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyStateDict) {
  const Outcome outcome = run([] {
    const Var m, sd;
    m = Py(nn("LazyLinear")(Py(2)));
    sd = Py(m.attr("state_dict")());
    builtin("print")({builtin("list")(sd), sd.item(Py("weight")),
                      builtin("type")(sd.item(Py("weight"))).attr("__name__"),
                      is(sd.item(Py("weight")), m.attr("weight"))});
  });
  EXPECT_EQ(outcome.out, R"(['weight', 'bias'] <UninitializedParameter> UninitializedParameter True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyLoadStateDictMaterialises) {
  const Outcome outcome = run([] {
    const Var src, m;
    src = Py(nn("Linear")({Py(3), Py(2)}));
    imported("torch.nn.init", "constant_")({src.attr("weight"), Py(0.5)});
    imported("torch.nn.init", "constant_")({src.attr("bias"), Py(1.0)});
    m = Py(nn("LazyLinear")(Py(2)));
    builtin("print")(m.attr("load_state_dict")(src.attr("state_dict")()));
    builtin("print")({builtin("type")(m).attr("__name__"), m.attr("weight").attr("shape"), m.attr("in_features")});
    builtin("print")({m(torch("ones")({Py(1), Py(3)})).attr("tolist")(), builtin("type")(m).attr("__name__"), m});
  });
  EXPECT_EQ(outcome.out, R"(<All keys matched successfully>
LazyLinear torch.Size([2, 3]) 0
[[2.5, 2.5]] Linear Linear(in_features=3, out_features=2, bias=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, LazyStateLoadedIntoAnInitialisedLayerFails) {
  const Outcome outcome = run([] {
    const Var e;
    try {
      nn("Linear")({Py(3), Py(2)}).attr("load_state_dict")(nn("LazyLinear")(Py(2)).attr("state_dict")());
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(builtin("str")(e).item(slice(Py(), Py(60), Py())));
    }
  });
  EXPECT_EQ(outcome.out, R"(Can't access the shape of an uninitialized parameter or buff
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
