// Attention tile by tile on the GPU against the CPU.
#include "core/ops/attention_work.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

TEST(AttentionTiles, AreAsLargeAsTheSharedMemoryAllows) {
  using ops::AttentionTiles;
  const auto rows = [](std::int64_t width, std::int64_t item, std::int64_t number, std::int64_t kibibytes, auto bytes) {
    return ops::attention_tiles(width, width, item, number, kibibytes * 1024, bytes).rows;
  };
  constexpr auto kForward = &AttentionTiles::forward_bytes, kBackward = &AttentionTiles::backward_bytes;
  EXPECT_EQ(rows(64, 2, 4, 163, kForward), 64);
  EXPECT_EQ(rows(128, 2, 4, 163, kForward), 64) << "heads of 128 in bfloat16 on an A100";
  EXPECT_EQ(rows(128, 2, 4, 227, kBackward), 64) << "and their gradients on an H100";
  EXPECT_EQ(rows(128, 2, 4, 163, kBackward), 32);
  EXPECT_GE(rows(256, 4, 4, 163, kBackward), 16);
  EXPECT_EQ(rows(256, 8, 8, 48, kForward), 0) << "no tile fits";
  const AttentionTiles odd = ops::attention_tiles(33, 1, 2, 4, 1 << 20, kForward);
  EXPECT_EQ(odd.width, 48);
  EXPECT_EQ(odd.value_width, 16);
}

class CudaAttention : public CudaOpFixture {
 protected:
  void check_attention(const Arguments& args, const std::string& what) {
    check(OpId::flash_attention, args, what, 16);
    if (HasFatalFailure()) return;
    // The gradients, of what the CPU gives.
    const DType dtype = args[0].as<Tensor>()->dtype();
    const auto made = ops::call_op(in, OpId::flash_attention, args);
    ASSERT_TRUE(made.ok()) << made.error().message();
    const object::Tuple& both = *made.value().as<object::Tuple>();
    const Value grad(random(both[0].as<Tensor>()->shape(), dtype));
    check(OpId::flash_attention_backward,
          {grad, args[0], args[1], args[2], both[0], both[1], Value(0.0), args[4], args[5], args[6]}, what, 32);
  }
};

TEST_F(CudaAttention, Agrees) {
  struct Sizes {
    Dims batch;
    std::int64_t queries, keys, width, value_width;
  };
  const std::vector<Sizes> sizes = {{{}, 1, 1, 1, 1},        {{2}, 5, 7, 8, 8},        {{2, 3}, 17, 33, 16, 5},
                                    {{1, 2}, 70, 70, 9, 16}, {{2}, 3, 130, 33, 32},    {{1}, 4, 4, 0, 0},
                                    {{0, 2}, 4, 4, 8, 8},    {{2}, 0, 4, 8, 8},        {{1}, 40, 20, 64, 64},
                                    {{1}, 140, 200, 64, 40}, {{1}, 132, 136, 128, 72}, {{1}, 20, 24, 128, 128}};
  for (const Sizes& size : sizes) {
    if (size.width == 0) continue;
    const auto shape = [&](std::int64_t rows, std::int64_t columns) {
      std::vector<std::int64_t> dims(size.batch.begin(), size.batch.end());
      dims.push_back(rows);
      dims.push_back(columns);
      return Dims(dims);
    };
    for (const DType dtype : kFloats) {
      // Of the kernels by tensor cores several tiles.
      if (size.queries > 100 && tensor::item_bytes(dtype) != 2) continue;
      for (const bool is_scattered : {false, true}) {
        const auto drawn = [&](std::int64_t rows, std::int64_t columns) {
          return Value(layout(is_scattered, random(shape(rows, columns), dtype, -1, 1)));
        };
        const Value query = drawn(size.queries, size.width), key = drawn(size.keys, size.width);
        const Value value = drawn(size.keys, size.value_width);
        const std::string what = name(OpId::flash_attention, dtype, shape(size.queries, size.keys));
        const Value none;
        check_attention({query, key, value, Value(0.0), Value(is_scattered), none, none}, what + " causal or not");
        if (HasFatalFailure()) return;
        const Value seen(random(Dims({size.queries, size.keys}), DType::Bool));
        check_attention({query, key, value, Value(0.0), Value(false), seen, Value(0.3)}, what + " of some keys");
        if (HasFatalFailure()) return;
        check_attention(
            {query, key, value, Value(0.0), Value(false), Value(random(shape(size.queries, size.keys), dtype)), none},
            what + " with numbers added");
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

// The CPU's body decides by the same numbers which weights are dropped.
TEST_F(CudaAttention, DropsTheSameWeightsForwardAndBackward) {
  struct Sizes {
    std::int64_t queries, keys, width;
  };
  for (const Sizes& size : {Sizes{1, 1, 8}, Sizes{33, 41, 16}, Sizes{150, 130, 64}, Sizes{70, 90, 128}}) {
    for (const DType dtype : kFloats) {
      for (const bool is_causal : {false, true}) {
        const auto drawn = [&](std::int64_t rows) { return Value(random({1, 2, rows, size.width}, dtype, -1, 1)); };
        const Value query = drawn(size.queries), key = drawn(size.keys), value = drawn(size.keys), none;
        const Value p(0.3), seed(std::int64_t{7}), offset(std::int64_t{40});
        const Arguments args{query, key, value, p, Value(is_causal), none, none, seed, offset};
        const std::string what = name(OpId::dropped_attention, dtype, Dims({size.queries, size.keys}));
        check(OpId::dropped_attention, args, what, 16);
        if (HasFatalFailure()) return;
        const auto made = ops::call_op(in, OpId::dropped_attention, args);
        ASSERT_TRUE(made.ok()) << made.error().message();
        const object::Tuple& both = *made.value().as<object::Tuple>();
        const Value grad(random(both[0].as<Tensor>()->shape(), dtype));
        check(OpId::dropped_attention_backward,
              {grad, query, key, value, both[0], both[1], p, Value(is_causal), none, none, seed, offset}, what, 32);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaAttention, OfRowsThatSeeNothingIsZero) {
  const Value x(random({1, 6, 8}, DType::Float32));
  const Value nothing(make({6, 1}, {1, 0, 1, 0, 0, 1}, DType::Bool));
  check_attention({x, x, x, Value(0.0), Value(false), nothing, Value()}, "rows without keys");
}

using CudaAttentionPrograms = CudaProgramFixture;

TEST_F(CudaAttentionPrograms, HaveTheGradientsOfTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
from torch.nn import functional as F

def gradients(device, attend):
    torch.manual_seed(0)
    # As projections give them: the heads lie between the rows.
    parts = [torch.randn(2, 19, 4, 8).to(device).requires_grad_() for _ in range(3)]
    q, k, v = [one.transpose(1, 2) for one in parts]
    out = attend(q, k, v)
    out.square().sum().backward()
    return [out.detach().cpu()] + [one.grad.cpu() for one in parts]

def mask(q):
    torch.manual_seed(1)
    return (torch.rand(2, 1, 19, 19) > 0.3).to(q.device)

rows = [lambda q, k, v: F.scaled_dot_product_attention(q, k, v), lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask(q)), lambda q, k, v: F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k[:1], v[:1], scale=0.1), lambda q, k, v: F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0]),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask(q).float().requires_grad_())]
for i, attend in enumerate(rows):
    same = [torch.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in zip(gradients("cpu", attend), gradients("cuda", attend))]
    if not all(same):
        print(i, same)
q, k = [torch.randn(2, 2, 50, 8, device="cuda", requires_grad=True) for _ in range(2)]
v = torch.ones(2, 2, 50, 8, device="cuda", requires_grad=True)
dropped = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
again = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
print(abs(dropped.mean().item() - 1) < 0.1, torch.equal(dropped, again), dropped.grad_fn.name())
# Of values that are all ones, the gradient of a sum: what each key gave.
dropped.sum().backward()
print(abs(v.grad.sum().item() / dropped.sum().item() - 1) < 1e-3, q.grad.shape == q.shape)
wide = torch.randn(2, 3, 300)
print(torch.allclose(F.scaled_dot_product_attention(wide, wide, wide), F.scaled_dot_product_attention(*[wide.cuda()] * 3).cpu(), atol=1e-4))
)"),
            "True False ScaledDotProductFlashAttentionBackward0\nTrue True\nTrue\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
