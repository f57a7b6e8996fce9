#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/made_functions.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// Products that are added to something: beta * input + alpha * product.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp; with beta 0 the input is not read.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

Term term_of(const Value& value) { return Ref<Tensor>(value.as<Tensor>()); }

// Arguments of all of them: input, two factors, beta, alpha.
PyResult<Value> added(Interpreter& in, Args a, const Term& product) {
  const auto times = [](const Term& term, const Value& factor) {
    return Number::of(factor).is_one() ? term : term * TermArgument(factor);
  };
  const Term scaled = times(product, a[4]);
  if (!scaled.ok() || !Number::of(a[3]).is_zero()) return value_of(times(term_of(a[0]), a[3]) + scaled);
  const Tensor& input = *a[0].as<Tensor>();
  if (input.dtype() == scaled.tensor().dtype()) return value_of(scaled);
  return object::runtime_error(in, "expected scalar type {} but found {}", tensor::info(input.dtype()).scalar_name,
                               tensor::info(scaled.tensor().dtype()).scalar_name);
}

// Behaviour: BinaryOps.h, alpha_check, and LinearAlgebra.cpp, addr.
PyResult<void> check_factors(Interpreter& in, Args a, DType product) {
  NNS_TRY_ASSIGN(const DType dtype, promote_types(in, a[0].as<Tensor>()->dtype(), product));
  for (const auto& [i, name] : {std::pair<std::size_t, std::string_view>{3, "beta"}, {4, "alpha"}}) {
    if (a[i].is_bool() && dtype != DType::Bool) {
      return object::runtime_error(in, "Boolean {} only supported for Boolean results.", name);
    }
  }
  return {};
}

struct AddedProduct {
  std::string_view name, first, second;
  Term (*product)(Interpreter& in, Args a);
};
constexpr AddedProduct kProducts[] = {
    {"baddbmm", "batch1", "batch2",
     [](Interpreter&, Args a) {
       return apply(OpId::bmm, {term_of(a[1]), term_of(a[2])});
     }},
    {"addbmm", "batch1", "batch2",
     [](Interpreter& in, Args a) {
       return apply(OpId::sum_dim, {apply(OpId::bmm, {term_of(a[1]), term_of(a[2])}), dims_value(in, Dims({0}))});
     }},
    {"addmv", "mat", "vec",
     [](Interpreter&, Args a) {
       return apply(OpId::mv, {term_of(a[1]), term_of(a[2])});
     }},
    {"addr", "vec1", "vec2", [](Interpreter&, Args a) {
       return apply(OpId::outer, {term_of(a[1]), term_of(a[2])});
     }}};

}  // namespace

void add_product_functions(Interpreter& interpreter) {
  for (const AddedProduct& one : kProducts) {
    const auto body = [&one](Interpreter& in, Args a) -> PyResult<Value> {
      const Term product = one.product(in, a);
      if (one.name == "addr" && product.ok()) NNS_TRY(check_factors(in, a, product.tensor().dtype()));
      return added(in, a, product);
    };
    const auto in_place = [body](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value made, body(in, a));
      NNS_TRY_ASSIGN(Ref<Tensor> written, call_in_place(in, OpId::copy, std::array{a[0], made}));
      return Value(std::move(written));
    };
    const std::string parameters =
        fmt::format("(Tensor input, Tensor {}, Tensor {}, *, Number beta=1, Number alpha=1)", one.first, one.second);
    add_function(interpreter, "torch", fmt::format("{}{}", one.name, parameters), body);
    add_method(interpreter, fmt::format("{}{}", one.name, parameters), body);
    add_method(interpreter, fmt::format("{}_{}", one.name, parameters), in_place);
  }
}

}  // namespace nns::ops
