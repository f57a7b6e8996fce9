// Transformer layers against the parts that they are made of.
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Transformers = Forward;

TEST_F(Transformers, EncoderLayersAreAttentionAndFeedforwardWithResiduals) {
  for (const bool norm_first : {false, true}) {
    const Value m = layer(
        "TransformerEncoderLayer", {Value(4), Value(2)},
        in_float64(in, {{"dim_feedforward", Value(8)}, {"dropout", Value(0.0)}, {"norm_first", Value(norm_first)}}));
    fill_parameters(in, m);
    const auto step = [&](std::string_view name, const Value& x) {
      return call(object::getattr(in, m, in.intern(name)).value(), {x});
    };
    const auto add = [&](const Value& a, const Value& b) { return ops::call_op(in, ops::OpId::add, {a, b}).value(); };
    const auto attention = [&](const Value& x) {
      return part(call(object::getattr(in, m, in.intern("self_attn")).value(), {x, x, x}), 0);
    };
    const auto feedforward = [&](const Value& x) { return step("linear2", function("relu", {step("linear1", x)})); };
    const Value x = numbers(Dims({3, 2, 4}));
    Value wanted;
    if (norm_first) {
      const Value y = add(x, attention(step("norm1", x)));
      wanted = add(y, feedforward(step("norm2", y)));
    } else {
      const Value y = step("norm1", add(x, attention(x)));
      wanted = step("norm2", add(y, feedforward(y)));
    }
    expect_near(call(m, {x}), items(wanted), 1e-12);
  }
}

TEST_F(Transformers, ACausalTransformerDoesNotSeeWhatComesLater) {
  const Value m = layer("Transformer", {Value(4), Value(2), Value(1), Value(2), Value(8), Value(0.0)},
                        in_float64(in, {{"batch_first", Value(true)}}));
  const Value source = numbers(Dims({2, 5, 4}), 1), target = numbers(Dims({2, 3, 4}), 2);
  const Value mask = in.call_method(m, in.intern("generate_square_subsequent_mask"), {Value(3)}).value();
  const Value late(tensor::clone(*target.as<Tensor>()));
  tensor::fill_items(*tensor::select(*late.as<Tensor>(), 1, 2), 9);
  const Value made = call(m, {source, target, Value(), mask}), other = call(m, {source, late, Value(), mask});
  for (const std::int64_t step : {0, 1, 2}) {
    const Numbers a = items(Value(tensor::select(*made.as<Tensor>(), 1, step))),
                  b = items(Value(tensor::select(*other.as<Tensor>(), 1, step)));
    EXPECT_EQ(a == b, step < 2) << step;
  }
  EXPECT_EQ(layer_error(m, {source, numbers(Dims({3, 3, 4}))}),
            "RuntimeError: the batch number of src and tgt must be equal");
}

TEST_F(Transformers, HooksOfTheModulesInsideRun) {
  const Value m = layer("TransformerEncoderLayer", {Value(4), Value(2)}, {{"dim_feedforward", Value(8)}});
  int calls = 0;
  const Value hook = in.function("hook(module, args, output)", [&calls](Interpreter&, Args) -> PyResult<Value> {
    ++calls;
    return Value();
  });
  for (const char* name : {"self_attn", "linear1", "norm2", "dropout1"}) {
    const Value child = object::getattr(in, m, in.intern(name)).value();
    ASSERT_TRUE(in.call_method(child, in.intern("register_forward_hook"), {hook}).ok());
  }
  call(m, {numbers(Dims({3, 2, 4}), 1, DType::Float32)});
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace nns::nn::tests
