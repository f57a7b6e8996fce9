#include <algorithm>
#include <array>

#include "core/object/operations.h"
#include "core/ops/op_recorder.h"
#include "core/ops/outputs.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// torch.einsum and torch.tensordot: sums of products, as products of matrices.
// Behaviour: aten/src/ATen/native/Linear.cpp, einsum and tensordot; operands are joined from left to right.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using Ints = std::vector<std::int64_t>;

// A tensor whose dimensions have letters, each once. Letters behind 'z' stand for those of "...".
struct Labelled {
  Value tensor;
  std::u32string letters;
  const Dims& shape() const { return tensor.as<Tensor>()->shape(); }
};

constexpr char32_t kEllipsis = 0x10000;

std::size_t place(const std::u32string& letters, char32_t letter) { return letters.find(letter); }
bool has(const std::u32string& letters, char32_t letter) { return place(letters, letter) != std::u32string::npos; }

PyResult<std::u32string> letters_of(Interpreter& in, std::string_view text, std::size_t operand, std::size_t ndim) {
  std::u32string letters;
  std::size_t named = 0;
  for (const char one : text) named += (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') ? 1 : 0;
  bool has_ellipsis = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char one = text[i];
    if (one == ' ') continue;
    if (one == '.') {
      if (has_ellipsis || text.substr(i, 3) != "...") {
        return object::runtime_error(in, "einsum(): found '.' for operand {} that is not part of any ellipsis",
                                     operand);
      }
      has_ellipsis = true;
      i += 2;
      if (named > ndim) break;
      // The last dimensions of all "..." stand for each other.
      const std::size_t count = ndim - named;
      for (std::size_t k = 0; k < count; ++k) letters += static_cast<char32_t>(kEllipsis + (count - k));
      continue;
    }
    if (!((one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'))) {
      return object::runtime_error(
          in, "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]",
          i);
    }
    letters += static_cast<char32_t>(one);
  }
  if (letters.size() != ndim) {
    return object::runtime_error(in,
                                 "einsum(): the number of subscripts in the equation ({}) {} the number of dimensions "
                                 "({}) for operand {} and no ellipsis was given",
                                 named, named > ndim ? "is more than" : "does not match", ndim, operand);
  }
  return letters;
}

// A letter that stands twice in one operand means its diagonal.
PyResult<Labelled> without_repeats(Interpreter& in, Labelled given) {
  for (std::size_t i = 0; i < given.letters.size(); ++i) {
    const std::size_t other = given.letters.find(given.letters[i], i + 1);
    if (other == std::u32string::npos) continue;
    if (given.shape()[i] != given.shape()[other]) {
      return object::runtime_error(
          in, "einsum(): subscript {} is repeated for operand 0 but the sizes don't match, {} != {}",
          static_cast<char>(given.letters[i]), given.shape()[other], given.shape()[i]);
    }
    const char32_t letter = given.letters[i];
    NNS_TRY_ASSIGN(given.tensor, call_op(in, OpId::diagonal, {given.tensor, Value(0), Value(i), Value(other)}));
    given.letters.erase(other, 1);
    given.letters.erase(i, 1);
    given.letters += letter;
    return without_repeats(in, std::move(given));
  }
  return given;
}

PyResult<Labelled> sum_out(Interpreter& in, Labelled given, const std::u32string& kept) {
  Ints dims;
  std::u32string rest;
  for (std::size_t i = 0; i < given.letters.size(); ++i) {
    if (has(kept, given.letters[i]))
      rest += given.letters[i];
    else
      dims.push_back(static_cast<std::int64_t>(i));
  }
  if (dims.empty()) return given;
  NNS_TRY_ASSIGN(given.tensor, call_op(in, OpId::sum_dim, {given.tensor, dims_value(in, Dims(dims))}));
  given.letters = rest;
  return given;
}

// The dimensions in the order of `letters`; those that are missing have size 1.
PyResult<Value> arranged(Interpreter& in, const Labelled& given, const std::u32string& letters) {
  Ints order;
  Ints shape;
  for (const char32_t letter : letters) {
    if (has(given.letters, letter)) {
      order.push_back(static_cast<std::int64_t>(place(given.letters, letter)));
      shape.push_back(given.shape()[place(given.letters, letter)]);
    } else {
      shape.push_back(1);
    }
  }
  NNS_TRY_ASSIGN(const Value turned, call_op(in, OpId::permute, {given.tensor, dims_value(in, Dims(order))}));
  return call_op(in, OpId::reshape, {turned, dims_value(in, Dims(shape))});
}

std::int64_t size_of(const Labelled& a, const Labelled& b, char32_t letter) {
  const std::int64_t left = has(a.letters, letter) ? a.shape()[place(a.letters, letter)] : 1;
  const std::int64_t right = has(b.letters, letter) ? b.shape()[place(b.letters, letter)] : 1;
  return left == 1 ? right : left;
}

// The product of two, summed over the letters that stand in neither `kept` nor only one of them.
PyResult<Labelled> joined(Interpreter& in, Labelled a, Labelled b, const std::u32string& kept) {
  const auto needed_by = [&kept](const Labelled& other) { return kept + other.letters; };
  NNS_TRY_ASSIGN(a, sum_out(in, std::move(a), needed_by(b)));
  NNS_TRY_ASSIGN(b, sum_out(in, std::move(b), needed_by(a)));
  std::u32string batch, summed, left, right;
  bool is_broadcast = false;
  for (const char32_t letter : a.letters) {
    if (!has(b.letters, letter)) {
      left += letter;
      continue;
    }
    is_broadcast = is_broadcast || a.shape()[place(a.letters, letter)] != b.shape()[place(b.letters, letter)];
    (has(kept, letter) ? batch : summed) += letter;
  }
  for (const char32_t letter : b.letters) {
    if (!has(a.letters, letter)) right += letter;
  }
  const std::u32string all = batch + left + right;
  if (is_broadcast || summed.empty()) {
    const std::u32string order = all + summed;
    NNS_TRY_ASSIGN(const Value x, arranged(in, a, order));
    NNS_TRY_ASSIGN(const Value y, arranged(in, b, order));
    NNS_TRY_ASSIGN(const Value product, call_op(in, OpId::mul, {x, y}));
    return sum_out(in, {product, order}, all);
  }
  const auto count = [&](const std::u32string& letters) {
    std::int64_t items = 1;
    for (const char32_t letter : letters) items *= size_of(a, b, letter);
    return items;
  };
  NNS_TRY_ASSIGN(const Value x, arranged(in, a, batch + left + summed));
  NNS_TRY_ASSIGN(const Value y, arranged(in, b, batch + summed + right));
  const auto matrices = [&](const Value& tensor, std::int64_t rows, std::int64_t columns) {
    return call_op(in, OpId::reshape, {tensor, dims_value(in, Dims({count(batch), rows, columns}))});
  };
  NNS_TRY_ASSIGN(const Value first, matrices(x, count(left), count(summed)));
  NNS_TRY_ASSIGN(const Value second, matrices(y, count(summed), count(right)));
  NNS_TRY_ASSIGN(const Value product, call_op(in, OpId::bmm, {first, second}));
  Ints shape;
  for (const char32_t letter : all) shape.push_back(size_of(a, b, letter));
  NNS_TRY_ASSIGN(Value made, call_op(in, OpId::reshape, {product, dims_value(in, Dims(shape))}));
  return Labelled{std::move(made), all};
}

PyResult<Value> einsum(Interpreter& in, Args a) {
  const auto* equation = a[0].as<object::Str>();
  if (equation == nullptr) return object::type_error(in, "einsum(): the first argument must be the equation, a str");
  const auto given = a[1].as<object::Tuple>()->items();
  std::vector<Value> operands(given.begin(), given.end());
  if (operands.size() == 1 && operands[0].as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(operands, object::to_vector(in, Value(operands[0])));
  }
  if (operands.empty()) return object::value_error(in, "einsum(): must provide at least one operand");
  std::string_view rest = equation->view();
  std::optional<std::string_view> output;
  if (const std::size_t arrow = rest.find("->"); arrow != std::string_view::npos) {
    output = rest.substr(arrow + 2);
    rest = rest.substr(0, arrow);
  }
  std::vector<Labelled> parts;
  std::u32string written;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Tensor* const tensor = operands[i].as<Tensor>();
    if (tensor == nullptr) {
      return object::type_error(in, "einsum(): operand {} must be Tensor, not {}", i,
                                python_type_name(in, operands[i]));
    }
    if (i > 0 && rest.data() == nullptr) {
      return object::runtime_error(in, "einsum(): more operands were provided than specified in the equation");
    }
    const std::size_t comma = rest.find(',');
    NNS_TRY_ASSIGN(std::u32string letters, letters_of(in, rest.substr(0, comma), i, tensor->ndim()));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    written += letters;
    NNS_TRY_ASSIGN(Labelled part, without_repeats(in, {operands[i], std::move(letters)}));
    parts.push_back(std::move(part));
  }
  if (rest.data() != nullptr) {
    return object::runtime_error(in, "einsum(): fewer operands were provided than specified in the equation");
  }
  // Letters of "..." in their order, then without an arrow those that stand once, in alphabetic order.
  std::u32string dots, once;
  for (const Labelled& part : parts) {
    for (const char32_t letter : part.letters) {
      if (letter > kEllipsis && !has(dots, letter)) dots += letter;
      if (letter < kEllipsis && std::count(written.begin(), written.end(), letter) == 1) once += letter;
    }
  }
  std::sort(dots.begin(), dots.end(), std::greater<>());
  std::sort(once.begin(), once.end());
  std::u32string wanted = dots + once;
  if (output) {
    wanted.clear();
    for (std::size_t i = 0; i < output->size(); ++i) {
      const char one = (*output)[i];
      if (one == ' ') continue;
      if (one == '.') {
        wanted += dots;
        i += 2;
        continue;
      }
      const auto letter = static_cast<char32_t>(one);
      if (has(wanted, letter)) {
        return object::runtime_error(in, "einsum(): output subscript {} appears more than once in the output", one);
      }
      const bool is_known =
          std::any_of(parts.begin(), parts.end(), [letter](const Labelled& part) { return has(part.letters, letter); });
      if (!is_known) {
        return object::runtime_error(
            in, "einsum(): output subscript {} does not appear in the equation for any input operand", one);
      }
      wanted += letter;
    }
  }
  Labelled made = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::u32string kept = wanted;
    for (std::size_t k = i + 1; k < parts.size(); ++k) kept += parts[k].letters;
    NNS_TRY_ASSIGN(made, joined(in, std::move(made), parts[i], kept));
  }
  NNS_TRY_ASSIGN(made, sum_out(in, std::move(made), wanted));
  return arranged(in, made, wanted);
}

// torch.tensordot(a, b, dims): the last `dims` of a with the first of b, or two lists of them.
PyResult<Value> tensordot(Interpreter& in, Args args) {
  const Tensor* const a = args[0].as<Tensor>();
  const Tensor* const b = args[1].as<Tensor>();
  if (a == nullptr || b == nullptr) return object::type_error(in, "tensordot expects two tensors");
  Ints left, right;
  if (args[2].is_int()) {
    const std::int64_t count = args[2].as_int();
    if (count < 0) return object::runtime_error(in, "tensordot expects dims >= 0, but got dims={}", count);
    if (count > static_cast<std::int64_t>(std::min(a->ndim(), b->ndim()))) {
      return object::runtime_error(in, "tensordot expects dims < ndim_a or ndim_b, but got dims={}", count);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      left.push_back(static_cast<std::int64_t>(a->ndim()) - count + i);
      right.push_back(i);
    }
  } else {
    NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(in, args[2]));
    if (pair.size() != 2) return object::runtime_error(in, "tensordot expects dims to be int or two sequences of ints");
    for (std::size_t side = 0; side < 2; ++side) {
      NNS_TRY_ASSIGN(const std::vector<Value> dims, object::to_vector(in, pair[side]));
      const auto ndim = static_cast<std::int64_t>((side == 0 ? a : b)->ndim());
      for (const Value& dim : dims) {
        NNS_TRY_ASSIGN(std::int64_t at, object::index(in, dim));
        (side == 0 ? left : right).push_back(at < 0 ? at + ndim : at);
      }
    }
  }
  if (left.size() != right.size()) {
    return object::runtime_error(in, "both dimension lists should have same length");
  }
  Labelled x{args[0], {}}, y{args[1], {}};
  std::u32string kept;
  char32_t next = U'a';
  for (std::size_t i = 0; i < a->ndim(); ++i) x.letters += next++;
  for (std::size_t i = 0; i < b->ndim(); ++i) y.letters += next++;
  for (std::size_t k = 0; k < left.size(); ++k) {
    y.letters[static_cast<std::size_t>(right[k])] = x.letters[static_cast<std::size_t>(left[k])];
  }
  for (const std::u32string& letters : {x.letters, y.letters}) {
    for (const char32_t letter : letters) {
      if (has(x.letters, letter) != has(y.letters, letter)) kept += letter;
    }
  }
  NNS_TRY_ASSIGN(const Labelled made, joined(in, x, y, kept));
  return arranged(in, made, kept);
}

PyResult<Value> asking_tensordot(Interpreter& in, Args a) {
  const object::Keyword dims[] = {{in.intern("dims"), a[2]}};
  NNS_TRY_ASSIGN(Value answer, overridden_function(in, "tensordot", {a.first(2), dims}));
  if (!answer.is_absent()) return answer;
  NNS_TRY_ASSIGN(Value made, tensordot(in, a));
  if (a[3].is_none()) return made;
  NNS_TRY(check_no_gradient(in, "tensordot", a.first(2), a[3]));
  return written_to(in, "tensordot", "", made, a[3]);
}

// The letter that einsum's other form, of lists of numbers, means.
PyResult<void> add_letter(Interpreter& in, const Value& subscript, std::string& equation) {
  if (subscript.is(in.ellipsis())) {
    equation += "...";
    return {};
  }
  NNS_TRY_ASSIGN(const std::int64_t number, object::index(in, subscript));
  if (number < 0 || number >= 52) {
    return object::value_error(in, "einsum(): subscript in subscript list is not within the valid range [0, 52)");
  }
  equation += static_cast<char>(number < 26 ? 'A' + number : 'a' + number - 26);
  return {};
}

// einsum(a, [0, 1], b, [1, 2], [0, 2]): "AB,BC->AC" and the operands. Behaviour: torch/functional.py, einsum.
PyResult<std::vector<Value>> with_equation(Interpreter& in, std::span<const Value> given) {
  std::string equation;
  std::vector<Value> operands;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool is_result = i + 1 == given.size() && given.size() % 2 == 1;
    if (i % 2 == 0 && !is_result) {
      operands.push_back(given[i]);
      continue;
    }
    if (i > 1) equation += is_result ? "->" : ",";
    NNS_TRY_ASSIGN(const std::vector<Value> subscripts, object::to_vector(in, given[i]));
    for (const Value& one : subscripts) NNS_TRY(add_letter(in, one, equation));
  }
  operands.insert(operands.begin(), Value(in.text(equation)));
  return operands;
}

PyResult<Value> asking_einsum(Interpreter& in, Args a) {
  const auto given = a[1].as<object::Tuple>()->items();
  if (a[0].as<Tensor>() != nullptr && !given.empty()) {
    std::vector<Value> all{a[0]};
    all.insert(all.end(), given.begin(), given.end());
    NNS_TRY_ASSIGN(const std::vector<Value> made, with_equation(in, all));
    return asking_einsum(in, std::array{made[0], Value(in.tuple({made.begin() + 1, made.end()}))});
  }
  std::vector<Value> operands(given.begin(), given.end());
  std::vector<Value> told{a[0]};
  told.insert(told.end(), given.begin(), given.end());
  NNS_TRY_ASSIGN(Value answer, overridden_function(in, "einsum", {told, {}}));
  if (!answer.is_absent()) return answer;
  if (operands.size() == 1 && operands[0].as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(operands, object::to_vector(in, Value(operands[0])));
  }
  return one_step(in, "einsum", {{"equation", a[0]}, {"tensors", Value(in.tuple(std::move(operands)))}},
                  [&] { return einsum(in, a); });
}

}  // namespace

void add_einsum(Interpreter& interpreter) {
  object::Dict& torch = python_module(interpreter, "torch");
  torch.set(interpreter.intern("einsum"), Value(interpreter.function("einsum(equation, *operands)", asking_einsum)));
  torch.set(interpreter.intern("tensordot"),
            Value(interpreter.function("tensordot(a, b, dims=2, out=None)", asking_tensordot)));
}

}  // namespace nns::ops
