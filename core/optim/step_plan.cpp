#include "core/optim/step_plan.h"

#include <cstring>

namespace nns::optim {
namespace {

using tensor::Dims;
using tensor::DType;

constexpr std::size_t kSmallBytes = 1024;
constexpr std::size_t kBlockBytes = std::size_t{1} << 16U;
constexpr std::size_t kSmallAlignment = 16;

std::optional<FormatId> format_of(DType dtype) {
  switch (dtype) {
    case DType::Float32:
    case DType::Complex64:
      return FormatId::Float32;
    case DType::Float64:
    case DType::Complex128:
      return FormatId::Float64;
    case DType::BFloat16:
      return FormatId::BFloat16;
    case DType::Float16:
      return FormatId::Float16;
    default:
      return std::nullopt;
  }
}

// The tensor without gaps and in order, of dtype `dtype` and on `device`.
PyResult<Ref<Tensor>> packed(const Tensor& tensor, DType dtype, tensor::Device device) {
  NNS_TRY_ASSIGN(auto made, tensor::try_empty(tensor.interpreter(), tensor.shape(), dtype, device));
  NNS_TRY(tensor::copy_items(*made, tensor));
  return made;
}

}  // namespace

bool is_laid_out_alike(const Tensor& a, const Tensor& b) {
  const std::size_t count = a.ndim();
  if (b.ndim() != count || a.dtype() != b.dtype() || a.device() != b.device()) return false;
  const std::int64_t *const sizes = a.shape().begin(), *const other_sizes = b.shape().begin();
  const std::int64_t *const steps = a.strides().begin(), *const other_steps = b.strides().begin();
  for (std::size_t i = 0; i < count; ++i) {
    if (sizes[i] != other_sizes[i] || (steps[i] != other_steps[i] && sizes[i] != 1)) return false;
  }
  return true;
}

double Lane::scalar(std::size_t slot) const {
  const StateTensor& at = state[slot];
  if (at.tensor->dtype() == DType::Float32 && !at.tensor->is_cuda()) {
    float value = 0;
    std::memcpy(&value, at.data, sizeof value);
    return static_cast<double>(value);
  }
  return tensor::read_double(*at.tensor, at.tensor->offset());
}

void Lane::set_scalar(std::size_t slot, double value) {
  const StateTensor& at = state[slot];
  if (at.tensor->dtype() == DType::Float32 && !at.tensor->is_cuda()) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(at.data, &narrow, sizeof narrow);
  } else {
    tensor::fill_items(*at.tensor, value);
  }
}

StepPlan::~StepPlan() { clear(); }

void StepPlan::clear() {
  for (const Ref<Dict>& dict : watched_) dict->watch(nullptr);
  watched_.clear();
  watched_set_.clear();
  lanes_.clear();
  groups_.clear();
  state_ = nullptr;
}

void StepPlan::watch(Dict& dict) {
  if (!watched_set_.insert(&dict).second) return;
  dict.watch(&changes_);
  watched_.emplace_back(&dict);
}

void StepPlan::traverse(object::Visitor& visitor) const {
  for (const Ref<Dict>& dict : watched_) visitor.visit(dict);
  for (const Lane& lane : lanes_) visitor.visit(lane.param);
  visitor.visit(state_);
}

bool StepPlan::is_valid(Optimizer& self, const List& groups, const Dict* state) const {
  if (changes_ != seen_changes_ || state_.get() != state || groups_.size() != groups.size()) return false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].options != groups.items()[i].as<Dict>()) return false;
    const Value* const found = groups_[i].options->find(OptimLibrary::of(self.interpreter()).names.params);
    const List* const params = found == nullptr ? nullptr : found->as<List>();
    const std::span<const Lane> lanes = groups_[i].lanes;
    if (params == nullptr || params->size() != lanes.size()) return false;
    const Value* const items = params->items().data();
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      if (items[k].object() != static_cast<object::Object*>(lanes[k].param.get())) return false;
    }
  }
  return true;
}

PyResult<void> StepPlan::update(Optimizer& self) {
  NNS_TRY_ASSIGN(const List* const groups, self.param_groups());
  NNS_TRY_ASSIGN(Dict* const state, self.state());
  if (is_valid(self, *groups, state)) return {};
  clear();
  state_ = Ref<Dict>(state);
  watch(*state);
  Interpreter& in = self.interpreter();
  std::vector<std::size_t> sizes;
  for (const Value& value : groups->items()) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    NNS_TRY_ASSIGN(const List* const params, params_of(in, *group));
    for (const Value& param : params->items()) {
      Tensor* const tensor = param.as<Tensor>();
      if (tensor == nullptr) {
        return object::type_error(in, "optimizer can only optimize Tensors, but one of the params is {}",
                                  in.type_of(param).name());
      }
      lanes_.emplace_back().param = Ref<Tensor>(tensor);
    }
    sizes.push_back(params->size());
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    groups_.push_back({groups->items()[i].as<Dict>(), std::span(lanes_).subspan(first, sizes[i])});
    first += sizes[i];
  }
  accept_changes();
  return {};
}

std::byte* StepPlan::take_small(std::size_t bytes) {
  bytes = (bytes + kSmallAlignment - 1) / kSmallAlignment * kSmallAlignment;
  if (!block_ || block_used_ + bytes > kBlockBytes) {
    block_ = std::shared_ptr<std::byte[]>(new std::byte[kBlockBytes]);
    block_used_ = 0;
  }
  std::byte* const taken = block_.get() + block_used_;
  block_used_ += bytes;
  return taken;
}

Ref<Tensor> StepPlan::make_like(const Tensor& param, double start) {
  Interpreter& in = param.interpreter();
  const Dims strides =
      tensor::is_non_overlapping_and_dense(param) ? param.strides() : tensor::contiguous_strides(param.shape());
  const std::uint64_t bytes = param.nbytes();
  const bool is_small = bytes > 0 && bytes <= kSmallBytes && param.device() == tensor::Device::Cpu;
  std::byte* const taken = is_small ? take_small(static_cast<std::size_t>(bytes)) : nullptr;
  Ref<tensor::Storage> storage =
      is_small ? tensor::Storage::wrap(in, taken, bytes, block_) : tensor::Storage::allocate(in, bytes, param.device());
  auto made = tensor::make_tensor(in, {std::move(storage), param.shape(), strides, 0, param.dtype()});
  // Complex(start, start), as full_like gives it for a state that is looked at as real numbers.
  if (tensor::is_complex(param.dtype()) && start != 0 && !param.is_meta()) {
    const DType real = param.dtype() == DType::Complex128 ? DType::Float64 : DType::Float32;
    tensor::fill_items(*tensor::make_tensor(in, {made->storage(), {2 * param.numel()}, {1}, 0, real}), start);
  } else {
    tensor::fill_items(*made, start);
  }
  return made;
}

bool StepPlan::is_current(const Lane& lane, std::uint32_t wanted) {
  const Tensor& param = *lane.param;
  if (lane.slots != wanted || param.storage().get() != lane.storage) return false;
  if (!param.is_meta() && param.data() != lane.data) return false;
  for (std::size_t i = 0; (wanted >> i) != 0; ++i) {
    if ((wanted >> i & 1U) == 0) continue;
    const StateTensor& at = lane.state[i];
    if (at.tensor->storage().get() != at.storage) return false;
    if (!at.tensor->is_meta() && at.tensor->data() != at.data) return false;
    const bool is_scalar = (lane.scalars >> i & 1U) != 0;
    if (!is_scalar && lane.is_aligned && !is_laid_out_alike(*at.tensor, param)) return false;
  }
  return true;
}

PyResult<void> StepPlan::find_state(Optimizer& self, Lane& lane, const StateLayout& layout, std::uint32_t wanted,
                                    std::span<const double> starts) {
  Interpreter& in = self.interpreter();
  Tensor& param = *lane.param;
  const std::optional<FormatId> format = format_of(param.dtype());
  if (!format) {
    return object::make_error(
        in, object::ErrorKind::NotImplementedError,
        fmt::format("\"{}\" is not implemented for '{}'", self.type().name(), tensor::info(param.dtype()).scalar_name));
  }
  lane.slots = 0;
  lane.format = *format;
  lane.count = param.numel() * (tensor::is_complex(param.dtype()) ? 2 : 1);
  lane.data = param.is_meta() ? nullptr : param.data();
  lane.storage = param.storage().get();
  lane.is_aligned = tensor::is_non_overlapping_and_dense(param);
  if (wanted == 0) return {};
  // 1. The parameter's own state, made where there is none.
  const Value key(lane.param);
  lane.scalars = 0;
  if (!state_->contains(key)) state_->set(key, Value(in.dict()));
  Dict* const own = state_->find(key)->as<Dict>();
  if (own == nullptr) return object::type_error(in, "the state of a parameter must be a dict");
  watch(*own);
  // 2. Its tensors, made where the state is new.
  const auto& names = OptimLibrary::of(in).names;
  const bool is_new = own->empty();
  for (std::size_t i = 0; i < layout.slots.size(); ++i) {
    if ((wanted >> i & 1U) == 0) continue;
    const StateSlot& slot = layout.slots[i];
    const Name name = names.*slot.name;
    const bool is_scalar = slot.kind == StateSlot::Kind::Scalar;
    if (is_scalar) lane.scalars |= 1U << i;
    const Value* found = own->find(name);
    if (found == nullptr && !is_new && !layout.makes_missing) return object::key_error(in, name.value());
    if (found == nullptr || found->is_none()) {
      if (is_scalar) {
        const DType dtype = scalar_dtype(in);
        const std::uint32_t bytes = tensor::item_bytes(dtype);
        std::byte* const taken = take_small(bytes);
        auto storage = tensor::Storage::wrap(in, taken, bytes, block_);
        auto made = tensor::make_tensor(in, {std::move(storage), {}, {}, 0, dtype});
        tensor::fill_items(*made, starts[i]);
        own->set(name, Value(std::move(made)));
      } else {
        own->set(name, Value(make_like(param, starts[i])));
      }
      found = own->find(name);
      lane.fresh |= 1U << i;
    }
    Tensor* const tensor = found->as<Tensor>();
    if (tensor == nullptr) {
      return object::runtime_error(in,
                                   "API has changed, `state_steps` argument must contain a list of singleton tensors");
    }
    if (tensor->sparse() != nullptr) {
      return object::runtime_error(in, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
    }
    if (is_scalar ? tensor->numel() != 1 : !(tensor->shape() == param.shape())) {
      return object::runtime_error(in, "The size of state '{}' ({}) must match the size of its parameter ({})",
                                   name.view(), tensor::size_text(tensor->shape()), tensor::size_text(param.shape()));
    }
    lane.state[i] = {tensor, tensor->is_meta() ? nullptr : tensor->data(), tensor->storage().get()};
    lane.is_aligned = lane.is_aligned && (is_scalar || is_laid_out_alike(*tensor, param));
  }
  lane.slots = wanted;
  return {};
}

PyResult<CopiedRows> CopiedRows::of(const Lane& lane, const Tensor& grad, tensor::Device device) {
  CopiedRows copies;
  const Tensor& param = *lane.param;
  if (!(grad.shape() == param.shape())) {
    return object::runtime_error(param.interpreter(),
                                 "The size of the gradient ({}) must match the size of its parameter ({})",
                                 tensor::size_text(grad.shape()), tensor::size_text(param.shape()));
  }
  NNS_TRY_ASSIGN(copies.param_, packed(param, param.dtype(), device));
  NNS_TRY_ASSIGN(copies.grad_, packed(grad, param.dtype(), device));
  copies.rows_.param = copies.param_->data();
  copies.rows_.grad = copies.grad_->data();
  for (std::size_t i = 0; i < kMostStates; ++i) {
    // Scalars are read where they are.
    if ((lane.slots >> i & 1U) == 0 || (lane.scalars >> i & 1U) != 0) continue;
    NNS_TRY_ASSIGN(copies.states_[i], packed(*lane.state[i].tensor, param.dtype(), device));
    copies.rows_.state[i] = copies.states_[i]->data();
  }
  return copies;
}

PyResult<void> CopiedRows::finish(const Lane& lane) {
  NNS_TRY(tensor::copy_items(*lane.param, *param_));
  for (std::size_t i = 0; i < kMostStates; ++i) {
    if (states_[i]) NNS_TRY(tensor::copy_items(*lane.state[i].tensor, *states_[i]));
  }
  return {};
}

}  // namespace nns::optim
