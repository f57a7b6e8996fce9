// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, PaddingLayers) {
  const Outcome outcome = run([] {
    const Var x, m;
    x = Py(torch("tensor")(list({list({list({Py(1.0), Py(2.0), Py(3.0)})})})));
    for (const Py& item1 :
         items(list({nn("ZeroPad1d")(Py(1)), nn("ConstantPad1d")({tuple({Py(1), Py(2)}), Py(9.0)}),
                     nn("ReflectionPad1d")(Py(2)), nn("ReplicationPad1d")(Py(1)), nn("CircularPad1d")(Py(1))}))) {
      m = Py(item1);
      builtin("print")({m, m(x).attr("tolist")()});
    }
    builtin("print")(nn("ZeroPad2d")(tuple({Py(1), Py(0), Py(2), Py(0)}))(torch("ones")({Py(1), Py(1), Py(1), Py(1)}))
                         .attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(ZeroPad1d((1, 1)) [[[0.0, 1.0, 2.0, 3.0, 0.0]]]
ConstantPad1d(padding=(1, 2), value=9.0) [[[9.0, 1.0, 2.0, 3.0, 9.0, 9.0]]]
ReflectionPad1d((2, 2)) [[[3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]]
ReplicationPad1d((1, 1)) [[[1.0, 1.0, 2.0, 3.0, 3.0]]]
CircularPad1d((1, 1)) [[[3.0, 1.0, 2.0, 3.0, 1.0]]]
[[[[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, CosineSimilarityAndPairwiseDistance) {
  const Outcome outcome = run([] {
    const Var show_, a_, b;
    show_ = show();
    const std::vector<Py> parts1 =
        unpack(tuple({torch("tensor")(list({list({Py(1.0), Py(0.0)}), list({Py(1.0), Py(1.0)})})),
                      torch("tensor")(list({list({Py(0.0), Py(2.0)}), list({Py(2.0), Py(2.0)})}))}),
               2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    builtin("print")(
        {show_(nn("CosineSimilarity")()({a_, b})), show_(nn("PairwiseDistance")(kw("eps", Py(0.0)))({a_, b}))});
    builtin("print")({nn("CosineSimilarity")(kw("dim", Py(0))), nn("PairwiseDistance")()});
  });
  EXPECT_EQ(outcome.out, R"([0.0000, 1.0000] [2.2361, 1.4142]
CosineSimilarity() PairwiseDistance()
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, MseAndL1Loss) {
  const Outcome outcome = run([] {
    const Var show_, a_, b, red;
    show_ = show();
    const std::vector<Py> parts1 = unpack(
        tuple({torch("tensor")(list({Py(1.0), Py(2.0), Py(3.0)})), torch("tensor")(list({Py(1.0), Py(4.0), Py(0.0)}))}),
        2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    for (const Py& item2 : items(list({Py("mean"), Py("sum"), Py("none")}))) {
      red = Py(item2);
      builtin("print")({red, show_(nn("MSELoss")(kw("reduction", red))({a_, b})),
                        show_(nn("L1Loss")(kw("reduction", red))({a_, b})),
                        show_(nn("SmoothL1Loss")(kw("reduction", red))({a_, b})),
                        show_(nn("HuberLoss")({kw("reduction", red), kw("delta", Py(2.0))})({a_, b}))});
    }
    builtin("print")({nn("MSELoss")(), nn("MSELoss")().attr("reduction")});
  });
  EXPECT_EQ(outcome.out, R"(mean 4.3333 1.6667 1.3333 2.0000
sum 13.0000 5.0000 4.0000 6.0000
none [0.0000, 4.0000, 9.0000] [0.0000, 2.0000, 3.0000] [0.0000, 1.5000, 2.5000] [0.0000, 2.0000, 4.0000]
MSELoss() mean
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, CrossEntropyLoss) {
  const Outcome outcome = run([] {
    const Var show_, logits, target;
    show_ = show();
    logits = Py(torch("tensor")(list({list({Py(0.0), Py(0.0)}), list({Py(2.0), Py(0.0)})})));
    target = Py(torch("tensor")(list({Py(0), Py(1)})));
    builtin("print")(show_(nn("CrossEntropyLoss")()({logits, target})));
    builtin("print")(show_(nn("CrossEntropyLoss")(kw("reduction", Py("none")))({logits, target})));
    builtin("print")(show_(nn("CrossEntropyLoss")(kw("reduction", Py("sum")))({logits, target})));
    builtin("print")(
        show_(nn("CrossEntropyLoss")(kw("weight", torch("tensor")(list({Py(1.0), Py(3.0)}))))({logits, target})));
    builtin("print")(show_(nn("CrossEntropyLoss")(kw("ignore_index", Py(1)))({logits, target})));
    builtin("print")(show_(nn("CrossEntropyLoss")(kw("label_smoothing", Py(0.2)))({logits, target})));
    builtin("print")(show_(nn("CrossEntropyLoss")()(
        {logits, torch("tensor")(list({list({Py(0.5), Py(0.5)}), list({Py(0.0), Py(1.0)})}))})));
  });
  EXPECT_EQ(outcome.out, R"(1.4100
[0.6931, 2.1269]
2.8201
1.7685
0.6931
1.3100
1.4100
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, NllAndLogSoftmaxAgreeWithCrossEntropy) {
  const Outcome outcome = run([] {
    const Var show_, logits, target;
    show_ = show();
    logits = Py(torch("tensor")(list({list({Py(1.0), Py(2.0), Py(3.0)})})));
    target = Py(torch("tensor")(list({Py(0)})));
    builtin("print")({show_(nn("NLLLoss")()({nn("LogSoftmax")(kw("dim", Py(1)))(logits), target})),
                      show_(nn("CrossEntropyLoss")()({logits, target}))});
  });
  EXPECT_EQ(outcome.out, R"(2.4076 2.4076
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BinaryCrossEntropy) {
  const Outcome outcome = run([] {
    const Var show_, p, t, z, e;
    show_ = show();
    const std::vector<Py> parts1 =
        unpack(tuple({torch("tensor")(list({Py(0.5), Py(0.9)})), torch("tensor")(list({Py(1.0), Py(0.0)}))}), 2);
    p = Py(parts1[0]);
    t = Py(parts1[1]);
    builtin("print")({show_(nn("BCELoss")()({p, t})), show_(nn("BCELoss")(kw("reduction", Py("none")))({p, t}))});
    z = Py(torch("tensor")(list({Py(0.0), Py(2.0)})));
    builtin("print")({show_(nn("BCEWithLogitsLoss")()({z, t})),
                      show_(nn("BCEWithLogitsLoss")(kw("pos_weight", torch("tensor")(list({Py(3.0)}))))({z, t}))});
    try {
      nn("BCELoss")()({torch("tensor")(list({Py(1.5)})), torch("tensor")(list({Py(1.0)}))});
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
    try {
      nn("BCELoss")()({torch("tensor")(list({Py(0.5), Py(0.5)})), torch("tensor")(list({Py(1.0)}))});
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(1.4979 [0.6931, 2.3026]
1.4100 2.1032
all elements of input should be between 0 and 1
Using a target size (torch.Size([1])) that is different to the input size (torch.Size([2])) is deprecated. Please ensure they have the same size.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, OtherLosses) {
  const Outcome outcome = run([] {
    const Var show_, a_, b, y;
    show_ = show();
    const std::vector<Py> parts1 =
        unpack(tuple({torch("tensor")(list({Py(1.0), Py(-1.0)})), torch("tensor")(list({Py(0.5), Py(2.0)}))}), 2);
    a_ = Py(parts1[0]);
    b = Py(parts1[1]);
    y = Py(torch("tensor")(list({Py(1.0), Py(-1.0)})));
    builtin("print")(show_(nn("MarginRankingLoss")(kw("margin", Py(0.5)))({a_, b, y})));
    builtin("print")({show_(nn("HingeEmbeddingLoss")()({a_, y})), show_(nn("SoftMarginLoss")()({a_, y}))});
    builtin("print")(show_(nn("KLDivLoss")(kw("reduction", Py("batchmean")))(
        {torch("log")(torch("tensor")(list({list({Py(0.5), Py(0.5)})}))),
         torch("tensor")(list({list({Py(0.25), Py(0.75)})}))})));
    builtin("print")(show_(nn("TripletMarginLoss")(kw("eps", Py(0.0)))({torch("tensor")(list({list({Py(0.0)})})),
                                                                        torch("tensor")(list({list({Py(3.0)})})),
                                                                        torch("tensor")(list({list({Py(2.0)})}))})));
    builtin("print")(show_(nn("CosineEmbeddingLoss")()({torch("tensor")(list({list({Py(1.0), Py(0.0)})})),
                                                        torch("tensor")(list({list({Py(0.0), Py(1.0)})})),
                                                        torch("tensor")(list({Py(1.0)}))})));
    builtin("print")(
        {show_(nn("PoissonNLLLoss")()({torch("tensor")(list({Py(0.0)})), torch("tensor")(list({Py(2.0)}))})),
         show_(nn("GaussianNLLLoss")()({a_, b, torch("ones")(Py(2))}))});
    builtin("print")(show_(nn("MultiMarginLoss")()(
        {torch("tensor")(list({list({Py(0.1), Py(0.2), Py(0.4)})})), torch("tensor")(list({Py(2)}))})));
  });
  EXPECT_EQ(outcome.out, R"(0.0000
1.5000 0.3133
0.1308
2.0000
1.0000
1.0000 2.3125
0.5000
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, MseBroadcastWarning) {
  const Outcome outcome = run([] {
    const Var seen;
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered1) {
      seen = Py(entered1);
      warnings("simplefilter")(Py("always"));
      builtin("print")(nn("MSELoss")()({torch("ones")({Py(2), Py(1)}), torch("zeros")(Py(2))}).attr("item")());
    });
    builtin("print")(builtin("str")(seen.item(Py(0)).attr("message")));
  });
  EXPECT_EQ(outcome.out, R"(1.0
Using a target size (torch.Size([2])) that is different to the input size (torch.Size([2, 1])). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, RnnParameterNamesAndShapes) {
  const Outcome outcome = run([] {
    const Var m;
    for (const Py& item1 :
         items(list({nn("RNN")({Py(3), Py(4)}), nn("LSTM")({Py(3), Py(4)}), nn("GRU")({Py(3), Py(4)})}))) {
      m = Py(item1);
      builtin("print")({m, comprehension([&](std::vector<Value>& values2) {
                          for (const Py& item3 : items(m.attr("named_parameters")())) {
                            const Var n, p;
                            const std::vector<Py> parts4 = unpack(item3, 2);
                            n = Py(parts4[0]);
                            p = Py(parts4[1]);
                            values2.push_back(Py(tuple({n, builtin("tuple")(p.attr("shape"))})).value());
                          }
                        })});
    }
  });
  EXPECT_EQ(
      outcome.out,
      R"(RNN(3, 4) [('weight_ih_l0', (4, 3)), ('weight_hh_l0', (4, 4)), ('bias_ih_l0', (4,)), ('bias_hh_l0', (4,))]
LSTM(3, 4) [('weight_ih_l0', (16, 3)), ('weight_hh_l0', (16, 4)), ('bias_ih_l0', (16,)), ('bias_hh_l0', (16,))]
GRU(3, 4) [('weight_ih_l0', (12, 3)), ('weight_hh_l0', (12, 4)), ('bias_ih_l0', (12,)), ('bias_hh_l0', (12,))]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, RnnShapes) {
  const Outcome outcome = run([] {
    const Var x, out_, h, c;
    x = Py(torch("ones")({Py(5), Py(2), Py(3)}));
    const std::vector<Py> parts1 = unpack(nn("RNN")({Py(3), Py(4)})(x), 2);
    out_ = Py(parts1[0]);
    h = Py(parts1[1]);
    builtin("print")({out_.attr("shape"), h.attr("shape")});
    const std::vector<Py> parts2 =
        unpack(nn("LSTM")({Py(3), Py(4), kw("num_layers", Py(2)), kw("bidirectional", Py(true))})(x), 2);
    out_ = Py(parts2[0]);
    const std::vector<Py> parts3 = unpack(parts2[1], 2);
    h = Py(parts3[0]);
    c = Py(parts3[1]);
    builtin("print")({out_.attr("shape"), h.attr("shape"), c.attr("shape")});
    const std::vector<Py> parts4 =
        unpack(nn("GRU")({Py(3), Py(4), kw("batch_first", Py(true))})(torch("ones")({Py(2), Py(5), Py(3)})), 2);
    out_ = Py(parts4[0]);
    h = Py(parts4[1]);
    builtin("print")({out_.attr("shape"), h.attr("shape")});
    const std::vector<Py> parts5 = unpack(nn("GRU")({Py(3), Py(4)})(torch("ones")({Py(5), Py(3)})), 2);
    out_ = Py(parts5[0]);
    h = Py(parts5[1]);
    builtin("print")({out_.attr("shape"), h.attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"(torch.Size([5, 2, 4]) torch.Size([1, 2, 4])
torch.Size([5, 2, 8]) torch.Size([4, 2, 4]) torch.Size([4, 2, 4])
torch.Size([2, 5, 4]) torch.Size([1, 2, 4])
torch.Size([5, 4]) torch.Size([1, 4])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, RnnKnownValues) {
  const Outcome outcome = run([] {
    const Var show_, m, p, out_, h, t;
    show_ = show();
    m = Py(nn("RNN")({Py(1), Py(1), kw("nonlinearity", Py("relu"))}));
    for (const Py& item1 : items(m.attr("parameters")())) {
      p = Py(item1);
      nn_init("constant_")({p, Py(1.0)});
    }
    const std::vector<Py> parts2 = unpack(
        m(torch("tensor")(list({list({list({Py(1.0)})}), list({list({Py(2.0)})}), list({list({Py(3.0)})})}))), 2);
    out_ = Py(parts2[0]);
    h = Py(parts2[1]);
    builtin("print")({show_(out_), show_(h)});
    t = Py(nn("RNN")({Py(1), Py(1)}));
    for (const Py& item3 : items(t.attr("parameters")())) {
      p = Py(item3);
      nn_init("constant_")({p, Py(0.5)});
    }
    builtin("print")(show_(t(torch("ones")({Py(2), Py(1), Py(1)})).item(Py(0))));
  });
  EXPECT_EQ(outcome.out, R"([[[3.0000]], [[7.0000]], [[12.0000]]] [[[12.0000]]]
[[[0.9051]], [[0.9605]]]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
