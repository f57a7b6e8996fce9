// The recorded training of a small GPT on characters (char_gpt.py), translated line by line: with PyTorch's random
// numbers its losses are PyTorch's.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "tests/conformance/py.h"
#include "tests/support/files.h"

namespace nns::py {
namespace {

TEST(Training, CharGptLosesAsInPyTorch) {
  const auto folder = tests::test_data_folder();
  if (!folder) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with a text to learn";
  std::ifstream file(*folder / "datasets" / "text" / "tinyshakespeare.txt", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_EQ(text.size(), 1115394U);
  const Outcome outcome = run([&] {
    const Var BLOCK, BATCH, DIM, HEADS, LAYERS, Attention, Block, CharGPT, data, model, optimizer, step, at, x, y, loss;
    BLOCK = Py(Py(32));
    BATCH = Py(Py(16));
    DIM = Py(Py(64));
    HEADS = Py(Py(4));
    LAYERS = Py(Py(2));
    Attention = make_class("Attention", {nn("Module")});
    def_method(Attention, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Attention, self, "__init__")();
      self.set("qkv", nn("Linear")({DIM, binary("*", Py(3), DIM)}));
      self.set("proj", nn("Linear")({DIM, DIM}));
      self.attr("register_buffer")(
          {Py("mask"), torch("tril")(torch("ones")({BLOCK, BLOCK})).attr("view")({Py(1), Py(1), BLOCK, BLOCK})});
      return {};
    });
    def_method(Attention, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x_ = a[1];
      const Var b, t, d, q, k, v, a_, y_;
      const std::vector<Py> parts1 = unpack(x_.attr("shape"), 3);
      b = Py(parts1[0]);
      t = Py(parts1[1]);
      d = Py(parts1[2]);
      const std::vector<Py> parts4 =
          unpack(comprehension([&](std::vector<Value>& values2) {
                   for (const Py& item3 : items(self.attr("qkv")(x_).attr("split")({d, kw("dim", Py(2))}))) {
                     const Var part;
                     part = Py(item3);
                     values2.push_back(
                         Py(part.attr("view")({b, t, HEADS, binary("//", d, HEADS)}).attr("transpose")({Py(1), Py(2)}))
                             .value());
                   }
                 }),
                 3);
      q = Py(parts4[0]);
      k = Py(parts4[1]);
      v = Py(parts4[2]);
      a_ = Py(binary("/", binary("@", q, k.attr("transpose")({Py(-2), Py(-1)})),
                     Py(std::sqrt(static_cast<double>(binary("//", d, HEADS).value().as_int())))));
      a_ = Py(a_.attr("masked_fill")(
          {binary("==",
                  self.attr("mask").item(tuple({slice(Py(), Py()), slice(Py(), Py()), slice(Py(), t), slice(Py(), t)})),
                  Py(0)),
           Py(-std::numeric_limits<double>::infinity())}));
      y_ = Py(binary("@", imported("torch.nn.functional", "softmax")({a_, kw("dim", Py(-1))}), v));
      return Py(self.attr("proj")(y_.attr("transpose")({Py(1), Py(2)}).attr("contiguous")().attr("view")({b, t, d})));
    });
    Block = make_class("Block", {nn("Module")});
    def_method(Block, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Block, self, "__init__")();
      const std::vector<Py> parts5 = unpack(tuple({nn("LayerNorm")(DIM), Attention()}), 2);
      self.set("ln1", parts5[0]);
      self.set("attn", parts5[1]);
      self.set("ln2", nn("LayerNorm")(DIM));
      self.set("mlp", nn("Sequential")({nn("Linear")({DIM, binary("*", Py(4), DIM)}), nn("GELU")(),
                                        nn("Linear")({binary("*", Py(4), DIM), DIM})}));
      return {};
    });
    def_method(Block, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x_ = a[1];
      x_ = Py(binary("+", x_, self.attr("attn")(self.attr("ln1")(x_))));
      return Py(binary("+", x_, self.attr("mlp")(self.attr("ln2")(x_))));
    });
    CharGPT = make_class("CharGPT", {nn("Module")});
    def_method(CharGPT, "__init__", {"self", "vocab"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var vocab = a[1];
      super_attr(CharGPT, self, "__init__")();
      const std::vector<Py> parts6 = unpack(tuple({nn("Embedding")({vocab, DIM}), nn("Embedding")({BLOCK, DIM})}), 2);
      self.set("tok", parts6[0]);
      self.set("pos", parts6[1]);
      self.set("blocks", nn("ModuleList")(comprehension([&](std::vector<Value>& values7) {
                 for (const Py& item8 : items(builtin("range")(LAYERS))) {
                   static_cast<void>(item8);
                   values7.push_back(Py(Block()).value());
                 }
               })));
      const std::vector<Py> parts9 =
          unpack(tuple({nn("LayerNorm")(DIM), nn("Linear")({DIM, vocab, kw("bias", Py(false))})}), 2);
      self.set("ln", parts9[0]);
      self.set("head", parts9[1]);
      return {};
    });
    def_method(CharGPT, "forward", {"self", "idx", "targets"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var idx = a[1];
      const Var targets = a[2];
      const Var x_, block, logits;
      x_ = Py(binary("+", self.attr("tok")(idx), self.attr("pos")(torch("arange")(idx.attr("shape").item(Py(1))))));
      for (const Py& item10 : items(self.attr("blocks"))) {
        block = Py(item10);
        x_ = Py(block(x_));
      }
      logits = Py(self.attr("head")(self.attr("ln")(x_)));
      return Py(imported("torch.nn.functional", "cross_entropy")(
          {logits.attr("view")({Py(-1), logits.attr("size")(Py(-1))}), targets.attr("view")(Py(-1))}));
    });
    // The number of each character among those that occur.
    std::set<char> chars(text.begin(), text.end());
    data = Py(torch("tensor")(comprehension([&](std::vector<Value>& values) {
      for (const char c : text)
        values.emplace_back(static_cast<std::int64_t>(std::distance(chars.begin(), chars.find(c))));
    })));
    torch("manual_seed")(Py(1337));
    model = Py(CharGPT(Py(static_cast<std::int64_t>(chars.size()))));
    optimizer = Py(imported("torch.optim", "AdamW")({model.attr("parameters")(), kw("lr", Py(0.001))}));
    builtin("print")(builtin("sum")(comprehension([&](std::vector<Value>& values16) {
      for (const Py& item17 : items(model.attr("parameters")())) {
        const Var p;
        p = Py(item17);
        values16.push_back(Py(p.attr("numel")()).value());
      }
    })));
    for (const Py& item18 : items(builtin("range")(Py(100)))) {
      step = Py(item18);
      at = Py(torch("randint")({binary("-", builtin("len")(data), BLOCK), tuple({BATCH})}));
      x = Py(torch("stack")(comprehension([&](std::vector<Value>& values19) {
        for (const Py& item20 : items(at)) {
          const Var i;
          i = Py(item20);
          values19.push_back(Py(data.item(slice(i, binary("+", i, BLOCK)))).value());
        }
      })));
      y = Py(torch("stack")(comprehension([&](std::vector<Value>& values21) {
        for (const Py& item22 : items(at)) {
          const Var i;
          i = Py(item22);
          values21.push_back(
              Py(data.item(slice(binary("+", i, Py(1)), binary("+", binary("+", i, Py(1)), BLOCK)))).value());
        }
      })));
      loss = Py(model({x, y}));
      optimizer.attr("zero_grad")(kw("set_to_none", Py(true)));
      loss.attr("backward")();
      optimizer.attr("step")();
      builtin("print")({step, loss.attr("item")()});
    }
  });
  ASSERT_EQ(outcome.error, "");
  // Recorded: step and loss. The first ones agree to the digits that are printed; later ones drift with rounding.
  constexpr std::pair<int, double> kRecorded[] = {
      {0, 4.4445},  {1, 4.3233},  {2, 4.2159},  {3, 4.0971},  {4, 4.1066},  {5, 3.9904},  {6, 3.9199},
      {7, 3.8382},  {8, 3.7493},  {9, 3.7249},  {10, 3.6692}, {11, 3.5615}, {12, 3.5619}, {13, 3.4686},
      {14, 3.4123}, {15, 3.3542}, {16, 3.3209}, {17, 3.4216}, {18, 3.4544}, {19, 3.3506}, {99, 2.5846}};
  std::istringstream lines(outcome.out);
  std::string parameters;
  std::getline(lines, parameters);
  EXPECT_EQ(parameters, "110464");
  std::size_t next = 0;
  int step = 0;
  double loss = 0;
  while (lines >> step >> loss) {
    if (next == std::size(kRecorded) || step != kRecorded[next].first) continue;
    EXPECT_NEAR(loss, kRecorded[next].second, step < 20 ? 0.0002 : 0.02) << "step " << step;
    ++next;
  }
  EXPECT_EQ(next, std::size(kRecorded));
}

}  // namespace
}  // namespace nns::py
