// Recorded behaviour of PyTorch, topic `random`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Random, InitKaimingNormalWithASeed) {
  const Outcome outcome = run([] {
    const Var show_, w;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    w = Py(torch("empty")({Py(4), Py(5)}));
    nn_init("kaiming_normal_")({w, kw("mode", Py("fan_out"))});
    show_(w);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.7961', '-0.8148', '-0.1772', '-0.3068', '0.4234', '-1.0996', '-0.2414', '1.3103', '0.3310', '-0.1115', '1.0208', '0.1881', '0.9824', '1.1217', '0.6691', '-0.5966', '0.6589', '0.8903', '1.4177', '0.0380']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfConv1dWithGroups) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(3));
    m = Py(nn("Conv1d")({Py(4), Py(4), Py(3), kw("groups", Py(2))}));
    show_(m.attr("weight"));
    show_(m.attr("bias"));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.404767', '-0.322051', '-0.174859', '-0.386240', '-0.023177', '-0.359164', '0.221978', '0.198980', '0.077095', '0.316684', '-0.039983', '0.244533', '-0.285904', '-0.080450', '-0.364013', '-0.033145', '-0.264867', '0.366756', '0.283585', '0.306069', '0.121095', '-0.232899', '0.366856', '-0.398362']
['-0.260563', '-0.254979', '-0.169223', '0.081404']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfLinear) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    m = Py(nn("Linear")({Py(3), Py(2)}));
    show_(m.attr("weight"));
    show_(m.attr("bias"));
  });
  EXPECT_EQ(outcome.out, R"(['-0.004323', '0.309716', '-0.475185', '-0.424895', '-0.222369', '0.154821']
['-0.011439', '0.457775']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitSparseWithASeed) {
  const Outcome outcome = run([] {
    const Var show_, w;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    w = Py(torch("empty")({Py(4), Py(5)}));
    nn_init("sparse_")({w, kw("sparsity", Py(0.5))});
    show_(w);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.0113', '0.0000', '0.0000', '-0.0043', '0.0000', '-0.0156', '-0.0034', '0.0185', '0.0000', '-0.0016', '0.0000', '0.0027', '0.0000', '0.0000', '0.0000', '0.0000', '0.0000', '0.0126', '0.0200', '0.0005']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfEmbedding) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    m = Py(nn("Embedding")({Py(5), Py(4)}));
    show_(m.attr("weight"));
    m = Py(nn("Embedding")({Py(3), Py(2), kw("padding_idx", Py(1))}));
    show_(m.attr("weight"));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-1.1258', '-1.1524', '-0.2506', '-0.4339', '0.5988', '-1.5551', '-0.3414', '1.8530', '0.4681', '-0.1577', '1.4437', '0.2660', '1.3894', '1.5863', '0.9463', '-0.8437', '0.9318', '1.2590', '2.0050', '0.0537']
['-0.8920', '-1.5091', '0.0000', '0.0000', '0.9398', '0.7748']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfBilinear) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    m = Py(nn("Bilinear")({Py(2), Py(2), Py(2)}));
    show_(m.attr("weight"));
    show_(m.attr("bias"));
  });
  EXPECT_EQ(outcome.out,
            R"(['-0.005294', '0.379323', '-0.581981', '-0.520387', '-0.272345', '0.189616', '-0.014010', '0.560658']
['-0.062752', '0.187109']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitTruncNormalWithASeed) {
  const Outcome outcome = run([] {
    const Var show_, w;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    w = Py(torch("empty")({Py(4), Py(5)}));
    nn_init("trunc_normal_")({w, kw("std", Py(0.5)), kw("a", Py(-0.6)), kw("b", Py(0.6))});
    show_(w);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.5629', '-0.5762', '-0.1253', '-0.2169', '0.2994', '-0.2252', '-0.1707', '-0.2777', '0.2340', '-0.0789', '0.2537', '0.1330', '-0.1828', '0.0943', '0.4731', '-0.4218', '0.4659', '-0.0969', '0.2228', '0.0269']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitNormalWithASeed) {
  const Outcome outcome = run([] {
    const Var show_, w;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    w = Py(torch("empty")({Py(4), Py(5)}));
    nn_init("normal_")({w, Py(1.0), Py(2.0)});
    show_(w);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-1.2517', '-1.3047', '0.4988', '0.1322', '2.1977', '-2.1102', '0.3173', '4.7060', '1.9362', '0.6846', '3.8873', '1.5321', '3.7787', '4.1727', '2.8926', '-0.6874', '2.8637', '3.5180', '5.0100', '1.1075']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, FiveStepsOfSGDFromSeededWeights) {
  const Outcome outcome = run([] {
    const Var show_, m, o, x, y, i, l;
    show_ = show_items(".5f");
    torch("manual_seed")(Py(0));
    m = Py(nn("Sequential")({nn("Linear")({Py(2), Py(8)}), nn("Tanh")(), nn("Linear")({Py(8), Py(1)})}));
    o = Py(imported("torch.optim", "SGD")({m.attr("parameters")(), kw("lr", Py(0.1))}));
    x = Py(torch("randn")({Py(6), Py(2)}));
    y = Py(torch("randn")({Py(6), Py(1)}));
    for (const Py& item3 : items(builtin("range")(Py(5)))) {
      i = Py(item3);
      o.attr("zero_grad")();
      l = Py(binary("**", binary("-", m(x), y), Py(2)).attr("mean")());
      l.attr("backward")();
      o.attr("step")();
      builtin("print")(Py(std::string() + format_value(l.attr("item")(), std::string() + ".5f")));
    }
  });
  EXPECT_EQ(outcome.out, R"(1.83472
1.59115
1.42263
1.28236
1.15767
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
