// Recorded behaviour of PyTorch, topic `random`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Random, GeneratorObjects) {
  const Outcome outcome = run([] {
    const Var show_, g;
    show_ = show_items(".6f");
    g = Py(torch("Generator")().attr("manual_seed")(Py(3)));
    builtin("print")(g.attr("initial_seed")());
    show_(torch("rand")({Py(3), kw("generator", g)}));
    show_(torch("rand")({Py(3), kw("generator", g)}));
    g.attr("manual_seed")(Py(3));
    show_(torch("rand")({Py(3), kw("generator", g)}));
  });
  EXPECT_EQ(outcome.out, R"(3
['0.004264', '0.105569', '0.285842']
['0.026955', '0.471614', '0.060116']
['0.004264', '0.105569', '0.285842']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnFrom16NumbersOnWithSeed1) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(1));
    show_(torch("randn")(Py(16)));
    show_(torch("randn")(Py(17)));
    show_(torch("randn")(Py(40)));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-1.5256', '-0.7502', '-0.6540', '-1.6095', '-0.1002', '-0.6092', '-0.9798', '-1.6091', '-0.7121', '0.3037', '-0.7773', '-0.2515', '-0.2223', '1.6871', '0.2284', '0.4676']
['-0.6970', '-0.0721', '0.1578', '-0.7735', '0.1991', '0.0457', '0.1530', '-0.4757', '-1.8821', '0.2927', '-0.1578', '-0.0288', '2.3571', '-1.0373', '1.5748', '-0.6298', '2.4070']
['0.5451', '0.0663', '-0.4370', '0.7626', '0.4415', '1.1651', '2.0154', '0.2152', '0.9386', '-0.1860', '-0.6446', '1.5392', '-0.8696', '-3.3312', '-0.7479', '1.1173', '-1.0233', '-0.5962', '-1.0055', '-0.2106', '-0.0075', '1.6734', '0.0103', '0.9837', '-1.4746', '-0.3416', '-0.3003', '1.3075', '-1.1628', '0.1196', '-0.1631', '0.6614', '-0.9301', '1.4301', '0.4208', '-0.3538', '0.7639', '-0.5890', '-0.7636', '1.3352']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnBelow16NumbersWithSeed0) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    show_(torch("randn")(Py(1)));
    show_(torch("randn")(Py(2)));
    show_(torch("randn")(Py(3)));
    show_(torch("randn")(Py(15)));
  });
  EXPECT_EQ(outcome.out, R"(['1.540996']
['-0.293429', '-2.178789']
['0.568431', '-1.084522', '-1.398595']
['0.403347', '0.838026', '-0.719258', '-0.403344', '-0.596635', '0.182036', '-0.856675', '1.100604', '-1.071187', '0.122701', '-0.566317', '0.373115', '-0.891995', '-1.509108', '0.370394']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnBelow16NumbersWithSeed2147483653) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(std::int64_t{2147483653}));
    show_(torch("randn")(Py(1)));
    show_(torch("randn")(Py(2)));
    show_(torch("randn")(Py(3)));
    show_(torch("randn")(Py(15)));
  });
  EXPECT_EQ(outcome.out, R"(['0.500736']
['-0.356022', '-0.116403']
['1.639818', '1.345562', '-1.027457']
['0.921214', '-0.631148', '0.159819', '-1.381981', '-1.659938', '-1.404220', '0.417878', '-0.421310', '-0.084286', '2.070491', '-0.490519', '1.498194', '1.321047', '1.213897', '0.854844']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandWithSeed0) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    show_(torch("rand")(Py(5)));
    show_(torch("rand")({Py(3), Py(2)}));
    show_(torch("rand")(Py(17)));
  });
  EXPECT_EQ(outcome.out, R"(['0.496257', '0.768222', '0.088477', '0.132030', '0.307423']
['0.634079', '0.490093', '0.896445', '0.455628', '0.632306', '0.348893']
['0.401717', '0.022326', '0.168859', '0.293888', '0.518522', '0.697668', '0.800011', '0.161029', '0.282269', '0.681609', '0.915194', '0.397100', '0.874156', '0.419408', '0.552907', '0.952738', '0.036165']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandInFloat64) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    show_(torch("rand")({Py(4), kw("dtype", torch("float64"))}));
    show_(torch("randn")({Py(3), kw("dtype", torch("float64"))}));
  });
  EXPECT_EQ(outcome.out, R"(['0.970053', '0.707820', '0.459383', '0.920748']
['-1.084522', '-1.398595', '0.403347']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandpermWithSeed42) {
  const Outcome outcome = run([] {
    const Var show_, n;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(42));
    for (const Py& item3 : items(tuple({Py(1), Py(2), Py(5), Py(10), Py(37)}))) {
      n = Py(item3);
      builtin("print")(torch("randperm")(n).attr("tolist")());
    }
  });
  EXPECT_EQ(outcome.out, R"([0]
[0, 1]
[2, 1, 3, 0, 4]
[5, 8, 6, 3, 9, 1, 0, 4, 2, 7]
[5, 0, 22, 30, 10, 7, 18, 33, 4, 12, 6, 16, 28, 2, 3, 14, 25, 17, 9, 26, 1, 20, 36, 21, 34, 31, 19, 29, 27, 13, 8, 15, 35, 32, 24, 11, 23]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnFrom16NumbersOnWithSeed0) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(0));
    show_(torch("randn")(Py(16)));
    show_(torch("randn")(Py(17)));
    show_(torch("randn")(Py(40)));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['-1.1258', '-1.1524', '-0.2506', '-0.4339', '0.8487', '0.6920', '-0.3160', '-2.1152', '0.3223', '-1.2633', '0.3500', '0.3081', '0.1198', '1.2377', '1.1168', '-0.2473']
['-1.3527', '0.0316', '-0.4927', '0.2484', '0.4397', '0.1124', '0.6408', '0.4412', '-0.2159', '0.7924', '-0.2897', '0.0525', '0.5229', '2.3022', '-1.4689', '-1.5867', '1.2032']
['0.8728', '1.0554', '0.1778', '-0.2303', '-0.3918', '0.5433', '-0.3952', '0.2055', '0.7440', '1.5210', '3.4105', '-1.5312', '-1.2341', '1.8197', '-0.5515', '-1.3253', '0.9200', '1.1108', '1.2899', '-1.4782', '2.5672', '-0.4731', '0.3356', '1.5091', '-0.5344', '1.1687', '0.3945', '1.9415', '0.7915', '-0.0203', '-0.4372', '1.6459', '-0.4127', '0.9663', '1.6248', '-0.3656', '-1.3024', '0.0994', '0.4418', '0.2469']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandWithSeed1) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(1));
    show_(torch("rand")(Py(5)));
    show_(torch("rand")({Py(3), Py(2)}));
    show_(torch("rand")(Py(17)));
  });
  EXPECT_EQ(outcome.out, R"(['0.757632', '0.279311', '0.403069', '0.734684', '0.029282']
['0.799859', '0.397137', '0.754372', '0.569508', '0.438778', '0.638680']
['0.524666', '0.682614', '0.305149', '0.463546', '0.454986', '0.572472', '0.498003', '0.937083', '0.655595', '0.313797', '0.198019', '0.416192', '0.284330', '0.339776', '0.523941', '0.798064', '0.771768']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandpermWithSeed1) {
  const Outcome outcome = run([] {
    const Var show_, n;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(1));
    for (const Py& item3 : items(tuple({Py(1), Py(2), Py(5), Py(10), Py(37)}))) {
      n = Py(item3);
      builtin("print")(torch("randperm")(n).attr("tolist")());
    }
  });
  EXPECT_EQ(outcome.out, R"([0]
[1, 0]
[4, 1, 0, 2, 3]
[3, 0, 7, 1, 4, 8, 2, 5, 9, 6]
[4, 1, 29, 26, 6, 25, 14, 10, 12, 2, 5, 13, 36, 33, 35, 19, 30, 11, 0, 34, 18, 22, 16, 31, 24, 27, 3, 8, 17, 7, 28, 15, 20, 23, 9, 32, 21]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandpermWithSeed2147483653) {
  const Outcome outcome = run([] {
    const Var show_, n;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(std::int64_t{2147483653}));
    for (const Py& item3 : items(tuple({Py(1), Py(2), Py(5), Py(10), Py(37)}))) {
      n = Py(item3);
      builtin("print")(torch("randperm")(n).attr("tolist")());
    }
  });
  EXPECT_EQ(outcome.out, R"([0]
[1, 0]
[2, 0, 4, 1, 3]
[4, 7, 0, 6, 8, 9, 5, 2, 3, 1]
[14, 12, 35, 34, 26, 25, 30, 10, 17, 5, 9, 33, 24, 19, 13, 21, 8, 4, 27, 0, 1, 32, 6, 2, 23, 31, 11, 29, 36, 20, 16, 7, 18, 28, 15, 22, 3]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnBelow16NumbersWithSeed1) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(1));
    show_(torch("randn")(Py(1)));
    show_(torch("randn")(Py(2)));
    show_(torch("randn")(Py(3)));
    show_(torch("randn")(Py(15)));
  });
  EXPECT_EQ(outcome.out, R"(['0.661352']
['0.266924', '0.061677']
['0.621317', '-0.451906', '-0.166130']
['-1.522768', '0.381684', '-1.027609', '-0.563053', '-0.892291', '-0.058250', '-0.195510', '-0.965636', '0.422415', '0.267317', '-0.421195', '-0.510700', '-1.572665', '-0.123248', '3.586989']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, BernoulliAndMultinomial) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(0));
    builtin("print")(torch("bernoulli")(torch("full")({tuple({Py(12)}), Py(0.3)})).attr("tolist")());
    builtin("print")(torch("multinomial")({torch("tensor")(list({Py(0.1), Py(0.2), Py(0.3), Py(0.4)})), Py(10),
                                           kw("replacement", Py(true))})
                         .attr("tolist")());
    builtin("print")(
        torch("multinomial")({torch("tensor")(list({Py(0.1), Py(0.2), Py(0.3), Py(0.4)})), Py(3)}).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
[1, 2, 2, 1, 2, 1, 2, 3, 2, 2]
[1, 2, 3]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnBelow16NumbersWithSeed42) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".6f");
    torch("manual_seed")(Py(42));
    show_(torch("randn")(Py(1)));
    show_(torch("randn")(Py(2)));
    show_(torch("randn")(Py(3)));
    show_(torch("randn")(Py(15)));
  });
  EXPECT_EQ(outcome.out, R"(['0.336690']
['0.128809', '0.234462']
['0.230333', '-1.122856', '-0.186328']
['2.208201', '-0.637997', '0.461657', '0.267351', '0.534905', '0.809357', '1.110290', '-1.689799', '-0.988960', '0.957972', '1.322135', '0.817190', '-0.765839', '-0.750622', '1.352548']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Random, RandnFrom16NumbersOnWithSeed42) {
  const Outcome outcome = run([] {
    const Var show_;
    show_ = show_items(".4f");
    torch("manual_seed")(Py(42));
    show_(torch("randn")(Py(16)));
    show_(torch("randn")(Py(17)));
    show_(torch("randn")(Py(40)));
  });
  EXPECT_EQ(
      outcome.out,
      R"(['1.9269', '1.4873', '0.9007', '-2.1055', '0.6784', '-1.2345', '-0.0431', '-1.6047', '-0.7521', '1.6487', '-0.3925', '-1.4036', '-0.7279', '-0.5594', '-0.7688', '0.7624']
['1.6423', '-0.8712', '-0.2234', '1.7174', '0.3189', '-0.4245', '0.3057', '-0.7746', '0.0349', '0.9956', '-0.8798', '-0.6011', '-1.2742', '2.1228', '-1.2347', '-0.4879', '-1.4181']
['-0.6581', '0.0780', '0.5258', '-0.4880', '1.1914', '-0.8140', '-0.7360', '-0.8371', '0.0360', '-0.0635', '0.6756', '-0.0978', '1.8446', '-1.1845', '1.3835', '-1.2024', '0.8564', '2.2181', '0.5232', '0.3466', '-0.1973', '-1.0546', '1.2780', '0.1453', '-0.7106', '-0.6021', '0.9604', '0.4048', '-1.3543', '-0.4976', '0.4747', '-2.5095', '1.2683', '1.2243', '0.0981', '1.7423', '-1.3527', '0.2191', '0.5526', '-0.1853']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
