// Functions of torch that become operators on graphs: torch.utils.checkpoint, torch.cond.
// Behaviour: torch/_dynamo/variables/higher_order_ops.py; torch/_higher_order_ops.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

// What checkpoint() takes for itself; other keywords are the function's.
constexpr std::string_view kOfCheckpoint[] = {"use_reentrant", "determinism_check", "debug", "early_stop",
                                              "preserve_rng_state"};

}  // namespace

Variable* Translator::call_higher_order(std::string_view target, Arguments args, Keywords keywords, bool& is_known) {
  is_known = true;
  if (target == "torch.utils.checkpoint.checkpoint") return call_checkpoint(args, keywords);
  if (target == "torch._higher_order_ops.cond.cond") return call_cond(args, keywords);
  is_known = false;
  return nullptr;
}

Node& Translator::operator_node(const std::string& name) {
  Node& node = add_node(Node::Op::CallFunction, "torch.ops.higher_order." + name, name);
  node.callee = engine_.library_value("torch._higher_order_ops", name == "cond" ? "cond_op" : name);
  return node;
}

// Behaviour: class CheckpointHigherOrderVariable.
Variable* Translator::call_checkpoint(Arguments args, Keywords keywords) {
  if (args.empty()) {
    return raise(object::type_error(in_, "checkpoint() missing 1 required positional argument: 'function'"));
  }
  std::vector<KeywordArgument> of_function, own;
  Variable* contexts = nullptr;
  for (const KeywordArgument& one : keywords) {
    const std::string_view name = one.name.view();
    const bool is_own = std::find(std::begin(kOfCheckpoint), std::end(kOfCheckpoint), name) != std::end(kOfCheckpoint);
    if (name == "context_fn")
      contexts = one.value;
    else
      (is_own ? own : of_function).push_back(one);
  }
  // Both contexts are around what runs again in backward: the operator makes them then.
  Value make_contexts;
  if (contexts != nullptr) {
    make_contexts = value_now(contexts);
    if (has_failed()) return nullptr;
    if (make_contexts.is_absent()) {
      return unsupported("torch.utils.checkpoint.checkpoint: unsupported context_fn", shown(contexts),
                         "`context_fn` is a function that existed before the compiled one was called.", {});
    }
    if (make_contexts.is(engine_.library_value("torch.utils.checkpoint", "noop_context_fn"))) make_contexts = Value();
  }
  Body body;
  if (!trace_body(body, [&] { return call(args[0], args.subspan(1), of_function); })) {
    note_operator("torch.utils.checkpoint.checkpoint");
    return nullptr;
  }
  close_body(body);
  Node* const attribute = install_body(body, "wrap_body");
  if (attribute == nullptr) return nullptr;
  if (!make_contexts.is_none()) {
    const PyResult<Value> meta = object::getattr(in_, attribute->callee, in_.intern("meta"));
    if (!meta.ok() || meta.value().as<Dict>() == nullptr) return nullptr;
    meta.value().as<Dict>()->set(in_.intern("_checkpoint_context_fn"), make_contexts);
  }
  NamedArguments named;
  for (const KeywordArgument& one : own) {
    named.emplace_back(std::string(one.name.view()), Argument{});
    if (!as_argument(one.value, named.back().second)) return nullptr;
  }
  Node& node = operator_node("tag_activation_checkpoint");
  node.args.push_back(node_argument(*attribute));
  for (const BodyInput& input : body.inputs) node.args.push_back(node_argument(*input.outside));
  node.kwargs = std::move(named);
  return result_of(node, body);
}

// A break in the body of an operator that cannot run without its graph. Behaviour: raise_hard_error_if_graph_break.
Variable* Translator::uncaptured(std::string_view name) {
  note_operator(name);
  if (failure_.kind != Failure::Kind::Unsupported) return nullptr;
  failure_.kind = Failure::Kind::Error;
  failure_.error = engine_.exception(
      "UncapturedHigherOrderOpError",
      "This higher order operator doesn't work unless it is captured completely with torch.compile. Got graph "
      "break/error:\n\n" +
          break_text(failure_.reason) + from_user_code(failure_.reason, config_.verbose));
  return nullptr;
}

// The innermost operator around a break is the one that it tells of.
void Translator::note_operator(std::string_view name) {
  if (failure_.kind == Failure::Kind::Unsupported && failure_.reason.higher_order_operator.empty())
    failure_.reason.higher_order_operator = name;
}

// Behaviour: class CondHigherOrderVariable.
Variable* Translator::call_cond(Arguments args, Keywords keywords) {
  constexpr std::array<std::string_view, 4> kNames = {"pred", "true_fn", "false_fn", "operands"};
  std::array<Variable*, 4> given = {};
  for (std::size_t i = 0; i < args.size() && i < given.size(); ++i) given[i] = args[i];
  for (const KeywordArgument& one : keywords) {
    const auto at = std::find(kNames.begin(), kNames.end(), one.name.view());
    if (at != kNames.end()) given[static_cast<std::size_t>(at - kNames.begin())] = one.value;
  }
  if (given[3] == nullptr) given[3] = tuple({});
  if (std::find(given.begin(), given.end(), nullptr) != given.end() || args.size() > given.size()) {
    unsupported("torch.cond: improper args/kwargs", fmt::format("args: {}", shown(args, '(')),
                fmt::format("Expect 4 arguments of torch.cond: pred, true_fn, false_fn, operands; got {}.",
                            args.size() + keywords.size()),
                {hints::kUserError});
    return uncaptured("torch.cond");
  }
  NNS_VARIABLE(predicate, real(given[0]));
  NNS_VARIABLE(operands, real(given[3]));
  std::vector<Variable*> operand_items, operand_leaves;
  const bool is_sequence = operands->kind == VariableKind::Tuple || operands->kind == VariableKind::List;
  if (is_sequence && !items_of(operands, operand_items)) return nullptr;
  if (predicate->is_constant() && is_sequence) {
    const int is_true = truth(predicate);
    return is_true < 0 ? nullptr : call(given[is_true == 1 ? 1 : 2], operand_items, {});
  }
  if (predicate->kind != VariableKind::Tensor && predicate->kind != VariableKind::Number) {
    unsupported("torch.cond: improper predicate", std::string(type_of(*predicate).name()),
                "Expected `pred` to be a bool or a boolean tensor with a single item.", {hints::kUserError});
    return uncaptured("torch.cond");
  }
  if (!is_sequence) {
    unsupported("torch.cond: improper operands", std::string(type_of(*operands).name()),
                "Expected `operands` to be a list/tuple.", {hints::kUserError});
    return uncaptured("torch.cond");
  }
  Argument condition;
  if (!flatten(operands, operand_leaves) || !as_argument(predicate, condition)) return uncaptured("torch.cond");
  std::array<Body, 2> branches;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto run = [&] { return call(given[i + 1], operand_items, {}); };
    if (!trace_body(branches[i], run)) return uncaptured("torch.cond");
  }
  Body &yes = branches[0], &no = branches[1];
  if (!has_same_structure(yes.result, no.result)) {
    unsupported("torch.cond: differing branch outputs",
                fmt::format("true: {}, false: {}", shown(yes.result), shown(no.result)),
                "Expected branches to return the same pytree structure.", {hints::kUserError});
    return uncaptured("torch.cond");
  }
  for (std::size_t i = 0; i < yes.leaves.size(); ++i) {
    const Ref<tensor::Tensor>&a = yes.leaves[i]->node->example, &b = no.leaves[i]->node->example;
    if (a->dtype() != b->dtype() || a->shape() != b->shape()) {
      unsupported("torch.cond: differing branch outputs",
                  fmt::format("true: {}, false: {}", value_text(*yes.leaves[i]->node), value_text(*no.leaves[i]->node)),
                  "Expected branches to return tensors of the same dtype and sizes.", {hints::kUserError});
      return uncaptured("torch.cond");
    }
    if (b->requires_grad() && !a->requires_grad()) yes.leaves[i] = no.leaves[i];
  }
  const std::vector<const Node*> inputs = share_inputs(yes, no);
  std::array<Node*, 2> attributes = {};
  for (std::size_t i = 0; i < 2; ++i) {
    close_body(branches[i]);
    attributes[i] = install_body(branches[i], i == 0 ? "cond_true" : "cond_false");
    if (attributes[i] == nullptr) return nullptr;
  }
  Argument all{.kind = Argument::Kind::Tuple, .node = nullptr, .constant = {}, .items = {}, .keys = {}};
  for (const Node* const input : inputs) all.items.push_back(node_argument(*input));
  Node& node = operator_node("cond");
  node.args = {std::move(condition), node_argument(*attributes[0]), node_argument(*attributes[1]), std::move(all)};
  return result_of(node, yes);
}

}  // namespace nns::dynamo
