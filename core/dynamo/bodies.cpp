// Functions that are traced into graphs of their own, which a higher-order operator of the graph around runs.
// Behaviour: torch/_dynamo/variables/higher_order_ops.py, speculate_subgraph; output_graph.py, class SubgraphTracer.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/object/same.h"

namespace nns::dynamo {

// What stands in a body for a node of the graph around.
Node& Translator::placeholder_for(Graph& graph, const Node& node, std::string name) {
  Node& made = graph.add_placeholder(std::move(name));
  made.callee = node.callee;
  made.example = node.example;
  made.hint = node.hint;
  made.variants = node.variants;
  made.type_text = node.type_text;
  made.has_unknown_size = node.has_unknown_size;
  return made;
}

const Node* Translator::node_here(const Node& node) {
  if (node.graph == graph_.get()) return &node;
  // From the graph that the node is of inwards each body gets a placeholder of it.
  std::size_t from = bodies_.size();
  while (from > 0 && bodies_[from - 1]->graph.get() != node.graph) --from;
  if (from == 0 && compiled_->graph.get() != node.graph) {
    unsupported("HigherOrderOperator: value of a body is used outside of it", node.name,
                "What the function of a higher-order operator computes is known outside of it only if it is returned.",
                {});
    return nullptr;
  }
  const Node* here = &node;
  for (std::size_t i = from; i < bodies_.size(); ++i) {
    Body& body = *bodies_[i];
    Node*& made = body.placeholders[here];
    if (made == nullptr) {
      made = &placeholder_for(*body.graph, *here, here->name);
      body.inputs.push_back({here, made});
    }
    here = made;
    if (body.graph == graph_) break;
  }
  return here;
}

Argument Translator::argument_of(const Node& node) {
  const Node* const here = node_here(node);
  return here == nullptr ? Argument{} : node_argument(*here);
}

// Behaviour: torch/_dynamo/side_effects.py, check_allowed_side_effect.
void Translator::note_write(Variable& written) {
  Body& body = *bodies_.back();
  if (body.unsafe_write || (written.is_new && written.scope >= body.scope)) return;
  body.unsafe_write = unsafe_effect(fmt::format("Attempted to mutate {}", shown(&written)));
}

BreakReason Translator::unsafe_effect(std::string context) const {
  BreakReason reason;
  reason.type = "HOP: Unsafe side effect";
  reason.context = std::move(context);
  reason.explanation = "Mutating a variable from outside the scope of this HOP is not supported.";
  reason.hints = {
      "If the HOP is activation checkpointing (torch.utils.checkpoint.checkpoint), this points to a side effect in "
      "forward method. Eager activation checkpointing replays that side-effect while recomputing the forward in the "
      "backward. If you are ok with side-effect not replayed in the backward, try setting "
      "`torch._dynamo.config.skip_fwd_side_effects_in_bwd_under_checkpoint = True`"};
  return located(std::move(reason));
}

bool Translator::flatten(Variable* given, std::vector<Variable*>& leaves) {
  Variable* const value = real(given);
  if (value == nullptr) return false;
  switch (value->kind) {
    case VariableKind::Tuple:
    case VariableKind::List:
    case VariableKind::Dict:
      return std::all_of(value->items.begin(), value->items.end(),
                         [&](Variable* item) { return item == nullptr || flatten(item, leaves); });
    case VariableKind::Tensor:
      leaves.push_back(value);
      return true;
    default:
      if (value->is_constant()) return true;
      unsupported("HigherOrderOperator: invalid output", std::string(type_of(*value).name()),
                  "The function of a higher-order operator gives tensors and constants, alone or in tuples, lists and "
                  "dicts.",
                  {});
      return false;
  }
}

Variable* Translator::unflatten(Variable* given, std::span<Variable* const> leaves, std::size_t& at) {
  Variable* const like = real(given);
  if (like->kind == VariableKind::Tensor) return leaves[at++];
  if (like->is_constant()) return like;
  Variable& made = arena_->make(like->kind);
  made.cls = like->cls;
  made.is_new = true;
  made.keys = like->keys;
  for (Variable* const item : like->items)
    made.items.push_back(item == nullptr ? nullptr : unflatten(item, leaves, at));
  return &made;
}

bool Translator::has_same_structure(Variable* given, Variable* other) {
  const Variable *const a = real(given), *const b = real(other);
  const bool is_same_kind = a != nullptr && b != nullptr && a->kind == b->kind && a->cls == b->cls &&
                            a->items.size() == b->items.size() && a->keys.size() == b->keys.size();
  if (!is_same_kind) return false;
  if (a->is_constant()) return object::is_same_text_or_object(a->value, b->value);
  for (std::size_t i = 0; i < a->keys.size(); ++i) {
    if (!is_same_key(*a->keys[i], *b->keys[i])) return false;
  }
  for (std::size_t i = 0; i < a->items.size(); ++i) {
    if (!has_same_structure(a->items[i], b->items[i])) return false;
  }
  return true;
}

// Behaviour: _merge_graph_inputs.
std::vector<const Node*> Translator::share_inputs(Body& a, Body& b) {
  std::vector<const Node*> shared, of_a, of_b;
  for (const BodyInput& one : a.inputs) (b.placeholders.contains(one.outside) ? shared : of_a).push_back(one.outside);
  for (const BodyInput& one : b.inputs) {
    if (!a.placeholders.contains(one.outside)) of_b.push_back(one.outside);
  }
  a.inputs.clear();
  b.inputs.clear();
  for (std::vector<const Node*>* const some : {&shared, &of_a, &of_b})
    std::sort(some->begin(), some->end(), [](const Node* x, const Node* y) { return x->name < y->name; });
  std::vector<const Node*> inputs;
  const auto add = [&](const std::vector<const Node*>& some, std::string_view suffix) {
    for (const Node* const input : some) {
      inputs.push_back(input);
      for (Body* const body : {&a, &b}) {
        Node& made = placeholder_for(*body->graph, *input, input->name + std::string(suffix));
        made.is_kept = true;
        Node*& place = body->placeholders[input];
        if (place != nullptr) {
          body->graph->replace(*place, made);
          for (Argument& output : body->outputs) put_instead(output, *place, made);
        }
        place = &made;
        body->inputs.push_back({input, &made});
      }
    }
  };
  add(shared, "");
  add(of_a, "_true_branch");
  add(of_b, "_false_branch");
  return inputs;
}

bool Translator::trace_body(Body& body, const std::function<Variable*()>& run) {
  const std::shared_ptr<Graph> around = std::exchange(graph_, body.graph);
  const std::uint32_t scope_around = std::exchange(arena_->scope, ++scopes_);
  body.scope = scopes_;
  bodies_.push_back(&body);
  const std::size_t effects = hooks_.size() + logs_.size() + global_writes_.size();
  body.result = run();
  if (body.result != nullptr) {
    std::set<const Variable*> looked_at;
    const bool is_fine = realize_all(body.result, looked_at) && flatten(body.result, body.leaves);
    const bool has_effects = effects != hooks_.size() + logs_.size() + global_writes_.size();
    if (is_fine && (body.unsafe_write || has_effects)) {
      failure_.kind = Failure::Kind::Unsupported;
      failure_.reason = body.unsafe_write ? *body.unsafe_write : unsafe_effect("");
    }
    for (const Variable* const leaf : body.leaves) {
      const Node* const here = node_here(*leaf->node);
      if (here == nullptr) break;
      body.leaf_nodes.push_back(here);
      body.outputs.push_back(node_argument(*here));
    }
  }
  bodies_.pop_back();
  arena_->scope = scope_around;
  graph_ = around;
  // What was asked of sizes in there is asked again.
  std::erase_if(measured_, [&](const auto& entry) { return entry.second->node->graph == body.graph.get(); });
  body_graphs_.push_back(body.graph);
  return body.result != nullptr && !has_failed();
}

void Translator::close_body(Body& body) {
  Argument all{.kind = Argument::Kind::Tuple, .node = nullptr, .constant = {}, .items = body.outputs, .keys = {}};
  body.graph->add(Node::Op::Output, "output", "output").args.push_back(std::move(all));
  body.graph->finish();
  // What only a size was read of is taken no more.
  std::erase_if(body.inputs, [](const BodyInput& input) { return input.inside->is_erased; });
}

Node* Translator::install_body(Body& body, const std::string& name) {
  PyResult<Value> module = engine_.graph_module_of(*body.graph);
  if (!module.ok()) {
    raise(module.error());
    return nullptr;
  }
  const std::string key = fmt::format("{}_{}", name, body_counts_[name]++);
  Node& node = add_node(Node::Op::GetAttr, key, key);
  node.callee = std::move(module).value();
  node.body = body.graph;
  return &node;
}

// What an operator gives in one place; `inner`: what its body gives there.
Node& Translator::item_node(const Node& node, std::size_t place, const Node& inner) {
  Node& part = graph_->add(Node::Op::CallFunction, "operator.getitem", "getitem");
  part.module_stack = node.module_stack;
  part.callee = engine_.operator_function("getitem");
  part.args = {node_argument(node), constant_argument(Value(static_cast<std::int64_t>(place)))};
  part.variants = inner.variants;
  part.has_unknown_size = inner.has_unknown_size;
  return part;
}

Variable* Translator::result_of(Node& node, Body& body) {
  std::vector<Variable*> leaves;
  for (std::size_t i = 0; i < body.leaves.size(); ++i) {
    const Node& inner = *body.leaves[i]->node;
    Node& part = item_node(node, i, inner);
    leaves.push_back(tensor_of(part, inner.example));
    leaves.back()->has_free_sizes = body.leaves[i]->has_free_sizes;
  }
  std::size_t at = 0;
  return unflatten(body.result, leaves, at);
}

}  // namespace nns::dynamo
