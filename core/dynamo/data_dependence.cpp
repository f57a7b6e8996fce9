// Ops of which only a tensor's values tell what they give, or how much.
// Behaviour: torch/_dynamo/utils.py, _get_fake_value_impl; torch/_subclasses/fake_impls.py.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"

namespace nns::dynamo {

using tensor::DType;

namespace {

struct Row {
  std::string_view name, op;
};
/// The number, or the truth, of them is that of the values.
constexpr std::array<Row, 3> kOfValues = {{{"equal", "aten.equal.default"},
                                           {"allclose", "aten.allclose.default"},
                                           {"is_nonzero", "aten._local_scalar_dense.default"}}};
/// Functions and methods, and the op of aten that asks for the values.
constexpr std::array<Row, 8> kOfSizes = {{{"nonzero", "aten.nonzero.default"},
                                          {"argwhere", "aten.nonzero.default"},
                                          {"masked_select", "aten.masked_select.default"},
                                          {"combinations", "aten.masked_select.default"},
                                          {"unique", "aten._unique2.default"},
                                          {"unique_consecutive", "aten.unique_consecutive.default"},
                                          {"bincount", "aten.bincount.default"},
                                          {"linalg_lstsq", "aten.linalg_lstsq.default"}}};

template <std::size_t kCount>
std::string_view op_of(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? std::string_view() : found->op;
}

bool is_tensor(const Argument& argument) { return argument.node != nullptr && argument.node->example != nullptr; }

bool is_mask(const Argument& argument) {
  return is_tensor(argument) &&
         (argument.node->example->dtype() == DType::Bool || argument.node->example->dtype() == DType::UInt8);
}

}  // namespace

namespace {

const Argument* mask_in(const Argument& key) {
  if (is_mask(key)) return &key;
  const bool is_of_more = key.kind == Argument::Kind::Tuple || key.kind == Argument::Kind::List;
  const auto found = std::find_if(key.items.begin(), key.items.end(), is_mask);
  return is_of_more && found != key.items.end() ? &*found : nullptr;
}

}  // namespace

const Argument* Translator::mask_of(std::string_view target, const std::vector<Argument>& positional) {
  return target == "operator.getitem" && positional.size() == 2 ? mask_in(positional[1]) : nullptr;
}

const Argument* Translator::mask_of_write(std::string_view target, const std::vector<Argument>& positional) {
  return target == "operator.setitem" && positional.size() == 3 ? mask_in(positional[1]) : nullptr;
}

std::vector<Value> Translator::written_whole(std::span<const Value> arguments) {
  std::vector<Value> made(arguments.begin(), arguments.end());
  made[1] = in_.ellipsis();
  if (made[2].as<tensor::Tensor>() != nullptr) {
    PyResult<Value> sum = in_.call_method(made[2], in_.intern("sum"));
    if (sum.ok()) made[2] = std::move(sum).value();
  }
  return made;
}

Variable* Translator::data_dependent(std::string_view op) {
  const bool is_of_scalar = op == "aten._local_scalar_dense.default" || op == "aten.item.default";
  return unsupported(
      "Data dependent operator", std::string(op),
      fmt::format("Operator `{}` has a non-Tensor output whose value is dependent on the data of Tensor inputs.", op),
      {is_of_scalar
           ? "Enable tracing of data-dependent output operators with `torch._dynamo.config.capture_scalar_outputs = "
             "True`"
           : "Consider wrapping the operator into a PyTorch-understood custom operator (see "
             "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html)"});
}

// False after unsupported(): only values tell what the op gives, or which shape that has.
bool Translator::is_known_without_values(std::string_view target, const std::vector<Argument>& positional,
                                         const NamedArguments& named) {
  const std::string_view name = target.substr(target.rfind('.') == std::string_view::npos ? 0 : target.rfind('.') + 1);
  if (const std::string_view op = op_of(kOfValues, name); !op.empty()) {
    data_dependent(op);
    return false;
  }
  const auto keyword = [&](std::string_view wanted) -> const Argument* {
    const auto found = std::find_if(named.begin(), named.end(), [&](const auto& one) { return one.first == wanted; });
    return found == named.end() ? nullptr : &found->second;
  };
  const auto given = [&](std::string_view wanted, std::size_t place) -> const Argument* {
    if (const Argument* by_name = keyword(wanted)) return by_name;
    return place < positional.size() ? &positional[place] : nullptr;
  };
  const auto is_none = [](const Argument* one) {
    return one == nullptr || (one->kind == Argument::Kind::Constant && one->constant.is_none());
  };
  std::string_view op = op_of(kOfSizes, name);
  if (name == "unique" && !is_none(given("dim", 4))) op = "aten.unique_dim.default";
  if (name == "where" && positional.size() + named.size() == 1) op = "aten.nonzero.default";
  if (name == "repeat_interleave" && is_none(keyword("output_size"))) {
    const Argument* repeats = given("repeats", 1);
    const bool is_lone = positional.size() == 1 && repeats == nullptr;
    if (is_lone || (repeats != nullptr && is_tensor(*repeats))) op = "aten.repeat_interleave.Tensor";
  }
  if (mask_of(target, positional) != nullptr) op = "aten.nonzero.default";
  if (op.empty()) return true;
  if (config_.capture_dynamic_output_shape_ops || engine_.is_fullgraph()) {
    if (example_of_unknown_size(target, positional, named)) return true;
    unknown_size(target);
    return false;
  }
  unsupported("Dynamic shape operator", std::string(op),
              fmt::format("Operator `{}`'s output shape depends on input Tensor data.", op),
              {"Enable tracing of dynamic shape operators with "
               "`torch._dynamo.config.capture_dynamic_output_shape_ops = True`"});
  return false;
}

std::vector<tensor::Dims> Translator::out_shapes(const NamedArguments& named) {
  std::vector<tensor::Dims> shapes;
  for (const auto& [key, value] : named) {
    if (key != "out") continue;
    if (is_tensor(value)) shapes.push_back(value.node->example->shape());
    for (const Argument& item : value.items) {
      if (is_tensor(item)) shapes.push_back(item.node->example->shape());
    }
  }
  return shapes;
}

// Behaviour: torch/_dynamo/variables/torch.py, TorchInGraphFunctionVariable.call_function.
bool Translator::may_write_out(const NamedArguments& named, const std::vector<tensor::Dims>& before,
                               std::string_view name, const std::string& call) {
  std::size_t at = 0;
  const auto size_text = [](const tensor::Dims& shape) {
    std::string made;
    for (const std::int64_t size : shape) made += fmt::format("{}{}", made.empty() ? "" : ", ", size);
    return "torch.Size([" + made + "])";
  };
  const auto check = [&](const Argument& one, bool is_of_list) {
    if (!is_tensor(one)) return true;
    const tensor::Tensor& now = *one.node->example;
    const tensor::Dims& shape = before[at++];
    if (shape != now.shape()) {
      const std::string function = fmt::format("<built-in method {} of type object at <addr>>", name);
      unsupported(
          is_of_list ? "Shape mismatch with out= list of tensor variants" : "Shape mismatch with out= tensor variant",
          "fn=" + call,
          fmt::format("Shape mismatch when calling {} with `out=`. Provided `out=` shape: {}. Actual shape: "
                      "{}.",
                      function, size_text(shape), size_text(now.shape())),
          {hints::kSupportable});
      return false;
    }
    if (now.is_contiguous()) return true;
    unsupported(is_of_list ? "Attempted to call op with non-contiguous `out=` list of tensors"
                           : "Attempted to call op with non-contiguous `out=` tensor",
                "self.value=" + call, "Dynamo does not support this.", {hints::kSupportable});
    return false;
  };
  for (const auto& [key, value] : named) {
    if (key != "out") continue;
    if (!check(value, false)) return false;
    for (const Argument& item : value.items) {
      if (!check(item, true)) return false;
    }
  }
  return true;
}

}  // namespace nns::dynamo
