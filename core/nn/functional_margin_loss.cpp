#include "core/nn/functional.h"
#include "core/object/operations.h"

// Losses with margins, and distances.
// Behaviour: torch/nn/functional.py; aten/src/ATen/native/{Loss,LossMultiMargin,LossMultiLabelMargin,Distance}.cpp.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using ops::TermArgument;
using tensor::Dims;

std::string sizes(const Tensor& tensor) { return fmt::format("[{}]", fmt::join(tensor.shape().span(), ", ")); }

Term positive_part(const Term& x) { return ops::apply(OpId::clamp, {x, 0}); }

Term sum_along(const Term& x, std::int64_t dim, bool keep = false) { return ops::apply(OpId::sum_dim, {x, dim, keep}); }

// The reduction of a loss with size_average, reduce, reduction as its last three parameters.
PyResult<Reduction> last_reduction(FunctionCall& call) {
  const std::size_t count = call.args.size();
  NNS_TRY_ASSIGN(const Value text,
                 legacy_reduction(call.interpreter, call.args[count - 3], call.args[count - 2], call.args[count - 1]));
  return reduction_of(call.interpreter, text);
}

PyResult<Value> hinge_embedding_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  const Term x = call.term(0), target = call.term(1);
  const Term far = ops::where(ops::ne(target, 1), positive_part(-x + TermArgument(call.args[2])), 0);
  const Term near = ops::where(ops::ne(target, -1), x, 0);
  return ops::value_of(reduced(far + near, reduction));
}

PyResult<Value> margin_ranking_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  const Tensor &a = call.required(0), &b = call.required(1), &target = call.required(2);
  if (a.ndim() != b.ndim() || a.ndim() != target.ndim()) {
    return object::runtime_error(call.interpreter,
                                 "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
                                 "input1: {}, input2: {}, target: {} ",
                                 tensor::size_text(a.shape()), tensor::size_text(b.shape()),
                                 tensor::size_text(target.shape()));
  }
  const Term each = positive_part(-call.term(2) * (call.term(0) - call.term(1)) + TermArgument(call.args[3]));
  return ops::value_of(reduced(each, reduction));
}

PyResult<Value> cosine_embedding_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  Interpreter& in = call.interpreter;
  const Tensor &a = call.required(0), &b = call.required(1);
  const std::size_t dims = call.required(2).ndim();
  if (dims > 1) return object::runtime_error(in, "0D or 1D target tensor expected, multi-target not supported");
  if (a.ndim() != dims + 1 || b.ndim() != dims + 1) {
    return object::runtime_error(in,
                                 "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
                                 dims, dims + 1, sizes(a), sizes(b));
  }
  constexpr double kEpsilon = 1e-12;
  const auto dim = static_cast<std::int64_t>(dims);
  const auto along = [&](const Term& x) { return sum_along(x, dim); };
  const Term x = call.term(0), y = call.term(1), target = call.term(2);
  const Term cosine = along(x * y) / ops::sqrt((along(x * x) + kEpsilon) * (along(y * y) + kEpsilon));
  const Term alike = ops::where(ops::eq(target, 1), -cosine + 1, 0);
  const Term unlike = ops::where(ops::eq(target, -1), positive_part(cosine - TermArgument(call.args[3])), 0);
  return ops::value_of(reduced(alike + unlike, reduction));
}

// ---------------------------------------------------------------- distances

// The p-norm of x along its last dimension.
Term length_of(const Term& x, const Value& p, bool keep) {
  return ops::apply(OpId::norm, {x, p, x.ok() ? ops::dims_value(x.tensor().interpreter(), Dims({-1})) : Value(), keep});
}

Term pairwise(const Term& a, const Term& b, const Value& p, const Value& eps, bool keep) {
  return length_of(a - b + TermArgument(eps), p, keep);
}

// Behaviour: torch.pdist: the distances of rows i < j.
PyResult<Value> pdist(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& x = call.required(0);
  if (x.ndim() != 2) {
    return object::runtime_error(in, "pdist only supports 2D tensors, got: {}D", x.ndim());
  }
  if (!tensor::is_floating(x.dtype())) return object::runtime_error(in, "pdist only supports floating-point dtypes");
  if (call.real(1) < 0) return object::runtime_error(in, "pdist only supports non-negative p values");
  std::vector<double> left, right;
  for (std::int64_t i = 0; i < x.shape()[0]; ++i) {
    for (std::int64_t j = i + 1; j < x.shape()[0]; ++j) {
      left.push_back(static_cast<double>(i));
      right.push_back(static_cast<double>(j));
    }
  }
  const auto rows = [&](const std::vector<double>& which) {
    const Dims shape({static_cast<std::int64_t>(which.size())});
    const Term index(tensor::from_values(in, shape, which, tensor::DType::Int64));
    return ops::apply(OpId::index_select, {call.term(0), 0, index});
  };
  return ops::value_of(length_of(rows(left) - rows(right), call.args[1], false));
}

PyResult<Value> triplet_margin_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  Interpreter& in = call.interpreter;
  if (call.real(3) <= 0) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, call.args[3]));
    return object::value_error(in, "margin must be greater than 0, got {}", shown);
  }
  const std::size_t a = call.required(0).ndim(), p = call.required(1).ndim(), n = call.required(2).ndim();
  if (a != p || p != n) {
    return object::runtime_error(in,
                                 "The anchor, positive, and negative tensors are expected to have the same number of "
                                 "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
                                 a, p, n);
  }
  const auto distance = [&](std::size_t i, std::size_t j) {
    return pairwise(call.term(i), call.term(j), call.args[4], call.args[5], false);
  };
  Term far = distance(0, 2);
  if (call.flag(6)) far = ops::apply(OpId::minimum, {far, distance(1, 2)});
  return ops::value_of(reduced(positive_part(distance(0, 1) - far + TermArgument(call.args[3])), reduction));
}

PyResult<Value> triplet_margin_with_distance_loss(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  if (call.real(4) <= 0) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, call.args[4]));
    return object::value_error(in, "margin must be greater than 0, got {}", shown);
  }
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(in, call.args[6]));
  const std::size_t a = call.required(0).ndim(), p = call.required(1).ndim(), n = call.required(2).ndim();
  if (a != p || p != n) {
    return object::runtime_error(in,
                                 "The anchor, positive, and negative tensors are expected to have the same number of "
                                 "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
                                 a, p, n);
  }
  const Value function = call.is_none(3) ? functional(in, "pairwise_distance") : call.args[3];
  const auto distance = [&](std::size_t i, std::size_t j) -> Term {
    PyResult<Value> made = in.call(function, {call.args[i], call.args[j]});
    if (!made.ok()) return made.error();
    return Ref<Tensor>(made.value().as<Tensor>());
  };
  const Term near = distance(0, 1);
  Term far = distance(0, 2);
  if (call.flag(5)) far = ops::apply(OpId::minimum, {far, distance(1, 2)});
  return ops::value_of(reduced(positive_part(near - far + TermArgument(call.args[4])), reduction));
}

// ---------------------------------------------------------------- several classes

PyResult<Value> multilabel_soft_margin_loss(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Value text, legacy_reduction(in, call.args[3], call.args[4], call.args[5]));
  const Term x = call.term(0), target = call.term(1);
  const auto log_sigmoid = [](const Term& term) { return ops::apply(OpId::logsigmoid, {term}); };
  Term each = -(target * log_sigmoid(x) + (-target + 1) * log_sigmoid(-x));
  if (!call.is_none(2)) each = each * call.term(2);
  const Tensor& input = call.required(0);
  each = sum_along(each, -1) / static_cast<double>(input.ndim() == 0 ? 1 : input.shape()[input.ndim() - 1]);
  PyResult<Reduction> reduction = reduction_of(in, text);
  if (!reduction.ok()) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, text));
    return object::value_error(in, "{} is not valid", shown);
  }
  return ops::value_of(reduced(each, reduction.value()));
}

// The rows of an input of one or two dimensions, as two.
PyResult<Term> as_rows(FunctionCall& call) {
  const Tensor& input = call.required(0);
  if (input.ndim() > 2 || (input.ndim() > 0 && input.shape()[input.ndim() - 1] == 0)) {
    return object::runtime_error(call.interpreter,
                                 "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
                                 sizes(input));
  }
  if (input.ndim() == 2) return call.term(0);
  return ops::apply(OpId::reshape, {call.term(0), ops::dims_value(call.interpreter, Dims({1, input.numel()}))});
}

// Behaviour: at::multi_margin_loss: the sum over the other classes of max(0, margin - x[target] + x[c])^p.
PyResult<Value> multi_margin_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  Interpreter& in = call.interpreter;
  if (call.real(2) != 1 && call.real(2) != 2) return object::value_error(in, "only p == 1 and p == 2 supported");
  if (!call.is_none(4) && call.required(4).ndim() != 1) {
    return object::value_error(in, "weight must be one-dimensional");
  }
  NNS_TRY_ASSIGN(const Term x, as_rows(call));
  if (!x.ok()) return x.result().error();
  const Tensor& target = call.required(1);
  const std::int64_t rows = x.tensor().shape()[0], classes = x.tensor().shape()[1];
  if (target.ndim() > 1 || target.numel() != rows) {
    return object::runtime_error(in, "inconsistent target size, expected {} but got {}", rows, sizes(target));
  }
  bool is_inside = true;
  if (!target.is_meta()) {
    tensor::for_each_place(target, [&](std::int64_t place) {
      const std::int64_t one = tensor::read_int64(target, place);
      is_inside = is_inside && one >= 0 && one < classes;
    });
  }
  if (!is_inside) return object::runtime_error(in, "target out of range");
  const Term index = ops::apply(OpId::reshape, {call.term(1), ops::dims_value(in, Dims({rows, 1}))});
  const Term own = ops::apply(OpId::gather, {x, 1, index});
  Term slack = positive_part(x - own + TermArgument(call.args[3]));
  if (call.real(2) == 2) slack = ops::square(slack);
  if (!call.is_none(4)) {
    const Term weight = ops::apply(
        OpId::reshape,
        {ops::apply(OpId::index_select,
                    {call.term(4), 0, ops::apply(OpId::reshape, {index, ops::dims_value(in, Dims({rows}))})}),
         ops::dims_value(in, Dims({rows, 1}))});
    slack = slack * weight;
  }
  const Term classes_of_rows =
      ops::apply(OpId::one_hot, {ops::apply(OpId::reshape, {index, ops::dims_value(in, Dims({rows}))}), classes});
  Term each = sum_along(ops::where(ops::eq(classes_of_rows, 1), 0, slack), 1) / static_cast<double>(classes);
  if (target.ndim() == 0) each = ops::apply(OpId::squeeze, {each, ops::dims_value(in, Dims({0}))});
  return ops::value_of(reduced(each, reduction));
}

// Behaviour: at::multilabel_margin_loss: targets are the classes before the first -1; each is held against each class
// that is none.
PyResult<Value> multilabel_margin_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, last_reduction(call));
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Term x, as_rows(call));
  if (!x.ok()) return x.result().error();
  const Tensor& target = call.required(1);
  if (!(target.shape() == call.required(0).shape())) {
    return object::runtime_error(in, "inconsistent target size: {} for input of size: {}", sizes(target),
                                 sizes(call.required(0)));
  }
  const std::int64_t rows = x.tensor().shape()[0], classes = x.tensor().shape()[1];
  const auto count = static_cast<std::size_t>(rows * classes);
  std::vector<double> named(count, 0), is_named(count, 0), is_other(count, 1);
  if (!target.is_meta()) {
    std::vector<std::int64_t> given;
    tensor::for_each_place(target, [&](std::int64_t place) { given.push_back(tensor::read_int64(target, place)); });
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t k = 0; k < classes; ++k) {
        const std::int64_t one = given[static_cast<std::size_t>(row * classes + k)];
        if (one < 0) break;
        if (one >= classes) return object::runtime_error(in, "target out of range");
        named[static_cast<std::size_t>(row * classes + k)] = static_cast<double>(one);
        is_named[static_cast<std::size_t>(row * classes + k)] = 1;
        is_other[static_cast<std::size_t>(row * classes + one)] = 0;
      }
    }
  }
  const Dims shape({rows, classes});
  const tensor::DType dtype = x.tensor().dtype();
  const Term index(tensor::from_values(in, shape, named, tensor::DType::Int64));
  const Term columns(tensor::from_values(in, shape, is_named, dtype)),
      others(tensor::from_values(in, shape, is_other, dtype));
  const auto lift = [](const Term& term, int dim) { return ops::apply(OpId::unsqueeze, {term, dim}); };
  const Term own = ops::apply(OpId::gather, {x, 1, index});
  const Term slack = positive_part(-lift(own, 2) + lift(x, 1) + 1) * lift(columns, 2) * lift(others, 1);
  Term each = ops::apply(OpId::sum_dim, {slack, ops::dims_value(in, Dims({1, 2}))}) / static_cast<double>(classes);
  if (call.required(0).ndim() < 2) each = ops::apply(OpId::squeeze, {each, ops::dims_value(in, Dims({0}))});
  return ops::value_of(reduced(each, reduction));
}

constexpr FunctionRow kMarginLossRows[] = {
    {"hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean')", "TTN..s",
     hinge_embedding_loss},
    {"margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')",
     "TTTN..s", margin_ranking_loss},
    {"cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')",
     "TTTN..s", cosine_embedding_loss},
    {"pdist(input, p=2)", "TN", pdist},
    {"triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, "
     "reduce=None, reduction='mean')",
     "TTTNNNb..s", triplet_margin_loss},
    {"triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, "
     "reduction='mean')",
     "TTT.Nbs", triplet_margin_with_distance_loss},
    {"multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction='mean')",
     "TTt..s", multilabel_soft_margin_loss},
    {"multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, "
     "reduction='mean')",
     "TTNNt..s", multi_margin_loss},
    {"multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')", "TT..s",
     multilabel_margin_loss},
};

}  // namespace

std::span<const FunctionRow> margin_loss_functions() { return kMarginLossRows; }

}  // namespace nns::nn
