#include "core/nn/packed_sequence.h"

#include <algorithm>
#include <numeric>

#include "core/object/operations.h"

// Behaviour: torch/nn/utils/rnn.py and aten/src/ATen/native/PackedSequence.cpp.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;
using tensor::DType;

constexpr std::string_view kFields[] = {"data", "batch_sizes", "sorted_indices", "unsorted_indices"};

Ref<Tensor> whole_tensor(Interpreter& in, const std::vector<std::int64_t>& items) {
  const std::vector<double> values(items.begin(), items.end());
  return tensor::from_values(in, Dims({static_cast<std::int64_t>(items.size())}), values, DType::Int64);
}

// Where each item of a permutation went.
Value inverted(Interpreter& in, const Value& permutation) {
  const Tensor* const given = permutation.as<Tensor>();
  if (given == nullptr) return Value();
  const std::vector<std::int64_t> items = whole_items(*given);
  std::vector<std::int64_t> inverse(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i)
    inverse[static_cast<std::size_t>(items[i])] = static_cast<std::int64_t>(i);
  return Value(whole_tensor(in, inverse));
}

Term joined(Interpreter& in, const std::vector<Term>& parts, OpId how, int dim) {
  std::vector<Value> items;
  for (const Term& part : parts) {
    if (!part.ok()) return part;
    items.emplace_back(part.ref());
  }
  return ops::call_tensor_op(in, how, std::array{Value(in.tuple(std::move(items))), Value(dim)});
}

Term rows(const Term& x, std::int64_t first, std::int64_t count) {
  return ops::apply(OpId::narrow, {x, 0, first, count});
}

// `x` with rows of `padding` behind it (or before it), `count` in all.
Term padded_to(Interpreter& in, const Term& x, std::int64_t count, double padding, bool in_front = false) {
  if (!x.ok()) return x;
  const Tensor& known = x.tensor();
  if (known.shape()[0] == count) return x;
  Dims missing = known.shape();
  missing[0] = count - missing[0];
  const Term rest(tensor::full(in, missing, padding, known.dtype(), known.device()));
  return in_front ? joined(in, {rest, x}, OpId::cat, 0) : joined(in, {x, rest}, OpId::cat, 0);
}

// input 0, lengths 1, batch_first 2, enforce_sorted 3.
PyResult<Value> pack_padded_sequence(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(std::vector<std::int64_t> lengths, lengths_of(in, call.args[1]));
  const bool batch_first = call.flag(2);
  Term input = call.term(0);
  if (call.required(0).numel() == 0) return object::runtime_error(in, "Cannot pack empty tensors.");
  const std::int64_t batch = call.required(0).shape()[batch_first ? 0 : 1];
  if (static_cast<std::int64_t>(lengths.size()) != batch) {
    return object::runtime_error(in, "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})",
                                 lengths.size(), batch);
  }
  PackedSequence made;
  if (!call.flag(3)) {
    std::vector<std::int64_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0);
    const auto length = [&](std::int64_t i) { return lengths[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
    std::vector<std::int64_t> sorted;
    for (const std::int64_t i : order) sorted.push_back(length(i));
    lengths = std::move(sorted);
    made.sorted_indices = Value(whole_tensor(in, order));
    made.unsorted_indices = inverted(in, made.sorted_indices);
    input = reordered(input, batch_first ? 0 : 1, made.sorted_indices);
  }
  if (lengths.back() <= 0) {
    return object::runtime_error(
        in,
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that "
        "is <= 0");
  }
  if (!std::is_sorted(lengths.rbegin(), lengths.rend())) {
    return object::runtime_error(
        in,
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
        "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
        "sidestep this requirement if you do not need ONNX exportability.");
  }
  if (batch_first) input = ops::apply(OpId::transpose, {input, 0, 1});
  std::vector<Term> steps;
  std::vector<std::int64_t> sizes;
  for (std::int64_t t = 0; t < lengths.front(); ++t) {
    const auto count = std::count_if(lengths.begin(), lengths.end(), [t](std::int64_t one) { return one > t; });
    sizes.push_back(count);
    steps.push_back(rows(ops::apply(OpId::select, {input, 0, t}), 0, count));
  }
  NNS_TRY_ASSIGN(made.data, ops::value_of(joined(in, steps, OpId::cat, 0)));
  made.batch_sizes = Value(whole_tensor(in, sizes));
  return made.value(in);
}

PyResult<PackedSequence> packed_argument(FunctionCall& call) {
  std::optional<PackedSequence> packed = PackedSequence::of(call.interpreter, call.args[0]);
  if (packed) return *packed;
  return object::type_error(call.interpreter, "{}(): argument 'sequence' must be PackedSequence, not {}", call.name,
                            call.interpreter.type_of(call.args[0]).name());
}

// sequence 0, batch_first 1, padding_value 2, total_length 3.
PyResult<Value> pad_packed_sequence(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const PackedSequence packed, packed_argument(call));
  const std::vector<std::int64_t> sizes = packed.sizes();
  auto length = static_cast<std::int64_t>(sizes.size());
  if (!call.is_none(3)) {
    if (call.integer(3) < length) {
      return object::value_error(
          in,
          "Expected total_length to be at least the length of the longest sequence in input, but "
          "got total_length={} and max sequence length being {}",
          call.integer(3), length);
    }
    length = call.integer(3);
  }
  const Term data(Ref<Tensor>(packed.data.as<Tensor>()));
  std::vector<Term> steps;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(sizes.front()), 0);
  std::int64_t first = 0;
  for (const std::int64_t count : sizes) {
    steps.push_back(padded_to(in, rows(data, first, count), sizes.front(), call.real(2)));
    for (std::int64_t i = 0; i < count; ++i) ++lengths[static_cast<std::size_t>(i)];
    first += count;
  }
  Term padded = padded_to(in, joined(in, steps, OpId::stack, 0), length, call.real(2));
  if (call.flag(1)) padded = ops::apply(OpId::transpose, {padded, 0, 1});
  padded = reordered(padded, call.flag(1) ? 0 : 1, packed.unsorted_indices);
  NNS_TRY_ASSIGN(const Value output, ops::value_of(padded));
  NNS_TRY_ASSIGN(const Value counts,
                 ops::value_of(reordered(Term(whole_tensor(in, lengths)), 0, packed.unsorted_indices)));
  return Value(in.tuple({output, counts}));
}

// The tensors of a sequence of tensors.
PyResult<std::vector<Term>> sequence_tensors(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  if (!object::is_iterable(in, call.args[0])) {
    return object::runtime_error(in, "{}: Expected iterable for input sequences, but got arg of type: {}", call.name,
                                 object::class_repr(in.type_of(call.args[0])));
  }
  std::vector<Term> made;
  NNS_TRY(object::for_each(in, call.args[0], [&](const Value& item) -> PyResult<void> {
    Tensor* const one = item.as<Tensor>();
    if (one == nullptr) {
      return object::type_error(in, "{}(): argument 'sequences' (position 1) must be tuple of Tensors, not {}",
                                call.name, in.type_of(item).name());
    }
    made.emplace_back(Ref<Tensor>(one));
    return {};
  }));
  if (made.empty()) return object::runtime_error(in, "received an empty list of sequences");
  return made;
}

PyResult<Term> padded(FunctionCall& call, const std::vector<Term>& sequences, bool batch_first, double padding,
                      std::string_view side) {
  if (side != "left" && side != "right") {
    return object::runtime_error(call.interpreter, "Expected padding_side to be one of left or right, but got {}.",
                                 side);
  }
  std::int64_t longest = 0;
  for (const Term& one : sequences) longest = std::max(longest, one.tensor().shape()[0]);
  std::vector<Term> same;
  for (const Term& one : sequences) {
    same.push_back(padded_to(call.interpreter, one, longest, padding, side == "left"));
  }
  return joined(call.interpreter, same, OpId::stack, batch_first ? 0 : 1);
}

// sequences 0, batch_first 1, padding_value 2, padding_side 3.
PyResult<Value> pad_sequence(FunctionCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> sequences, sequence_tensors(call));
  NNS_TRY_ASSIGN(const Term made, padded(call, sequences, call.flag(1), call.real(2), call.text(3)));
  return ops::value_of(made);
}

// sequences 0, enforce_sorted 1.
PyResult<Value> pack_sequence(FunctionCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> sequences, sequence_tensors(call));
  std::vector<std::int64_t> lengths;
  for (const Term& one : sequences) lengths.push_back(one.tensor().shape()[0]);
  NNS_TRY_ASSIGN(const Term whole, padded(call, sequences, false, 0, "right"));
  if (!whole.ok()) return whole.result().error();
  Interpreter& in = call.interpreter;
  return in.call(rnn_utility(in, "pack_padded_sequence"),
                 {Value(whole.ref()), Value(whole_tensor(in, lengths)), Value(false), call.args[1]});
}

// The sequences of a padded tensor without what lies behind their lengths.
PyResult<Value> unpadded(Interpreter& in, const Term& whole, const std::vector<std::int64_t>& lengths,
                         bool batch_first) {
  std::vector<Value> made;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Term one = ops::apply(OpId::select, {whole, batch_first ? 0 : 1, static_cast<std::int64_t>(i)});
    NNS_TRY_ASSIGN(Value part, ops::value_of(rows(one, 0, lengths[i])));
    made.push_back(std::move(part));
  }
  return Value(in.list(std::move(made)));
}

PyResult<Value> unpad_sequence(FunctionCall& call) {
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> lengths, lengths_of(call.interpreter, call.args[1]));
  return unpadded(call.interpreter, call.term(0), lengths, call.flag(2));
}

PyResult<Value> unpack_sequence(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Value pair, in.call(rnn_utility(in, "pad_packed_sequence"), {call.args[0], Value(true)}));
  const object::Tuple& both = *pair.as<object::Tuple>();
  return unpadded(in, Term(Ref<Tensor>(both[0].as<Tensor>())), whole_items(*both[1].as<Tensor>()), true);
}

constexpr FunctionRow kPackedRows[] = {
    {"pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True)", "T.bb", pack_padded_sequence},
    {"pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None)", ".bNj",
     pad_packed_sequence},
    {"pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side='right')", ".bNs", pad_sequence},
    {"unpad_sequence(padded_sequences, lengths, batch_first=False)", "T.b", unpad_sequence},
    {"pack_sequence(sequences, enforce_sorted=True)", ".b", pack_sequence},
    {"unpack_sequence(packed_sequences)", ".", unpack_sequence},
    {"invert_permutation(permutation)", "t",
     [](FunctionCall& call) -> PyResult<Value> { return inverted(call.interpreter, call.args[0]); }},
};

template <std::size_t i>
PyResult<Value> field(Interpreter&, const Value& self) {
  return (*self.as<object::Tuple>())[i];
}

using object::Keyword;

// A sequence of the same class with its data and its indices as `data` and `index` make them.
template <class OfData, class OfIndex>
PyResult<Value> remade(Interpreter& in, const Value& self, OfData data, OfIndex index) {
  const object::Tuple& fields = *self.as<object::Tuple>();
  NNS_TRY_ASSIGN(const Value made, data(fields[0]));
  if (made.is(fields[0])) return self;
  std::vector<Value> arguments{made, fields[1]};
  for (std::size_t i = 2; i < 4; ++i) {
    arguments.push_back(fields[i]);
    if (fields[i].is_none()) continue;
    NNS_TRY_ASSIGN(arguments.back(), index(fields[i], made));
  }
  return in.call(Value(static_cast<object::Object*>(&in.type_of(self))), arguments);
}

// Behaviour: PackedSequence.to: the sizes of the batches stay on the CPU, the indices have no other dtype.
PyResult<Value> converted(Interpreter& in, const Value& self, std::span<const Value> positional,
                          std::span<const Keyword> keywords) {
  const object::Name to = in.intern("to");
  return remade(
      in, self,
      [&](const Value& data) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Value method, object::getattr(in, data, to));
        return in.call(method, positional, keywords);
      },
      [&](const Value& indices, const Value& made) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Value device, object::getattr(in, made, in.intern("device")));
        NNS_TRY_ASSIGN(const Value method, object::getattr(in, indices, to));
        std::vector<Keyword> rest(keywords.begin(), keywords.end());
        std::erase_if(rest,
                      [](const Keyword& one) { return one.name.view() == "device" || one.name.view() == "dtype"; });
        return in.call(method, std::array{device}, rest);
      });
}

void add_sequence_conversions(Class& cls) {
  cls.def("to(self, *args, **kwargs)", [](Interpreter& in, Args a) {
    return converted(in, a[0], a[1].as<object::Tuple>()->items(), object::keywords_of(in, *a[2].as<Dict>()));
  });
  constexpr std::pair<std::string_view, DType> kDtypes[] = {
      {"double", DType::Float64}, {"float", DType::Float32}, {"half", DType::Float16}, {"long", DType::Int64},
      {"int", DType::Int32},      {"short", DType::Int16},   {"char", DType::Int8},    {"byte", DType::UInt8}};
  for (const auto& row : kDtypes) {
    cls.def(fmt::format("{}(self)", row.first), [dtype = row.second](Interpreter& in, Args a) {
      const Value wanted = tensor::TensorLibrary::of(in).dtype_value(dtype);
      return converted(in, a[0], {}, std::array{Keyword{in.intern("dtype"), wanted}});
    });
  }
  // What the arguments say of a device goes first.
  for (const std::string_view device : {"cpu", "cuda"}) {
    cls.def(fmt::format("{}(self, *args, **kwargs)", device), [device](Interpreter& in, Args a) -> PyResult<Value> {
      std::vector<Keyword> keywords = object::keywords_of(in, *a[2].as<Dict>());
      const auto positional = a[1].as<object::Tuple>()->items();
      const bool is_said =
          std::any_of(keywords.begin(), keywords.end(), [](const Keyword& k) { return k.name.view() == "device"; }) ||
          std::any_of(positional.begin(), positional.end(), [&](const Value& one) {
            return one.as<object::Str>() != nullptr || &in.type_of(one) == tensor::TensorLibrary::of(in).device;
          });
      if (!is_said) keywords.push_back({in.intern("device"), in.text(device)});
      return converted(in, a[0], positional, keywords);
    });
  }
  cls.def("pin_memory(self)", [](Interpreter& in, Args a) {
    const auto pin = [&in](const Value& one) { return in.call_method(one, in.intern("pin_memory"), {}); };
    return remade(in, a[0], pin, [pin](const Value& one, const Value&) { return pin(one); });
  });
  cls.def("is_pinned(self)", [](Interpreter& in, Args a) {
    return in.call_method((*a[0].as<object::Tuple>())[0], in.intern("is_pinned"), {});
  });
  cls.property("is_cuda", [](Interpreter& in, const Value& self) {
    return object::getattr(in, (*self.as<object::Tuple>())[0], in.intern("is_cuda"));
  });
}

Class& define_packed_sequence(Interpreter& in) {
  Class& cls =
      in.define_class({.name = "PackedSequence", .module = "torch.nn.utils.rnn", .bases = {in.builtins().tuple}});
  cls.def_static("__new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None)",
                 [](Interpreter& interpreter, Args a) -> PyResult<Value> {
                   PackedSequence made{a[1], a[2], a[3], a[4]};
                   if (made.batch_sizes.is_none()) {
                     NNS_TRY_ASSIGN(made.data, object::getitem(interpreter, a[1], Value(0)));
                     NNS_TRY_ASSIGN(made.batch_sizes, object::getitem(interpreter, a[1], Value(1)));
                   }
                   if (made.unsorted_indices.is_none()) made.unsorted_indices = inverted(interpreter, a[3]);
                   return made.value(interpreter);
                 });
  constexpr object::NativeGetter kGetters[] = {field<0>, field<1>, field<2>, field<3>};
  for (std::size_t i = 0; i < std::size(kFields); ++i) cls.property(kFields[i], kGetters[i]);
  add_sequence_conversions(cls);
  cls.def("__repr__(self)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    std::string text;
    for (std::size_t i = 0; i < std::size(kFields); ++i) {
      NNS_TRY_ASSIGN(const std::string shown, object::repr(interpreter, (*a[0].as<object::Tuple>())[i]));
      text += fmt::format("{}{}={}", i == 0 ? "" : ", ", kFields[i], shown);
    }
    return interpreter.text(fmt::format("PackedSequence({})", text));
  });
  return cls;
}

}  // namespace

std::span<const FunctionRow> rnn_utility_functions() { return kPackedRows; }

std::optional<PackedSequence> PackedSequence::of(Interpreter& interpreter, const Value& value) {
  const Class& cls = *rnn_utility(interpreter, "PackedSequence").as<Class>();
  if (!object::isinstance(interpreter, value, cls)) return std::nullopt;
  const object::Tuple& fields = *value.as<object::Tuple>();
  return PackedSequence{fields[0], fields[1], fields[2], fields[3]};
}

Value PackedSequence::value(Interpreter& interpreter) const {
  Class& cls = *rnn_utility(interpreter, "PackedSequence").as<Class>();
  return Value(
      object::make<object::Tuple>(cls, std::vector<Value>{data, batch_sizes, sorted_indices, unsorted_indices}));
}

std::vector<std::int64_t> PackedSequence::sizes() const { return whole_items(*batch_sizes.as<Tensor>()); }

std::vector<std::int64_t> whole_items(const Tensor& tensor) {
  std::vector<std::int64_t> items;
  tensor::for_each_place(tensor, [&](std::int64_t place) { items.push_back(tensor::read_int64(tensor, place)); });
  return items;
}

PyResult<std::vector<std::int64_t>> lengths_of(Interpreter& in, const Value& given) {
  if (const Tensor* const tensor = given.as<Tensor>()) return whole_items(*tensor);
  std::vector<std::int64_t> lengths;
  NNS_TRY(object::for_each(in, given, [&](const Value& item) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::int64_t one, object::index(in, item));
    lengths.push_back(one);
    return {};
  }));
  return lengths;
}

Term reordered(const Term& x, int dim, const Value& indices) {
  if (indices.is_none() || x.is_none()) return x;
  return ops::apply(OpId::index_select, {x, dim, Term(Ref<Tensor>(indices.as<Tensor>()))});
}

Value rnn_utility(Interpreter& interpreter, std::string_view name) {
  NnLibrary& library = NnLibrary::of(interpreter);
  if (name != "PackedSequence") return library.rnn_utility(interpreter, name);
  if (library.packed_sequence == nullptr) library.packed_sequence = &define_packed_sequence(interpreter);
  return Value(static_cast<object::Object*>(library.packed_sequence));
}

}  // namespace nns::nn
