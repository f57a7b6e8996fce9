#include "core/autograd/forward_mode.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/autograd/engine.h"
#include "core/object/class.h"
#include "core/ops/history.h"
#include "core/ops/term.h"
#include "core/tensor/order.h"

namespace nns::autograd {
namespace {

using ops::OpId;

// Where the edges of a node end that nobody walks on from.
class EndNode final : public ops::Node {
 public:
  using Node::Node;
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>>) override { return std::vector<Ref<Tensor>>(); }
};

const Ref<Tensor>* find_tangent(const Tensor& of, std::int64_t id) {
  if (of.autograd() == nullptr) return nullptr;
  for (const auto& [level, tangent] : of.autograd()->tangents) {
    if (level == id) return &tangent;
  }
  return nullptr;
}

Tensor* base_of(const Tensor& of) { return of.autograd() == nullptr ? nullptr : of.autograd()->view_base.get(); }

std::int64_t storage_items(const Tensor& of) {
  return static_cast<std::int64_t>(of.storage()->bytes() / tensor::item_bytes(of.dtype()));
}

// Whether the same view of both looks at the same items. Behaviour: autograd_meta.cpp, has_same_meta.
bool lies_alike(const Tensor& a, const Tensor& b) {
  if (storage_items(a) != storage_items(b) || !(a.shape() == b.shape())) return false;
  if (a.numel() == 0) return true;
  if (a.offset() != b.offset()) return false;
  for (std::size_t i = 0; i < a.ndim(); ++i) {
    if (a.shape()[i] != 1 && a.strides()[i] != b.strides()[i]) return false;
  }
  return true;
}

// Zeros of the dtype of `kind` that lie as `like` does, in a storage of the same size.
Ref<Tensor> zeros_lying_as(const Tensor& like, const Tensor& kind) {
  Interpreter& in = like.interpreter();
  const Ref<Tensor> whole = tensor::zeros(in, tensor::Dims({storage_items(like)}), kind.dtype(), kind.device());
  return tensor::as_strided(*whole, like.shape(), like.strides(), like.offset());
}

PyResult<Ref<Tensor>> place_of_view(const Ref<Tensor>& base_tangent, const Tensor& view) {
  Interpreter& in = view.interpreter();
  return ops::call_tensor_op(in, OpId::as_strided,
                             std::array{Value(base_tangent), ops::dims_value(in, view.shape()),
                                        ops::dims_value(in, view.strides()), Value(view.offset())});
}

// All tensors among the arguments, also those in lists.
template <class Use>
void for_each_argument(const ops::OpCall& call, const Use& use) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (Tensor* const one = call.tensor(i)) {
      use(*one);
    } else if (call.op.parameters[i].type == ops::ParameterType::Tensors) {
      for (Tensor* const item : call.tensors(i)) {
        if (item != nullptr) use(*item);
      }
    }
  }
}

}  // namespace

TangentPusher& TangentPusher::of(Interpreter& interpreter) {
  ops::OpLibrary& library = ops::OpLibrary::of(interpreter);
  if (!library.forward_mode) library.forward_mode = std::make_shared<TangentPusher>(interpreter);
  return static_cast<TangentPusher&>(*library.forward_mode);
}

void TangentPusher::set_active(std::size_t depth) {
  active_ = depth;
  ops::OpLibrary::of(interpreter_).forward = is_enabled_ && active_ > 0 ? this : nullptr;
}

void TangentPusher::set_enabled(bool value) {
  is_enabled_ = value;
  set_active(active_);
}

std::int64_t TangentPusher::enter() {
  levels_.push_back({next_id_++, {}});
  set_active(levels_.size());
  return depth() - 1;
}

PyResult<void> TangentPusher::exit(std::int64_t given) {
  if (levels_.empty() || given != depth() - 1) {
    return object::runtime_error(interpreter_,
                                 "Trying to exit a forward AD level that was not the last one that was created. This "
                                 "is not supported.");
  }
  const Level ended = std::move(levels_.back());
  levels_.pop_back();
  set_active(levels_.size());
  for (const Ref<object::WeakReference>& one : ended.tensors) {
    const Ref<object::Object> alive = one->get();
    if (!alive) continue;
    auto& tangents = static_cast<Tensor&>(*alive).autograd_meta().tangents;
    std::erase_if(tangents, [&](const auto& entry) { return entry.first == ended.id; });
  }
  return {};
}

void TangentPusher::add(Tensor& to, Ref<Tensor> tangent, std::int64_t at) {
  Level& level = levels_[static_cast<std::size_t>(at)];
  to.autograd_meta().tangents.emplace_back(level.id, std::move(tangent));
  level.tensors.push_back(object::make<object::WeakReference>(to));
}

PyResult<Ref<Tensor>> TangentPusher::tangent(Tensor& of, std::int64_t at) {
  if (!is_enabled_ || at < 0 || at >= depth()) return Ref<Tensor>();
  const std::int64_t id = levels_[static_cast<std::size_t>(at)].id;
  if (const Ref<Tensor>* const own = find_tangent(of, id)) return *own;
  Tensor* const base = base_of(of);
  const Ref<Tensor>* const whole = base == nullptr ? nullptr : find_tangent(*base, id);
  if (whole == nullptr || base->dtype() != of.dtype()) return Ref<Tensor>();
  const Within outer(*this, static_cast<std::size_t>(at));
  NNS_TRY_ASSIGN(Ref<Tensor> part, place_of_view(Ref<Tensor>(*whole), of));
  add(of, part, at);
  return part;
}

PyResult<void> TangentPusher::set_tangent(Tensor& of, Ref<Tensor> tangent, std::int64_t at, bool is_written) {
  const std::int64_t id = levels_[static_cast<std::size_t>(at)].id;
  if (find_tangent(*tangent, id) != nullptr) {
    return object::runtime_error(interpreter_,
                                 "Setting a forward grad that itself has a forward gradient at the same level{} is not "
                                 "supported.",
                                 at);
  }
  if (!(of.shape() == tangent->shape())) {
    return object::runtime_error(interpreter_,
                                 "Trying to set a forward gradient that has a different size than that of the original "
                                 "Tensor, this is not supported. Tensor is of size [{}] while the given forward "
                                 "gradient is of size [{}].",
                                 fmt::join(of.shape().span(), ", "), fmt::join(tangent->shape().span(), ", "));
  }
  const Within outer(*this, static_cast<std::size_t>(at));
  Tensor* const base = base_of(of);
  if (is_written && base != nullptr && base->dtype() == of.dtype() && find_tangent(*base, id) == nullptr) {
    // What is written through a view is the tangent of its base from now on.
    const Ref<Tensor> whole = zeros_lying_as(*base, *tangent);
    NNS_TRY_ASSIGN(const Ref<Tensor> part, place_of_view(whole, of));
    NNS_TRY(ops::call_in_place(interpreter_, OpId::copy, std::array{Value(part), Value(tangent)}));
    add(*base, whole, at);
    tangent = part;
  } else if (!lies_alike(of, *tangent)) {
    const Ref<Tensor> copy = zeros_lying_as(of, *tangent);
    NNS_TRY(ops::call_in_place(interpreter_, OpId::copy, std::array{Value(copy), Value(tangent)}));
    tangent = copy;
  }
  add(of, std::move(tangent), at);
  return {};
}

PyResult<void> TangentPusher::copy_tangents(Tensor& source, Tensor& made, std::int64_t without) {
  for (std::int64_t at = 0; at < depth(); ++at) {
    if (at == without) continue;
    NNS_TRY_ASSIGN(Ref<Tensor> one, tangent(source, at));
    if (one) add(made, std::move(one), at);
  }
  return {};
}

bool TangentPusher::concerns(const ops::OpCall& call) {
  const auto has_any = [](const Tensor* one) {
    return one != nullptr && one->autograd() != nullptr && !one->autograd()->tangents.empty();
  };
  bool any = false;
  for_each_argument(call, [&](Tensor& one) { any = any || has_any(&one) || has_any(base_of(one)); });
  return any;
}

PyResult<void> TangentPusher::push(ops::OpCall& call, const Ref<Tensor>& original) {
  for (std::int64_t at = static_cast<std::int64_t>(active_); at-- > 0;) {
    const Within outer(*this, static_cast<std::size_t>(at));
    bool any = false;
    PyResult<void> failed;
    for_each_argument(call, [&](Tensor& one) {
      PyResult<Ref<Tensor>> found = tangent(one, at);
      if (!found.ok()) {
        failed = std::move(found).error();
      } else {
        any = any || found.value();
      }
    });
    NNS_TRY(std::move(failed));
    if (any) NNS_TRY(push_at(call, original, at));
  }
  return {};
}

// A view of the tensor is the same view of its tangent.
PyResult<void> TangentPusher::push_view(ops::OpCall& call, std::int64_t at) {
  NNS_TRY_ASSIGN(const Ref<Tensor> whole, tangent(call.required(0), at));
  if (!whole) return {};
  std::vector<Value> arguments(call.args.begin(), call.args.end());
  arguments[0] = Value(whole);
  NNS_TRY_ASSIGN(const Value made, ops::call_op(interpreter_, call.op.id, arguments));
  const auto* const several = made.as<object::Tuple>();
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    Ref<Tensor> part(several == nullptr ? made.as<Tensor>() : (*several)[i].as<Tensor>());
    // Nothing to be found in it where the view has another dtype.
    if (!part || !tensor::is_differentiable(call.outputs[i]->dtype())) continue;
    add(*call.outputs[i], std::move(part), at);
  }
  return {};
}

PyResult<void> TangentPusher::push_at(ops::OpCall& call, const Ref<Tensor>& original, std::int64_t at) {
  if (call.op.bodies.is_view && !original) return push_view(call, at);
  if (!call.op.is_differentiable()) return {};
  std::vector<Ref<Tensor>> kept;
  for (std::size_t i = 0; i < call.args.size(); ++i) kept.emplace_back(call.tensor(i));
  if (original) {
    kept[0] = original;
    // Those further out are still as they were.
    original->autograd_meta().tangents.clear();
    for (std::int64_t below = 0; below < at; ++below) {
      NNS_TRY_ASSIGN(const Ref<Tensor> one, tangent(*call.outputs[0], below));
      if (one) original->autograd_meta().tangents.emplace_back(levels_[static_cast<std::size_t>(below)].id, one);
    }
  }
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> made, pushed(call, kept, at));
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i]) continue;
    Tensor& output = *call.outputs[i];
    NNS_TRY_ASSIGN(const Ref<Tensor> before, original ? tangent(output, at) : PyResult<Ref<Tensor>>(Ref<Tensor>()));
    if (before) {
      NNS_TRY(ops::call_in_place(interpreter_, OpId::copy, std::array{Value(before), Value(made[i])}));
    } else {
      NNS_TRY(set_tangent(output, made[i], at, original != nullptr));
    }
  }
  return {};
}

// The gradients of backward's result by the gradient of the output, along the tangents of the arguments.
PyResult<std::vector<Ref<Tensor>>> TangentPusher::pushed(ops::OpCall& call, std::span<const Ref<Tensor>> kept,
                                                         std::int64_t at) {
  struct Asked {
    static bool has(const Tensor& input, std::int64_t id) {
      return find_tangent(input, id) != nullptr;  // views got theirs from push()
    }
  };
  const bool is_recorded = ops::OpLibrary::of(interpreter_).grad_mode.is_enabled;
  const std::int64_t id = levels_[static_cast<std::size_t>(at)].id;
  if (call.op.node_class == nullptr) call.op.node_class = &ops::node_class(interpreter_, call.op.node_name);
  const auto node =
      object::make<ops::OpNode>(*call.op.node_class, call.op, call, kept, ops::reads_of(call, &Asked::has, id));
  const auto end = object::make<EndNode>(ops::node_class(interpreter_, "GraphRoot"));
  std::vector<Ref<Tensor>> tangents;
  const auto add_edge = [&](const Tensor* one) {
    const Ref<Tensor>* const own = one == nullptr ? nullptr : find_tangent(*one, id);
    tangents.push_back(own == nullptr ? Ref<Tensor>() : *own);
    node->next.push_back(own == nullptr ? ops::Edge{} : ops::Edge{end, 0});
  };
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    node->first_edge[i] = static_cast<std::uint32_t>(node->next.size());
    if (const Tensor* const one = call.tensor(i)) {
      add_edge(one);
    } else if (call.op.parameters[i].type == ops::ParameterType::Tensors) {
      for (const Tensor* const item : call.tensors(i)) add_edge(item);
    }
  }
  std::vector<Ref<Tensor>> weights(call.outputs.size());
  std::vector<Endpoint> ends;
  for (std::size_t i = 0; i < weights.size() && i < call.op.bodies.differentiable_outputs; ++i) {
    const Tensor& output = *call.outputs[i];
    if (!tensor::is_differentiable(output.dtype())) continue;
    weights[i] = tensor::zeros(interpreter_, output.shape(), output.dtype(), output.device());
    NNS_TRY(weights[i]->set_requires_grad(true));
    NNS_TRY_ASSIGN(Endpoint one, endpoint_of(weights[i]));
    ends.push_back(std::move(one));
  }
  std::vector<Ref<Tensor>> found(ends.size());
  if (ends.empty()) return std::vector<Ref<Tensor>>(call.outputs.size());
  std::vector<Endpoint> roots;
  std::vector<Ref<Tensor>> along;
  {
    const ops::GradModeGuard records(interpreter_, true);
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> given, node->apply(weights));
    for (std::size_t i = 0; i < given.size() && i < tangents.size(); ++i) {
      if (!given[i] || !tangents[i] || !given[i]->requires_grad()) continue;
      NNS_TRY_ASSIGN(Endpoint root, endpoint_of(given[i]));
      roots.push_back(std::move(root));
      along.push_back(tangents[i]);
    }
  }
  if (!roots.empty()) {
    NNS_TRY_ASSIGN(found, grad(interpreter_, roots, ends, along, {.create_graph = is_recorded, .allow_unused = true}));
  }
  std::vector<Ref<Tensor>> made(call.outputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!weights[i]) continue;
    const Ref<Tensor>& one = found[next++];
    const Tensor& output = *call.outputs[i];
    made[i] = one ? one : tensor::zeros(interpreter_, output.shape(), output.dtype(), output.device());
    // The tangent of a copy is a copy, so that one may be written without the other.
    const bool is_shared = std::any_of(tangents.begin(), tangents.end(), [&](const Ref<Tensor>& given) {
      return given && given->storage() == made[i]->storage();
    });
    if (is_shared) {
      NNS_TRY_ASSIGN(made[i], ops::call_tensor_op(interpreter_, OpId::clone, std::array{Value(made[i])}));
    }
  }
  return made;
}

}  // namespace nns::autograd
