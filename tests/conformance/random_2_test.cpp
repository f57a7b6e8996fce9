// Recorded behaviour of PyTorch, topic `random`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Random, InitialWeightsOfConvTranspose2d) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(3));
    m = Py(nn("ConvTranspose2d")({Py(2), Py(2), Py(2)}));
    show_(m.attr("weight"));
    show_(m.attr("bias"));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.350539', '-0.278905', '-0.151432', '-0.334493', '-0.020072', '-0.311045', '0.192238', '0.172321', '0.066766', '0.274256', '-0.034626', '0.211772', '-0.247600', '-0.069672', '-0.315245', '-0.028705']
['-0.229382', '0.317620']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfLinearAfterAnotherLayer) {
  const Outcome outcome = run([] {
    const Var show_, a_, b;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(7));
    a_ = Py(nn("Linear")({Py(4), Py(4)}));
    b = Py(nn("Linear")({Py(2), Py(5), kw("bias", Py(false))}));
    show_(a_.attr("weight"));
    show_(b.attr("weight"));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['0.034923', '-0.301197', '0.159212', '0.156890', '-0.267238', '-0.074939', '-0.292914', '0.129736', '-0.134684', '0.351268', '0.354943', '0.050935', '-0.213161', '-0.293681', '-0.054910', '-0.140714']
['0.541471', '-0.122792', '0.363728', '0.275556', '0.029600', '0.131849', '0.536983', '0.181852', '0.375154', '-0.546989']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfConv2d) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    m = Py(nn("Conv2d")({Py(2), Py(3), Py(3)}));
    show_(m.attr("weight"));
    show_(m.attr("bias"));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.001765', '0.126441', '-0.193994', '-0.173462', '-0.090782', '0.063205', '-0.004670', '0.186886', '-0.020917', '0.062370', '-0.071232', '-0.046331', '-0.225178', '-0.156101', '-0.097162', '0.008731', '0.093181', '0.141427', '-0.159792', '-0.102640', '0.085611', '0.195724', '-0.048508', '0.176379', '-0.037991', '0.024941', '0.213423', '-0.218654', '-0.148384', '-0.059672', '-0.091877', '0.203647', '-0.152777', '-0.108502', '-0.164671', '-0.220750', '-0.137589', '0.202609', '0.105175', '0.114238', '0.012396', '-0.120841', '0.039877', '-0.220074', '-0.170310', '-0.121512', '0.148713', '0.138197', '-0.104533', '-0.008505', '0.150746', '0.234319', '0.093546', '0.031842']
['0.158035', '-0.138782', '0.043922']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, SavingAndRestoringTheRandomState) {
  const Outcome outcome = run([] {
    const Var show_, s, a_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(1));
    s = Py(torch("get_rng_state")());
    a_ = Py(torch("rand")(Py(4)));
    torch("set_rng_state")(s);
    builtin("print")(torch("equal")({a_, torch("rand")(Py(4))}));
    builtin("print")({s.attr("dtype"), s.attr("numel")()});
  });
  EXPECT_EQ(outcome.out, R"(True
torch.uint8 5056
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfGRUWithTwoLayersBothDirections) {
  const Outcome outcome = run([] {
    const Var show_, m, n, p;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(5));
    m = Py(nn("GRU")({Py(2), Py(1), kw("num_layers", Py(2)), kw("bidirectional", Py(true))}));
    for (const Py& item3 : items(m.attr("named_parameters")())) {
      const std::vector<Py> parts4 = unpack(item3, 2);
      n = Py(parts4[0]);
      p = Py(parts4[1]);
      builtin("print")(n);
      show_(p);
    }
  });
  EXPECT_EQ(outcome.out, R"(weight_ih_l0
['0.660504', '-0.747778', '0.814939', '0.639854', '0.840207', '-0.766710']
weight_hh_l0
['-0.671217', '0.475839', '-0.933471']
bias_ih_l0
['0.988369', '0.212857', '0.129143']
bias_hh_l0
['-0.855176', '0.318678', '0.430012']
weight_ih_l0_reverse
['0.158655', '0.961854', '0.300317', '-0.886732', '0.840223', '0.339530']
weight_hh_l0_reverse
['-0.477054', '-0.918570', '0.570072']
bias_ih_l0_reverse
['0.950323', '-0.819311', '0.054651']
bias_hh_l0_reverse
['0.358772', '-0.472239', '-0.218807']
weight_ih_l1
['-0.667730', '-0.472768', '-0.911667', '-0.023176', '0.592926', '0.486373']
weight_hh_l1
['0.939408', '-0.878253', '-0.123042']
bias_ih_l1
['0.973630', '0.163749', '-0.281998']
bias_hh_l1
['-0.900610', '0.465344', '0.759172']
weight_ih_l1_reverse
['0.801874', '0.837159', '0.195777', '0.712738', '-0.251715', '0.812119']
weight_hh_l1_reverse
['-0.085558', '-0.206218', '-0.497088']
bias_ih_l1_reverse
['0.532431', '0.404605', '0.636082']
bias_hh_l1_reverse
['-0.639068', '-0.531700', '0.946324']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, DropoutMasks) {
  const Outcome outcome = run([] {
    const Var show_, d, x;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    d = Py(nn("Dropout")(Py(0.5)));
    x = Py(torch("ones")(Py(20)));
    show_(d(x));
    show_(d(x));
    show_(imported("torch.nn.functional", "dropout")({torch("ones")(Py(10)), Py(0.1), Py(true)}));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['0.000000', '0.000000', '2.000000', '0.000000', '0.000000', '0.000000', '2.000000', '2.000000', '0.000000', '2.000000', '2.000000', '2.000000', '2.000000', '0.000000', '2.000000', '2.000000', '2.000000', '2.000000', '0.000000', '0.000000']
['2.000000', '0.000000', '2.000000', '0.000000', '2.000000', '0.000000', '0.000000', '0.000000', '0.000000', '2.000000', '0.000000', '0.000000', '2.000000', '2.000000', '2.000000', '0.000000', '0.000000', '2.000000', '0.000000', '2.000000']
['1.111111', '1.111111', '1.111111', '1.111111', '1.111111', '1.111111', '1.111111', '1.111111', '0.000000', '1.111111']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitialWeightsOfLSTM) {
  const Outcome outcome = run([] {
    const Var show_, m, n, p;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    m = Py(nn("LSTM")({Py(2), Py(2)}));
    for (const Py& item3 : items(m.attr("named_parameters")())) {
      const std::vector<Py> parts4 = unpack(item3, 2);
      n = Py(parts4[0]);
      p = Py(parts4[1]);
      builtin("print")(n);
      show_(p);
    }
  });
  EXPECT_EQ(outcome.out, R"(weight_ih_l0
['-0.005294', '0.379323', '-0.581981', '-0.520387', '-0.272345', '0.189616', '-0.014010', '0.560658', '-0.062752', '0.187109', '-0.213697', '-0.138993', '-0.675533', '-0.468304', '-0.291486', '0.026194']
weight_hh_l0
['0.279544', '0.424280', '-0.479377', '-0.307919', '0.256833', '0.587173', '-0.145523', '0.529136', '-0.113974', '0.074822', '0.640268', '-0.655962', '-0.445151', '-0.179015', '-0.275630', '0.610941']
bias_ih_l0
['-0.458332', '-0.325504', '-0.494013', '-0.662249', '-0.412767', '0.607828', '0.315524', '0.342715']
bias_hh_l0
['0.037188', '-0.362522', '0.119632', '-0.660222', '-0.510931', '-0.364535', '0.446140', '0.414592']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, InitXavierUniformWithASeed) {
  const Outcome outcome = run([] {
    const Var show_, w;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    w = Py(torch("empty")({Py(4), Py(5)}));
    nn_init("xavier_uniform_")(w);
    show_(w);
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-0.0061', '0.4380', '-0.6720', '-0.6009', '-0.3145', '0.2189', '-0.0162', '0.6474', '-0.0725', '0.2161', '-0.2468', '-0.1605', '-0.7800', '-0.5408', '-0.3366', '0.0302', '0.3228', '0.4899', '-0.5535', '-0.3556']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
