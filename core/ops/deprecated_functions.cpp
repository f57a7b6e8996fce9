#include <fmt/format.h>

#include <memory>

#include "core/ops/made_functions.h"
#include "core/ops/python_function.h"

// Overloads with a factor in front of what it multiplies, as programs were written before PyTorch 1.5:
// exp_avg.mul_(beta1).add_(1 - beta1, grad). They warn, and do what the others do.
// Behaviour: tools/autograd/deprecated.yaml; torch/csrc/utils/python_arg_parser.cpp, check_deprecated.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

struct Row {
  std::string_view name, parameters;
  /// Where the tensors stand, the one that is written in place first.
  std::array<std::size_t, 3> tensors;
  std::size_t tensor_count;
  /// Where the factors stand and what they are called, a letter each: "0a" the first is alpha, b beta, v value.
  std::string_view factors;
  /// Of torch, of Tensor, of Tensor in place.
  bool is_function, is_method;
};

constexpr Row kRows[] = {
    {"add", "Tensor input, Number alpha, Tensor other", {0, 2}, 2, "1a", true, true},
    {"sub", "Tensor input, Number alpha, Tensor other", {0, 2}, 2, "1a", true, true},
    {"addcmul", "Tensor input, Number value, Tensor tensor1, Tensor tensor2", {0, 2, 3}, 3, "1v", true, true},
    {"addcdiv", "Tensor input, Number value, Tensor tensor1, Tensor tensor2", {0, 2, 3}, 3, "1v", true, true},
};

// input, and a product of two: addmm(beta, input, alpha, mat1, mat2), input.addmm(beta, alpha, mat1, mat2).
struct Product {
  std::string_view name, first, second;
};
constexpr Product kProducts[] = {{"addmm", "mat1", "mat2"},
                                 {"addbmm", "batch1", "batch2"},
                                 {"baddbmm", "batch1", "batch2"},
                                 {"addmv", "mat", "vec"},
                                 {"addr", "vec1", "vec2"}};

object::Name factor_name(Interpreter& in, char letter) {
  return in.intern(letter == 'a' ? "alpha" : letter == 'b' ? "beta" : "value");
}

// Told once, as by TORCH_WARN_ONCE.
void warn_once(Interpreter& in, bool& was_told, const PythonFunction& function, std::string_view name,
               const PythonSignature& used) {
  if (std::exchange(was_told, true)) return;
  std::string text = fmt::format(
      "This overload of {} is deprecated:\n\t{}{}\nConsider using one of the following "
      "signatures instead:",
      name, name, used.text());
  for (const Overload& one : function.overloads()) {
    if (!one.signature.is_hidden()) text += fmt::format("\n\t{}{}", name, one.signature.text());
  }
  in.warn(object::ErrorKind::UserWarning, text);
}

class Deprecated {
 public:
  explicit Deprecated(Interpreter& interpreter) : in_(interpreter) {}

  void add(const Row& row) {
    if (row.is_function) add_to(find(python_module(in_, "torch").find(in_.intern(row.name))), row);
    if (!row.is_method) return;
    object::Class& cls = *tensor::TensorLibrary::of(in_).tensor;
    add_to(find(cls.attributes_for_reading().find(in_.intern(row.name))), row);
    add_to(find(cls.attributes_for_reading().find(in_.intern(fmt::format("{}_", row.name)))), row);
  }

 private:
  static PythonFunction* find(const Value* found) { return found == nullptr ? nullptr : found->as<PythonFunction>(); }

  void add_to(PythonFunction* function, const Row& row) {
    if (function == nullptr) return;
    const std::size_t place = function->overloads().size();
    const auto body = [function, place, row, told = told_](Interpreter& in, Args a) -> PyResult<Value> {
      warn_once(in, *told, *function, function->name(), function->overloads()[place].signature);
      std::vector<Value> tensors;
      for (std::size_t i = 0; i < row.tensor_count; ++i) tensors.push_back(a[row.tensors[i]]);
      std::vector<object::Keyword> factors;
      for (std::size_t i = 0; i + 1 < row.factors.size(); i += 2) {
        factors.push_back({factor_name(in, row.factors[i + 1]), a[static_cast<std::size_t>(row.factors[i] - '0')]});
      }
      if (!function->is_method() && !a.back().is_none()) factors.push_back({in.intern("out"), a.back()});
      return function->call({tensors, factors});
    };
    const std::string_view out = function->is_method() ? "" : ", *, Tensor? out=None";
    function->add(fmt::format("{}{}", row.parameters, out), body, true);
  }

  Interpreter& in_;
  std::shared_ptr<bool> told_ = std::make_shared<bool>(false);
};

}  // namespace

void add_deprecated_functions(Interpreter& interpreter) {
  Deprecated deprecated(interpreter);
  for (const Row& row : kRows) deprecated.add(row);
  for (const Product& one : kProducts) {
    const std::string pair = fmt::format("Tensor {}, Tensor {}", one.first, one.second);
    const auto add = [&](std::string_view factors, std::array<std::size_t, 3> tensors, std::string_view letters,
                         bool is_function) {
      const std::string parameters = fmt::format("{}, {}", factors, pair);
      deprecated.add({one.name, parameters, tensors, 3, letters, is_function, !is_function});
    };
    add("Number beta, Tensor input, Number alpha", {1, 3, 4}, "0b2a", true);
    add("Number beta, Tensor input", {1, 2, 3}, "0b", true);
    add("Tensor input, Number beta, Number alpha", {0, 3, 4}, "1b2a", false);
    add("Tensor input, Number beta", {0, 2, 3}, "1b", false);
  }
}

}  // namespace nns::ops
