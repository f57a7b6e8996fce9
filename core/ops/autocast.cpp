#include "core/ops/autocast.h"

#include <algorithm>
#include <optional>

#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::ops {
namespace {

// What ops.def calls by another name, or has in parts, stands under its own. Behaviour: aten/src/ATen/autocast_mode.cpp
// (AutocastCPU) and autocast_mode.h (AT_FORALL_LOWER_PRECISION_FP and its siblings, for cuda).
constexpr OpId kLowerEverywhere[] = {OpId::conv1d,
                                     OpId::conv1d_padding,
                                     OpId::conv2d,
                                     OpId::conv2d_padding,
                                     OpId::conv3d,
                                     OpId::conv3d_padding,
                                     OpId::conv_transpose1d,
                                     OpId::conv_transpose2d,
                                     OpId::conv_transpose3d,
                                     OpId::mm,
                                     OpId::bmm,
                                     OpId::addmm,
                                     OpId::linear,
                                     OpId::matmul,
                                     OpId::linalg_vecdot,
                                     OpId::prelu,
                                     OpId::scaled_dot_product_attention};
constexpr OpId kLowerOnCuda[] = {OpId::mv, OpId::convolution, OpId::linalg_multi_dot};

constexpr OpId kFloatEverywhere[] = {
    OpId::cdist,          OpId::nll_loss,   OpId::cross_entropy_loss, OpId::mse_loss,
    OpId::smooth_l1_loss, OpId::huber_loss, OpId::soft_margin_loss,   OpId::binary_cross_entropy_with_logits};
constexpr OpId kFloatOnCpu[] = {OpId::avg_pool3d,
                                OpId::max_pool3d,
                                OpId::max_pool3d_with_indices,
                                OpId::adaptive_avg_pool3d,
                                OpId::adaptive_max_pool3d,
                                OpId::fractional_max_pool2d,
                                OpId::fractional_max_pool3d,
                                OpId::max_unpool2d,
                                OpId::max_unpool3d,
                                OpId::reflection_pad1d,
                                OpId::reflection_pad2d,
                                OpId::replication_pad1d,
                                OpId::replication_pad2d,
                                OpId::replication_pad3d,
                                OpId::grid_sampler,
                                OpId::grid_sampler_2d,
                                OpId::grid_sampler_3d,
                                OpId::polar,
                                OpId::prod,
                                OpId::prod_dim,
                                OpId::quantile,
                                OpId::nanquantile,
                                OpId::trace,
                                OpId::view_as_complex,
                                OpId::binary_cross_entropy,
                                OpId::ctc_loss,
                                OpId::cholesky,
                                OpId::cholesky_inverse,
                                OpId::cholesky_solve,
                                OpId::inverse,
                                OpId::lu_solve,
                                OpId::orgqr,
                                OpId::ormqr,
                                OpId::pinverse,
                                OpId::geqrf,
                                OpId::qr,
                                OpId::svd,
                                OpId::triangular_solve,
                                OpId::lu_with_info,
                                OpId::linalg_cond,
                                OpId::linalg_cond_str,
                                OpId::linalg_matrix_rank,
                                OpId::linalg_matrix_rank_tensors,
                                OpId::linalg_matrix_rank_floats,
                                OpId::linalg_matrix_rank_tol_tensor,
                                OpId::linalg_solve,
                                OpId::linalg_cholesky,
                                OpId::linalg_cholesky_ex,
                                OpId::linalg_svdvals,
                                OpId::linalg_svd,
                                OpId::linalg_eigvals,
                                OpId::linalg_eigvalsh,
                                OpId::linalg_eig,
                                OpId::linalg_eigh,
                                OpId::linalg_inv,
                                OpId::linalg_inv_ex,
                                OpId::linalg_householder_product,
                                OpId::linalg_tensorinv,
                                OpId::linalg_tensorsolve,
                                OpId::linalg_qr,
                                OpId::linalg_lstsq,
                                OpId::stft,
                                OpId::fft_fft,
                                OpId::fft_ifft,
                                OpId::fft_rfft,
                                OpId::fft_irfft,
                                OpId::fft_hfft,
                                OpId::fft_ihfft,
                                OpId::fft_fft2,
                                OpId::fft_ifft2,
                                OpId::fft_rfft2,
                                OpId::fft_irfft2,
                                OpId::fft_fftn,
                                OpId::fft_ifftn,
                                OpId::fft_rfftn,
                                OpId::fft_irfftn};
constexpr OpId kFloatOnCuda[] = {
    OpId::acos,       OpId::asin,  OpId::cosh, OpId::erfinv,   OpId::exp,        OpId::expm1,
    OpId::log,        OpId::log10, OpId::log2, OpId::log1p,    OpId::reciprocal, OpId::rsqrt,
    OpId::sinh,       OpId::tan,   OpId::pow,  OpId::softplus, OpId::layer_norm, OpId::native_layer_norm,
    OpId::group_norm, OpId::norm,  OpId::dist, OpId::logsumexp};

constexpr OpId kDtypeOnCuda[] = {OpId::prod,    OpId::prod_dim, OpId::softmax, OpId::log_softmax,
                                 OpId::cumprod, OpId::cumsum,   OpId::sum,     OpId::sum_dim};

constexpr OpId kPromoteOnCpu[] = {OpId::stack, OpId::cat};
constexpr OpId kPromoteOnCuda[] = {OpId::addcdiv, OpId::addcmul,      OpId::atan2,     OpId::cross,
                                   OpId::dot,     OpId::grid_sampler, OpId::index_put, OpId::scatter_add};

using Policies = std::array<CastPolicy, kOps>;

constexpr void enter(Policies& policies, std::span<const OpId> ops, CastPolicy policy) {
  for (const OpId op : ops) policies[static_cast<std::size_t>(op)] = policy;
}
constexpr Policies policies_of(bool is_cuda) {
  Policies made{};
  enter(made, kLowerEverywhere, CastPolicy::Lower);
  enter(made, kFloatEverywhere, CastPolicy::Float32);
  if (is_cuda) {
    enter(made, kLowerOnCuda, CastPolicy::Lower);
    enter(made, kFloatOnCuda, CastPolicy::Float32);
    enter(made, kDtypeOnCuda, CastPolicy::SetDtype);
    enter(made, kPromoteOnCuda, CastPolicy::Promote);
    enter(made, std::array{OpId::binary_cross_entropy}, CastPolicy::Refused);
  } else {
    enter(made, kFloatOnCpu, CastPolicy::Float32);
    enter(made, kPromoteOnCpu, CastPolicy::Promote);
  }
  return made;
}
constexpr Policies kCpuPolicies = policies_of(false);
constexpr Policies kCudaPolicies = policies_of(true);

// Ops of PyTorch that are made of several here.
struct FunctionPolicy {
  std::string_view name;
  CastPolicy cpu, cuda;
};
constexpr FunctionPolicy kFunctions[] = {
    {"baddbmm", CastPolicy::Lower, CastPolicy::Lower},
    {"addbmm", CastPolicy::Lower, CastPolicy::Lower},
    {"addmv", CastPolicy::None, CastPolicy::Lower},
    {"addr", CastPolicy::None, CastPolicy::Lower},
    {"mkldnn_rnn_layer", CastPolicy::Lower, CastPolicy::Lower},
    {"_cudnn_rnn", CastPolicy::None, CastPolicy::Lower},
    {"kl_div", CastPolicy::Float32, CastPolicy::Float32},
    {"l1_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"cosine_embedding_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"hinge_embedding_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"poisson_nll_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"margin_ranking_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"triplet_margin_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"multi_margin_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"multilabel_margin_loss", CastPolicy::Float32, CastPolicy::Float32},
    {"cosine_similarity", CastPolicy::None, CastPolicy::Float32},
    {"renorm", CastPolicy::None, CastPolicy::Float32},
    {"tensordot", CastPolicy::None, CastPolicy::Promote},
    {"bilinear", CastPolicy::None, CastPolicy::Promote},
};

// Calls use(tensor) for each tensor among the arguments and in their tuples and lists.
template <class Use>
void for_each_tensor(std::span<const Value> args, Use use) {
  for (const Value& value : args) {
    std::span<const Value> items(&value, 1);
    if (const auto* tuple = value.as<object::Tuple>()) items = tuple->items();
    if (const auto* list = value.as<object::List>()) items = list->items();
    for (const Value& item : items) {
      if (const Tensor* one = item.as<Tensor>()) use(*one);
    }
  }
}

// Whether the GPU's kernel of cross_entropy takes these arguments as they are: it computes in float32, and the loss is
// float32 (class_losses.cpp). Casting would write and read all scores twice as wide, and again their gradient.
// Differs: there is no ToCopyBackward0 in the graph.
bool reads_short_floats(std::span<const Value> args) {
  if (args.size() < 2) return false;
  const Tensor *const scores = args[0].as<Tensor>(), *const target = args[1].as<Tensor>();
  return scores != nullptr && target != nullptr && scores->is_cuda() && tensor::item_bytes(scores->dtype()) == 2 &&
         tensor::is_floating(scores->dtype()) && tensor::is_integral(target->dtype()) &&
         (args.size() < 3 || args[2].is_none());
}

}  // namespace

bool Autocast::lies_on(const Tensor& tensor, std::string_view device_type) const {
  if (tensor.is_meta()) return device_type == meta_device_type;
  return device_type == "cpu" ? tensor::is_cpu(tensor.device()) : device_type == "cuda" && tensor.is_cuda();
}

// Behaviour: is_eligible() of autocast_mode.h.
bool Autocast::is_eligible(const Tensor& tensor, std::string_view device_type) const {
  return tensor::is_floating(tensor.dtype()) && tensor.dtype() != DType::Float64 && lies_on(tensor, device_type);
}

Autocast::Mode* Autocast::mode(std::string_view device_type) {
  const auto found =
      std::find_if(modes_.begin(), modes_.end(), [&](const Mode& one) { return one.device_type == device_type; });
  return found == modes_.end() ? nullptr : &*found;
}

void Autocast::enable(Mode& mode, bool is_enabled) {
  enabled_ += static_cast<int>(is_enabled) - static_cast<int>(mode.is_enabled);
  mode.is_enabled = is_enabled;
}

const Autocast::Mode* Autocast::mode_for(std::span<const Value> args) const {
  const Mode& cpu = modes_[0];
  const Mode& cuda = modes_[1];
  const Mode* found = nullptr;
  for_each_tensor(args, [&](const Tensor& tensor) {
    if (cuda.is_enabled && lies_on(tensor, cuda.device_type)) found = &cuda;
    if (found == nullptr && cpu.is_enabled && lies_on(tensor, cpu.device_type)) found = &cpu;
  });
  return found;
}

Autocast::Casting Autocast::casting_of(OpId op, std::span<const Value> args) const {
  const auto at = static_cast<std::size_t>(op);
  if (kCpuPolicies[at] == CastPolicy::None && kCudaPolicies[at] == CastPolicy::None) return {};
  const Mode* const mode = mode_for(args);
  if (mode == nullptr || (op == OpId::cross_entropy_loss && reads_short_floats(args))) return {};
  return {mode->device_type == "cpu" ? kCpuPolicies[at] : kCudaPolicies[at], mode};
}

Autocast::Casting Autocast::casting_of(std::string_view function, std::span<const Value> args) const {
  const auto* const found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const auto& one) { return one.name == function; });
  if (found == std::end(kFunctions)) return {};
  const Mode* const mode = mode_for(args);
  if (mode == nullptr) return {};
  // With weights it is made of others in PyTorch, too.
  constexpr std::size_t kWeight = 5;
  if (function == "l1_loss" && args.size() > kWeight && !args[kWeight].is_none()) return {};
  return {mode->device_type == "cpu" ? found->cpu : found->cuda, mode};
}

// Behaviour: cached_cast() of autocast_mode.cpp.
PyResult<Value> Autocast::cast_one(Interpreter& interpreter, const Mode& mode, DType to, const Value& value) {
  const auto cast_items = [&](std::span<const Value> items) -> PyResult<Value> {
    std::vector<Value> made;
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(Value one, cast_one(interpreter, mode, to, item));
      made.push_back(std::move(one));
    }
    return Value(interpreter.tuple(std::move(made)));
  };
  if (const auto* tuple = value.as<object::Tuple>()) return cast_items(tuple->items());
  if (const auto* list = value.as<object::List>()) return cast_items(list->items());
  Tensor* const tensor = value.as<Tensor>();
  if (tensor == nullptr || !is_eligible(*tensor, mode.device_type) || tensor->dtype() == to) return value;
  const tensor::AutogradMeta* const meta = tensor->autograd();
  const bool is_view = meta != nullptr && meta->view_base;
  const bool is_kept = caches && to == mode.dtype && tensor->dtype() == DType::Float32 && tensor->requires_grad() &&
                       tensor->is_leaf() && !is_view;
  if (is_kept) {
    if (const auto found = cache_.find(tensor); found != cache_.end()) return Value(found->second.made);
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made,
                 call_tensor_op(interpreter, OpId::to_dtype,
                                std::array{value, tensor::TensorLibrary::of(interpreter).dtype_value(to)}));
  if (is_kept) cache_.insert_or_assign(tensor, CachedCast{Ref<Tensor>(tensor), made});
  return Value(std::move(made));
}

PyResult<std::vector<Value>> Autocast::cast(Interpreter& interpreter, const Casting& casting, const OpInfo* info,
                                            std::span<const Value> args) {
  std::vector<Value> made(args.begin(), args.end());
  const Mode& mode = *casting.mode;
  DType to = mode.dtype;
  switch (casting.policy) {
    case CastPolicy::None:
      return made;
    case CastPolicy::Lower:
      break;
    case CastPolicy::Float32:
      to = DType::Float32;
      break;
    case CastPolicy::SetDtype: {
      const Tensor* const first = args.empty() ? nullptr : args[0].as<Tensor>();
      if (first == nullptr || info == nullptr || !is_eligible(*first, mode.device_type)) return made;
      for (std::size_t i = 0; i < info->parameters.size(); ++i) {
        if (info->parameters[i].type != ParameterType::DType) continue;
        for (std::size_t k = made.size(); k <= i; ++k) made.push_back(info->parameters[k].default_value);
        if (made[i].is_none()) made[i] = tensor::TensorLibrary::of(interpreter).dtype_value(DType::Float32);
      }
      return made;
    }
    case CastPolicy::Promote: {
      bool is_unexpected = false;
      for_each_tensor(args, [&](const Tensor& tensor) {
        if (!is_eligible(tensor, mode.device_type)) return;
        if (tensor.dtype() == DType::Float32) to = DType::Float32;
        is_unexpected |= tensor.dtype() != DType::Float32 && tensor.dtype() != mode.dtype;
      });
      if (is_unexpected)
        return object::runtime_error(interpreter, "Unexpected floating ScalarType in at::autocast::prioritize");
      break;
    }
    case CastPolicy::Refused:
      return object::runtime_error(
          interpreter,
          "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
          "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
          "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
          "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
          "safe to autocast.");
  }
  const Suspended suspended(*this);
  for (Value& value : made) {
    NNS_TRY_ASSIGN(value, cast_one(interpreter, mode, to, value));
  }
  return made;
}

}  // namespace nns::ops
