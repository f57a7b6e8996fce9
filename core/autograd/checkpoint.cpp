#include <optional>

#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/node.h"

// torch.utils.checkpoint.checkpoint: forget what the forward pass kept, and run it again when backward asks.
// Behaviour: torch/utils/checkpoint.py. Both of torch's ways give the same gradients; ours runs the function without
// recording it and differentiates a second run.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;

// What the second run must find as the first did: random numbers, and how autocast is set.
struct Surroundings {
  std::optional<tensor::Generator> generator;
  struct Autocast {
    ops::Autocast::Mode cpu, cuda;
    bool caches;
  } autocast;

  static Surroundings of(Interpreter& in, bool keeps_generator) {
    ops::Autocast& now = ops::OpLibrary::of(in).autocast;
    Surroundings made{std::nullopt, {*now.mode("cpu"), *now.mode("cuda"), now.caches}};
    if (keeps_generator) made.generator = tensor::TensorLibrary::of(in).generator;
    return made;
  }
  void restore(Interpreter& in) const {
    ops::Autocast& now = ops::OpLibrary::of(in).autocast;
    for (const ops::Autocast::Mode* mode : {&autocast.cpu, &autocast.cuda}) {
      ops::Autocast::Mode& changed = *now.mode(mode->device_type);
      now.enable(changed, mode->is_enabled);
      changed.dtype = mode->dtype;
    }
    now.caches = autocast.caches;
    if (generator) tensor::TensorLibrary::of(in).generator = *generator;
  }
};

class CheckpointNode final : public ops::Node {
 public:
  CheckpointNode(object::Class& cls, Value callee, std::vector<Value> given, std::vector<object::Keyword> named,
                 Surroundings around)
      : Node(cls),
        function(std::move(callee)),
        arguments(std::move(given)),
        keywords(std::move(named)),
        surroundings(around) {}

  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override {
    Interpreter& in = interpreter();
    std::vector<Value> again = arguments;
    std::vector<Ref<Tensor>> inputs;
    for (Value& value : again) {
      const Tensor* const one = value.as<Tensor>();
      if (one == nullptr) continue;
      Ref<Tensor> fresh = tensor::detach(*one);
      NNS_TRY(fresh->set_requires_grad(ops::needs_gradient(*one)));
      if (fresh->requires_grad()) inputs.push_back(fresh);
      value = Value(std::move(fresh));
    }
    std::vector<Ref<Tensor>> roots, root_grads;
    {
      const ops::GradModeGuard recording(in, true);
      const Surroundings before = Surroundings::of(in, surroundings.generator.has_value());
      surroundings.restore(in);
      const PyResult<Value> called = in.call(function, again, keywords);
      before.restore(in);
      NNS_TRY_ASSIGN(const Value made, called);
      NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> results, tensors_of(in, made, "outputs"));
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (!grads[i] || !results[i]->requires_grad()) continue;
        roots.push_back(results[i]);
        root_grads.push_back(grads[i]);
      }
    }
    // Parameters that the function uses get their gradients on the way.
    NNS_TRY(backward(in, roots, root_grads));
    std::vector<Ref<Tensor>> found(next.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].node) found[i] = inputs[at++]->grad();
    }
    return found;
  }
  void traverse(object::Visitor& visitor) const override {
    Node::traverse(visitor);
    visitor.visit(function);
    for (const Value& value : arguments) visitor.visit(value);
    for (const object::Keyword& one : keywords) visitor.visit(one.value);
  }
  void clear_references() override {
    Node::clear_references();
    function = Value();
    arguments.clear();
    keywords.clear();
  }

  Value function;
  std::vector<Value> arguments;
  std::vector<object::Keyword> keywords;
  Surroundings surroundings;
};

PyResult<Value> checkpoint(Interpreter& in, Args a) {
  const auto given = a[1].as<object::Tuple>()->items();
  const std::vector<Value> arguments(given.begin(), given.end());
  std::vector<object::Keyword> keywords;
  auto& named = *a[7].as<object::Dict>();
  for (std::size_t at = 0; const object::Dict::Entry* entry = named.next(at);) {
    keywords.push_back({in.intern(entry->key.as<object::Str>()->view()), entry->value});
  }
  if (!ops::OpLibrary::of(in).grad_mode.is_enabled) return in.call(a[0], arguments, keywords);
  NNS_TRY_ASSIGN(const bool keeps_generator, object::truth(in, a[3]));
  Surroundings surroundings = Surroundings::of(in, keeps_generator);
  Value made;
  {
    const ops::GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(made, in.call(a[0], arguments, keywords));
  }
  const auto node = object::make<CheckpointNode>(ops::node_class(in, "CheckpointFunctionBackward"), a[0], arguments,
                                                 std::move(keywords), surroundings);
  for (const Value& value : arguments) {
    Tensor* const one = value.as<Tensor>();
    if (one == nullptr) continue;
    NNS_TRY_ASSIGN(ops::Edge edge, ops::gradient_edge(*one));
    node->next.push_back(std::move(edge));
  }
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> outputs, tensors_of(in, made, "outputs"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = *outputs[i];
    node->outputs.push_back({output.shape(), output.strides(), output.offset(), output.dtype(), output.device()});
    if (tensor::is_differentiable(output.dtype())) {
      outputs[i]->set_grad_fn(Ref<object::Object>(node.get()), static_cast<std::uint32_t>(i));
    }
  }
  return made;
}

}  // namespace

void add_checkpoint(Interpreter& interpreter) {
  add_python_function(
      interpreter, "torch.utils.checkpoint",
      "checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, determinism_check=None, "
      "debug=False, early_stop=True, **kwargs)",
      checkpoint);
}

}  // namespace nns::autograd
