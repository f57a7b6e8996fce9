// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, LstmKnownValues) {
  const Outcome outcome = run([] {
    const Var show_, m, p, out_, h, c, g;
    show_ = show();
    m = Py(nn("LSTM")({Py(1), Py(1)}));
    for (const Py& item1 : items(m.attr("parameters")())) {
      p = Py(item1);
      nn_init("constant_")({p, Py(0.5)});
    }
    const std::vector<Py> parts2 = unpack(m(torch("ones")({Py(2), Py(1), Py(1)})), 2);
    out_ = Py(parts2[0]);
    const std::vector<Py> parts3 = unpack(parts2[1], 2);
    h = Py(parts3[0]);
    c = Py(parts3[1]);
    builtin("print")({show_(out_), show_(h), show_(c)});
    g = Py(nn("GRU")({Py(1), Py(1)}));
    for (const Py& item4 : items(g.attr("parameters")())) {
      p = Py(item4);
      nn_init("constant_")({p, Py(0.5)});
    }
    const std::vector<Py> parts5 =
        unpack(g({torch("ones")({Py(2), Py(1), Py(1)}), torch("zeros")({Py(1), Py(1), Py(1)})}), 2);
    out_ = Py(parts5[0]);
    h = Py(parts5[1]);
    builtin("print")({show_(out_), show_(h)});
  });
  EXPECT_EQ(outcome.out, R"([[[0.5144]], [[0.7613]]] [[[0.7613]]] [[[1.4347]]]
[[[0.1619]], [[0.2881]]] [[[0.2881]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, RnnErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("LSTM")({Py(3), Py(4)}));
    attempt_({Py("width"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(5), Py(2), Py(7)})));
              })});
    attempt_({Py("dimensions"), lambda({}, [=](const Locals&) -> Py { return Py(m(torch("ones")(Py(3)))); })});
    attempt_({Py("hidden"), lambda({}, [=](const Locals&) -> Py {
                return Py(m({torch("ones")({Py(5), Py(2), Py(3)}),
                             tuple({torch("zeros")({Py(1), Py(3), Py(4)}), torch("zeros")({Py(1), Py(2), Py(4)})})}));
              })});
    attempt_({Py("nonlinearity"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("RNN")({Py(1), Py(1), kw("nonlinearity", Py("gelu"))}));
              })});
    attempt_({Py("dropout"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("LSTM")({Py(1), Py(1), kw("dropout", Py(2.0))}));
              })});
    attempt_({Py("proj"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("GRU")({Py(2), Py(2), kw("proj_size", Py(1))}));
              })});
    attempt_({Py("layers"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("LSTM")({Py(1), Py(1), kw("num_layers", Py(0))}));
              })});
  });
  EXPECT_EQ(outcome.out, R"(width: RuntimeError: input.size(-1) must be equal to input_size. Expected 3, got 7
dimensions: ValueError: LSTM: Expected input to be 2D or 3D, got 1D instead
hidden: RuntimeError: Expected hidden[0] size (1, 2, 4), got [1, 3, 4]
nonlinearity: ValueError: Unknown nonlinearity 'gelu'. Select from 'tanh' or 'relu'.
dropout: ValueError: dropout should be a number in range [0, 1] representing the probability of an element being zeroed
proj: ValueError: proj_size argument is only supported for LSTM, not RNN or GRU
layers: ValueError: num_layers must be greater than zero
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, MultiheadAttentionShapesAndNames) {
  const Outcome outcome = run([] {
    const Var m, x, out_, w, b, d;
    m = Py(nn("MultiheadAttention")({Py(4), Py(2)}));
    builtin("print")(m);
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(m.attr("named_parameters")())) {
        const Var n, p;
        const std::vector<Py> parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        p = Py(parts3[1]);
        values1.push_back(Py(tuple({n, builtin("tuple")(p.attr("shape"))})).value());
      }
    }));
    x = Py(torch("ones")({Py(3), Py(2), Py(4)}));
    const std::vector<Py> parts4 = unpack(m({x, x, x}), 2);
    out_ = Py(parts4[0]);
    w = Py(parts4[1]);
    builtin("print")({out_.attr("shape"), w.attr("shape")});
    const std::vector<Py> parts5 = unpack(m({x, x, x, kw("need_weights", Py(false))}), 2);
    out_ = Py(parts5[0]);
    w = Py(parts5[1]);
    builtin("print")({out_.attr("shape"), w});
    const std::vector<Py> parts6 = unpack(m({x, x, x, kw("average_attn_weights", Py(false))}), 2);
    out_ = Py(parts6[0]);
    w = Py(parts6[1]);
    builtin("print")(w.attr("shape"));
    b = Py(nn("MultiheadAttention")({Py(4), Py(2), kw("batch_first", Py(true)), kw("bias", Py(false))}));
    builtin("print")({comprehension([&](std::vector<Value>& values7) {
                        for (const Py& item8 : items(b.attr("named_parameters")())) {
                          const Var n, _;
                          const std::vector<Py> parts9 = unpack(item8, 2);
                          n = Py(parts9[0]);
                          _ = Py(parts9[1]);
                          values7.push_back(Py(n).value());
                        }
                      }),
                      b({x, x, x}).item(Py(0)).attr("shape")});
    d = Py(nn("MultiheadAttention")({Py(4), Py(2), kw("kdim", Py(3)), kw("vdim", Py(5))}));
    builtin("print")(comprehension([&](std::vector<Value>& values10) {
      for (const Py& item11 : items(d.attr("_parameters").attr("items")())) {
        const Var n, p;
        const std::vector<Py> parts12 = unpack(item11, 2);
        n = Py(parts12[0]);
        p = Py(parts12[1]);
        values10.push_back(
            Py(tuple({n, (static_cast<bool>(Py(is(p, Py()))) ? Py(Py()) : Py(builtin("tuple")(p.attr("shape"))))}))
                .value());
      }
    }));
  });
  EXPECT_EQ(outcome.out, R"(MultiheadAttention(
  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
)
[('in_proj_weight', (12, 4)), ('in_proj_bias', (12,)), ('out_proj.weight', (4, 4)), ('out_proj.bias', (4,))]
torch.Size([3, 2, 4]) torch.Size([2, 3, 3])
torch.Size([3, 2, 4]) None
torch.Size([2, 2, 3, 3])
['in_proj_weight', 'out_proj.weight'] torch.Size([3, 2, 4])
[('q_proj_weight', (4, 4)), ('k_proj_weight', (4, 3)), ('v_proj_weight', (4, 5)), ('in_proj_weight', None), ('in_proj_bias', (12,))]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, MultiheadAttentionWeightsAreUniformForEqualInputs) {
  const Outcome outcome = run([] {
    const Var show_, m, p, x, out_, w, causal;
    show_ = show();
    m = Py(nn("MultiheadAttention")({Py(2), Py(1)}));
    for (const Py& item1 : items(m.attr("parameters")())) {
      p = Py(item1);
      nn_init("constant_")({p, Py(0.5)});
    }
    x = Py(torch("ones")({Py(4), Py(1), Py(2)}));
    const std::vector<Py> parts2 = unpack(m({x, x, x}), 2);
    out_ = Py(parts2[0]);
    w = Py(parts2[1]);
    builtin("print")({show_(w.item(tuple({Py(0), Py(0)}))), show_(out_.item(tuple({slice(Py(), Py()), Py(0)})))});
    causal = Py(torch("triu")({torch("ones")({Py(4), Py(4), kw("dtype", torch("bool"))}), kw("diagonal", Py(1))}));
    const std::vector<Py> parts3 = unpack(m({x, x, x, kw("attn_mask", causal)}), 2);
    out_ = Py(parts3[0]);
    w = Py(parts3[1]);
    builtin("print")(show_(w.item(Py(0))));
  });
  EXPECT_EQ(outcome.out,
            R"([0.2500, 0.2500, 0.2500, 0.2500] [[2.0000, 2.0000], [2.0000, 2.0000], [2.0000, 2.0000], [2.0000, 2.0000]]
[[1.0000, 0.0000, 0.0000, 0.0000], [0.5000, 0.5000, 0.0000, 0.0000], [0.3333, 0.3333, 0.3333, 0.0000], [0.2500, 0.2500, 0.2500, 0.2500]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, TransformerEncoderLayer) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("TransformerEncoderLayer")({Py(4), Py(2), kw("dim_feedforward", Py(8)), kw("dropout", Py(0.0))}));
    builtin("print")(m);
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(m.attr("named_parameters")())) {
        const Var n, _;
        const std::vector<Py> parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        _ = Py(parts3[1]);
        values1.push_back(Py(n).value());
      }
    }));
    builtin("print")(m(torch("ones")({Py(3), Py(2), Py(4)})).attr("shape"));
  });
  EXPECT_EQ(outcome.out, R"(TransformerEncoderLayer(
  (self_attn): MultiheadAttention(
    (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
  )
  (linear1): Linear(in_features=4, out_features=8, bias=True)
  (dropout): Dropout(p=0.0, inplace=False)
  (linear2): Linear(in_features=8, out_features=4, bias=True)
  (norm1): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
  (norm2): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
  (dropout1): Dropout(p=0.0, inplace=False)
  (dropout2): Dropout(p=0.0, inplace=False)
)
['self_attn.in_proj_weight', 'self_attn.in_proj_bias', 'self_attn.out_proj.weight', 'self_attn.out_proj.bias', 'linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias', 'norm1.weight', 'norm1.bias', 'norm2.weight', 'norm2.bias']
torch.Size([3, 2, 4])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, TransformerDecoderLayerAndStack) {
  const Outcome outcome = run([] {
    const Var layer, dec;
    layer = Py(nn("TransformerDecoderLayer")(
        {Py(4), Py(2), kw("dim_feedforward", Py(8)), kw("dropout", Py(0.0)), kw("batch_first", Py(true))}));
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(layer.attr("named_children")())) {
        const Var n, _;
        const std::vector<Py> parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        _ = Py(parts3[1]);
        values1.push_back(Py(n).value());
      }
    }));
    dec = Py(nn("TransformerDecoder")({layer, kw("num_layers", Py(2))}));
    builtin("print")({dec({torch("ones")({Py(2), Py(3), Py(4)}), torch("ones")({Py(2), Py(5), Py(4)})}).attr("shape"),
                      Py(is(dec.attr("layers").item(Py(0)), layer)),
                      Py(is(dec.attr("layers").item(Py(0)), dec.attr("layers").item(Py(1))))});
    builtin("print")({builtin("len")(builtin("list")(dec.attr("parameters")())),
                      builtin("sum")(comprehension([&](std::vector<Value>& values4) {
                        for (const Py& item5 : items(dec.attr("parameters")())) {
                          const Var p;
                          p = Py(item5);
                          values4.push_back(Py(p.attr("numel")()).value());
                        }
                      }))});
  });
  EXPECT_EQ(
      outcome.out,
      R"(['self_attn', 'multihead_attn', 'linear1', 'dropout', 'linear2', 'norm1', 'norm2', 'norm3', 'dropout1', 'dropout2', 'dropout3']
torch.Size([2, 3, 4]) False False
36 520
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, TransformerEncoderCopiesItsLayer) {
  const Outcome outcome = run([] {
    const Var layer, enc;
    layer =
        Py(nn("TransformerEncoderLayer")({Py(4), Py(2), kw("dim_feedforward", Py(8)), kw("batch_first", Py(true))}));
    enc = Py(nn("TransformerEncoder")({layer, Py(3), kw("enable_nested_tensor", Py(false))}));
    builtin("print")(enc);
    builtin("print")({torch("equal")({enc.attr("layers").item(Py(0)).attr("linear1").attr("weight"),
                                      enc.attr("layers").item(Py(2)).attr("linear1").attr("weight")}),
                      enc.attr("norm")});
    builtin("print")({comprehension([&](std::vector<Value>& values1) {
                        for (const Py& item2 : items(enc.attr("named_children")())) {
                          const Var n, _;
                          const std::vector<Py> parts3 = unpack(item2, 2);
                          n = Py(parts3[0]);
                          _ = Py(parts3[1]);
                          values1.push_back(Py(n).value());
                        }
                      }),
                      builtin("len")(enc.attr("layers"))});
  });
  EXPECT_EQ(outcome.out, R"(TransformerEncoder(
  (layers): ModuleList(
    (0-2): 3 x TransformerEncoderLayer(
      (self_attn): MultiheadAttention(
        (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
      )
      (linear1): Linear(in_features=4, out_features=8, bias=True)
      (dropout): Dropout(p=0.1, inplace=False)
      (linear2): Linear(in_features=8, out_features=4, bias=True)
      (norm1): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
      (norm2): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
      (dropout1): Dropout(p=0.1, inplace=False)
      (dropout2): Dropout(p=0.1, inplace=False)
    )
  )
)
True None
['layers'] 3
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
