// Recorded behaviour of PyTorch, topic `lazy_parametrize`, translated line by line.
#include <gtest/gtest.h>

#include <limits>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(LazyParametrize, DeepcopyAndTrainingFlagOfAParametrizedModule) {
  const Outcome outcome = run([] {
    const Var Double, m, n;
    Double = make_class("Double", {nn("Module")});
    def_method(Double, "forward", {"self", "w"}, [=](const Locals& a) -> Py {
      const Var w = a[1];
      return Py(binary("*", w, Py(2)));
    });
    m = Py(nn("Linear")({Py(1), Py(1)}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(3.0)});
    m.attr("eval")();
    imported("torch.nn.utils.parametrize", "register_parametrization")({m, Py("weight"), Double()});
    builtin("print")({m.attr("training"), m.attr("parametrizations").attr("training"),
                      m.attr("parametrizations").attr("weight").item(Py(0)).attr("training")});
    n = Py(builtin("deepcopy")(m));
    n.attr("parametrizations").attr("weight").attr("original").attr("data").attr("fill_")(Py(5.0));
    builtin("print")({m.attr("weight").attr("item")(), n.attr("weight").attr("item")(),
                      builtin("type")(n).attr("__name__"), is(builtin("type")(n), builtin("type")(m))});
  });
  EXPECT_EQ(outcome.out, R"(False True False
6.0 10.0 ParametrizedLinear True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametrizedWeightNormWithDimNone) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(2), Py(2), kw("bias", Py(false))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(1.0), Py(2.0)}), list({Py(2.0), Py(4.0)})})));
    });
    imported("torch.nn.utils.parametrizations", "weight_norm")({m, kw("dim", Py())});
    builtin("print")({builtin("tuple")(m.attr("parametrizations").attr("weight").attr("original0").attr("shape")),
                      show()(m.attr("parametrizations").attr("weight").attr("original0")), show()(m.attr("weight"))});
  });
  EXPECT_EQ(outcome.out, R"(() 5.0000 [[1.0000, 2.0000], [2.0000, 4.0000]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, OldWeightNorm) {
  const Outcome outcome = run([] {
    const Var m, seen, e;
    m = Py(nn("Linear")({Py(2), Py(1)}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(3.0), Py(4.0)})})));
      m.attr("bias").attr("zero_")();
    });
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered1) {
      seen = Py(entered1);
      warnings("simplefilter")(Py("always"));
      imported("torch.nn.utils", "weight_norm")(m);
    });
    builtin("print")(comprehension([&](std::vector<Value>& values2) {
      for (const Py& item3 : items(seen)) {
        const Var w = item3;
        values2.push_back(Py(tuple({w.attr("category").attr("__name__"), builtin("str")(w.attr("message"))})).value());
      }
    }));
    builtin("print")({comprehension([&](std::vector<Value>& values4) {
                        for (const Py& item5 : items(m.attr("named_parameters")())) {
                          const std::vector<Py> parts6 = unpack(item5, 2);
                          const Var n = parts6[0];
                          values4.push_back(Py(n).value());
                        }
                      }),
                      contains(Py("weight"), m.attr("__dict__")), show()(m.attr("weight_g")),
                      show()(m.attr("weight_v"))});
    m.attr("weight_g").attr("data").attr("fill_")(Py(10.0));
    builtin("print")({show()(m.attr("weight")), show()(m(torch("ones")({Py(1), Py(2)}))), show()(m.attr("weight"))});
    imported("torch.nn.utils", "remove_weight_norm")(m);
    builtin("print")({comprehension([&](std::vector<Value>& values7) {
                        for (const Py& item8 : items(m.attr("named_parameters")())) {
                          const std::vector<Py> parts9 = unpack(item8, 2);
                          const Var n = parts9[0];
                          values7.push_back(Py(n).value());
                        }
                      }),
                      show()(m.attr("weight")), builtin("len")(m.attr("_forward_pre_hooks"))});
    try {
      imported("torch.nn.utils", "remove_weight_norm")(m);
    } catch (const Raised& raised) {
      if (!matches(raised, "ValueError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"([('FutureWarning', '`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.')]
['bias', 'weight_g', 'weight_v'] True [[5.0000]] [[3.0000, 4.0000]]
[[3.0000, 4.0000]] [[14.0000]] [[6.0000, 8.0000]]
['bias', 'weight'] [[6.0000, 8.0000]] 0
weight_norm of 'weight' not found in Linear(in_features=2, out_features=1, bias=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, OldWeightNormTwice) {
  const Outcome outcome = run([] {
    const Var m, e;
    warnings("simplefilter")(Py("ignore"));
    m = Py(imported("torch.nn.utils", "weight_norm")(nn("Linear")({Py(1), Py(1)})));
    try {
      imported("torch.nn.utils", "weight_norm")(m);
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(outcome.out, R"(Cannot register two weight_norm hooks on the same parameter weight
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, PruningWithACustomMask) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(2), Py(1)}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(3.0), Py(4.0)})})));
    });
    imported("torch.nn.utils.prune",
             "custom_from_mask")({m, Py("weight"), torch("tensor")(list({list({Py(1.0), Py(0.0)})}))});
    builtin("print")({comprehension([&](std::vector<Value>& values1) {
                        for (const Py& item2 : items(m.attr("named_parameters")())) {
                          const std::vector<Py> parts3 = unpack(item2, 2);
                          const Var n = parts3[0];
                          values1.push_back(Py(n).value());
                        }
                      }),
                      comprehension([&](std::vector<Value>& values4) {
                        for (const Py& item5 : items(m.attr("named_buffers")())) {
                          const std::vector<Py> parts6 = unpack(item5, 2);
                          const Var n = parts6[0];
                          values4.push_back(Py(n).value());
                        }
                      }),
                      contains(Py("weight"), m.attr("__dict__"))});
    builtin("print")({m.attr("weight").attr("tolist")(), m.attr("weight_orig").attr("tolist")(),
                      m.attr("weight_mask").attr("tolist")(), imported("torch.nn.utils.prune", "is_pruned")(m)});
    builtin("print")({builtin("list")(m.attr("state_dict")()), builtin("len")(m.attr("_forward_pre_hooks"))});
    imported("torch.nn.utils.prune", "remove")({m, Py("weight")});
    builtin("print")(
        {m.attr("weight"), builtin("list")(m.attr("state_dict")()), imported("torch.nn.utils.prune", "is_pruned")(m)});
  });
  EXPECT_EQ(outcome.out, R"(['bias', 'weight_orig'] ['weight_mask'] True
[[3.0, 0.0]] [[3.0, 4.0]] [[1.0, 0.0]] True
['bias', 'weight_orig', 'weight_mask'] 1
Parameter containing:
tensor([[3., 0.]], requires_grad=True) ['bias', 'weight'] False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, L1UnstructuredPruning) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(4), Py(1), kw("bias", Py(false))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(1.0), Py(-4.0), Py(0.5), Py(2.0)})})));
    });
    imported("torch.nn.utils.prune", "l1_unstructured")({m, Py("weight"), kw("amount", Py(2))});
    builtin("print")({m.attr("weight").attr("tolist")(), m.attr("weight_mask").attr("tolist")()});
    imported("torch.nn.utils.prune", "l1_unstructured")({m, Py("weight"), kw("amount", Py(0.5))});
    builtin("print")(
        {m.attr("weight").attr("tolist")(),
         builtin("type")(builtin("list")(m.attr("_forward_pre_hooks").attr("values")()).item(Py(0))).attr("__name__")});
  });
  EXPECT_EQ(outcome.out, R"([[0.0, -4.0, 0.0, 2.0]] [[0.0, 1.0, 0.0, 1.0]]
[[0.0, -4.0, 0.0, 0.0]] PruningContainer
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, PruningErrors) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(2), Py(2)}));
    attempt()(
        {Py("too many"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.prune", "l1_unstructured")({m, Py("weight"), kw("amount", Py(100))}));
         })});
    attempt()(
        {Py("bad fraction"), lambda({}, [=](const Locals&) -> Py {
           return Py(imported("torch.nn.utils.prune", "l1_unstructured")({m, Py("weight"), kw("amount", Py(1.5))}));
         })});
    attempt()({Py("not pruned"), lambda({}, [=](const Locals&) -> Py {
                 return Py(imported("torch.nn.utils.prune", "remove")({m, Py("weight")}));
               })});
    attempt()({Py("missing"), lambda({}, [=](const Locals&) -> Py {
                 return Py(imported("torch.nn.utils.prune", "identity")({m, Py("gamma")}));
               })});
  });
  EXPECT_EQ(outcome.out, R"(too many: ValueError: amount=100 should be smaller than the number of parameters to prune=4
bad fraction: ValueError: amount=1.5 should either be a float in the range [0, 1] or a non-negative integer
not pruned: ValueError: Parameter 'weight' of module Linear(in_features=2, out_features=2, bias=True) has to be pruned before pruning can be removed
missing: AttributeError: 'Linear' object has no attribute 'gamma'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ClipGradNorm) {
  const Outcome outcome = run([] {
    const Var p, q;
    const Py right1 = nn("Parameter")(torch("zeros")(Py(2)));
    const Py right2 = nn("Parameter")(torch("zeros")(Py(1)));
    p = Py(right1);
    q = Py(right2);
    const Py right3 = torch("tensor")(list({Py(3.0), Py(0.0)}));
    const Py right4 = torch("tensor")(list({Py(4.0)}));
    p.set("grad", right3);
    q.set("grad", right4);
    builtin("print")({show()(imported("torch.nn.utils", "clip_grad_norm_")({list({p, q}), Py(1.0)})),
                      show()(p.attr("grad")), show()(q.attr("grad"))});
    builtin("print")(
        {show()(imported("torch.nn.utils", "clip_grad_norm_")({list({p, q}), Py(100.0)})), show()(p.attr("grad"))});
    const Py right5 = torch("tensor")(list({Py(3.0), Py(-7.0)}));
    const Py right6 = torch("tensor")(list({Py(4.0)}));
    p.set("grad", right5);
    q.set("grad", right6);
    builtin("print")({show()(imported("torch.nn.utils", "clip_grad_norm_")(
                          {list({p, q}), Py(3.5), kw("norm_type", Py(std::numeric_limits<double>::infinity()))})),
                      show()(p.attr("grad")), show()(q.attr("grad"))});
    imported("torch.nn.utils", "clip_grad_value_")({list({p, q}), Py(1.0)});
    builtin("print")({show()(p.attr("grad")), show()(q.attr("grad"))});
    builtin("print")({show()(imported("torch.nn.utils",
                                      "clip_grad_norm_")({list({nn("Parameter")(torch("zeros")(Py(1)))}), Py(1.0)})),
                      show()(imported("torch.nn.utils", "clip_grad_norm_")({p, Py(0.5)}))});
  });
  EXPECT_EQ(outcome.out, R"(5.0000 [0.6000, 0.0000] [0.8000]
1.0000 [0.6000, 0.0000]
7.0000 [1.5000, -3.5000] [2.0000]
[1.0000, -1.0000] [1.0000]
0.0000 1.4142
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ClipGradNormErrorIfNonfinite) {
  const Outcome outcome = run([] {
    const Var p, e;
    p = Py(nn("Parameter")(torch("zeros")(Py(1))));
    p.set("grad", torch("tensor")(list({Py(std::numeric_limits<double>::infinity())})));
    try {
      imported("torch.nn.utils", "clip_grad_norm_")({list({p}), Py(1.0), kw("error_if_nonfinite", Py(true))});
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"(The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, ParametersToVectorAndBack) {
  const Outcome outcome = run([] {
    const Var m, v;
    m = Py(nn("Linear")({Py(2), Py(1)}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(1.0)});
    imported("torch.nn.init", "constant_")({m.attr("bias"), Py(2.0)});
    v = Py(imported("torch.nn.utils", "parameters_to_vector")(m.attr("parameters")()));
    builtin("print")({v.attr("tolist")(), v.attr("shape"), v.attr("requires_grad")});
    imported("torch.nn.utils",
             "vector_to_parameters")({torch("tensor")(list({Py(5.0), Py(6.0), Py(7.0)})), m.attr("parameters")()});
    builtin("print")({m.attr("weight").attr("tolist")(), m.attr("bias").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([1.0, 1.0, 2.0] torch.Size([3]) True
[[5.0, 6.0]] [7.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, FunctionalCall) {
  const Outcome outcome = run([] {
    const Var m, x;
    m = Py(nn("Linear")({Py(1), Py(1)}));
    imported("torch.nn.init", "constant_")({m.attr("weight"), Py(1.0)});
    imported("torch.nn.init", "zeros_")(m.attr("bias"));
    x = Py(torch("full")({tuple({Py(1), Py(1)}), Py(3.0)}));
    builtin("print")({imported("torch.func", "functional_call")(
                          {m, dict({{Py("weight"), torch("full")({tuple({Py(1), Py(1)}), Py(5.0)})}}), tuple({x})})
                          .attr("item")(),
                      m(x).attr("item")()});
    builtin("print")(imported("torch.func",
                              "functional_call")({m,
                                                  dict({{Py("weight"), torch("full")({tuple({Py(1), Py(1)}), Py(5.0)})},
                                                        {Py("bias"), torch("ones")(Py(1))}}),
                                                  x})
                         .attr("item")());
    builtin("print")(builtin("type")(m.attr("weight")).attr("__name__"));
  });
  EXPECT_EQ(outcome.out, R"(15.0 3.0
16.0
Parameter
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, FusingALinearLayerWithBatchnorm) {
  const Outcome outcome = run([] {
    const Var fc, bn, fused, x;
    const Py right1 = nn("Linear")({Py(1), Py(1)});
    const Py right2 = nn("BatchNorm1d")({Py(1), kw("eps", Py(0.0))});
    fc = Py(right1);
    bn = Py(right2);
    imported("torch.nn.init", "constant_")({fc.attr("weight"), Py(2.0)});
    imported("torch.nn.init", "constant_")({fc.attr("bias"), Py(1.0)});
    bn.attr("running_mean").attr("fill_")(Py(3.0));
    bn.attr("running_var").attr("fill_")(Py(4.0));
    imported("torch.nn.init", "constant_")({bn.attr("weight"), Py(6.0)});
    fc.attr("eval")();
    bn.attr("eval")();
    fused = Py(imported("torch.nn.utils", "fuse_linear_bn_eval")({fc, bn}));
    x = Py(torch("tensor")(list({list({Py(5.0)})})));
    builtin("print")({show()(bn(fc(x))), show()(fused(x)), show()(fused.attr("weight")), show()(fused.attr("bias"))});
  });
  EXPECT_EQ(outcome.out, R"([[24.0000]] [[24.0000]] [[6.0000]] [-6.0000]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, PadAndPackSequences) {
  const Outcome outcome = run([] {
    const Var seqs, padded, packed, out, lengths, e;
    seqs = Py(list({torch("tensor")(list({Py(1.0), Py(2.0), Py(3.0)})), torch("tensor")(list({Py(4.0)})),
                    torch("tensor")(list({Py(5.0), Py(6.0)}))}));
    padded = Py(imported("torch.nn.utils.rnn",
                         "pad_sequence")({seqs, kw("batch_first", Py(true)), kw("padding_value", Py(-1.0))}));
    builtin("print")({padded.attr("tolist")(), imported("torch.nn.utils.rnn", "pad_sequence")(seqs).attr("shape")});
    packed = Py(imported("torch.nn.utils.rnn", "pack_padded_sequence")(
        {padded.attr("unsqueeze")(Py(-1)), torch("tensor")(list({Py(3), Py(1), Py(2)})), kw("batch_first", Py(true)),
         kw("enforce_sorted", Py(false))}));
    builtin("print")({packed.attr("data").attr("flatten")().attr("tolist")(),
                      packed.attr("batch_sizes").attr("tolist")(), packed.attr("sorted_indices").attr("tolist")()});
    const std::vector<Py> parts1 =
        unpack(imported("torch.nn.utils.rnn", "pad_packed_sequence")({packed, kw("batch_first", Py(true))}), 2);
    out = Py(parts1[0]);
    lengths = Py(parts1[1]);
    builtin("print")({out.attr("squeeze")(Py(-1)).attr("tolist")(), lengths.attr("tolist")()});
    try {
      imported("torch.nn.utils.rnn",
               "pack_padded_sequence")({padded.attr("unsqueeze")(Py(-1)), torch("tensor")(list({Py(1), Py(3), Py(2)})),
                                        kw("batch_first", Py(true))});
    } catch (const Raised& raised) {
      if (!matches(raised, "RuntimeError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(outcome.out, R"([[1.0, 2.0, 3.0], [4.0, -1.0, -1.0], [5.0, 6.0, -1.0]] torch.Size([3, 3])
[1.0, 5.0, 4.0, 2.0, 6.0, 3.0] [3, 2, 1] [0, 2, 1]
[[1.0, 2.0, 3.0], [4.0, 0.0, 0.0], [5.0, 6.0, 0.0]] [3, 1, 2]
`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(LazyParametrize, InitBounds) {
  const Outcome outcome = run([] {
    const Var w, bound, q, e;
    w = Py(torch("empty")({Py(50), Py(200)}));
    imported("torch.nn.init", "xavier_uniform_")(w);
    bound = Py(binary("**", binary("/", Py(6.0), Py(250)), Py(0.5)));
    builtin("print")({builtin("bool")(binary("<=", w.attr("abs")(), bound).attr("all")()),
                      builtin("bool")(binary(">", w.attr("abs")().attr("max")(), binary("*", Py(0.9), bound)))});
    imported("torch.nn.init", "kaiming_uniform_")({w, kw("nonlinearity", Py("relu"))});
    bound = Py(binary("**", binary("/", Py(6.0), Py(200)), Py(0.5)));
    builtin("print")({builtin("bool")(binary("<=", w.attr("abs")(), bound).attr("all")()),
                      builtin("bool")(binary(">", w.attr("abs")().attr("max")(), binary("*", Py(0.9), bound)))});
    imported("torch.nn.init", "uniform_")({w, Py(2.0), Py(3.0)});
    builtin("print")(
        {builtin("bool")(binary(">=", w, Py(2)).attr("all")()), builtin("bool")(binary("<=", w, Py(3)).attr("all")())});
    imported("torch.nn.init", "trunc_normal_")({w, kw("std", Py(1.0)), kw("a", Py(-0.5)), kw("b", Py(0.5))});
    builtin("print")(builtin("bool")(binary("<=", w.attr("abs")(), Py(0.5)).attr("all")()));
    q = Py(imported("torch.nn.init", "orthogonal_")(torch("empty")({Py(3), Py(3), kw("dtype", torch("float64"))})));
    builtin("print")(show()(binary("@", q, q.attr("T"))));
    try {
      imported("torch.nn.init", "xavier_uniform_")(torch("empty")(Py(3)));
    } catch (const Raised& raised) {
      if (!matches(raised, "ValueError")) throw;
      e = Py(exception_of(raised));
      builtin("print")(e);
    }
  });
  EXPECT_EQ(outcome.out, R"(True True
True True
True True
True
[[1.0000, 0.0000, 0.0000], [0.0000, 1.0000, 0.0000], [0.0000, 0.0000, 1.0000]]
Fan in and fan out can not be computed for tensor with fewer than 2 dimensions
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
