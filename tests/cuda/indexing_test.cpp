// Items at places that tensors name, running sums and triangles on the GPU against the CPU.
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

class CudaIndexing : public CudaOpFixture {
 protected:
  Value places(const Dims& shape, std::int64_t below, DType dtype = DType::Int64) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
      values.push_back(static_cast<double>(source() % static_cast<std::uint32_t>(below)));
    }
    return Value(make(shape, values, dtype));
  }
  /// x[indices], and what is put there and added there.
  void check_indexing(const Value& x, const Value& indices, const Value& dims, DType dtype) {
    const std::string what = name(OpId::index, dtype, x.as<Tensor>()->shape());
    const auto call_on = [&](tensor::Device device, OpId id, std::vector<Value> rest) {
      const bool is_there = device == tensor::Device::Cuda;
      const auto put = [&](const Value& value) { return is_there ? Value(moved(*value.as<Tensor>())) : value; };
      std::vector<Value> own;
      for (const Value& one : indices.as<object::Tuple>()->items()) own.push_back(put(one));
      Arguments args = {put(x), Value(in.tuple(std::move(own))), dims};
      for (const Value& one : rest) args.push_back(one.as<Tensor>() != nullptr ? put(one) : one);
      poison();
      const auto made = ops::call_op(in, id, args);
      EXPECT_TRUE(made.ok()) << what << ": " << made.error().message();
      return made.ok() ? shown(*made.value().as<Tensor>()) : Numbers();
    };
    const auto same = [&](OpId id, const std::vector<Value>& rest) {
      expect_close(call_on(tensor::Device::Cuda, id, rest), call_on(tensor::Device::Cpu, id, rest),
                   4 * tolerance(dtype), what);
    };
    same(OpId::index, {});
    const auto shape = ops::call_op(in, OpId::index, {x, indices, dims}).value().as<Tensor>()->shape();
    // One value for all: which of several stays is not said.
    same(OpId::index_put, {Value(random({}, dtype)), Value(false)});
    if (tensor::is_floating(dtype)) same(OpId::index_put, {Value(random(shape, dtype, 0.5, 1)), Value(true)});
  }
};

const std::vector<DType> kMoved = {DType::Float32, DType::BFloat16, DType::Float64, DType::Int64, DType::UInt8};

TEST_F(CudaIndexing, GatheringAndScatteringAgree) {
  for (const DType dtype : kMoved) {
    for (const bool is_scattered : {false, true}) {
      const Value x(layout(is_scattered, random({5, 7, 3}, dtype))),
          given(layout(is_scattered, random({4, 9, 3}, dtype)));
      const DType index_dtype = is_scattered ? DType::Int32 : DType::Int64;
      const Value index = places({4, 9, 2}, 7, index_dtype);
      check(OpId::gather, {x, Value(1), index}, name(OpId::gather, dtype, {5, 7, 3}));
      check(OpId::index_select, {x, Value(-1), places({8}, 3, index_dtype)},
            name(OpId::index_select, dtype, {5, 7, 3}));
      // Every place once: which of several stays is not said.
      Numbers order = {3, 0, 6, 1, 5};
      const Value once(make({1, 5, 1}, order, index_dtype));
      check(OpId::scatter, {x, Value(1), once, given}, name(OpId::scatter, dtype, {5, 7, 3}));
      if (HasFatalFailure()) return;
    }
  }
  const Value item(random({}, DType::Float32)), zero(make({}, {0}, DType::Int64));
  check(OpId::gather, {item, Value(0), zero}, "an item");
  check(OpId::index_select, {item, Value(0), zero}, "an item");
  check(OpId::gather, {Value(random({3, 4}, DType::Float32)), Value(0), places({0, 4}, 3)}, "nothing");
  expect_no_fallback();
}

TEST_F(CudaIndexing, SumsAtPlacesAgree) {
  for (const DType dtype : kFloats) {
    for (const bool is_scattered : {false, true}) {
      const Value x(layout(is_scattered, random({5, 7, 3}, dtype)));
      check(OpId::scatter_add,
            {x, Value(1), places({4, 90, 2}, 7), Value(layout(is_scattered, random({4, 90, 3}, dtype)))},
            name(OpId::scatter_add, dtype, {5, 7, 3}), 32);
      check(OpId::index_add,
            {x, Value(1), places({70}, 7), Value(random({5, 70, 3}, dtype)), Value(is_scattered ? 1.0 : -0.5)},
            name(OpId::index_add, dtype, {5, 7, 3}), 64);
      if (HasFatalFailure()) return;
    }
  }
  check(OpId::scatter_add,
        {Value(random({4}, DType::Float32)), Value(0), places({0}, 4), Value(random({0}, DType::Float32))},
        "nothing is added");
  expect_no_fallback();
}

TEST_F(CudaIndexing, SeveralIndicesAgree) {
  const auto several = [&](std::vector<Value> indices) { return Value(in.tuple(std::move(indices))); };
  for (const DType dtype : kMoved) {
    const Value x(layout(true, random({5, 7, 3, 4}, dtype)));
    Numbers from_behind = {-1, 0, -5, 3, 2, 4};
    const Value first(make({2, 3}, from_behind, DType::Int64));
    check_indexing(x, several({first}), ints({0}), dtype);
    check_indexing(x, several({first, places({3}, 3, DType::Int32)}), ints({0, 2}), dtype);
    check_indexing(x, several({places({2, 1}, 7), places({3}, 3)}), ints({1, 2}), dtype);
    check_indexing(x, several({places({4}, 5), places({4}, 7), places({4}, 3), places({4}, 4)}), ints({0, 1, 2, 3}),
                   dtype);
    if (HasFatalFailure()) return;
  }
  expect_no_fallback();
}

TEST_F(CudaIndexing, AnIndexThatIsNotThereIsAnErrorAtTheNextReadAndTheProgramGoesOn) {
  const Value x(moved(*random({4}, DType::Float32)));
  const auto read = tensor::on_host(*made(OpId::gather, {x, Value(0), Value(moved(*make({2}, {1, 4}, DType::Int64)))}));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().type(), "AcceleratorError");
  EXPECT_NE(read.error().message().find("gather"), std::string::npos);
  EXPECT_TRUE(tensor::on_host(*made(OpId::gather, {x, Value(0), Value(moved(*make({2}, {1, 3}, DType::Int64)))})).ok());
}

TEST_F(CudaIndexing, RunningSumsAgree) {
  for (const Dims& shape :
       {Dims({}), Dims({1}), Dims({7}), Dims({3, 0}), Dims({4, 300}), Dims({5, 70, 6}), Dims({40, 270})}) {
    for (const DType dtype :
         {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int32, DType::Bool}) {
      for (const int dim : {0, -1}) {
        const Value x(layout(dim == 0, random(shape, dtype, -1, 1)));
        check(OpId::cumsum, {x, Value(dim)}, name(OpId::cumsum, dtype, shape), 16);
        if (tensor::is_floating(dtype)) {
          check(OpId::cumprod, {Value(random(shape, dtype, 0.9, 1.1)), Value(dim)}, name(OpId::cumprod, dtype, shape),
                16);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaIndexing, TrianglesAndPaddingAgree) {
  for (const DType dtype : kMoved) {
    for (const int diagonal : {0, 2, -1, 10}) {
      const Value x(layout(diagonal == 0, random({2, 5, 4}, dtype)));
      check(OpId::tril, {x, Value(diagonal)}, name(OpId::tril, dtype, {2, 5, 4}));
      check(OpId::triu, {x, Value(diagonal)}, name(OpId::triu, dtype, {2, 5, 4}));
    }
    const Value x(random({2, 5, 4}, dtype));
    check(OpId::constant_pad_nd, {x, ints({1, 2, -1, 3}), Value(3)}, name(OpId::constant_pad_nd, dtype, {2, 5, 4}));
    check(OpId::flip, {x, ints({0, 2})}, name(OpId::flip, dtype, {2, 5, 4}));
    if (HasFatalFailure()) return;
  }
  check(OpId::tril, {Value(random({0, 4}, DType::Float32))}, "no rows");
  expect_no_fallback();
}

using CudaIndexingPrograms = CudaProgramFixture;

TEST_F(CudaIndexingPrograms, WriteInPlaceAndHaveTheGradientsOfTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
def made(device):
    torch.manual_seed(0)
    x = torch.randn(6, 5)
    i, j = torch.tensor([0, 2, 2, 5]), torch.tensor([1, 1, 4, 0])
    x, i, j = x.to(device).requires_grad_(), i.to(device), j.to(device)
    loss = (x[i, j] * 2).sum() + x[i].square().sum() + x.gather(1, j[:, None]).square().sum() + x.index_select(0, i).sum() + x.cumsum(1).square().sum()
    loss = loss + x.index_add(0, i, x[:4]).square().sum() + x.scatter_add(0, i[None, :4], x[:1, :4]).square().sum() + x.tril().square().sum()
    loss.backward()
    y = torch.zeros(6, 5, device=device)
    y.t()[1:3].cumsum_(1)
    y[i, j] += 1
    y.index_put_((i, j), torch.ones((), device=device), accumulate=True)
    y.scatter_(1, j[:, None], 7.0)
    y.index_add_(0, i, torch.ones(4, 5, device=device), alpha=0.5)
    y.index_fill_(1, i[:1], 3.0)
    y.t().tril_()
    return [loss.detach().cpu(), x.grad.cpu(), y.cpu()]
print([torch.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in zip(made("cpu"), made("cuda"))])
)"),
            "[True, True, True]\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
