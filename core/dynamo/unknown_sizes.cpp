// Tensors whose size only values tell: nonzero and its like, where they may stand in a graph.
// Behaviour: torch/_subclasses/fake_impls.py, nonzero; torch/fx/passes/runtime_assert.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

// So many items the example has. What reads the number is not traced.
constexpr std::int64_t kExampleSize = 2;

bool holds_unknown_size(const Argument& argument) {
  if (argument.node != nullptr && argument.node->has_unknown_size) return true;
  return std::any_of(argument.items.begin(), argument.items.end(), holds_unknown_size);
}

}  // namespace

bool Translator::takes_unknown_size(const std::vector<Argument>& positional, const NamedArguments& named) {
  return std::any_of(positional.begin(), positional.end(), holds_unknown_size) ||
         std::any_of(named.begin(), named.end(), [](const auto& one) { return holds_unknown_size(one.second); });
}

Variable* Translator::unknown_size(std::string_view what) {
  // Differs: torch._dynamo goes on with a symbol for the size; here sizes do not become symbols.
  return unsupported("Data-dependent size", std::string(what),
                     fmt::format("`{}` depends on how large a tensor is, which only its values tell.", what),
                     {hints::kSupportable});
}

Ref<Tensor> Translator::example_of_unknown_size(std::string_view target, const std::vector<Argument>& positional,
                                                const NamedArguments& named) {
  if (const Argument* mask = mask_of(target, positional); mask != nullptr && mask == &positional[1]) {
    // As many items as the mask lets through, of all that it stands for.
    const Tensor& whole = *positional[0].node->example;
    std::vector<std::int64_t> shape = {kExampleSize};
    for (std::size_t i = mask->node->example->ndim(); i < whole.ndim(); ++i) shape.push_back(whole.shape()[i]);
    if (mask->node->has_unknown_size || positional[0].node->has_unknown_size) return nullptr;
    return tensor::empty(in_, tensor::Dims(std::span<const std::int64_t>(shape)), whole.dtype(), tensor::Device::Meta);
  }
  if (!engine_.has_dynamic_shape(target) || positional.empty() || !named.empty()) return nullptr;
  const std::string_view name = target.substr(target.rfind('.') + 1);
  const Node* input = positional[0].node;
  if (input == nullptr || !input->example) return nullptr;
  const Tensor& given = *input->example;
  if ((name == "nonzero" || name == "argwhere") && positional.size() == 1)
    return tensor::empty(in_, {kExampleSize, static_cast<std::int64_t>(given.ndim())}, tensor::DType::Int64,
                         tensor::Device::Meta);
  if (name == "masked_select" && positional.size() == 2)
    return tensor::empty(in_, {kExampleSize}, given.dtype(), tensor::Device::Meta);
  return nullptr;
}

// What is promised of each size is checked when the graph runs.
void Translator::assert_unknown_sizes() {
  std::size_t symbols = 0;
  for (std::size_t i = 0; i < graph_->all().size(); ++i) {
    const Node& node = graph_->all()[i];
    const Argument* const mask = mask_of(node.target, node.args);
    const bool is_masked = mask != nullptr && !node.args[0].node->has_unknown_size;
    if (!node.has_unknown_size || node.is_erased || !(is_masked || engine_.has_dynamic_shape(node.target))) continue;
    const std::string symbol = fmt::format("u{}", symbols++);
    Node* last = &graph_->insert_after(node, Node::Op::CallFunction, "torch.ops.aten.sym_size.int", "sym_size_int");
    const Node& size = *last;
    last->callee = engine_.operator_function("sym_size");
    last->args = {node_argument(node), constant_argument(Value(std::int64_t{0}))};
    const auto hold = [&](const std::string& comparison, std::string_view sign, std::int64_t bound) {
      Node& compared = graph_->insert_after(*last, Node::Op::CallFunction, "operator." + comparison, comparison);
      compared.callee = engine_.operator_function(comparison);
      compared.args = {node_argument(size), constant_argument(Value(bound))};
      const std::string message = fmt::format("Runtime assertion failed for expression {} {} {} on node '{}'", symbol,
                                              sign, bound, compared.name);
      last = &graph_->insert_after(compared, Node::Op::CallFunction, "torch.ops.aten._assert_scalar.default",
                                   "_assert_scalar_default");
      last->callee = engine_.operator_function("_assert_scalar");
      last->args = {node_argument(compared), constant_argument(in_.text(message))};
    };
    hold("ge", ">=", 0);
    const Node& input = is_masked ? *mask->node : *node.args[0].node;
    if (!input.has_unknown_size && (is_masked || node.args.size() == 1)) hold("le", "<=", input.example->numel());
  }
}

}  // namespace nns::dynamo
